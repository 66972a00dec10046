"""Stored transactions as `frequent_itemsets` searches them: exactly, in a few passes, whatever the threshold.

    pass 1    labels and supports                                                   (`StoredTransactions`)
    at most 64 frequent items
      pass 2  every record as one word, equal ones merged
    more
      pass 2  all pairs of frequent items                                           (`pairs`)
      pass 3  for each item, its records as words of the items frequent with it     (`item_words`)
      pass 4  the records of items that are frequent with more than 64 others, as lists, for as many items at a time as
              memory holds                                                          (`row_lists`)

From there on the search is that of records in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.mining.databases.database import Database, Root
from confide.mining.databases.item_words import CountMasks, CountWords
from confide.mining.databases.row_lists import blocks_of, with_lists
from confide.mining.databases.task import ALL, Task, word
from confide.mining.stored.lanes import Overflow
from confide.mining.stored.pairs import count_pairs

__all__ = ["StoredRecords"]

MOST_NUMBERED = 1 << 13  # items that have words: a table of their pairs takes 128 MB


@dataclass(frozen=True, eq=False)
class _Graph:
    """The frequent pairs (see `_pair_kernels`) as a database without rows, and what longer sets can need."""

    database: Database
    ranks: NDArray[np.int32]  # of each code, -1 for infrequent ones
    used: NDArray[np.bool_]  # ranks that a set of three items can need
    wanted: NDArray[np.bool_]  # pairs likewise


@dataclass
class StoredRecords:
    """Records in files, searched in passes (`SearchedRecords`)."""

    stored: StoredTransactions
    _graph: _Graph | None = field(default=None, repr=False)
    _backwards: bool = False

    @property
    def entries(self) -> int:
        """Items of all records."""
        return self.stored.dictionary.entries

    @property
    def longest(self) -> int:
        """Items of the longest record."""
        return self.stored.dictionary.longest

    def supports(self) -> NDArray[np.int64]:
        """For each item code, the records that hold it."""
        return self.stored.supports()

    def roots(self, supports: NDArray[np.int64], frequent: NDArray[np.int32], task: Task) -> Iterator[Root]:
        """One database of whole words, or one of words for each item."""
        if len(frequent) <= word():
            try:
                yield Root(self._words(supports, frequent), 0, len(frequent))
                return
            except Overflow:
                pass  # there are more different records than fit: item by item, there are fewer
        self._backwards = task.kind != ALL
        graph = self._graph = self._pairs(supports, frequent, task)
        capacity = word()
        least = 1 if self._backwards else 2
        wide = np.diff(graph.database.near_starts) >= capacity
        if graph.used.sum() > MOST_NUMBERED or not (graph.used & ~wide).any():
            yield Root(graph.database, 0, len(graph.used), capacity=0)  # no words: all are handed back as too wide
            return
        yield from self._masks(graph, least, capacity, 0, len(graph.used))

    def list_databases(self, items: Sequence[int]) -> Iterator[tuple[Database, int]]:
        """Lists for some of the items at a time."""
        if not items:
            return
        graph = self._graph
        assert graph is not None
        known = self.stored.dictionary
        mean = known.entries / max(1, known.records)
        sizes = [int(graph.database.supports[item] * (mean + 1)) for item in items]
        ranks = np.where(graph.used[graph.ranks] & (graph.ranks >= 0), graph.ranks, -1).astype(np.int32)
        for block in blocks_of(items, sizes):
            lists = with_lists(self.stored, graph.database, ranks, block, backwards=self._backwards)
            for item in block:
                yield lists, item

    def _words(self, supports: NDArray[np.int64], frequent: NDArray[np.int32]) -> Database:
        bits = np.zeros(self.stored.n_items, dtype=np.uint64)
        bits[frequent] = np.uint64(1) << np.arange(len(frequent), dtype=np.uint64)
        job = CountWords(bits)
        merged = job.weighted(self.stored.fold(job, label="merging equal records"))
        counts = supports[frequent]
        order = np.argsort(counts, kind="stable")
        weights = merged.weights.astype(np.int64)
        return Database(True, frequent, counts, order=order, words=merged.words, word_weights=weights)

    def _pairs(self, supports: NDArray[np.int64], frequent: NDArray[np.int32], task: Task) -> _Graph:
        from confide.mining.databases import _pair_kernels as kernels

        codes = frequent[np.argsort(supports[frequent], kind="stable")]
        ranks = np.full(self.stored.n_items, -1, dtype=np.int32)
        ranks[codes] = np.arange(len(codes), dtype=np.int32)
        items = np.sort(codes)
        cells = [triangle.frequent(task.min_support) for triangle in count_pairs(self.stored, items)]
        starts, near, counts = kernels.neighbours(np.concatenate(cells), ranks[items], len(codes), self._backwards)
        if self._backwards:
            wanted, used = np.ones(len(near), dtype=np.bool_), np.diff(starts) > 0
        else:
            wanted, used = kernels.triangles(starts, near)
        none = np.zeros(len(codes) + 1, dtype=np.int64)
        database = Database(
            False, codes, supports[codes], starts=none, near_starts=starts, near_items=near, near_counts=counts
        )
        return _Graph(database, ranks, used, wanted)

    def _masks(self, graph: _Graph, least: int, capacity: int, first: int, last: int) -> Iterator[Root]:
        """The words of the items from rank `first` to `last`; half by half where they do not fit."""
        from confide.mining.databases import _pair_kernels as kernels

        database, used = graph.database, graph.used
        by_number = np.argsort(np.where(used, database.codes, self.stored.n_items), kind="stable")[: used.sum()]
        number = np.full(len(used), -1, dtype=np.int32)
        number[by_number] = np.arange(len(by_number), dtype=np.int32)
        numbers = np.where(graph.ranks >= 0, number[graph.ranks], -1).astype(np.int32)
        near = (database.near_starts, database.near_items)
        cells = kernels.mask_cells(*near, graph.wanted, number, len(by_number), capacity)
        job = CountMasks(numbers, by_number.astype(np.int32), cells, database.supports, least, first, last)
        try:
            made = job.weighted(self.stored.fold(job, label="merging the records of each item"))
        except Overflow:
            if last - first < 2:
                raise
            del cells, job
            middle = (first + last) // 2
            yield from self._masks(graph, least, capacity, first, middle)
            yield from self._masks(graph, least, capacity, middle, last)
            return
        dealt = database._replace(
            dealt=made.words,
            dealt_weights=made.weights,
            dealt_starts=made.starts[None, :-1].copy(),
            dealt_ends=made.starts[None, 1:].copy(),
        )
        yield Root(dealt, first, last)
