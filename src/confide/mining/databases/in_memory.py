"""The forms in which a database is searched, and the choice among them.

    at most 64 frequent items   words    a record is one word, equal ones are merged    (`_worker_kernels`)
    more                        lists    a record is a list of ranks                    (`_list_kernels`)

An item's task needs the supports of all pairs it is in. How lists get at those is chosen by what takes fewest steps:

    columns   one bit a record and item; a pair is an AND. Takes items^2 / 2 * records / 64 words, however full records
              are: for dense data
    pairs     all pairs counted beforehand, record after record, in one table. Takes one increment for each two
              frequent items of a record, plus the table's items^2 cells to clear and look through: for sparse data
    beside    each item's records are visited and the items beside it counted. As many increments, but scattered over
              the database: only for so many items that the table would have many more cells than increments

The facts behind the choice are cheap: the number of frequent items, of records, and of steps, which is estimated from
some of the records. `_COLUMN_STEP` and `_CELLS_PER_STEP` turn them into times, as measured on public data.

Knowing the pairs first pays a second time. Items and records that no longer set can need are left out, and the words of
all items are made in one pass over the records, in their order (`_pair_kernels.deal_masks`). Lists are made only if an
item has more neighbours than a word has bits.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError
from confide.core.transactions.container import Transactions
from confide.mining.counting.memory_counts import MemoryCounts
from confide.mining.counting.protocol import MOST_PAIRS, pair_blocks
from confide.mining.counting.record_shares import KeptRows, cuts, side_by_side
from confide.mining.databases.database import Database, Root
from confide.mining.databases.task import ALL, Task, word

__all__ = ["MemoryRecords", "as_lists", "as_words"]

_COLUMN_STEP = 10  # words of two columns compared in the time of one step along a row
_SAMPLE = 4096  # records by which the form is chosen
_CELLS_PER_STEP = 1  # cells of the table of pairs cleared and looked through in the time of one step along a row


def as_words(tx: Transactions, supports: NDArray[np.int64], frequent: NDArray[np.int32]) -> Database:
    """Rows as words, bit i for the i-th frequent item; for at most 64 of them."""
    from confide.mining.databases import _row_kernels as rows

    bits = np.zeros(tx.n_items, dtype=np.uint64)
    bits[frequent] = np.uint64(1) << np.arange(len(frequent), dtype=np.uint64)
    words, weights = rows.merged_masks(tx.indptr, tx.indices, bits)
    counts = supports[frequent]
    order = np.argsort(counts, kind="stable")
    return Database(True, frequent, counts, order=order, words=words, word_weights=weights)


def as_lists(
    counted: MemoryCounts,
    supports: NDArray[np.int64],
    frequent: NDArray[np.int32],
    *,
    kind: int,
    min_support: int,
    capacity: int,
) -> Database:
    """Rows as lists of ranks, the least frequent item first; `counted` counts pairs by rows."""
    from confide.mining.databases import _row_kernels as rows

    tx = counted.tx
    codes = frequent[np.argsort(supports[frequent], kind="stable")]
    ranks = np.full(tx.n_items, -1, dtype=np.int32)
    ranks[codes] = np.arange(len(codes), dtype=np.int32)
    counts = supports[codes]
    width = (len(tx) + 63) // 64
    walk = rows.walk_steps(tx.indptr, tx.indices, ranks, max(1, len(tx) // _SAMPLE))
    by_columns = len(codes) ** 2 * width / _COLUMN_STEP < walk
    by_table = len(codes) ** 2 < _CELLS_PER_STEP * walk
    if by_table and not by_columns:
        return _by_pairs(counted, codes, ranks, counts, kind=kind, min_support=min_support, capacity=capacity)
    entries, starts, places, columns = rows.ranked_rows(
        tx.indptr, tx.indices, ranks, counts, width if by_columns else 0
    )
    return Database(
        False, codes, counts, entries=entries, starts=starts, occurrences=places,
        weights=np.ones(len(places), dtype=np.int32), columns=columns, width=width if by_columns else 0,
    )  # fmt: skip


def _by_pairs(
    counted: MemoryCounts,
    codes: NDArray[np.int32],
    ranks: NDArray[np.int32],
    supports: NDArray[np.int64],
    *,
    kind: int,
    min_support: int,
    capacity: int,
) -> Database:
    """The graph of frequent pairs, with words or lists that hold only what sets of more than two items can need."""
    from confide.mining.databases import _pair_kernels as kernels

    items = np.sort(codes)
    graph = kernels.neighbours(_frequent_pairs(counted, items, min_support), ranks[items], len(codes), kind != ALL)
    # A set of three items needs three frequent pairs among them. The closed and the maximal search compare the rows
    # of pairs too, so there an item needs a pair.
    if kind == ALL:
        wanted, used = kernels.triangles(graph[0], graph[1])
    else:
        wanted, used = np.ones(len(graph[1]), dtype=np.bool_), np.diff(graph[0]) > 0
    least = 2 if kind == ALL else 1
    none = np.zeros(len(codes) + 1, dtype=np.int64)
    database = Database(
        False, codes, supports, starts=none, near_starts=graph[0], near_items=graph[1], near_counts=graph[2]
    )
    wide = used & (np.diff(graph[0]) >= capacity)
    if wide.any() or used.sum() ** 2 > MOST_PAIRS:
        database = _with_lists(database, counted.tx, np.where(used[ranks], ranks, -1), least)
    if wide.sum() * 2 < used.sum() and used.sum() ** 2 <= MOST_PAIRS:
        database = _with_masks(database, counted.keep(items), items, ranks, used, wanted, least, capacity)
    return database


def _frequent_pairs(counted: MemoryCounts, items: NDArray[np.int32], min_support: int) -> NDArray[np.int32]:
    """The pairs of `items` that `min_support` records hold, in lexicographic order: rows (i, j, count)."""
    from confide.mining.databases import _pair_kernels as kernels

    found = []
    for first, height in pair_blocks(len(items)):
        tables = counted.pair_tables(items, first, height)
        # The first lines are the longest ones: above the diagonal there are fewer cells from line to line.
        parts = len(cuts(height, tables.size))
        rest = len(items) - first - height
        shares = [(1 - i / parts) * ((height + rest) ** 2 - rest**2) + rest**2 for i in range(parts + 1)]
        ends = [round(height + rest - math.sqrt(share)) for share in shares]
        look = partial(kernels.frequent_cells, tables, first, np.int32(min_support))
        found += side_by_side(look, list(pairwise(ends)))
    return np.concatenate(found)


def _with_lists(database: Database, tx: Transactions, ranks: NDArray[np.int32], least: int) -> Database:
    """Add the lists of the items that have a rank, for rows that hold more than `least` of them."""
    from confide.mining.counting.level_kernels import count_items, trim_rows
    from confide.mining.databases._row_kernels import ranked_rows

    begins, held = trim_rows(tx.indptr, tx.indices, ranks.astype(np.int32), least + 1)
    sizes = count_items(held, 0, len(held), len(database.codes))
    same = np.arange(len(sizes), dtype=np.int32)
    entries, starts, places, _ = ranked_rows(begins, held, same, sizes, 0)
    weights = np.ones(len(places), dtype=np.int32)
    return database._replace(entries=entries, starts=starts, occurrences=places, weights=weights)


def _with_masks(
    database: Database,
    kept: KeptRows,
    items: NDArray[np.int32],
    ranks: NDArray[np.int32],
    used: NDArray[np.bool_],
    wanted: NDArray[np.bool_],
    least: int,
    capacity: int,
) -> Database:
    """Add the words of the `used` items, for words of at least `least` bits; see `_pair_kernels.deal_masks`.

    They are made of the rows in which the pairs of `items` were counted.
    """
    from confide.mining.counting import level_kernels as counting
    from confide.mining.databases import _pair_kernels as kernels

    # Used items are numbered as their codes ascend, so that rows come out ascending.
    by_number = ranks[items][used[ranks[items]]]
    number = np.full(len(used), -1, dtype=np.int32)
    number[by_number] = np.arange(len(by_number), dtype=np.int32)
    numbers = number[ranks[items]]
    cells = kernels.mask_cells(database.near_starts, database.near_items, wanted, number, len(by_number), capacity)
    # The words of a part are where its rows would be, so that no part has to wait for the sizes of the others.
    dealt = np.empty(kept.entries, dtype=np.uint64)
    places = np.cumsum([0, *(len(part.rows) for part in kept.parts)])

    def deal(part: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        starts, rows = counting.trim_rows(kept.parts[part].starts, kept.parts[part].rows, numbers, least + 1)
        sizes = counting.count_items(rows, 0, len(rows), len(by_number))
        begins = places[part] + np.cumsum(sizes) - sizes
        return begins, kernels.deal_masks(starts, rows, cells, begins, least, dealt)

    runs = np.zeros((2, len(kept.parts), len(used)), dtype=np.int64)
    runs[:, :, by_number] = np.swapaxes(side_by_side(deal, range(len(kept.parts))), 0, 1)
    return database._replace(dealt=dealt, dealt_starts=runs[0], dealt_ends=runs[1])


@dataclass
class MemoryRecords:
    """Records in memory, in the form that the data suggests (`SearchedRecords`)."""

    tx: Transactions
    _root: Database | None = field(default=None, repr=False)

    @property
    def entries(self) -> int:
        """Items of all records."""
        return len(self.tx.indices)

    @property
    def longest(self) -> int:
        """Items of the longest record."""
        return int(self.tx.lengths.max(initial=0))

    def supports(self) -> NDArray[np.int64]:
        """For each item code, the records that hold it."""
        if len(self.tx.indices) + len(self.tx) + 2 >= 2**31:
            raise RequirementError(
                f"{len(self.tx.indices):,} entries are more than the two billion that can be searched in memory; "
                "write them as Parquet, and search the file"
            )
        return MemoryCounts(self.tx).singles()

    def roots(self, supports: NDArray[np.int64], frequent: NDArray[np.int32], task: Task) -> Iterator[Root]:
        """One database, for all items."""
        if len(frequent) <= word():
            self._root = as_words(self.tx, supports, frequent)
        else:
            counted = MemoryCounts(self.tx, way="rows")  # full records are searched by columns of their own
            options = {"kind": task.kind, "min_support": task.min_support, "capacity": word()}
            self._root = as_lists(counted, supports, frequent, **options)
        yield Root(self._root, 0, len(frequent))

    def list_databases(self, items: Sequence[int]) -> Iterator[tuple[Database, int]]:
        """The same database, which has lists where they are needed."""
        assert self._root is not None
        yield from ((self._root, item) for item in items)
