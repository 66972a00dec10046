"""A family of itemsets that is counted while items are suppressed: one face for diagrams, borders and walks."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from confide.publish.transactions.families.borders import Border
from confide.publish.transactions.families.diagrams import Counts, DecisionDiagram

__all__ = ["BorderCounter", "FamilyCounter", "DiagramCounter"]


class FamilyCounter(Protocol):
    """A family of itemsets that loses those with a suppressed item. `WalkCounter`, in `visits`, is one too."""

    def counts(self) -> Counts:
        """How many there are, and how many hold each item."""

    def drop(self, items: Sequence[int]) -> None:
        """Leave only those without these items."""

    def needed(self, items: Iterable[int], gone: Iterable[int]) -> set[int]:
        """Those of these items, all `gone`, with which some itemset of the whole family would come back.

        Asked after the last `drop`; items once missing from `gone` have come back for good.
        """


class DiagramCounter:
    """Counts on a diagram; `extra` of its sets do not count (the empty itemset is not a nugget)."""

    def __init__(self, diagram: DecisionDiagram, n_items: int, *, extra: int = 0) -> None:
        self.whole = diagram
        self._diagram, self._n_items, self._extra = diagram, n_items, extra

    def counts(self) -> Counts:
        """See `FamilyCounter`."""
        found = self._diagram.counts(self._n_items)
        return Counts(max(0, found.total - self._extra), found.per_item)

    def drop(self, items: Sequence[int]) -> None:
        """See `FamilyCounter`."""
        self._diagram = self._diagram.without(items)

    def needed(self, items: Iterable[int], gone: Iterable[int]) -> set[int]:
        """See `FamilyCounter`."""
        return self.whole.held_alone(gone).intersection(items)


class BorderCounter:
    """Counts on a border: made once, then lessened by what each suppressed item takes along."""

    def __init__(self, border: Border, n_items: int) -> None:
        self._border, self._smallest = border, tuple(border.upper)
        self._total = border.count()
        self._per_item = np.zeros(n_items, dtype=np.object_)
        for v, count in border.deltas().items():
            self._per_item[v] = count

    def counts(self) -> Counts:
        """See `FamilyCounter`."""
        return Counts(self._total, self._per_item)

    def drop(self, items: Sequence[int]) -> None:
        """See `FamilyCounter`."""
        for item in items:
            self._total -= self._per_item[item]
            for v, lost in self._border.suppress(item).items():
                self._per_item[v] -= lost
            self._per_item[item] = 0

    def needed(self, items: Iterable[int], gone: Iterable[int]) -> set[int]:
        """See `FamilyCounter`."""
        mask = sum(1 << v for v in set(gone))
        alone = {x & mask for x in self._smallest if (x & mask).bit_count() == 1}
        return {v for v in items if 1 << v in alone}
