"""Counting records that come in batches, which need not be in memory together; and counting by any function."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import UsageError
from confide.core.transactions.container import Transactions
from confide.mining.counting.memory_counts import MemoryCounts, Way
from confide.mining.counting.protocol import ItemsetCounts, pair_blocks
from confide.mining.counting.supports import CandidateCounter

__all__ = ["BatchCounts", "CounterCounts", "counts_by"]


@dataclass(frozen=True)
class BatchCounts:
    """Counting in batches of records, one batch in memory at a time (`ItemsetCounts`).

    `batches` is anything that can be read from its beginning again and again, such as a list or an object that opens
    a file in `__iter__`: every answer takes one pass, pairs one for each table. All batches have the same labels.

    >>> both = Transactions.from_lists([["beer", "nuts"], ["beer", "nuts", "milk"], ["milk"], ["beer"]])
    >>> counts = BatchCounts([both.take(np.arange(2)), both.take(np.arange(2, 4))])
    >>> counts.records, counts.singles().tolist() == both.supports().tolist()
    (4, True)
    """

    batches: Iterable[Transactions]

    def __post_init__(self) -> None:
        """Refuse what can be read once only."""
        if isinstance(self.batches, Iterator):
            raise UsageError(
                f"batches are read several times, but this {type(self.batches).__name__} can be read only once; give a "
                "list, or an object whose __iter__ starts again at the first batch"
            )

    @property
    def records(self) -> int:
        """Number of records."""
        return sum(len(batch) for batch in self._read())

    @property
    def n_items(self) -> int:
        """Number of item codes."""
        return max((batch.n_items for batch in self._read()), default=0)

    def singles(self) -> NDArray[np.int64]:
        """For each item code, the records that hold it."""
        total = np.zeros(0, dtype=np.int64)
        for batch in self._read():
            found = MemoryCounts(batch).singles()
            total = total + found if len(total) else found
        return total

    def pairs(self, items: NDArray[np.int32]) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first, table) of counts of pairs among `items`."""
        for first, height in pair_blocks(len(items)):
            table = np.zeros((height, len(items)), dtype=np.int32)
            for batch in self._read():
                table += MemoryCounts(batch).pair_table(items, first, height)
            yield first, table

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate."""
        total = np.zeros(len(candidates), dtype=np.int64)
        for batch in self._read():
            total += MemoryCounts(batch).sets(candidates)
        return total

    def _read(self) -> Iterator[Transactions]:
        """The batches, from the first; codes must mean the same item in all of them."""
        labels: tuple[str, ...] | None = None
        for number, batch in enumerate(self.batches, start=1):
            if labels is not None and batch.labels is not labels and batch.labels != labels:
                raise UsageError(f"batch {number} has other labels than batch 1; give all batches the same labels")
            labels = batch.labels
            yield batch


@dataclass(frozen=True)
class CounterCounts:
    """Counting by any function that counts candidates in a database, in batches of bounded size (`ItemsetCounts`)."""

    tx: Transactions
    counter: CandidateCounter

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
        return self.sets(np.arange(self.n_items, dtype=np.int32)[:, None])

    def pairs(self, items: NDArray[np.int32]) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first, table) of counts of pairs; one call for each table."""
        for first, height in pair_blocks(len(items)):
            table = np.zeros((height, len(items)), dtype=np.int32)
            i, j = np.triu_indices(height, first + 1, len(items))
            table[i, j] = self.sets(np.column_stack([items[first + i], items[j]]))
            yield first, table

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate."""
        offsets = np.arange(len(candidates) + 1, dtype=np.int64) * candidates.shape[1]
        return np.asarray(self.counter(self.tx, (offsets, candidates.ravel())), dtype=np.int64)


def counts_by(
    counter: CandidateCounter | None, tx: Transactions | StoredTransactions, *, way: Way = "auto"
) -> ItemsetCounts:
    """Our own counting, in memory or in files, or that of another engine."""
    if not tx.in_memory:
        from confide.mining.stored.counts import StoredCounts

        return StoredCounts(tx)
    return CounterCounts(tx, counter) if counter is not None else MemoryCounts(tx, way=way)
