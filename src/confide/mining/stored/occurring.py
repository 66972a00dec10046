"""Triples that occur in some record and all of whose pairs are given, with their counts.

For many items and short records: most triples that could be asked for stand in no record, and are never looked at.
They are counted in hash tables, one a lane (see `lanes`), for as many first items at a time as fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining.stored.beside import Ranked
from confide.mining.stored.lanes import Lanes, Overflow, even_cuts

__all__ = ["count_occurring", "few_enough"]

MOST_SLOTS = 1 << 25  # of all tables, 12 bytes each, and half as much again while one grows
_FULL = 0.6
_SMALL = 1 << 12


def few_enough(stored: StoredTransactions) -> bool:
    """Whether the triples of one record are few beside a table."""
    return comb(stored.dictionary.longest, 3) <= _FULL * MOST_SLOTS / 64


def count_occurring(
    stored: StoredTransactions, pairs: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """(triples of codes in lexicographic order, their counts), in blocks that follow each other."""
    known = Ranked.of(pairs)
    work = np.diff(known.starts).astype(np.float64)
    mean = stored.dictionary.entries / max(1, len(stored))
    most = min(len(stored) * comb(max(3, round(mean)), 3), int((work * work).sum()) // 2)
    for begin, end in zip(*_ends(even_cuts(work.tolist(), max(1, int(most / (_FULL * MOST_SLOTS))))), strict=True):
        yield from _counted(stored, known, begin, end)


def _ends(cuts: list[int]) -> tuple[list[int], list[int]]:
    return cuts[:-1], cuts[1:]


def _counted(
    stored: StoredTransactions, pairs: Ranked, begin: int, end: int
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    try:
        state = stored.fold(
            CountOccurring(stored.n_items, pairs, begin, end), label=f"counting triples that begin with {end - begin:,}"
        )
    except Overflow:
        if end - begin < 2:
            raise
        middle = (begin + end) // 2
        yield from _counted(stored, pairs, begin, middle)
        yield from _counted(stored, pairs, middle, end)
        return
    words = np.concatenate([table.words[table.counts > 0] for table in state.tables])
    counts = np.concatenate([table.counts[table.counts > 0] for table in state.tables])
    del state
    order = np.argsort(words)
    words, places = words[order], (words[order] >> np.uint64(32)).astype(np.int64)
    first = np.searchsorted(pairs.starts, places, side="right") - 1
    third = (words & np.uint64(0xFFFFFFFF)).astype(np.int64)
    numbers = np.column_stack([first, pairs.seconds[places], third])
    yield pairs.items[numbers], counts[order].astype(np.int64)


@dataclass
class _Table:
    most: int
    words: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(_SMALL, dtype=np.uint64))
    counts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(_SMALL, dtype=np.int32))
    used: int = 0

    def grow(self, least: int = 0) -> None:
        from confide.mining.stored.beside_kernels import moved_triples

        size = 2 * len(self.counts)
        while size * _FULL < least:
            size *= 2
        if size > self.most:
            raise Overflow
        words, counts = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int32)
        self.used = moved_triples(self.words, self.counts, words, counts)
        self.words, self.counts = words, counts

    def take(self, other: "_Table") -> None:
        from confide.mining.stored.beside_kernels import moved_triples

        if self.used + other.used > _FULL * len(self.counts):
            self.grow(self.used + other.used)
        self.used += moved_triples(other.words, other.counts, self.words, self.counts)


@dataclass
class _Counting:
    rank: NDArray[np.int32]
    lanes: Lanes
    tables: list[_Table]


@dataclass(frozen=True, eq=False)
class CountOccurring:
    """The pass that counts the triples whose first item is number first .. last - 1."""

    n_items: int
    pairs: Ranked
    first: int
    last: int

    shared = True

    def begin(self) -> _Counting:
        """Empty tables."""
        work = np.diff(self.pairs.starts).astype(np.float64)
        work[: self.first] = work[self.last :] = 0
        lanes = Lanes.over(work.tolist())
        rank = np.full(self.n_items, -1, dtype=np.int32)
        rank[self.pairs.items] = np.arange(len(self.pairs.items), dtype=np.int32)
        return _Counting(rank, lanes, [_Table(MOST_SLOTS // len(lanes.locks)) for _ in lanes.locks])

    def add(self, state: _Counting, batch: Transactions) -> _Counting:
        """Count the triples of these records."""
        from confide.mining.counting.level_kernels import trim_rows
        from confide.mining.stored.beside_kernels import Pairs, RankedRows, TripleSlots, add_occurring

        rows = RankedRows(*trim_rows(batch.indptr, batch.indices, state.rank, 3))
        pairs = Pairs(self.pairs.starts, self.pairs.seconds)

        def bring(lane: int, first: int, last: int) -> None:
            first, last = max(first, self.first), min(last, self.last)
            at, table = 0, state.tables[lane]
            while first < last and at < len(rows.starts) - 1:
                slots, most = TripleSlots(table.words, table.counts), int(_FULL * len(table.counts))
                at, table.used = add_occurring(rows, at, first, last, pairs, slots, table.used, most)
                if at < len(rows.starts) - 1:
                    table.grow()

        state.lanes.visit(bring)
        return state

    def merge(self, one: _Counting, other: _Counting) -> _Counting:
        """The sum of two."""
        for mine, theirs in zip(one.tables, other.tables, strict=True):
            mine.take(theirs)
        return one
