"""Given pairs of items counted with each of some other items, the anchors."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining.stored.lanes import Lanes

__all__ = ["PairsBeside", "Ranked"]

MOST_CELLS = 1 << 26  # of one pass: 256 MB
PRIVATE_CELLS = 1 << 20  # so few that each thread has its own
MOST_LOOKED_UP = 2048  # items whose pairs have a table of places: 16 MB


@dataclass(frozen=True, eq=False)
class Ranked:
    """Pairs of item codes in lexicographic order, as numbers of the `items` in them (see `beside_kernels`)."""

    items: NDArray[np.int32]
    starts: NDArray[np.int64]
    seconds: NDArray[np.int32]

    @classmethod
    def of(cls, pairs: NDArray[np.int32]) -> "Ranked":
        """These pairs, which are in order."""
        items = np.unique(pairs)
        first, second = (np.searchsorted(items, pairs[:, column]).astype(np.int32) for column in (0, 1))
        starts = np.searchsorted(first, np.arange(len(items) + 1)).astype(np.int64)
        return cls(items, starts, second)

    def lookup(self) -> NDArray[np.int32]:
        """The place of the pair i, j at [i, j], or -1; an empty table where items are many."""
        n = len(self.items) if len(self.items) <= MOST_LOOKED_UP else 0
        table = np.full((n, n), -1, dtype=np.int32)
        if n:
            first = np.repeat(np.arange(n), np.diff(self.starts))
            table[first, self.seconds] = np.arange(len(self.seconds), dtype=np.int32)
        return table

    def blocks(self, n_anchors: int) -> list[tuple[int, int]]:
        """Numbers of first items whose pairs have room in one pass, from - to; one item may have more than that."""
        cuts, begin = [0], 0
        for i in range(len(self.items)):
            if i > cuts[-1] and (self.starts[i + 1] - begin) * n_anchors > MOST_CELLS:
                cuts.append(i)
                begin = int(self.starts[i])
        return list(zip(cuts, [*cuts[1:], len(self.items)], strict=True))


@dataclass(frozen=True, eq=False)
class PairsBeside:
    """Counts of pairs, places first .. last - 1 of those given, with each anchor."""

    first: int
    last: int
    table: NDArray[np.int32]

    @staticmethod
    def count(stored: StoredTransactions, pairs: Ranked, anchors: NDArray[np.int32]) -> "Iterator[PairsBeside]":
        """One result for each pass."""
        for begin, end in pairs.blocks(len(anchors)):
            job = CountBeside(stored.n_items, pairs, anchors, begin, end)
            label = f"counting {int(pairs.starts[end] - pairs.starts[begin]):,} pairs with {len(anchors):,} others"
            yield stored.fold(job, label=label).counted


@dataclass
class _Counting:
    counted: PairsBeside
    item_rank: NDArray[np.int32]
    anchor_rank: NDArray[np.int32]
    lookup: NDArray[np.int32]
    lanes: Lanes


@dataclass(frozen=True, eq=False)
class CountBeside:
    """The pass that counts the pairs whose first item is number begin .. end - 1."""

    n_items: int
    pairs: Ranked
    anchors: NDArray[np.int32]
    begin_at: int
    end_at: int

    @property
    def shared(self) -> bool:
        """Whether one table serves all threads."""
        return self._places() * len(self.anchors) > PRIVATE_CELLS

    def _places(self) -> int:
        return int(self.pairs.starts[self.end_at] - self.pairs.starts[self.begin_at])

    def begin(self) -> _Counting:
        """A table of zeros."""
        starts = self.pairs.starts
        table = np.zeros((self._places(), len(self.anchors)), dtype=np.int32)
        counted = PairsBeside(int(starts[self.begin_at]), int(starts[self.end_at]), table)
        work = np.diff(starts).astype(np.float64)
        work[: self.begin_at] = work[self.end_at :] = 0
        lanes = Lanes.over(work.tolist()) if self.shared else Lanes([0, len(work)])
        items, anchors = (_ranks(codes, self.n_items) for codes in (self.pairs.items, self.anchors))
        return _Counting(counted, items, anchors, self.pairs.lookup(), lanes)

    def add(self, state: _Counting, batch: Transactions) -> _Counting:
        """Count in these records."""
        from confide.mining.counting.level_kernels import filter_rows
        from confide.mining.stored.beside_kernels import Pairs, RankedRows, add_beside

        rows = RankedRows(*filter_rows(batch.indptr, batch.indices, state.item_rank, 0, len(batch)))
        anchors = RankedRows(*filter_rows(batch.indptr, batch.indices, state.anchor_rank, 0, len(batch)))
        pairs, made = Pairs(self.pairs.starts, self.pairs.seconds), state.counted

        def bring(_: int, first: int, last: int) -> None:
            first, last = max(first, self.begin_at), min(last, self.end_at)
            if first < last:
                add_beside(anchors, rows, first, last, pairs, state.lookup, made.first, made.table)

        state.lanes.visit(bring)
        return state

    def merge(self, one: _Counting, other: _Counting) -> _Counting:
        """The sum of two."""
        one.counted.table[:] += other.counted.table
        return one


def _ranks(codes: NDArray[np.int32], n_items: int) -> NDArray[np.int32]:
    rank = np.full(n_items, -1, dtype=np.int32)
    rank[codes] = np.arange(len(codes), dtype=np.int32)
    return rank
