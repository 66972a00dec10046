"""Parameters for a strict promise: gamma from (rho1, rho2), then p of Mask, K and rho of Cut-and-Paste, or a matrix for
each field.

The numbers themselves are worked out in `schemes.strict_parameters`. Source: paper 003, Eq. 4.2 and section 4.6.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from confide.collect.estimating.forecasts import column_error, keep_error
from confide.collect.fields.fields import Fields
from confide.collect.schemes.cut_and_paste import CutAndPaste
from confide.collect.schemes.gamma_diagonal import GammaDiagonal
from confide.collect.schemes.mask import Mask
from confide.collect.schemes.matrix_scheme import MatrixScheme
from confide.collect.schemes.strict_parameters import (
    best_cut,
    check_gamma,
    column_moves,
    cut_choices,
    kept_rates,
    largest_p,
)
from confide.core.errors import RequirementError, UsageError
from confide.core.figures import Shown
from confide.core.requirements import Amplification

__all__ = [
    "ColumnsPlan",
    "CutAndPastePlan",
    "GammaPlan",
    "MaskPlan",
    "plan_columns",
    "plan_cut_and_paste",
    "plan_gamma",
    "plan_mask",
]


@dataclass(frozen=True, kw_only=True)
class GammaPlan(Shown):
    """gamma, the same as epsilon = ln gamma, and the breach (rho1, rho2) it rules out."""

    gamma: float
    rho1: float
    rho2: float

    def __post_init__(self) -> None:
        check_gamma(self.gamma)

    @property
    def epsilon(self) -> float:
        """ln gamma: the parameter of local differential privacy."""
        return math.log(self.gamma)

    def scheme(self, domains: Any) -> GammaDiagonal:
        """The gamma-diagonal scheme over these domains."""
        return GammaDiagonal(domains=domains, gamma=self.gamma)

    def standard_errors(self, domains: Any, *, records: int, support: float = 0.02) -> dict[int, float]:
        """Standard error of a support (as a share) for itemsets over 1, 2, ... of the fields, whichever they are.

        It *falls* with length, and is an average over the choices of fields; see `forecasts.keep_error`.
        """
        sizes = Fields.of(domains).sizes
        return {
            length: keep_error(self.gamma, sizes, length=length, support=support, records=records)
            for length in range(1, len(sizes) + 1)
        }

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"gamma": self.gamma, "epsilon": self.epsilon, "rho1": self.rho1, "rho2": self.rho2}


@dataclass(frozen=True, kw_only=True)
class MaskPlan(Shown):
    """Mask's p, rounded down to the safe side; `attained` is the gamma it really has, `swaps` what two records of this
    kind can differ in."""

    p: float
    gamma: float
    attained: float
    swaps: int
    max_length: int | None = None

    def scheme(self, *, items: tuple[str, ...] | None = None, fields: Fields | None = None) -> Mask:
        """The scheme planned, over a universe of items or over categorical fields."""
        return Mask(p=self.p, items=items, fields=fields, max_length=None if fields is not None else self.max_length)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"p": self.p, "gamma": self.gamma, "attained_gamma": self.attained, "differ_in": self.swaps}


@dataclass(frozen=True, kw_only=True)
class CutAndPastePlan(Shown):
    """K and rho (rounded up to the safe side) for a gamma; `attained` is the gamma they really have.

    `choices` holds every K that was possible: (K, rho, condition number at itemset length 1, 2, ...).
    """

    K: int
    rho: float
    gamma: float
    attained: float
    max_length: int
    choices: tuple[tuple[int, float, tuple[float, ...]], ...] = field(default=(), repr=False)

    def scheme(self, *, items: tuple[str, ...] | None = None, fields: Fields | None = None) -> CutAndPaste:
        """The scheme planned, over a universe of items or over categorical fields."""
        bound = None if fields is not None else self.max_length
        return CutAndPaste(K=self.K, rho=self.rho, items=items, fields=fields, max_length=bound)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        choices = [{"K": k, "rho": rho, "condition_numbers": list(c)} for k, rho, c in self.choices]
        return {
            "K": self.K,
            "rho": self.rho,
            "gamma": self.gamma,
            "attained_gamma": self.attained,
            "choices": choices,
        }


@dataclass(frozen=True, kw_only=True)
class ColumnsPlan(Shown):
    """k-ary randomised response in each field alone, gamma shared among them in equal parts of epsilon.

    `moves` is, for each field, the chance of each other value (rounded up to the safe side); `attained` the gamma that
    whole records really have.
    """

    fields: Fields
    moves: tuple[float, ...]
    gamma: float
    attained: float

    @property
    def rates(self) -> tuple[tuple[float, float], ...]:
        """For each field the chances that a value stays, and that it does not appear where it was not."""
        return kept_rates(self.fields.sizes, self.moves)

    def scheme(self) -> MatrixScheme:
        """The scheme planned: one matrix a field."""
        return MatrixScheme(domains=self.fields, matrices=_matrices(self.fields, self.moves))

    def standard_errors(self, *, records: int, support: float = 0.02) -> dict[int, float]:
        """Standard error of a support (as a share) for itemsets over 1, 2, ... of the fields, whichever they are.

        It *grows* with length; values are taken to be independent of each other.
        """
        return {
            length: column_error(self.rates, length=length, support=support, records=records)
            for length in range(1, len(self.fields) + 1)
        }

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "gamma": self.gamma,
            "attained_gamma": self.attained,
            "gamma_per_field": self.gamma ** (1 / len(self.fields)),
            "chance_a_value_stays": {
                name: stays for name, (stays, _) in zip(self.fields.names, self.rates, strict=True)
            },
        }


def plan_gamma(rho1: float, rho2: float) -> GammaPlan:
    """The gamma under which no property of prior at most rho1 gets a posterior above rho2 (Eq. 4.2).

    >>> plan = plan_gamma(0.05, 0.5)
    >>> plan.gamma, round(plan.epsilon, 3)
    (19.0, 2.944)
    """
    return GammaPlan(gamma=Amplification.from_breach(rho1, rho2).gamma, rho1=rho1, rho2=rho2)


def plan_mask(
    gamma: float, *, fields: int | None = None, max_length: int | None = None, universe: int | None = None
) -> MaskPlan:
    """The largest p (the least noise) with which Mask keeps amplification at most `gamma`.

    `fields` is the number M of categorical fields, each with one 1: two records differ in 2M places. Or `max_length`
    is the longest record of items: two records differ in up to twice as many places, but never in more than the
    `universe` has items. A longer record needs a p closer to 1/2.

    >>> plan_mask(19, fields=6).p, plan_mask(19, fields=7).p
    (0.561036, 0.552386)
    """
    check_gamma(gamma)
    if (fields is None) == (max_length is None):
        raise UsageError(
            "say fields (categorical records) or max_length (records of items), one of the two",
            parameter="max_length",
            value=max_length,
        )
    length = _whole("fields" if fields is not None else "max_length", fields if max_length is None else max_length)
    places = 2 * length if universe is None else min(2 * length, universe)
    p = largest_p(gamma, places=places)
    return MaskPlan(p=p, gamma=gamma, attained=(p / (1 - p)) ** places, swaps=places, max_length=max_length)


def plan_columns(gamma: float, domains: Any) -> ColumnsPlan:
    """One matrix a field (k-ary randomised response), with which a whole record keeps amplification at most `gamma`.

    `domains` are as for `GammaDiagonal`. Each of M fields has gamma^(1/M): a value is so many times likelier to stay
    than to become a certain other. A field of k values stays what it was with the chance g/(g + k - 1), g that number.

    Against Mask over the same fields it needs half as many draws and errs less at every length, since a field's values
    exclude each other. Against gamma-diagonal it errs less on short itemsets and more on long ones.

    >>> plan = plan_columns(19, {"sex": ["f", "m"], "ill": ["no", "yes"]})
    >>> [round(stays, 3) for stays, _ in plan.rates], round(plan.attained, 3)
    ([0.813, 0.813], 19.0)
    """
    fields = Fields.of(domains)
    moves = column_moves(gamma, fields.sizes)
    attained = MatrixScheme(domains=fields, matrices=_matrices(fields, moves)).amplification().gamma
    return ColumnsPlan(fields=fields, moves=moves, gamma=gamma, attained=attained)


def _matrices(fields: Fields, moves: Sequence[float]) -> list[list[list[float]]]:
    found = []
    for size, move in zip(fields.sizes, moves, strict=True):
        stays = float(1 - (size - 1) * Decimal(repr(move)))  # exact: columns add up to 1
        found.append([[stays if v == u else move for u in range(size)] for v in range(size)])
    return found


def plan_cut_and_paste(
    gamma: float,
    *,
    K: int | None = None,
    fields: int | None = None,
    max_length: int | None = None,
    length: int | None = None,
) -> CutAndPastePlan:
    """K and the smallest rho (the least noise) with which Cut-and-Paste keeps amplification at most `gamma`.

    `fields` is the number of categorical fields, or `max_length` the longest record of items. Without `K`, every K
    that can reconstruct itemsets of `length` items (3, if records are that long) is tried (K must be at least that) and
    the one with the best conditioned matrix at that length is taken.

    >>> plan_cut_and_paste(19, K=3, fields=6).rho
    0.451352
    """
    check_gamma(gamma)
    if (fields is None) == (max_length is None):
        raise UsageError(
            "say fields (categorical records) or max_length (records of items), one of the two",
            parameter="max_length",
            value=max_length,
        )
    longest = _whole("fields" if fields is not None else "max_length", fields if max_length is None else max_length)
    length = min(3, longest) if length is None else length
    found = cut_choices(gamma, K=K, record_length=longest, length=length)
    best = best_cut(found, length)
    return CutAndPastePlan(
        K=best.K,
        rho=best.rho,
        gamma=gamma,
        attained=CutAndPaste(K=best.K, rho=best.rho, max_length=longest).amplification().gamma,
        max_length=longest,
        choices=tuple((choice.K, choice.rho, choice.conditions) for choice in found),
    )


def _whole(name: str, value: int | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise RequirementError(f"{name}={value} must be a whole number of 1 or more", parameter=name, value=value)
    return value
