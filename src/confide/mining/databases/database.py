"""A database as the search takes it, and what it asks of records, whatever holds them.

SearchedRecords.roots            databases to search: together, for all frequent items
SearchedRecords.list_databases   for items that are frequent with more others than a word has bits
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from confide.mining.databases.task import Task

__all__ = ["Database", "Root", "SearchedRecords"]


class Database(NamedTuple):
    """What a worker searches: words or lists. Kernels take it as it is."""

    as_words: bool
    codes: NDArray[np.int32]
    supports: NDArray[np.int64]
    order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    words: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    word_weights: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    entries: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    starts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    occurrences: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    weights: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    columns: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    width: int = 0
    # The graph of frequent pairs (see `_pair_kernels`); no starts at all if pairs were not counted beforehand.
    near_starts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    near_items: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    near_counts: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    # Words of each item's rows, made beforehand: those of rank i from dealt_starts[part, i] to dealt_ends[part, i].
    # No weights mean that each stands for one row.
    dealt: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    dealt_weights: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    dealt_starts: NDArray[np.int64] = np.zeros((0, 0), dtype=np.int64)
    dealt_ends: NDArray[np.int64] = np.zeros((0, 0), dtype=np.int64)
    # Items every row holds and every set must have, or may have.
    fixed: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    optional: NDArray[np.int32] = np.zeros(0, dtype=np.int32)


class Root(NamedTuple):
    """A database, from which to which of its items it is to be searched, and how many items its words hold."""

    database: Database
    first: int
    last: int
    capacity: int | None = None


class SearchedRecords(Protocol):
    """Records that can be searched, in memory or not."""

    @property
    def entries(self) -> int:
        """Items of all records."""
        ...

    @property
    def longest(self) -> int:
        """Items of the longest record."""
        ...

    def supports(self) -> NDArray[np.int64]:
        """For each item code, the records that hold it."""
        ...

    def roots(self, supports: NDArray[np.int64], frequent: NDArray[np.int32], task: Task) -> Iterator[Root]:
        """Databases that are to be searched: together, for all frequent items."""
        ...

    def list_databases(self, items: Sequence[int]) -> Iterator[tuple[Database, int]]:
        """For each of these items, too wide for a word, a database with lists of all its rows."""
        ...
