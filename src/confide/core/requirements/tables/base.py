"""What requirements of tables and trees share: sentences in the terms of a release, and what is left open."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from confide.core.requirements.base import Requirement, Words
from confide.core.requirements.tables.terms import ROWS, Terms, terms_of
from confide.core.requirements.weakening import Weakening

__all__ = [
    "ALIKE",
    "CERTAIN",
    "COMMONEST",
    "EVENNESS",
    "EVERYBODY",
    "FEW_ALIKE",
    "ONE_VALUE",
    "ORDER_KEPT",
    "PSEUDONYMS",
    "RULED_OUT",
    "TableRequirement",
]

# What a requirement may leave open; names in braces are filled with the terms of a release.
ONE_VALUE = "learning a {value} when all {members} of a {group} share it (a diversity requirement stops that)"
CERTAIN = "being certain of a common {value}: all {members} of a {group} may share it"
COMMONEST = "guessing the commonest {value} of a {group}, which may be that of nearly all of its {members}"
EVENNESS = "guessing the commonest {value} of a {group}: entropy sets no fixed bound on that chance"
FEW_ALIKE = "{linking} where few {members} look alike (k-anonymity stops that)"
ALIKE = "learning what two {values} with nearly the same meaning have in common"
RULED_OUT = "ruling out {values} a person cannot have, which raises the chance of the others"
EVERYBODY = "learning what is true of everybody in the release"

PSEUDONYMS = (
    "whoever has the key of the pseudonyms: they can find each person's row, in every release made with that key"
)
"""What a passport must say it does not protect against when identifiers were replaced by keyed pseudonyms."""

ORDER_KEPT = "someone who knows a person's place in the original file: the rows stand in its order"
"""What it must say where rows were not shuffled."""


@dataclass(frozen=True, kw_only=True)
class TableRequirement(Requirement):
    """A requirement of each group of rows that look alike. Several are joined with `&`, and then all must hold."""

    caveats = (ORDER_KEPT, PSEUDONYMS)

    compares_release: ClassVar[bool] = False
    """Whether a group is compared with the whole release, so that leaving a row out changes what others need."""
    joins: ClassVar[bool] = True
    """Whether two groups that meet it still do as one: true of every bound on a convex function of counts."""

    @property
    def plain(self) -> "TableRequirement":
        """What it asks when nobody knows the other sensitive values: itself, unless it is `OthersKnown`."""
        return self

    @property
    def values_needed(self) -> int:
        """How many different sensitive values a group that meets it must have."""
        return 1

    @abstractmethod
    def weakenings(self, rows: int) -> list[Weakening]:
        """For each parameter its weaker values, but for those that so many rows cannot tell apart."""

    @property
    def of_sensitive(self) -> bool:
        """Whether it speaks of sensitive values, so that a table needs such a column."""
        return True

    @property
    @abstractmethod
    def fewest(self) -> int:
        """The fewest rows (or persons) that a group which meets it can have."""

    @abstractmethod
    def promise_in(self, terms: Terms) -> str:
        """The promise in the terms of a release, in one sentence."""

    @abstractmethod
    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        """Whom it stops, in the terms of a release."""

    @property
    @abstractmethod
    def leaves_open(self) -> tuple[str, ...]:
        """Whom it does not stop, beside those that no such requirement stops; terms are in braces."""

    @property
    @abstractmethod
    def closes(self) -> frozenset[str]:
        """What others leave open and this one stops, so that both together do not say that it is open."""

    @abstractmethod
    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        """As `in_other_terms`, in the terms of a release."""

    def phrase(self, terms: Terms) -> Words:
        """Promise and limits in the terms of a release."""
        left = dict.fromkeys((*self.leaves_open, *terms.always))
        open_to = tuple(terms.fill(text) for text in left if text not in self.closes)
        return Words(self.promise_in(terms), self.stops_in(terms), open_to)

    def words(self, artefact: str, context: Mapping[str, Any]) -> Words:
        """Of a tree, leaves and classes are spoken of; of a table with a column of persons, people."""
        return self.phrase(terms_of(artefact, context))

    def words_in_other_terms(self, artefact: str, context: Mapping[str, Any]) -> dict[str, str]:
        return self.other_terms_in(terms_of(artefact, context))

    def promise(self) -> str:
        return self.promise_in(ROWS)

    @property
    def stops(self) -> tuple[str, ...]:
        return self.stops_in(ROWS)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return self.phrase(ROWS).does_not_stop

    def in_other_terms(self) -> dict[str, str]:
        return self.other_terms_in(ROWS)

    def __and__(self, other: "TableRequirement") -> "TableRequirement":
        from confide.core.requirements.tables.combination import all_of

        return all_of(self, other) if isinstance(other, TableRequirement) else NotImplemented
