"""Counting records that are in memory, on every core.

Records are read twice: once for the single items, once to keep the items asked for. From then on only the kept part
is touched, in one of two forms (see `_level_kernels`). Pairs are counted from rows when records are short and from
columns when they are full, whichever takes fewer steps. Longer sets are counted from columns, which hold only the items
and records that the candidates can need; they are kept for the next call, whose candidates mostly need no others.

The records are cut into parts, one a core. Parts are counted side by side and counts add up; pairs from rows are cut by
their first item instead, so that one table serves all cores.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.threads import cores
from confide.core.transactions.container import Transactions
from confide.mining.counting.protocol import pair_blocks

__all__ = ["MemoryCounts", "Way", "column_bits", "cuts", "side_by_side"]

Way = Literal["auto", "rows", "columns"]
"""How pairs are counted; every way gives the same counts."""

T = TypeVar("T")

# One increment from rows takes as long as this many words of AND and popcount, loads included.
WORDS_PER_INCREMENT = 12
# Columns of some hundred items in a tile of this width, and one path of prefixes, stay in the second-level cache.
PAIR_WORDS, SET_WORDS = 128, 1024
MOST_COLUMNS = 1 << 30  # bytes of columns that are kept; more are made again for each level, part by part
SAMPLE = 4096  # records by which rows or columns are chosen
ALONE = 400_000  # entries below which a second thread costs more than it saves


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
        columns = column_bits(self.starts, self.rows, np.arange(items, dtype=np.int32), 0, len(self.starts) - 1, items)
        if keep:
            self.columns = columns
        return columns


@dataclass
class _Kept:
    """The part of the records that is left: items by rank, records of at least `shortest` of them."""

    rank: NDArray[np.int32]  # of each item code; negative if the item is left out
    items: int
    shortest: int
    parts: list[_Part]

    def serves(self, items: NDArray[np.int32], length: int) -> bool:
        """Whether sets of this length over these items can be counted in it."""
        return self.shortest <= length and bool((self.rank[items] >= 0).all())


@dataclass
class MemoryCounts:
    """Counting in one database (`confide.mining.counting.protocol.ItemsetCounts`).

    `way` says how pairs are counted; "auto" chooses by the data.
    """

    tx: Transactions
    way: Way = "auto"
    _kept: _Kept | None = None

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.tx)

    @property
    def n_items(self) -> int:
        """Number of item codes."""
        return self.tx.n_items

    def singles(self) -> NDArray[np.int64]:
        """For each item code, the records that hold it."""
        from confide.mining.counting import _level_kernels as kernels

        indices = self.tx.indices
        ranges = cuts(len(indices), len(indices))
        tallies = side_by_side(lambda cut: kernels.count_items(indices, cut[0], cut[1], self.n_items), ranges)
        return np.sum(tallies, axis=0, dtype=np.int64)

    def pairs(self, items: NDArray[np.int32]) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first, table) of counts of pairs among `items`."""
        for first, height in pair_blocks(len(items)):
            yield first, self.pair_table(items, first, height)

    def pair_table(self, items: NDArray[np.int32], first: int, height: int) -> NDArray[np.int32]:
        """The table of one block of pairs."""
        kept = self.keep(items)
        if kept.parts[0].columns is not None:
            tables = side_by_side(lambda part: _table_by_columns(part, first, height), kept.parts)
            total: NDArray[np.int32] = sum(tables[1:], start=tables[0])
            return total
        return _table_by_rows(kept, first, height)

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate."""
        from confide.mining.counting import _level_kernels as kernels

        if candidates.shape[1] == 0:
            return np.full(len(candidates), self.records, dtype=np.int64)
        if candidates.shape[1] == 1:
            return self.singles()[candidates[:, 0]]
        kept = self._trimmed(candidates)
        keep = _column_bytes(kept.items, sum(len(part.starts) for part in kept.parts)) <= MOST_COLUMNS
        named = kept.rank[candidates]
        tallies = side_by_side(
            lambda p: kernels.count_sets(p.filled(kept.items, keep=keep), named, SET_WORDS), kept.parts
        )
        return np.sum(tallies, axis=0, dtype=np.int64)

    def keep(self, items: NDArray[np.int32]) -> _Kept:
        """Lay out what pairs of these items need; at once if it is there from the block before."""
        from confide.mining.counting import _level_kernels as kernels

        rank = _ranks(items, self.n_items)
        if self._kept is not None and self._kept.shortest == 0 and np.array_equal(self._kept.rank, rank):
            return self._kept
        indptr, indices = self.tx.indptr, self.tx.indices
        least = -(-2 * _column_bytes(len(items), self.records) // MOST_COLUMNS)
        ranges = cuts(self.records, len(indices), at_least=least)
        if self._by_columns(rank, len(items)):
            none = np.zeros(0, dtype=np.int64)
            made = side_by_side(lambda cut: column_bits(indptr, indices, rank, cut[0], cut[1], len(items)), ranges)
            parts = [_Part(none, none.astype(np.int32), columns) for columns in made]
        else:
            parts = [
                _Part(*rows)
                for rows in side_by_side(lambda cut: kernels.filter_rows(indptr, indices, rank, *cut), ranges)
            ]
        self._kept = _Kept(rank, len(items), 0, parts)
        return self._kept

    def _trimmed(self, candidates: NDArray[np.int32]) -> _Kept:
        """What is left when items that no candidate names and records too short for one are gone."""
        from confide.mining.counting import _level_kernels as kernels

        used, shortest = np.unique(candidates), candidates.shape[1]
        kept = self._kept
        if kept is None or not kept.serves(used, shortest):
            kept = self.keep(used)
        # Columns are used as they are, and so are rows cut down before: later candidates mostly need all of them.
        if kept.shortest > 0 or kept.parts[0].columns is not None:
            return kept
        old = _ranks(kept.rank[used], kept.items)
        trimmed = side_by_side(lambda p: kernels.trim_rows(p.starts, p.rows, old, shortest), kept.parts)
        self._kept = _Kept(_ranks(used, self.n_items), len(used), shortest, [_Part(*made) for made in trimmed])
        return self._kept

    def _by_columns(self, rank: NDArray[np.int32], items: int) -> bool:
        """Whether columns take fewer steps to count all pairs, judged by some of the records."""
        if self.way != "auto":
            return self.way == "columns"
        if _column_bytes(items, self.records) > MOST_COLUMNS or self.records == 0:
            return False
        some = np.arange(0, self.records, max(1, self.records // SAMPLE))
        sample = self.tx.take(some)
        held = np.add.reduceat(np.append(rank[sample.indices] >= 0, False), sample.indptr[:-1], dtype=np.int64)
        held[sample.lengths == 0] = 0
        increments = float((held * (held - 1) / 2).mean()) * self.records + self.records
        return items**2 / 2 * (self.records / 64) < WORDS_PER_INCREMENT * increments


def _table_by_columns(part: _Part, first: int, height: int) -> NDArray[np.int32]:
    from confide.mining.counting import _level_kernels as kernels

    assert part.columns is not None
    table = np.zeros((height, len(part.columns)), dtype=np.int32)
    kernels.pairs_by_columns(part.columns, PAIR_WORDS, first, table)
    return table


def _table_by_rows(kept: _Kept, first: int, height: int) -> NDArray[np.int32]:
    """One table that all cores fill, each the lines of other first items; lines are dealt out by the work in them."""
    from confide.mining.counting import _level_kernels as kernels

    table = np.zeros((height, kept.items), dtype=np.int32)
    ends = [0, height]
    if len(kept.parts) > 1:
        work = sum(side_by_side(lambda part: kernels.pair_work(part.starts, part.rows, kept.items), kept.parts))
        done = np.cumsum(work[first : first + height])
        shares = [done[-1] * i / len(kept.parts) for i in range(1, len(kept.parts))]
        ends = [0, *np.searchsorted(done, shares).tolist(), height]

    def fill(lines: tuple[int, int]) -> None:
        for part in kept.parts:
            kernels.pairs_by_rows(part.starts, part.rows, first + lines[0], table[lines[0] : lines[1]])

    side_by_side(fill, list(pairwise(ends)))
    return table


def _ranks(items: NDArray[np.int32], n_items: int) -> NDArray[np.int32]:
    """The place of each code among `items`, or -1."""
    rank = np.full(n_items, -1, dtype=np.int32)
    rank[items] = np.arange(len(items), dtype=np.int32)
    return rank


def _column_bytes(items: int, records: int) -> int:
    return items * records // 8


def column_bits(
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


def cuts(n: int, entries: int, *, at_least: int = 1) -> list[tuple[int, int]]:
    """0..n in one part a core, in one when there is little to do, in more when parts must be small."""
    parts = max(cores() if entries > ALONE else 1, at_least)
    ends = [n * i // parts for i in range(parts + 1)]
    return list(pairwise(ends))


def side_by_side(call: Callable[[Any], T], parts: Sequence[Any]) -> list[T]:
    """The results for all parts, made side by side."""
    if len(parts) == 1:
        return [call(parts[0])]
    with ThreadPoolExecutor(max(1, cores(most=len(parts)) - 1)) as pool:
        others = [pool.submit(call, part) for part in parts[1:]]
        return [call(parts[0]), *(other.result() for other in others)]
