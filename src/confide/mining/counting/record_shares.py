"""Parts of the records in memory, one a core: cut down to the items asked for, and counted side by side.

The two forms are drawn in `level_kernels`. Pairs from rows are counted into a table a core while that is small, then
into one table, of which each core has some lines.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.threads import ahead, cores

__all__ = [
    "KeptRows",
    "RecordsPart",
    "cuts",
    "filled_columns",
    "ranks_of",
    "side_by_side",
    "table_by_columns",
    "table_by_rows",
    "tables_by_rows",
]

T = TypeVar("T")

# Columns of some hundred items in a tile of this width stay in the second-level cache.
PAIR_WORDS = 128
ALONE = 100_000  # entries below which a second thread costs more than it saves
CLEARED = 2  # cells of a table that are cleared in the time of one increment


@dataclass
class RecordsPart:
    """Some of the records: as rows of ranks, as columns, or both."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    columns: NDArray[np.uint64] | None = None

    def filled(self, items: int, *, keep: bool) -> NDArray[np.uint64]:
        """The columns, kept for the next time or not."""
        if self.columns is not None:
            return self.columns
        columns = filled_columns(
            self.starts, self.rows, np.arange(items, dtype=np.int32), 0, len(self.starts) - 1, items
        )
        if keep:
            self.columns = columns
        return columns


@dataclass
class KeptRows:
    """The part of the records that is left: items by rank, records of at least `shortest` of them."""

    rank: NDArray[np.int32]  # of each item code; negative if the item is left out
    items: int
    shortest: int
    parts: list[RecordsPart]

    @property
    def entries(self) -> int:
        """How many items all rows hold together."""
        return sum(len(part.rows) for part in self.parts)

    def serves(self, items: NDArray[np.int32], length: int) -> bool:
        """Whether sets of this length over these items can be counted in it."""
        return self.shortest <= length and bool((self.rank[items] >= 0).all())


def table_by_columns(part: RecordsPart, first: int, height: int) -> NDArray[np.int32]:
    """The table of one part of the records."""
    from confide.mining.counting import level_kernels as kernels

    assert part.columns is not None
    table = np.zeros((height, len(part.columns)), dtype=np.int32)
    kernels.pairs_by_columns(part.columns, PAIR_WORDS, first, table)
    return table


def tables_by_rows(kept: KeptRows, first: int, height: int) -> NDArray[np.int32]:
    """A table for each part of the records."""
    from confide.mining.counting import level_kernels as kernels

    tables = np.zeros((len(kept.parts), height, kept.items), dtype=np.int32)

    def fill(number: int) -> None:
        kernels.pairs_by_rows(kept.parts[number].starts, kept.parts[number].rows, first, tables[number])

    side_by_side(fill, range(len(tables)))
    return tables


def table_by_rows(kept: KeptRows, first: int, height: int) -> NDArray[np.int32]:
    """One table that all cores fill, each the lines of other first items; lines are dealt out by the work in them."""
    from confide.mining.counting import level_kernels as kernels

    table = np.zeros((height, kept.items), dtype=np.int32)
    ends = [0, height]
    if len(kept.parts) > 1:
        work = sum(side_by_side(lambda part: kernels.pair_work(part.starts, part.rows, kept.items), kept.parts))
        done = np.cumsum(work[first : first + height] + kept.items // CLEARED)
        shares = [done[-1] * i / len(kept.parts) for i in range(1, len(kept.parts))]
        ends = [0, *np.searchsorted(done, shares).tolist(), height]

    def fill(lines: tuple[int, int]) -> None:
        for part in kept.parts:
            kernels.pairs_by_rows(part.starts, part.rows, first + lines[0], table[lines[0] : lines[1]])

    side_by_side(fill, list(pairwise(ends)))
    return table


def ranks_of(items: NDArray[np.int32], n_items: int) -> NDArray[np.int32]:
    """The place of each code among `items`, or -1."""
    rank = np.full(n_items, -1, dtype=np.int32)
    rank[items] = np.arange(len(items), dtype=np.int32)
    return rank


def filled_columns(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], rank: NDArray[np.int32], first: int, last: int, items: int
) -> NDArray[np.uint64]:
    """Columns of the items that have a rank, over records first..last-1."""
    from confide.mining.counting import level_kernels as kernels

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
    others = [ahead(partial(call, part)) for part in parts[1:]]
    return [call(parts[0]), *(other() for other in others)]
