"""The records that hold any of some items, as lists of ranks (see `confide.mining.itemsets._list_kernels`).

Items that are frequent with more than 64 others have no words. Their records are read into memory, for as many of the
items at a time as there is room for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining.databases.database import Database

__all__ = ["blocks_of", "with_lists"]

MOST_ENTRIES = 1 << 26  # of the records read at a time, 4 bytes each, and 8 more for each place of an item asked for


def blocks_of(waiting: Sequence[int], entries: Sequence[int]) -> Iterator[list[int]]:
    """The items in blocks whose records have no more entries than fit; each at least one item."""
    block: list[int] = []
    room = MOST_ENTRIES
    for item, needed in zip(waiting, entries, strict=True):
        if block and needed > room:
            yield block
            block, room = [], MOST_ENTRIES
        block.append(item)
        room -= needed
    if block:
        yield block


def with_lists(
    stored: StoredTransactions, database: Database, ranks: NDArray[np.int32], block: Sequence[int], *, backwards: bool
) -> Database:
    """The database with lists of all records of the items in `block` (ranks, ascending).

    `ranks` is the rank of each item code, -1 where it is not needed. Without `backwards` items that come before all
    of the block are left out.
    """
    wanted = np.zeros(len(database.codes), dtype=np.bool_)
    wanted[list(block)] = True
    least = ranks if backwards else np.where(ranks >= min(block), ranks, -1).astype(np.int32)
    state = stored.fold(GatherRows(least, wanted), label=f"reading records of {len(block):,} items")
    from confide.mining.databases._row_list_kernels import laid_out, occurrences_of

    sizes = sum((np.bincount(ranks_held, minlength=len(wanted)) for _, _, ranks_held in state), np.zeros(len(wanted)))
    entries = np.empty(1 + sum(len(rows) for _, rows, _ in state) + sum(len(s) - 1 for s, _, _ in state), np.int32)
    entries[0] = -1
    end = 1
    while state:
        starts, rows, _ = state.pop()
        end = laid_out(starts, rows, entries, end)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.empty(int(starts[-1]), dtype=np.int32)
    occurrences_of(entries, wanted, starts[:-1].copy(), places)
    weights = np.ones(len(places), dtype=np.int32)
    return database._replace(entries=entries, starts=starts, occurrences=places, weights=weights)


Gathered = list[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]]
"""For each batch: where rows begin, rows of ranks, and the wanted ranks in them."""


@dataclass(frozen=True, eq=False)
class GatherRows:
    """The pass that reads the records of some items."""

    rank: NDArray[np.int32]
    wanted: NDArray[np.bool_]

    shared = False

    def begin(self) -> Gathered:
        """Nothing yet."""
        return []

    def add(self, state: Gathered, batch: Transactions) -> Gathered:
        """Keep what is needed of these records."""
        from confide.mining.databases._row_list_kernels import rows_with

        starts, rows = rows_with(batch.indptr, batch.indices, self.rank, self.wanted)
        state.append((starts, rows, rows[self.wanted[rows]]))
        return state

    def merge(self, one: Gathered, other: Gathered) -> Gathered:
        """The rows of both; their order does not count."""
        return one + other
