"""k-anonymity and (alpha, k)-anonymity: how many rows look alike."""

import math
from dataclasses import dataclass

from confide.core.bounds import share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import check_count, exact, is_number
from confide.core.requirements.tables.base import (
    ALIKE,
    CERTAIN,
    COMMONEST,
    EVENNESS,
    FEW_ALIKE,
    IN_TABLE,
    ONE_VALUE,
    RULED_OUT,
    SensitiveRequirement,
    TableRequirement,
)
from confide.core.requirements.tables.terms import Terms
from confide.core.requirements.weakening import Weakening, lower, raise_share

__all__ = ["AlphaK", "KAnonymity"]


@dataclass(frozen=True, kw_only=True)
class KAnonymity(TableRequirement):
    """k-anonymity: each combination of quasi-identifier values is shared by k rows or more; a larger k hides better."""

    kind = "k-anonymity"

    k: int

    def __post_init__(self) -> None:
        check_count("k", self.k, least=2, why="protects nobody")

    @property
    def of_sensitive(self) -> bool:
        return False

    @property
    def fewest(self) -> int:
        return self.k

    def weakenings(self, rows: int) -> list[Weakening]:
        return [lower("k", self.k)]

    def promise_in(self, terms: Terms) -> str:
        return f"At least {self.k} {terms.alike}."

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"{terms.linking}: {terms.fit.format(self.k)}",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (ONE_VALUE,)

    @property
    def closes(self) -> frozenset[str]:
        return frozenset({FEW_ALIKE, IN_TABLE})

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return _in_terms_of_k(self.k, terms)


@dataclass(frozen=True, kw_only=True, repr=False)
class AlphaK(SensitiveRequirement):
    """(alpha, k)-anonymity: k-anonymity, and in each group no sensitive value holds more than alpha of the rows.

    A larger k or a smaller alpha gives away less. This is the general form, which asks it of every sensitive value
    (Wong et al. 2006). It can be met only while alpha is at least the share of the commonest sensitive value.
    """

    kind = "alpha-k-anonymity"

    alpha: float
    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("k", self.k, least=2, why="protects nobody")
        if not is_number(self.alpha) or not 0 < self.alpha < 1:
            raise RequirementError(
                f"alpha={self.alpha} is not a bound on a share; use a number between 0 and 1",
                parameter="alpha",
                value=self.alpha,
            )

    def most_allowed(self, rows: int) -> int:
        """How many of `rows` rows may hold one sensitive value: floor(alpha * rows), in exact arithmetic."""
        return math.floor(exact(self.alpha) * rows)

    @property
    def fewest(self) -> int:
        return max(self.k, math.ceil(1 / exact(self.alpha)))

    @property
    def values_needed(self) -> int:
        return math.ceil(1 / exact(self.alpha))

    def weakenings(self, rows: int) -> list[Weakening]:
        return [raise_share("alpha", self.alpha), lower("k", self.k)]

    def promise_in(self, terms: Terms) -> str:
        most = f"no {terms.value} is {terms.held} more than {share_at_most(self.alpha)} of them"
        return f"At least {self.k} {terms.alike}, and {most}."

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (
            f"{terms.linking}: {terms.fit.format(self.k)}",
            f"{terms.guessing} with a chance above {share_at_most(self.alpha)}",
        )

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (RULED_OUT, ALIKE)

    @property
    def closes(self) -> frozenset[str]:
        return frozenset({FEW_ALIKE, IN_TABLE, ONE_VALUE, CERTAIN, COMMONEST, EVENNESS})

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        chance = {f"chance to guess a {terms.value}": f"at most {share_at_most(self.alpha)} (alpha)"}
        return _in_terms_of_k(self.k, terms) | chance


def _in_terms_of_k(k: int, terms: Terms) -> dict[str, str]:
    return {
        "k": f"{k}: {terms.smallest}",
        f"chance to pick the right {terms.member}": f"at most {share_at_most(1 / k)} (1/{k})",
    }
