"""Counts of all pairs of some items, in one pass while they fit, in a few if not.

A triangle of 10,000 items has 50 million cells, 200 MB. It is in memory once: small ones a thread, large ones shared
(see `lanes`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining.stored.lanes import Lanes, bounded_cuts

__all__ = ["Triangle", "count_pairs"]

MOST_CELLS = 1 << 27  # 512 MB
PRIVATE_CELLS = 1 << 21  # so few that they stay in a core's own cache, or nearly


@dataclass(frozen=True, eq=False)
class Triangle:
    """Counts of the pairs of `items` (codes, ascending) whose smaller one is number first .. last - 1.

    The pair of numbers i < j is at cells[line[i] + j].
    """

    items: NDArray[np.int32]
    first: int
    last: int
    line: NDArray[np.int64]
    cells: NDArray[np.int32]

    def frequent(self, least: int) -> NDArray[np.int32]:
        """The pairs counted `least` times or more, as rows (i, j, count) in lexicographic order."""
        from confide.mining.stored._cell_kernels import frequent_pairs

        found: NDArray[np.int32] = frequent_pairs(
            self.line, self.cells, self.first, self.last, len(self.items), np.int32(least)
        )
        return found

    def rare(self, most: int) -> NDArray[np.int32]:
        """The pairs that occur, but fewer than `most` times."""
        from confide.mining.stored._cell_kernels import rare_pairs

        found: NDArray[np.int32] = rare_pairs(
            self.line, self.cells, self.first, self.last, len(self.items), np.int32(most)
        )
        return found

    def of(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int32]:
        """The counts of these pairs of numbers, i < j."""
        return self.cells[self.line[i] + j]


def count_pairs(stored: StoredTransactions, items: NDArray[np.int32]) -> Iterator[Triangle]:
    """All pairs among `items` (ascending codes): triangles that fit into memory, each counted by one pass."""
    n = len(items)
    for first, last in pairwise(_blocks(n)):
        job = CountPairs(stored.n_items, items, first, last)
        yield stored.fold(job, label=f"counting pairs of {n:,} items").triangle


def _blocks(n: int) -> list[int]:
    """Where to cut the lines of a triangle of `n` items so that no block has too many cells."""
    return bounded_cuts(range(n - 1, -1, -1), MOST_CELLS)


@dataclass
class _Counting:
    triangle: Triangle
    rank: NDArray[np.int32]
    lanes: Lanes


@dataclass(frozen=True, eq=False)
class CountPairs:
    """The pass that fills a triangle."""

    n_items: int
    items: NDArray[np.int32]
    first: int
    last: int

    @property
    def shared(self) -> bool:
        """Whether one triangle serves all threads."""
        return self._cells() > PRIVATE_CELLS

    def _cells(self) -> int:
        n = len(self.items)
        return (n - self.first) * (n - self.first - 1) // 2 - (n - self.last) * (n - self.last - 1) // 2

    def begin(self) -> _Counting:
        """A triangle of zeros."""
        n = len(self.items)
        lengths = np.maximum(n - 1 - np.arange(n, dtype=np.int64), 0)
        lengths[: self.first] = lengths[self.last :] = 0
        # line[i] + i + 1 is where line i begins
        line = np.cumsum(lengths) - lengths - np.arange(n) - 1
        rank = np.full(self.n_items, -1, dtype=np.int32)
        rank[self.items] = np.arange(n, dtype=np.int32)
        triangle = Triangle(self.items, self.first, self.last, line, np.zeros(self._cells() + 1, dtype=np.int32))
        work = lengths.astype(np.float64).tolist()
        return _Counting(triangle, rank, Lanes.over(work) if self.shared else Lanes([0, n]))

    def add(self, state: _Counting, batch: Transactions) -> _Counting:
        """Count the pairs of these records."""
        from confide.mining.counting.level_kernels import filter_rows
        from confide.mining.stored._cell_kernels import add_pairs

        rows = filter_rows(batch.indptr, batch.indices, state.rank, 0, len(batch))
        made = state.triangle

        def bring(_: int, first: int, last: int) -> None:
            first, last = max(first, made.first), min(last, made.last)
            if first < last:
                add_pairs(*rows, first, last, made.line, made.cells)

        state.lanes.visit(bring)
        return state

    def merge(self, one: _Counting, other: _Counting) -> _Counting:
        """The sum of two."""
        one.triangle.cells[:] += other.triangle.cells
        return one
