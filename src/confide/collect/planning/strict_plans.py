"""Parameters for a strict promise: gamma from (rho1, rho2), then p of Mask, or K and rho of Cut-and-Paste.

Source: paper 003, Eq. 4.2 and section 4.6; for Cut-and-Paste gamma = sum of rho^-w over w = 0..K once records of K
items occur (the printed K = 3, rho = 0.494 gives 15.4; gamma 19 needs 0.4514).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.requirements import Amplification

if TYPE_CHECKING:
    from confide.collect.schemes.cut_and_paste import CutAndPaste
    from confide.collect.schemes.gamma_diagonal import GammaDiagonal
    from confide.collect.schemes.mask import Mask

__all__ = ["CutAndPastePlan", "GammaPlan", "MaskPlan", "plan_cut_and_paste", "plan_gamma", "plan_mask"]

DIGITS = 6  # of a planned parameter, rounded to the safe side
LARGEST_K = 32
LONGEST_SHOWN = 8  # lengths a plan tells condition numbers of


@dataclass(frozen=True, kw_only=True)
class GammaPlan:
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

    def scheme(self, domains: Any) -> "GammaDiagonal":
        """The gamma-diagonal scheme over these domains."""
        from confide.collect.schemes.gamma_diagonal import GammaDiagonal

        return GammaDiagonal(domains=domains, gamma=self.gamma)

    def standard_errors(self, domains: Any, *, records: int, support: float = 0.02) -> dict[int, float]:
        """Standard error of a support (as a share) for itemsets over the first 1, 2, ... fields.

        sqrt((s a(1-a) + (1-s) b(1-b))/N) / ((gamma-1)x), b = x n/(cells of the itemset's fields), a = b + (gamma-1)x.
        It *falls* with length: fewer cells of noise fall on a longer itemset.
        """
        from confide.collect.schemes.fields import Fields

        fields = Fields.of(domains)
        keep = (self.gamma - 1) / (self.gamma - 1 + fields.cells)
        found = {}
        for length in range(1, len(fields) + 1):
            b = (1 - keep) / math.prod(fields.sizes[:length])
            a = b + keep
            found[length] = math.sqrt((support * a * (1 - a) + (1 - support) * b * (1 - b)) / records) / keep
        return found

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"gamma": self.gamma, "epsilon": self.epsilon, "rho1": self.rho1, "rho2": self.rho2}


@dataclass(frozen=True, kw_only=True)
class MaskPlan:
    """Mask's p, rounded down to the safe side; `attained` is the gamma it really has, `swaps` what two records of this
    kind can differ in."""

    p: float
    gamma: float
    attained: float
    swaps: int
    max_length: int | None = None

    def scheme(self, *, items: tuple[str, ...] | None = None, fields: Any = None) -> "Mask":
        """The scheme planned, over a universe of items or over categorical fields."""
        from confide.collect.schemes.mask import Mask

        return Mask(p=self.p, items=items, fields=fields, max_length=None if fields is not None else self.max_length)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"p": self.p, "gamma": self.gamma, "attained_gamma": self.attained, "differ_in": self.swaps}


@dataclass(frozen=True, kw_only=True)
class CutAndPastePlan:
    """K and rho (rounded up to the safe side) for a gamma; `attained` is the gamma they really have.

    `choices` holds every K that was possible: (K, rho, condition number at itemset length 1, 2, ...).
    """

    K: int
    rho: float
    gamma: float
    attained: float
    max_length: int
    choices: tuple[tuple[int, float, tuple[float, ...]], ...] = field(default=(), repr=False)

    def scheme(self, *, items: tuple[str, ...] | None = None, fields: Any = None) -> "CutAndPaste":
        """The scheme planned, over a universe of items or over categorical fields."""
        from confide.collect.schemes.cut_and_paste import CutAndPaste

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
        raise UsageError("say fields (categorical records) or max_length (records of items), one of the two")
    length = _whole("fields" if fields is not None else "max_length", fields if max_length is None else max_length)
    places = 2 * length if universe is None else min(2 * length, universe)
    odds = gamma ** (1 / places)
    p = min(_safe(odds / (1 + odds), ROUND_FLOOR), 1 - 10**-DIGITS)  # p = 1 has no gamma
    if p <= 0.5:
        raise CannotMeetError(
            f"with {places} places to differ in, gamma={gamma:g} leaves p = 1/2, which erases the data",
            nearest="a shorter max_length, or gamma-diagonal over few fields",
        )
    return MaskPlan(p=p, gamma=gamma, attained=(p / (1 - p)) ** places, swaps=places, max_length=max_length)


def plan_cut_and_paste(
    gamma: float, *, K: int | None = None, fields: int | None = None, max_length: int | None = None, length: int = 3
) -> CutAndPastePlan:
    """K and the smallest rho (the least noise) with which Cut-and-Paste keeps amplification at most `gamma`.

    `fields` is the number of categorical fields, or `max_length` the longest record of items. Without `K`, every K
    that can tell itemsets of `length` items is tried (K must be at least that) and the one with the best conditioned
    matrix at that length is taken.

    >>> plan_cut_and_paste(19, K=3, fields=6).rho
    0.451352
    """
    check_gamma(gamma)
    if (fields is None) == (max_length is None):
        raise UsageError("say fields (categorical records) or max_length (records of items), one of the two")
    longest = _whole("fields" if fields is not None else "max_length", fields if max_length is None else max_length)
    candidates = [K] if K is not None else list(range(length, min(longest, LARGEST_K) + 1))
    if not candidates:
        raise RequirementError(f"length={length} is beyond the longest record, {longest}")
    found = []
    for k in candidates:
        if k < 1 or gamma <= k + 1:
            continue  # even rho = 1 has gamma K + 1
        rho = _safe(_smallest_rho(gamma, k, longest), ROUND_CEILING)
        if rho < 1:
            found.append((k, rho, _conditions(k, rho, longest)))
    if not found:
        least = min(candidates)
        raise CannotMeetError(
            f"gamma={gamma:g} cannot be kept with K={least}: even with every other item put in it is above {least + 1}",
            nearest=f"K={math.ceil(gamma) - 2} (itemsets of up to as many items)" if gamma > 2 else "gamma above 2",
        )
    best = found[0] if K is not None else min(found, key=lambda choice: choice[2][length - 1])
    return CutAndPastePlan(
        K=best[0],
        rho=best[1],
        gamma=gamma,
        attained=_attained_by(best[0], best[1], longest),
        max_length=longest,
        choices=tuple(found),
    )


def _cut_gamma(k: int, rho: float, longest: int) -> float:
    """Likeliest over least likely record behind what is sent: all K cut items seen, against none of them.

    A record of m < K items is cut at m with the chance left over, (K + 1 - m)/(K + 1).
    """
    m = min(k, longest)
    try:
        return sum(rho**-w for w in range(m)) + (k + 1 - m) * rho**-m
    except OverflowError:
        return math.inf


def _attained_by(k: int, rho: float, longest: int) -> float:
    from confide.collect.schemes.cut_and_paste import CutAndPaste

    return CutAndPaste(K=k, rho=rho, max_length=longest).amplification().gamma


def _smallest_rho(gamma: float, k: int, longest: int) -> float:
    return _root(lambda rho: _cut_gamma(k, rho, longest) <= gamma)


def _conditions(k: int, rho: float, longest: int) -> tuple[float, ...]:
    lengths = range(1, min(k, longest, LONGEST_SHOWN) + 1)
    return tuple(float(np.linalg.cond(cut_matrix(k, rho, longest, n))) for n in lengths)


def cut_matrix(k: int, rho: float, longest: int, length: int) -> NDArray[np.float64]:
    """Eq. 4.12 in floating point: entry [l', l] is the chance that a record of `longest` items, l of them of an itemset
    of `length` items, holds l' of the itemset afterwards.

    The cut takes h of the l items (hypergeometric), each other item of the itemset enters with rho: the printed sum in
    the order in which things happen, which is quick enough to try every K. `CutAndPaste.matrix` has it exactly.
    """
    m, most = longest, min(k, longest)
    found = np.zeros((length + 1, length + 1))
    for w in range(most + 1):
        chance = (k + 1 - w if w == most else 1) / (k + 1)
        for true in range(length + 1):
            for h in range(max(0, w - (m - true)), min(w, true) + 1):
                cut = chance * math.comb(true, h) * math.comb(m - true, w - h) / math.comb(m, w)
                rest = length - h
                for more in range(rest + 1):
                    found[h + more, true] += cut * math.comb(rest, more) * rho**more * (1 - rho) ** (rest - more)
    return found


def _root(holds: Callable[[float], bool]) -> float:
    """The smallest number in (0, 1] from which on `holds` is true (it is at 1)."""
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _safe(value: float, rounding: str) -> float:
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-DIGITS), rounding=rounding))


def _whole(name: str, value: int | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise RequirementError(f"{name}={value} must be a whole number of 1 or more")
    return value


def check_gamma(gamma: float) -> None:
    """Refuse a gamma under which nothing could be collected, or nothing is promised."""
    if not 1 < gamma < math.inf:
        raise RequirementError(f"gamma={gamma} erases the data or is no bound; use a number above 1, such as 19")
