"""What requirements of tables share."""

from abc import abstractmethod
from dataclasses import dataclass

from confide.core.requirements.base import Requirement

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

    def __and__(self, other: "TableRequirement") -> "TableRequirement":
        from confide.core.requirements.tables.combination import all_of

        return all_of(self, other) if isinstance(other, TableRequirement) else NotImplemented
