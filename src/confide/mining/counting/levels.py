"""Counting for a level-wise search: first single items, then all pairs, then candidates, level after level.

The records are read twice: once for the single items, once to keep what is frequent. From then on only the kept part
is touched, in one of two forms (see `_level_kernels`): pairs are counted from rows when records are short and from
columns when they are full, whichever takes fewer steps; longer sets always from columns, which hold only the items
and records that candidates of three items can need. The records are cut into parts, one a core, that are counted side
by side: counts add up.

Distortion makes records fuller, and that is its whole price: from columns it costs nothing at all.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.transactions.container import Transactions
from confide.mining.counting.supports import Counter

__all__ = ["CandidateCounts", "ColumnCounts", "LevelCounts", "Way", "counts_by"]

Way = Literal["auto", "rows", "columns"]
"""How pairs are counted; every way gives the same counts."""

T = TypeVar("T")

# One increment from rows takes as long as this many words of AND and popcount, loads included.
WORDS_PER_INCREMENT = 12
# Columns of some hundred items in a tile of this width, and one path of prefixes, stay in the second-level cache.
PAIR_WORDS, SET_WORDS = 128, 1024
MOST_PAIRS = 1 << 24  # entries of a table of pairs; more items than that take several tables
MOST_COLUMNS = 1 << 30  # bytes of columns that are kept; more are made anew for each level, part by part
SAMPLE = 4096  # records by which rows or columns are chosen
ALONE = 200_000  # entries below which a second thread costs more than it saves


class LevelCounts(Protocol):
    """What the level-wise search asks: counts of single items, of all pairs of those kept, of longer candidates."""

    @property
    def records(self) -> int:
        """Number of records."""
        ...

    def singles(self) -> NDArray[np.int64]:
        """The records that hold each item of the universe."""
        ...

    def keep(self, items: NDArray[np.int64]) -> None:
        """Go on with these items only (codes, ascending); from here on items are named by rank among them."""
        ...

    def pairs(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first, table): table[i, j] counts the records that hold first + i and j, for j > first + i."""
        ...

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate of three items or more, given as rows of ranks in lexicographic order."""
        ...


def counts_by(counter: Counter | None, tx: Transactions, *, way: Way = "auto") -> LevelCounts:
    """Our own counting, or that of another engine."""
    return CandidateCounts(tx, counter) if counter is not None else ColumnCounts(tx, way=way)


@dataclass
class _Part:
    """Some of the records: as rows of ranks, as columns, or both."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    columns: NDArray[np.uint64] | None = None

    def filled(self, items: int, *, keep: bool) -> NDArray[np.uint64]:
        """The columns, kept for the next time or not."""
        if self.columns is not None:
            return self.columns
        columns = _filled(self.starts, self.rows, np.arange(items, dtype=np.int32), 0, len(self.starts) - 1, items)
        if keep:
            self.columns = columns
        return columns


