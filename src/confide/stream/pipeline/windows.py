"""Windows by count and by time in one form: records go in, and it says when a release is due."""

from typing import TYPE_CHECKING

import numpy as np

from confide.core.itemsets.container import Itemsets
from confide.core.transactions.container import Transactions
from confide.mining.window.sliding import SlidingWindow
from confide.mining.window.timed import TimeWindow
from confide.stream.sources.batches import Batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from confide.stream.jobs.requests import StreamRelease

__all__ = ["ReleaseWindow", "part_of"]


class ReleaseWindow:
    """A window that fills and then is due every so many records; `offset` counts all records of the stream.

    `due` is the offset of the next release, None while the window is filling.
    """

    def __init__(self, request: "StreamRelease", *, offset: int = 0, due: int | None = None):
        self.request, self.offset, self.due = request, offset, due
        least = request.min_support
        self._counted = None if request.window is None else SlidingWindow(size=request.window, min_support=least)
        self._timed = None if request.seconds is None else TimeWindow(span=request.seconds, min_support=least)
        self._first: float | None = None  # the oldest time stamp since it began to fill

    def __len__(self) -> int:
        return len(self._counted if self._counted is not None else self._timed)  # type: ignore[arg-type]

    @property
    def until(self) -> float | None:
        """The newest time stamp, in a window by time."""
        return None if self._timed is None else self._timed.newest

    def learn(self, batch: Batch, start: int) -> int:
        """Let records in from position `start` on, up to the next release or the end; how many they were."""
        n = len(batch.rows)
        stop = n if self.due is None else min(n, start + self.due - self.offset)
        if self.due is None:
            filling = self._until_full(batch.times, start, n)
            if filling is not None:
                stop = start + filling
                self.due = self.offset + filling
        self.refill(batch, start, stop)
        self.offset += stop - start
        return stop - start

    def refill(self, batch: Batch, start: int, stop: int) -> None:
        """Let records in without counting them: those that a resumed run has counted before."""
        rows = part_of(batch.rows, start, stop)
        if self._counted is not None:
            self._counted.learn_many(rows)
        else:
            assert self._timed is not None
            assert batch.times is not None
            if self._first is None and stop > start:
                self._first = float(batch.times[start])
            self._timed.learn_many(rows, batch.times[start:stop])

    def _until_full(self, times: "NDArray[np.float64] | None", start: int, n: int) -> int | None:
        if self._counted is not None:
            left = self._counted.size - len(self._counted)
            return left if left <= n - start else None
        assert times is not None
        assert self.request.seconds is not None
        if self._first is None and n > start:
            self._first = float(times[start])
        full = np.flatnonzero(times[start:] - (self._first or 0.0) >= self.request.seconds)
        return int(full[0]) + 1 if len(full) else None

    @property
    def is_due(self) -> bool:
        """Whether a release is due now."""
        return self.offset == self.due

    def itemsets(self) -> Itemsets:
        """The true itemsets of a release that is due; the next is `every` records later."""
        assert self.due is not None
        self.due += self.request.every
        window = self._counted if self._counted is not None else self._timed
        assert window is not None
        return window.frequent() if self.request.itemsets == "all" else window.closed()


def part_of(rows: Transactions, start: int, stop: int) -> Transactions:
    """Neighbouring records; labels stay as they are."""
    begin, end = int(rows.indptr[start]), int(rows.indptr[stop])
    return Transactions(rows.indptr[start : stop + 1] - begin, rows.indices[begin:end], rows.labels)
