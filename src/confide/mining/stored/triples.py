"""Counts of all triples of some items, a cell each: no candidate is looked up, a record costs its triples and no more.

What does not fit is counted in several passes, some first items at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining.stored.lanes import Lanes, bounded_cuts

__all__ = ["Triples", "count_triples", "triple_passes"]

MOST_CELLS = 1 << 26  # of one pass: 256 MB
PRIVATE_CELLS = 1 << 20  # so few that each thread has its own


@dataclass(frozen=True, eq=False)
class Triples:
    """Counts of the triples whose first item is number first .. last - 1."""

    first: int
    last: int
    base: NDArray[np.int64]
    line: NDArray[np.int64]
    cells: NDArray[np.int32]

    def of(self, low: Any, middle: Any, high: Any) -> NDArray[np.int32]:
        """The counts of some triples of numbers, low < middle < high."""
        found: NDArray[np.int32] = self.cells[self.base[low] + self.line[middle] + high]
        return found


def triple_passes(n_items: int) -> int:
    """How many passes the triples of so many items take."""
    return len(_cuts(_room(n_items))) - 1


def count_triples(
    stored: StoredTransactions, items: NDArray[np.int32], *, first: int = 0, last: int | None = None
) -> Iterator[Triples]:
    """All triples of `items` (ascending codes) whose first is number first .. last - 1: one result for each pass."""
    room = _room(len(items))[:last]
    for begin, end in pairwise([first + cut for cut in _cuts(room[first:])]):
        job = CountTriples(stored.n_items, items, begin, end)
        label = f"counting triples of {end - begin:,} with {len(items):,} items"
        yield stored.fold(job, label=label).triples


def _room(n_items: int) -> NDArray[np.int64]:
    """The cells of each first item."""
    behind = n_items - 1 - np.arange(n_items, dtype=np.int64)
    room: NDArray[np.int64] = behind * (behind - 1) // 2
    return room


def _cuts(room: NDArray[np.int64]) -> list[int]:
    """Where to cut the first items so that no pass has too many cells, unless one item has."""
    return bounded_cuts(room.tolist(), MOST_CELLS)


@dataclass
class _Counting:
    triples: Triples
    rank: NDArray[np.int32]
    lanes: Lanes


@dataclass(frozen=True, eq=False)
class CountTriples:
    """The pass that counts the triples of the first items first .. last - 1."""

    n_items: int
    items: NDArray[np.int32]
    first: int
    last: int

    @property
    def shared(self) -> bool:
        """Whether one array of cells serves all threads."""
        return int(self._own().sum()) > PRIVATE_CELLS

    def _own(self) -> NDArray[np.int64]:
        room = _room(len(self.items))
        room[: self.first] = room[self.last :] = 0
        return room

    def begin(self) -> _Counting:
        """Cells of zeros."""
        n, own = len(self.items), self._own()
        numbers = np.arange(n, dtype=np.int64)
        lengths = n - 1 - numbers
        line = np.cumsum(lengths) - lengths - numbers - 1  # line[i] + i + 1 is where line i begins
        ends = np.cumsum(own)
        base = ends - n * (n - 1) // 2  # an item's cells are the end of a triangle
        rank = np.full(self.n_items, -1, dtype=np.int32)
        rank[self.items] = np.arange(n, dtype=np.int32)
        triples = Triples(self.first, self.last, base, line, np.zeros(int(ends[-1]) + 1, dtype=np.int32))
        lanes = Lanes.over(own.astype(np.float64).tolist()) if self.shared else Lanes([0, n])
        return _Counting(triples, rank, lanes)

    def add(self, state: _Counting, batch: Transactions) -> _Counting:
        """Count the triples of these records."""
        from confide.mining.counting.level_kernels import filter_rows
        from confide.mining.stored._cell_kernels import add_triples

        rows = filter_rows(batch.indptr, batch.indices, state.rank, 0, len(batch))
        made = state.triples

        def bring(_: int, first: int, last: int) -> None:
            first, last = max(first, made.first), min(last, made.last)
            if first < last:
                add_triples(*rows, first, last, made.base, made.line, made.cells)

        state.lanes.visit(bring)
        return state

    def merge(self, one: _Counting, other: _Counting) -> _Counting:
        """The sum of two."""
        one.triples.cells[:] += other.triples.cells
        return one
