"""Windows by count and by time in one form: records go in, and it says when a release is due."""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from confide.core.itemsets.container import Itemsets
from confide.core.transactions.container import Transactions
from confide.mining.window.sliding import SlidingWindow
from confide.mining.window.timed import TimeWindow
from confide.stream.sources.batch_source import Batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from confide.stream.jobs.requests import StreamRelease

__all__ = ["ReleaseWindow", "TimeBlocks", "open_window", "part_of"]

Learnt = Callable[[int, Transactions], None]
"""Hears which records went into which block."""


def open_window(
    request: "StreamRelease",
    *,
    mining_support: int,
    offset: int = 0,
    due: int | None = None,
    lost: int = 0,
    learnt: Learnt | None = None,
) -> "ReleaseWindow":
    """The window that a request asks for, mined down to `mining_support`; the rest as in `ReleaseWindow`."""
    kind = TimeBlocks if request.every_seconds is not None else ReleaseWindow
    return kind(request, mining_support=mining_support, offset=offset, due=due, lost=lost, learnt=learnt)


class ReleaseWindow:
    """A window that fills and then is due every so many records; `offset` counts all records of the stream.

    `due` is the offset of the next release, None while the window is filling. `lost` records were never seen: those
    that were left of a block when a stream that cannot be read again went on. Block b holds the records whose numbers,
    the lost ones counted, are b `every` and more; `learnt` hears of each part of a block.
    """

    def __init__(
        self,
        request: "StreamRelease",
        *,
        mining_support: int,
        offset: int = 0,
        due: int | None = None,
        lost: int = 0,
        learnt: Learnt | None = None,
    ):
        self.request, self.offset, self.due, self.lost = request, offset, due, lost
        self._learnt = learnt
        least = mining_support
        self._counted = None if request.window is None else SlidingWindow(size=request.window, min_support=least)
        # By blocks, which are cut off whole (`itemsets`), a block more is held: sums of doubles may be a little off.
        span = None if request.seconds is None else request.seconds + (request.every_seconds or 0.0)
        self._timed = None if span is None else TimeWindow(span=span, min_support=least)
        self._first: float | None = None  # the oldest time stamp since it began to fill
        self._refilled: int | None = None  # the number of the next record, while old ones are read again

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
        self._hear(batch, start, stop, self.offset)
        self._let_in(batch, start, stop)
        self.offset += stop - start
        return stop - start

    @property
    def block(self) -> int:
        """The number of the newest complete block."""
        assert self.request.every is not None
        return (self.offset + self.lost) // self.request.every - 1

    @property
    def oldest_block(self) -> int:
        """The number of the oldest block in a window that ends with the newest."""
        return self.block - self.request.blocks + 1

    def refill(self, batch: Batch, start: int, stop: int, first: int) -> None:
        """Let records in without counting them: those that a resumed run has counted before, from number `first` on."""
        self._hear(batch, start, stop, first)
        self._let_in(batch, start, stop)

    def _hear(self, batch: Batch, start: int, stop: int, first: int) -> None:
        """Say which records go into which block."""
        if self._learnt is None or self.request.every is None:
            return
        number, every = first + self.lost, self.request.every
        if self._refilled is None and number % every:  # it begins within a block, of which the rest has gone by
            begin = min(start + every - number % every, stop)
            number, start = number + begin - start, begin
            if number % every:  # and so does what comes next
                return
        self._refilled = number
        while start < stop:
            end = min(stop, start + every - number % every)
            self._learnt(number // every, part_of(batch.rows, start, end))
            number, start = number + end - start, end

    def _let_in(self, batch: Batch, start: int, stop: int) -> None:
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
        """The true itemsets of a release that is due."""
        return self._itemsets()

    def move_on(self) -> None:
        """The release that was due has been made; the next is `every` records later."""
        assert self.due is not None
        assert self.request.every is not None
        self.due += self.request.every

    def _itemsets(self) -> Itemsets:
        window = self._counted if self._counted is not None else self._timed
        assert window is not None
        return window.frequent() if self.request.itemsets == "all" else window.closed()


class TimeBlocks(ReleaseWindow):
    """A window by time in blocks of `every_seconds`: block b holds the time stamps from b times that on.

    A release is due as soon as a record comes that is later than a block's end; `due` is the number of the block that
    begins there. The block in which a stream begins is not complete, so it is in no window. A block without a record
    has noise like any other, so it is heard of, too.
    """

    _pending = False
    _heard: int | None = None  # the newest block that was heard of

    @property
    def until(self) -> float | None:
        """The end of the window that is due."""
        return None if self.due is None else float(self.due * self._span)

    @property
    def _span(self) -> float:
        assert self.request.every_seconds is not None
        return self.request.every_seconds

    @property
    def block(self) -> int:
        """The number of the newest complete block."""
        return (self.due or 0) - 1

    @property
    def is_due(self) -> bool:
        """Whether a release is due now."""
        return self._pending

    def learn(self, batch: Batch, start: int) -> int:
        """Let records in from position `start` on, up to the end of the block that the next release ends with."""
        assert batch.times is not None
        numbers = np.floor_divide(batch.times[start:], self._span)
        if self.due is None and len(numbers):
            self.due = int(numbers[0]) + 1 + self.request.blocks
        taken = int(np.searchsorted(numbers, self.due or 0, side="left"))
        self._hear(batch, start, start + taken, self.offset)
        self._let_in(batch, start, start + taken)
        self.offset += taken
        if taken < len(numbers):
            self.due = int(numbers[taken])  # of blocks without a record there is no release of their own
            self._hear_empty(batch, self.due)
            self._pending = True
        return taken

    def itemsets(self) -> Itemsets:
        """The true itemsets of the blocks that end where the window is due; the next ends a block later."""
        assert self._timed is not None
        assert self.due is not None
        self._timed.forget_before(self._beginning_of(self.due - self.request.blocks))
        return self._itemsets()

    def _beginning_of(self, block: int) -> float:
        """The least time stamp of a block: products of doubles may be a little before or after it."""
        time, inf = block * self._span, np.inf
        while np.floor_divide(time, self._span) < block:
            time = float(np.nextafter(time, inf))
        while np.floor_divide(np.nextafter(time, -inf), self._span) >= block:
            time = float(np.nextafter(time, -inf))
        return time

    def move_on(self) -> None:
        """The release that was due has been made."""
        assert self.due is not None
        self.due, self._pending = self.due + 1, False

    def _hear(self, batch: Batch, start: int, stop: int, first: int) -> None:
        assert batch.times is not None
        if self._learnt is None or start >= stop:
            return
        numbers = np.floor_divide(batch.times[start:stop], self._span)
        if self._refilled is None:
            self._refilled = self._heard = int(numbers[0])  # the block in which it begins
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), stop - start]
        for begin, end in pairwise(cuts):
            if numbers[begin] > self._refilled:
                self._hear_empty(batch, int(numbers[begin]))
                self._learnt(int(numbers[begin]), part_of(batch.rows, start + begin, start + end))
                self._heard = int(numbers[begin])

    def _hear_empty(self, batch: Batch, stop: int) -> None:
        """Hear of the blocks without a record before block `stop` that a window can have."""
        if self._learnt is None or self._heard is None:
            return
        for number in range(max(self._heard + 1, stop - self.request.blocks), stop):
            self._learnt(number, part_of(batch.rows, 0, 0))
        self._heard = max(self._heard, stop - 1)


def part_of(rows: Transactions, start: int, stop: int) -> Transactions:
    """Neighbouring records; labels stay as they are."""
    begin, end = int(rows.indptr[start]), int(rows.indptr[stop])
    return Transactions(rows.indptr[start : stop + 1] - begin, rows.indices[begin:end], rows.labels)
