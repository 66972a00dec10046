"""What requirements of tables share."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.core.requirements.base import Requirement, Words

__all__ = ["ALIKE", "ONE_VALUE", "PSEUDONYMS", "RULED_OUT", "SEVERAL", "SEVERAL_ROWS", "TableRequirement"]

ONE_VALUE = "learning a sensitive value when all rows of a group share it (a diversity requirement stops that)"
SEVERAL = "someone who compares several releases about the same people"
ALIKE = "learning what two sensitive values with nearly the same meaning have in common"
RULED_OUT = "ruling out sensitive values a person cannot have, which raises the chance of the others"
SEVERAL_ROWS = "finding a person who has several rows"

PSEUDONYMS = (
    "whoever has the key of the pseudonyms: they can find each person's row, in every release made with that key"
)
"""What a passport must say it does not protect against when identifiers were replaced by keyed pseudonyms."""


_ROWS = re.compile(r"\b([Aa]t least \S+) rows share\b")
_FIT = re.compile(r"\bat least (\S+) rows fit\b")


def _of_people(text: str) -> str:
    """
    >>> _of_people("At least 3 rows share every combination; no value is in more than 1/2 of the rows.")
    'At least 3 people share every combination; no value is in more than 1/2 of the people.'
    >>> _of_people("linking a row to a person: at least 3 rows fit")
    'linking a row to a person: rows of at least 3 people fit'
    """
    text = _ROWS.sub(r"\1 people share", _FIT.sub(r"rows of at least \1 people fit", text))
    return text.replace(" of the rows", " of the people")


@dataclass(frozen=True, kw_only=True)
class TableRequirement(Requirement):
    """A requirement of each group of rows that look alike. Several are joined with `&`, and then all must hold."""

    @property
    def of_sensitive(self) -> bool:
        """Whether it speaks of sensitive values, so that a table needs such a column."""
        return True

    @property
    @abstractmethod
    def fewest(self) -> int:
        """The fewest rows (or persons) that a group which meets it can have."""

    def words(self, context: Mapping[str, Any]) -> Words:
        """With a column that says whose row is whose, people are counted, not rows, and the words say so."""
        roles = context.get("roles")
        if not isinstance(roles, Mapping) or "person" not in roles.values():
            return super().words(context)
        return Words(_of_people(self.promise()), tuple(_of_people(text) for text in self.stops), self.does_not_stop)

    def __and__(self, other: "TableRequirement") -> "TableRequirement":
        from confide.core.requirements.tables.combination import all_of

        return all_of(self, other) if isinstance(other, TableRequirement) else NotImplemented
