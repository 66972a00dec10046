"""The profile as a tree of interests, each with its weight in whole units.

A document weighs `UNIT`. At every split its weight is divided among the children that hold it, so weights are shares
of shares; whole numbers of a unit that 1 to 16 divide, twice over, keep them exact: the leaves of a tree, "others"
included, add up to the documents to the last unit, and no child outweighs its parent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["MOST_DOCUMENTS", "UNIT", "Interest"]

UNIT = 720_720**2
"""Units of one document; 720,720 is the smallest number that 1 to 16 divide."""

MOST_DOCUMENTS = 10_000_000
"""More would not fit into 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """A node of the profile; the root has no terms.

    `terms` are its label as it is compared (stems), the first term last, as the chapter writes `personalized/search`;
    `words` the same as they are shown and sent (the commonest full form of each); `units` its weight; `documents` the
    number of documents behind it; `name` what the owner calls it, seen by the owner only; `hidden` that it never
    leaves the machine. Children come heaviest first.
    """

    terms: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    units: int
    documents: int
    children: tuple["Interest", ...] = field(default=())
    name: str | None = None
    hidden: bool = False

    @property
    def support(self) -> float:
        """Sup(t): its weight in documents."""
        return self.units / UNIT

    @property
    def label(self) -> str:
        """What the owner sees: the given name, else the words."""
        return self.name if self.name is not None else "/".join(self.words)

    @property
    def others(self) -> int:
        """Units that no child holds: the weight of the leaf "others", if there are children."""
        return self.units - sum(child.units for child in self.children)

    def walk(self) -> Iterator["Interest"]:
        """This interest and all below it, parents first."""
        waiting = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += reversed(found.children)

    def leaves(self) -> Iterator[int]:
        """The units of every leaf below, "others" included."""
        for found in self.walk():
            if not found.children:
                yield found.units
            elif found.others:
                yield found.others
