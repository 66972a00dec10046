"""Diversity: how many sensitive values there are in a group of rows that look alike, and how evenly they are spread."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from confide.core.bounds import at_least, at_most, share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import check_count, exact, is_number
from confide.core.requirements.tables.base import (
    ALIKE,
    CERTAIN,
    COMMONEST,
    EVENNESS,
    FEW_ALIKE,
    ONE_VALUE,
    RULED_OUT,
    SensitiveRequirement,
)
from confide.core.requirements.tables.logarithms import entropy_reaches
from confide.core.requirements.tables.terms import Terms
from confide.core.requirements.weakening import Weakening, lower, raise_to

__all__ = ["ESTIMATED", "DistinctDiversity", "EntropyDiversity", "RecursiveDiversity", "SimpleDiversity"]

ESTIMATED = "groups whose true class counts are less even than was estimated: the promise rests on an estimate"
"""What a passport must say it does not protect against when its context says that the counts are estimated."""

_SEVERAL_VALUES = frozenset({FEW_ALIKE, ONE_VALUE, CERTAIN})  # what is open where a group may have one value only
_BOUNDED = _SEVERAL_VALUES | {COMMONEST, EVENNESS}  # and where no chance is bounded


@dataclass(frozen=True, kw_only=True, repr=False)
class SimpleDiversity(SensitiveRequirement):
    """Simple l-diversity: in each group of rows that look alike, no sensitive value holds more than 1/l of the rows.

    A larger l gives away less. It can be met only while l is at most 1/(share of the commonest sensitive value).
    """

    kind = "simple-diversity"

    l: int  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("l", self.l, least=2, why="allows groups with one sensitive value")

    @property
    def fewest(self) -> int:
        return self.l

    @property
    def values_needed(self) -> int:
        return self.l

    def weakenings(self, rows: int) -> list[Weakening]:
        return [lower("l", self.l)]

    def promise_in(self, terms: Terms) -> str:
        return f"{terms.each}, no {terms.value} is {terms.held} more than 1/{self.l} of the {terms.members}."

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"{terms.guessing} with a chance above 1/{self.l}",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (RULED_OUT, ALIKE)

    @property
    def closes(self) -> frozenset[str]:
        return _BOUNDED

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "l": f"{self.l}: the fewest different {terms.values} of a {terms.group}",
            f"chance to guess a {terms.value}": f"at most {share_at_most(1 / self.l)} (1/{self.l})",
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class DistinctDiversity(SensitiveRequirement):
    """Distinct l-diversity: in each group of rows that look alike there are l different sensitive values or more.

    A larger l gives away less, but no l bounds a chance: one value may hold nearly all rows of a group.
    """

    kind = "distinct-diversity"

    l: int  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("l", self.l, least=2, why="allows groups with one sensitive value")

    @property
    def fewest(self) -> int:
        return self.l

    @property
    def values_needed(self) -> int:
        return self.l

    def weakenings(self, rows: int) -> list[Weakening]:
        return [lower("l", self.l)]

    def promise_in(self, terms: Terms) -> str:
        return f"{terms.each} there are at least {self.l} different {terms.values}."

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"{terms.certain}{_even_without(self.l - 2, terms)}",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (COMMONEST, RULED_OUT, ALIKE)

    @property
    def closes(self) -> frozenset[str]:
        return _SEVERAL_VALUES

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {"l": f"{self.l}: the fewest different {terms.values} of a {terms.group}"}


@dataclass(frozen=True, kw_only=True, repr=False)
class EntropyDiversity(SensitiveRequirement):
    """Entropy l-diversity: in each group the entropy of the sensitive values is at least that of l equally common ones.

    With shares p of the values in a group, -sum p ln p >= ln l (the base does not matter). A larger l, which need not
    be whole, gives away less. It can be met only while l is at most what the whole table reaches.
    """

    kind = "entropy-diversity"

    l: float  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.l) or self.l <= 1:
            raise RequirementError(
                f"l={self.l} allows groups with one sensitive value; use a number above 1", parameter="l", value=self.l
            )

    def allows(self, counts: Sequence[int]) -> bool:
        """Whether a group whose sensitive values occur so often meets it, in exact arithmetic."""
        return entropy_reaches(counts, exact(self.l))

    @property
    def fewest(self) -> int:
        return math.ceil(exact(self.l))

    @property
    def values_needed(self) -> int:
        return math.ceil(self.l)

    def weakenings(self, rows: int) -> list[Weakening]:
        return [Weakening("l", range(math.ceil(round(self.l * 100, 6)) - 1, 100, -1), 100)]

    def promise_in(self, terms: Terms) -> str:
        return (
            f"{terms.each}, {terms.values} are spread at least as evenly as {at_least(self.l)} equally common ones "
            "(entropy)."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"{terms.certain}: each {terms.group} has at least {self.fewest} of them",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (EVENNESS, RULED_OUT, ALIKE)

    @property
    def closes(self) -> frozenset[str]:
        return _SEVERAL_VALUES | {COMMONEST}

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "l": f"{at_least(self.l)}: as many equally common {terms.values} have the least entropy of a {terms.group}",
            "entropy": f"at least {at_least(math.log(self.l))} nats ({at_least(math.log2(self.l))} bits)",
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class RecursiveDiversity(SensitiveRequirement):
    """Recursive (c, l)-diversity: in each group, sensitive values counted f1 >= f2 >= ..., f1 < c (fl + fl+1 + ...).

    A larger l or a smaller c gives away less: l - 2 values can be excluded and the commonest one left is still less
    than c times the rest.
    """

    kind = "recursive-diversity"

    c: float
    l: int  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("l", self.l, least=2, why="allows groups with one sensitive value")
        if not is_number(self.c) or self.c <= 0:
            raise RequirementError(
                f"c={self.c} can never be met; use a number above 0, commonly 2 to 20", parameter="c", value=self.c
            )

    def most_frequent_allowed(self, tail: int, top: int) -> bool:
        """Whether f1 = `top` may stand against fl + fl+1 + ... = `tail`, in exact arithmetic."""
        return top < exact(self.c) * tail

    @property
    def _chance(self) -> str:
        return share_at_most(self.c / (self.c + 1))

    @property
    def fewest(self) -> int:
        return self.l

    @property
    def values_needed(self) -> int:
        return self.l

    def weakenings(self, rows: int) -> list[Weakening]:
        return [lower("l", self.l), raise_to("c", self.c, rows + 1)]

    def promise_in(self, terms: Terms) -> str:
        return (
            f"{terms.each}, the most common {terms.value} appears less than {at_most(self.c)} times as often as the "
            f"{_ordinal(self.l)} most common and all rarer ones together."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"{terms.guessing} with a chance of {self._chance} or more{_even_without(self.l - 2, terms)}",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        more = self.l - 2
        ruled_out = f"ruling out more than {more} {{values}}, which raises the chance of the others"
        return (ruled_out if more else RULED_OUT, ALIKE)

    @property
    def closes(self) -> frozenset[str]:
        return _BOUNDED

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "l": f"{self.l}: the fewest different {terms.values} of a {terms.group}",
            "c": f"{at_most(self.c)}: how far the most common {terms.value} may outweigh the rare ones together",
            f"chance to guess a {terms.value}": f"below {self._chance} (c/(c+1))",
        }


def _ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th, ..."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _even_without(values: int, terms: Terms) -> str:
    """Of an attacker who can rule out so many values."""
    if not values:
        return ""
    return f", even after ruling out {values} other {terms.values if values > 1 else terms.value}"
