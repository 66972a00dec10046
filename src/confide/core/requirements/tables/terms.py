"""The nouns of a release: what a requirement calls groups, their members and sensitive values.

Tables and trees keep the same promises. In a table the rows that look alike form a group and a sensitive value must
not be learned; in a tree a leaf is the group, and its records have a class. Whoever words a requirement fills in these.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

__all__ = ["LEAVES", "PEOPLE", "ROWS", "RULES", "Terms", "number_limits", "terms_of"]

SEVERAL = "someone who compares several releases about the same people"
MINIMALITY = "someone who knows the algorithm and reasons backwards from what it chose (minimality)"
UNDECLARED = "someone who recognises people by columns that are not declared as quasi-identifiers"
SEVERAL_ROWS = "finding a person who has several rows: rows are counted, not people"
SEVERAL_RECORDS = "recognising a person who has several records, with one owner or with several"
_OF_VALUES = ("guessing", "certain")
COUNTED = (
    "weights and copies among the records: a leaf has as many records as its owner counted, and no file can prove it"
)
MEAN_REST = "working out the last value of {!r} in a group from its mean, for someone who knows all others in it"
MEAN_EDGE = "learning all values of {!r} in a group whose mean stands at an end of the range of values"
MEDIAN = "learning a value of {!r} that somebody in a group has: the median is one"
_OF_NUMBERS = {"mean": (MEAN_REST, MEAN_EDGE), "median": (MEDIAN,)}


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Words that sentences of a requirement are filled with; `always` is what none of them stops in such a release."""

    members: str
    member: str
    alike: str  # what so many members have in common
    linking: str
    fit: str
    each: str
    group: str
    smallest: str
    value: str
    values: str
    held: str  # between a value and the members that have it
    guessing: str
    certain: str
    always: tuple[str, ...]

    def of_column(self, name: str) -> "Terms":
        """These words where one sensitive column is spoken of, by its name."""
        said = {field: getattr(self, field).replace(f"a {self.value}", f"the {self.value}") for field in _OF_VALUES}
        named = {field: text.replace(self.value, f"value of {name!r}") for field, text in said.items()}
        return replace(self, value=f"value of {name!r}", values=f"values of {name!r}", **named)

    def fill(self, text: str) -> str:
        """A sentence with these words in place of the names in braces."""
        return text.format_map(asdict(self))


ROWS = Terms(
    members="rows",
    member="row",
    alike="rows share every combination of values that could identify someone (quasi-identifiers)",
    linking="linking a row to a person through the quasi-identifiers",
    fit="at least {} rows fit",
    each="In each group of rows that look alike",
    group="group",
    smallest="no group of rows that look alike is smaller",
    value="sensitive value",
    values="sensitive values",
    held="in",
    guessing="guessing a sensitive value from the quasi-identifiers",
    certain="being certain of a sensitive value from the quasi-identifiers",
    always=(UNDECLARED, SEVERAL, SEVERAL_ROWS, MINIMALITY),
)
"""A table with a row for each person."""

PEOPLE = replace(
    ROWS,
    members="people",
    alike="people share every combination of values that could identify someone (quasi-identifiers)",
    fit="rows of at least {} people fit",
    smallest="no group of rows that look alike has fewer people",
    always=(UNDECLARED, SEVERAL, MINIMALITY),
)
"""A table with a column that says whose row is whose: people are counted."""

LEAVES = Terms(
    members="records",
    member="record",
    alike="records match every path to a leaf of the tree",
    linking="telling which record belongs to a person who matches a path",
    fit="at least {} records match it",
    each="At each leaf of the tree",
    group="leaf",
    smallest="no leaf has fewer records",
    value="class",
    values="classes",
    held="that of",
    guessing="guessing the class of a person who matches a path",
    certain="being certain of the class of a person who matches a path",
    always=(SEVERAL, SEVERAL_RECORDS, COUNTED, MINIMALITY),
)
"""A decision tree: people match the path to a leaf, and the leaf says how many records of which class end there."""

RULES = replace(
    LEAVES,
    alike="records match every rule",
    linking="telling which record belongs to a person who matches a rule",
    each="For each rule",
    group="rule",
    smallest="no rule has fewer records",
    guessing="guessing the class of a person who matches a rule",
    certain="being certain of the class of a person who matches a rule",
)
"""Disjoint rules, each a leaf."""


def terms_of(artefact: str, context: Mapping[str, Any]) -> Terms:
    """The words for this kind of file; `context` is its passport's, and says whether a column names persons."""
    if artefact in ("tree", "rules"):
        return LEAVES if artefact == "tree" else RULES
    roles = context.get("roles")
    return PEOPLE if isinstance(roles, Mapping) and "person" in roles.values() else ROWS


def number_limits(context: Mapping[str, Any]) -> tuple[str, ...]:
    """What numbers in place of ranges leave open, by the columns that the context of a passport says hold them."""
    numbers = context.get("numbers")
    named = numbers.items() if isinstance(numbers, Mapping) else ()
    return tuple(text.format(name) for name, kind in named for text in _OF_NUMBERS.get(str(kind), ()))
