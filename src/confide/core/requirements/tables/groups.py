"""k-anonymity and (alpha, k)-anonymity: how many rows look alike."""

import math
from dataclasses import dataclass

from confide.core.bounds import share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import check_count, exact, is_number
from confide.core.requirements.tables.base import ALIKE, ONE_VALUE, RULED_OUT, SEVERAL, SEVERAL_ROWS, TableRequirement

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

    def promise(self) -> str:
        return (
            f"At least {self.k} rows share every combination of values that could identify someone (quasi-identifiers)."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return (f"linking a row to a person through the quasi-identifiers: at least {self.k} rows fit",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (ONE_VALUE, SEVERAL, SEVERAL_ROWS)

    def in_other_terms(self) -> dict[str, str]:
        return {
            "k": f"{self.k}: the size of the smallest group of rows that look alike",
            "chance to pick the right row": f"at most {share_at_most(1 / self.k)} (1/{self.k})",
        }


@dataclass(frozen=True, kw_only=True)
class AlphaK(TableRequirement):
    """(alpha, k)-anonymity: k-anonymity, and in each group no sensitive value holds more than alpha of the rows.

    A larger k or a smaller alpha gives away less. This is the general form, which asks it of every sensitive value
    (Wong et al. 2006). It can be met only while alpha is at least the share of the commonest sensitive value.
    """

    kind = "alpha-k-anonymity"

    alpha: float
    k: int

    def __post_init__(self) -> None:
        check_count("k", self.k, least=2, why="protects nobody")
        if not is_number(self.alpha) or not 0 < self.alpha < 1:
            raise RequirementError(f"alpha={self.alpha} is not a bound on a share; use a number between 0 and 1")

    def most_allowed(self, rows: int) -> int:
        """How many of `rows` rows may hold one sensitive value: floor(alpha * rows), in exact arithmetic."""
        return math.floor(exact(self.alpha) * rows)

    @property
    def fewest(self) -> int:
        return max(self.k, math.ceil(1 / exact(self.alpha)))

    def promise(self) -> str:
        return (
            f"At least {self.k} rows share every combination of values that could identify someone "
            f"(quasi-identifiers), and no sensitive value is in more than {share_at_most(self.alpha)} of them."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return (
            f"linking a row to a person through the quasi-identifiers: at least {self.k} rows fit",
            f"guessing a sensitive value from the quasi-identifiers with a chance above {share_at_most(self.alpha)}",
        )

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (RULED_OUT, ALIKE, SEVERAL, SEVERAL_ROWS)

    def in_other_terms(self) -> dict[str, str]:
        return {
            "k": f"{self.k}: the size of the smallest group of rows that look alike",
            "chance to pick the right row": f"at most {share_at_most(1 / self.k)} (1/{self.k})",
            "chance to guess a sensitive value": f"at most {share_at_most(self.alpha)} (alpha)",
        }
