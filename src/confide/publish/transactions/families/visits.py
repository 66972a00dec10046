"""All moles of sparse data, counted by visiting them: the third exact way, for small p and many items.

A diagram of thousands of items, few of which go together, is mostly paths of its own. There it is cheaper to visit
every itemset of at most p items that occurs: once to count the moles of each item, and once more when its first item is
suppressed, to subtract. The records shrink along the way, so nothing is visited a third time.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.threads import cores, in_threads
from confide.publish.transactions.families.diagrams import Counts, Sets

__all__ = ["WalkCounter", "itemsets_held"]


def itemsets_held(lengths: NDArray[np.int64], p: int) -> int:
    """How many times any itemset of at most p items is held by a record: what a walk reads, at most."""
    sizes, times = np.unique(lengths, return_counts=True)
    return sum(math.comb(int(n), size) * int(t) for n, t in zip(sizes, times, strict=True) for size in range(1, p + 1))


class WalkCounter:
    """The moles of at most p items among records in which no item is a mole alone.

    `rows` are the public records; `breaches` the minimal moles (those that are rare need not be among them, their
    support tells). `codes` are the public items, rarest first, which keeps the lists of records short.
    """

    def __init__(self, rows: Sets, codes: NDArray[np.int32], n_items: int, *, k: int, p: int, breaches: Sets) -> None:
        from confide.publish.transactions.families._diagram_count_kernels import in_levels
        from confide.publish.transactions.families._visit_kernels import BreachTable, ShrinkingRecords, hash_breaches

        self._codes, self._n_items, self._k, self._p = codes, n_items, k, p
        level_of = np.full(n_items, -1, dtype=np.int32)
        level_of[codes] = np.arange(len(codes), dtype=np.int32)
        self._level_of = level_of
        starts, levels = in_levels(rows.starts, rows.items, level_of, len(codes))
        held = np.argsort(levels, kind="stable")
        holders = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))[held]
        counts = np.bincount(levels, minlength=len(codes))
        holder_starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._rows = ShrinkingRecords(starts[:-1].copy(), np.diff(starts), levels, holder_starts, holders)

        breach_starts, breach_items = in_levels(breaches.starts, breaches.items, level_of, len(codes))
        # Not a protection but a hash: which keys are drawn changes nothing but the time.
        keys = np.random.default_rng(1).integers(1, 1 << 63, size=len(codes), dtype=np.uint64)
        slots = np.zeros(1 << (2 * len(breach_starts)).bit_length(), dtype=np.int64)
        self._breaches = BreachTable(breach_starts, breach_items, keys, slots)
        hash_breaches(self._breaches)
        self._found = np.zeros(len(codes), dtype=np.int64)
        self._total = self._count_all()
        self._out: set[int] = set()

    def counts(self) -> Counts:
        """How many moles there are, and how many hold each item."""
        per_item = np.zeros(self._n_items, dtype=np.int64)
        per_item[self._codes] = self._found
        return Counts(self._total, per_item)

    def drop(self, items: Sequence[int]) -> None:
        """Leave only the moles without these items."""
        from confide.publish.transactions.families._visit_kernels import remove_item

        for item in items:
            v = int(self._level_of[item])
            lost = np.zeros(len(self._codes), dtype=np.int64)
            self._total -= self._walk(v, v + 1, True, lost)
            remove_item(v, self._rows)
            self._found -= lost
            self._out.add(item)

    def needed(self, items: Iterable[int], gone: Iterable[int]) -> set[int]:
        """Those of these items, all `gone`, with which some mole would come back. Counts are wrong from here on."""
        from confide.publish.transactions.families._visit_kernels import insert_item, remove_item

        for item in self._out.difference(gone):
            insert_item(int(self._level_of[item]), self._rows)
        self._out.intersection_update(gone)
        found, ignored = set(), np.zeros(len(self._codes), dtype=np.int64)
        for item in items:
            v = int(self._level_of[item])
            insert_item(v, self._rows)
            if self._walk(v, v + 1, True, ignored):
                found.add(item)
            remove_item(v, self._rows)
        return found

    def _count_all(self) -> int:
        n = len(self._codes)
        step = max(1, n // (16 * cores()))
        pieces = [(first, min(first + step, n)) for first in range(0, n, step)]
        # Each piece of items counts for itself: a sum is the same in any order.
        found = np.zeros((len(pieces), n), dtype=np.int64)
        total = sum(in_threads(lambda i: self._walk(*pieces[i], False, found[i]), range(len(pieces))))
        self._found += found.sum(axis=0)
        return total

    def _walk(self, first: int, stop: int, alone: bool, found: NDArray[np.int64]) -> int:
        from confide.publish.transactions.families._visit_kernels import walk

        if self._p < 2:
            return 0
        return int(walk(first, stop, alone, self._k, self._p, self._rows, self._breaches, found))
