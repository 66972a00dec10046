"""Counting records that are in memory, on every core.

Records are read twice: once for the single items, once to keep the items asked for. From then on only the kept part
is touched, in one of two forms (see `level_kernels`). Pairs are counted from rows when records are short and from
columns when they are full, whichever takes fewer steps. Longer sets are counted from columns, which hold only the items
and records that the candidates can need; they are kept for the next call, whose candidates mostly need no others.

The records are cut into parts, one a core (`record_shares`). Parts are counted side by side and counts add up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.transactions.container import Transactions
from confide.mining.counting.protocol import pair_blocks
from confide.mining.counting.record_shares import (
    KeptRows,
    RecordsPart,
    cuts,
    filled_columns,
    ranks_of,
    side_by_side,
    table_by_columns,
    table_by_rows,
    tables_by_rows,
)

__all__ = ["MemoryCounts", "Way"]

Way = Literal["auto", "rows", "columns"]
"""How pairs are counted; every way gives the same counts."""

# One increment from rows takes as long as this many words of AND and popcount, loads included.
WORDS_PER_INCREMENT = 12
SET_WORDS = 1024  # width of a tile in which one path of prefixes stays in the second-level cache
MOST_COLUMNS = 1 << 30  # bytes of columns that are kept; more are made again for each level, part by part
SAMPLE = 4096  # records by which rows or columns are chosen
CELLS_PER_ENTRY = 8  # cells of a table that take as long to clear and to add as an entry of a row to be read once more
SMALL = 1 << 20  # cells of a table that stays in the second-level cache, or nearly


@dataclass
class MemoryCounts:
    """Counting in one database (`confide.mining.counting.protocol.ItemsetCounts`).

    `way` says how pairs are counted; "auto" chooses by the data.
    """

    tx: Transactions
    way: Way = "auto"
    _kept: KeptRows | None = None

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
        from confide.mining.counting import level_kernels as kernels

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
        tables = self.pair_tables(items, first, height)

        def add(lines: tuple[int, int]) -> None:
            for table in tables[1:]:
                tables[0, lines[0] : lines[1]] += table[lines[0] : lines[1]]

        if len(tables) > 1:
            side_by_side(add, cuts(height, tables[0].size))
        return tables[0]

    def pair_tables(self, items: NDArray[np.int32], first: int, height: int) -> NDArray[np.int32]:
        """Tables that add up to that of one block of pairs: a row of tables, at least one."""
        kept = self.keep(items)
        if kept.parts[0].columns is not None:
            tables = side_by_side(lambda part: table_by_columns(part, first, height), kept.parts)
            total: NDArray[np.int32] = sum(tables[1:], start=tables[0])
            return total[np.newaxis]
        if height * kept.items <= min(CELLS_PER_ENTRY * kept.entries, SMALL):
            return tables_by_rows(kept, first, height)
        return table_by_rows(kept, first, height)[np.newaxis]

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate."""
        from confide.mining.counting import level_kernels as kernels

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

    def keep(self, items: NDArray[np.int32]) -> KeptRows:
        """Lay out what pairs of these items need; at once if it is there from the block before."""
        from confide.mining.counting import level_kernels as kernels

        rank = ranks_of(items, self.n_items)
        if self._kept is not None and self._kept.shortest == 0 and np.array_equal(self._kept.rank, rank):
            return self._kept
        indptr, indices = self.tx.indptr, self.tx.indices
        least = -(-2 * _column_bytes(len(items), self.records) // MOST_COLUMNS)
        ranges = cuts(self.records, len(indices), at_least=least)
        if self._by_columns(rank, len(items)):
            none = np.zeros(0, dtype=np.int64)
            made = side_by_side(lambda cut: filled_columns(indptr, indices, rank, cut[0], cut[1], len(items)), ranges)
            parts = [RecordsPart(none, none.astype(np.int32), columns) for columns in made]
        else:
            parts = [
                RecordsPart(*rows)
                for rows in side_by_side(lambda cut: kernels.filter_rows(indptr, indices, rank, *cut), ranges)
            ]
        self._kept = KeptRows(rank, len(items), 0, parts)
        return self._kept

    def _trimmed(self, candidates: NDArray[np.int32]) -> KeptRows:
        """What is left when items that no candidate names and records too short for one are gone."""
        from confide.mining.counting import level_kernels as kernels

        used, shortest = np.unique(candidates), candidates.shape[1]
        kept = self._kept
        if kept is None or not kept.serves(used, shortest):
            kept = self.keep(used)
        # Columns are used as they are, and so are rows cut down before: later candidates mostly need all of them.
        if kept.shortest > 0 or kept.parts[0].columns is not None:
            return kept
        old = ranks_of(kept.rank[used], kept.items)
        trimmed = side_by_side(lambda p: kernels.trim_rows(p.starts, p.rows, old, shortest), kept.parts)
        self._kept = KeptRows(
            ranks_of(used, self.n_items), len(used), shortest, [RecordsPart(*made) for made in trimmed]
        )
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


def _column_bytes(items: int, records: int) -> int:
    return items * records // 8
