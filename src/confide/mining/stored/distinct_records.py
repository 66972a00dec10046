"""The different records of stored transactions, as far as some items go, and how many records are like each."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import CannotMeetError
from confide.core.transactions.container import Transactions

__all__ = ["DistinctRecords", "distinct_records"]

MOST_ENTRIES = 1 << 26  # of all different records: 256 MB
_SMALL = 1 << 10


@dataclass(frozen=True)
class DistinctRecords:
    """Records that all differ, with the labels of the whole, and how often each stands there."""

    records: Transactions
    counts: NDArray[np.int64]


def distinct_records(stored: StoredTransactions, keep: NDArray[np.bool_]) -> DistinctRecords:
    """What records hold of the items marked in `keep`, each different one once.

    `CannotMeetError` where they differ so much that they do not fit into memory.
    """
    rank = np.where(keep, np.arange(len(keep)), -1).astype(np.int32)
    found = stored.fold(CountDistinct(rank), label="merging equal records")
    starts, rows, counts = found.taken()
    return DistinctRecords(Transactions(starts, rows, stored.labels), counts)


@dataclass
class _Distinct:
    """A hash table of rows, and the rows."""

    slots: NDArray[np.int32] = field(default_factory=lambda: np.full(_SMALL, -1, dtype=np.int32))
    starts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(_SMALL, dtype=np.int64))
    rows: NDArray[np.int32] = field(default_factory=lambda: np.zeros(_SMALL, dtype=np.int32))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(_SMALL, dtype=np.int64))
    used: int = 0

    def taken(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        starts = self.starts[: self.used + 1].copy()
        return starts, self.rows[: starts[-1]].copy(), self.counts[: self.used].copy()

    def add(self, starts: NDArray[np.int64], rows: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
        from confide.mining.stored._distinct_kernels import CountedRows, add_rows

        at = 0
        while at < len(starts) - 1:
            known = CountedRows(self.starts, self.rows, self.counts)
            at, self.used = add_rows(CountedRows(starts, rows, counts), at, self.slots, known, self.used)
            if at < len(starts) - 1:
                self._grow(int(starts[at + 1] - starts[at]))

    def _grow(self, needed: int) -> None:
        from confide.mining.stored._distinct_kernels import place_rows

        entries = int(self.starts[self.used]) + needed
        if entries > MOST_ENTRIES:
            raise CannotMeetError(
                f"the different records hold more than {MOST_ENTRIES:,} entries, which do not fit into memory",
                parameter="p",
                cures=[{"p": 2}],
            )
        if entries > len(self.rows):
            self.rows = np.concatenate([self.rows, np.zeros(max(len(self.rows), needed), dtype=np.int32)])
        if self.used + 1 >= len(self.starts):
            self.starts = np.concatenate([self.starts, np.zeros_like(self.starts)])
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        if 2 * self.used >= len(self.slots):
            self.slots = np.full(2 * len(self.slots), -1, dtype=np.int32)
            place_rows(self.starts, self.rows, self.used, self.slots)


@dataclass(frozen=True, eq=False)
class CountDistinct:
    """The pass that merges equal records; `rank` is -1 for items that do not count, else the item's own code."""

    rank: NDArray[np.int32]

    shared = False

    def begin(self) -> _Distinct:
        """No record."""
        return _Distinct()

    def add(self, state: _Distinct, batch: Transactions) -> _Distinct:
        """Merge these records with those that are there."""
        from confide.mining.counting.level_kernels import filter_rows

        starts, rows = filter_rows(batch.indptr, batch.indices, self.rank, 0, len(batch))
        state.add(starts, rows, np.ones(len(batch), dtype=np.int64))
        return state

    def merge(self, one: _Distinct, other: _Distinct) -> _Distinct:
        """The records of both."""
        one.add(*other.taken())
        return one
