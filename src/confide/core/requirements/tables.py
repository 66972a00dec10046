"""k-anonymity and l-diversity, for tables with a row per person."""

from dataclasses import dataclass

from confide.core.bounds import at_most, share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import Requirement, check_count, exact, is_number

__all__ = ["ESTIMATED", "KAnonymity", "RecursiveDiversity", "SimpleDiversity"]

ESTIMATED = "groups whose true class counts are less even than was estimated: the promise rests on an estimate"
"""What a passport must say it does not protect against when its context says that the counts are estimated."""

_SEVERAL = "someone who compares several releases about the same people"
_ALIKE = "learning what two sensitive values with nearly the same meaning have in common"


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Requirement):
    """k-anonymity: each combination of quasi-identifier values is shared by k rows or more; a larger k hides better."""

    kind = "k-anonymity"

    k: int

    def __post_init__(self) -> None:
        check_count("k", self.k, least=2, why="protects nobody")

    def promise(self) -> str:
        return (
            f"At least {self.k} rows share every combination of values that could identify someone (quasi-identifiers)."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return (f"linking a row to a person through the quasi-identifiers: at least {self.k} rows fit",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (
            "learning a sensitive value when all rows of a group share it (a diversity requirement stops that)",
            _SEVERAL,
            "finding a person who has several rows",
        )

    def in_other_terms(self) -> dict[str, str]:
        return {
            "k": f"{self.k}: the size of the smallest group of rows that look alike",
            "chance to pick the right row": f"at most {share_at_most(1 / self.k)} (1/{self.k})",
        }


@dataclass(frozen=True, kw_only=True)
class SimpleDiversity(Requirement):
    """Simple l-diversity: in each group of rows that look alike, no sensitive value holds more than 1/l of the rows.

    A larger l gives away less. It can be met only while l is at most 1/(share of the commonest sensitive value).
    """

    kind = "simple-diversity"

    l: int  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        check_count("l", self.l, least=2, why="allows groups with one sensitive value")

    def promise(self) -> str:
        return f"In each group of rows that look alike, no sensitive value is in more than 1/{self.l} of the rows."

    @property
    def stops(self) -> tuple[str, ...]:
        return (f"guessing a sensitive value from the quasi-identifiers with a chance above 1/{self.l}",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (
            "ruling out sensitive values a person cannot have, which raises the chance of the others",
            _ALIKE,
            _SEVERAL,
        )

    def in_other_terms(self) -> dict[str, str]:
        return {
            "l": f"{self.l}: the fewest different sensitive values in a group",
            "chance to guess a sensitive value": f"at most {share_at_most(1 / self.l)} (1/{self.l})",
        }


@dataclass(frozen=True, kw_only=True)
class RecursiveDiversity(Requirement):
    """Recursive (c, l)-diversity: in each group, sensitive values counted f1 >= f2 >= ..., f1 < c (fl + fl+1 + ...).

    A larger l or a smaller c gives away less: l - 2 values can be excluded and the commonest one left is still less
    than c times the rest.
    """

    kind = "recursive-diversity"

    c: float
    l: int  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        check_count("l", self.l, least=2, why="allows groups with one sensitive value")
        if not is_number(self.c) or self.c <= 0:
            raise RequirementError(f"c={self.c} can never be met; use a number above 0, commonly 2 to 20")

    def most_frequent_allowed(self, tail: int, top: int) -> bool:
        """Whether f1 = `top` may stand against fl + fl+1 + ... = `tail`, in exact arithmetic."""
        return top < exact(self.c) * tail

    @property
    def _chance(self) -> str:
        return share_at_most(self.c / (self.c + 1))

    def promise(self) -> str:
        return (
            "In each group of rows that look alike, the most common sensitive value appears less than "
            f"{at_most(self.c)} times as often as the {_ordinal(self.l)} most common and all rarer ones together."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        out = self.l - 2
        even = f", even after ruling out {out} other value{'s' * (out > 1)}" if out else ""
        return (f"guessing a sensitive value with a chance of {self._chance} or more{even}",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (_ALIKE, _SEVERAL)

    def in_other_terms(self) -> dict[str, str]:
        return {
            "l": f"{self.l}: the fewest different sensitive values in a group",
            "c": f"{at_most(self.c)}: how far the most common value may outweigh the rare ones together",
            "chance to guess a sensitive value": f"below {self._chance} (c/(c+1))",
        }


def _ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th, ..."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