@dataclass
class ColumnCounts:
    """Counting on this machine, on every core."""

    tx: Transactions
    way: Way = "auto"
    items: int = 0
    parts: list[_Part] = field(default_factory=list)
    rank: NDArray[np.int32] | None = None  # of the items that candidates can name, once it is known which

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.tx)

    def singles(self) -> NDArray[np.int64]:
        """The records that hold each item of the universe."""
        from confide.mining.counting import _level_kernels as kernels

        indices = self.tx.indices
        cuts = _cuts(len(indices), len(indices))
        tallies = _each(lambda cut: kernels.count_items(indices, cut[0], cut[1], self.tx.n_items), cuts)
        return np.sum(tallies, axis=0, dtype=np.int64)

    def keep(self, items: NDArray[np.int64]) -> None:
        """Go on with these items only."""
        from confide.mining.counting import _level_kernels as kernels

        self.items = len(items)
        rank = np.full(self.tx.n_items, -1, dtype=np.int32)
        rank[items] = np.arange(len(items), dtype=np.int32)
        indptr, indices = self.tx.indptr, self.tx.indices
        cuts = _cuts(len(self.tx), len(indices), at_least=-(-2 * self._column_bytes(len(self.tx)) // MOST_COLUMNS))
        if self._by_columns(rank):
            none = np.zeros(0, dtype=np.int64)
            made = _each(lambda cut: _filled(indptr, indices, rank, cut[0], cut[1], self.items), cuts)
            self.parts = [_Part(none, none.astype(np.int32), columns) for columns in made]
            self.rank = np.arange(self.items, dtype=np.int32)
        else:
            self.parts = [
                _Part(*rows) for rows in _each(lambda cut: kernels.filter_rows(indptr, indices, rank, *cut), cuts)
            ]

    def pairs(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first, table) of counts of pairs."""
        from confide.mining.counting import _level_kernels as kernels

        height = max(4, min(self.items, MOST_PAIRS // max(self.items, 1)))
        for first in range(0, self.items, height):
            shape = (min(height, self.items - first), self.items)

            def count(part: _Part, first: int = first, shape: tuple[int, int] = shape) -> NDArray[np.int32]:
                table = np.zeros(shape, dtype=np.int32)
                if part.columns is not None:
                    kernels.pairs_by_columns(part.columns, PAIR_WORDS, first, table)
                else:
                    kernels.pairs_by_rows(part.starts, part.rows, first, table)
                return table

            tables = _each(count, self.parts)
            yield first, sum(tables[1:], start=tables[0])

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate."""
        from confide.mining.counting import _level_kernels as kernels

        if self.rank is None:
            self._trim(candidates)
            assert self.rank is not None
        keep = self._column_bytes(sum(len(part.starts) for part in self.parts)) <= MOST_COLUMNS
        named = self.rank[candidates]
        tallies = _each(lambda p: kernels.count_sets(p.filled(self.items, keep=keep), named, SET_WORDS), self.parts)
        return np.sum(tallies, axis=0, dtype=np.int64)

    def _by_columns(self, rank: NDArray[np.int32]) -> bool:
        """Whether columns take fewer steps to count all pairs, judged by some of the records."""
        if self.way != "auto":
            return self.way == "columns"
        if self._column_bytes(len(self.tx)) > MOST_COLUMNS:
            return False
        some = np.unique(np.linspace(0, len(self.tx) - 1, min(len(self.tx), SAMPLE), dtype=np.int64))
        sample = self.tx.take(some)
        held = np.add.reduceat(np.append(rank[sample.indices] >= 0, False), sample.indptr[:-1], dtype=np.int64)
        held[sample.lengths == 0] = 0
        increments = float((held * (held - 1) / 2).mean()) * len(self.tx) + len(self.tx)
        return self.items**2 / 2 * (len(self.tx) / 64) < WORDS_PER_INCREMENT * increments

    def _column_bytes(self, records: int) -> int:
        return self.items * records // 8

    def _trim(self, candidates: NDArray[np.int32]) -> None:
        """Keep the items that candidates name, and the records that can hold one."""
        from confide.mining.counting import _level_kernels as kernels

        used = np.unique(candidates)
        rank = np.full(self.items, -1, dtype=np.int32)
        rank[used] = np.arange(len(used), dtype=np.int32)
        trimmed = _each(lambda p: kernels.trim_rows(p.starts, p.rows, rank, candidates.shape[1]), self.parts)
        self.rank, self.items, self.parts = rank, len(used), [_Part(*made) for made in trimmed]


def _filled(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], rank: NDArray[np.int32], first: int, last: int, items: int
) -> NDArray[np.uint64]:
    """Columns of the items that have a rank, over records first..last-1."""
    from confide.mining.counting import _level_kernels as kernels

    # Eight columns to throw away: writing one word again and again would wait for itself.
    column = np.where(rank < 0, items + np.arange(len(rank)) % 8, rank)
    columns = np.zeros((items + 8, (last - first + 63) // 64), dtype=np.uint64)
    begins = (column * columns.shape[1]).astype(np.uint32)
    kernels.fill_columns(indptr, indices, begins, first, last, columns.reshape(-1))
    return columns[:items]


@dataclass
class CandidateCounts:
    """Counting by another engine; see `confide.mining.counting.supports.Counter`."""

    tx: Transactions
    counter: Counter
    kept: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.tx)

    def singles(self) -> NDArray[np.int64]:
        """The records that hold each item of the universe."""
        return self._count(np.arange(self.tx.n_items, dtype=np.int32)[:, None])

    def keep(self, items: NDArray[np.int64]) -> None:
        """Go on with these items only."""
        self.kept = items.astype(np.int32)

    def pairs(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first, table) of counts of pairs, one item at a time."""
        for first in range(len(self.kept)):
            others = np.arange(first + 1, len(self.kept), dtype=np.int32)
            table = np.zeros((1, len(self.kept)), dtype=np.int32)
            table[0, first + 1 :] = self.sets(np.column_stack([np.full_like(others, first), others]))
            yield first, table

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate."""
        return self._count(self.kept[candidates])

    def _count(self, sets: NDArray[np.int32]) -> NDArray[np.int64]:
        offsets = np.arange(len(sets) + 1, dtype=np.int64) * sets.shape[1]
        return np.asarray(self.counter(self.tx, (offsets, sets.ravel())), dtype=np.int64)


def _cuts(n: int, entries: int, *, at_least: int = 1) -> list[tuple[int, int]]:
    """0..n in one part a core, in one when there is little to do, in more when parts must be small."""
    parts = max((os.cpu_count() or 1) if entries > ALONE else 1, at_least)
    ends = [n * i // parts for i in range(parts + 1)]
    return list(pairwise(ends))


def _each(call: Callable[[Any], T], parts: list[Any]) -> list[T]:
    """The results for all parts, made side by side."""
    if len(parts) == 1:
        return [call(parts[0])]
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as pool:
        return list(pool.map(call, parts))
