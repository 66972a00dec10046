"""The closed frequent itemsets of the last so many seconds of a stream.

    time      0   3   5  [7   8   8   9] <- 10         span = 3: records later than newest - span
                          |
                          those up to 7 leave as a record of time 10 arrives

A `SlidingWindow` does the work: it has room for more records than the span holds, and the oldest are let out by the
clock. When a span holds more than there is room for, a window of twice the room learns its records.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.requirements.base import check_count, is_number
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions
from confide.mining.window.sliding import SlidingWindow

__all__ = ["TimeWindow"]

_FIRST_ROOM = 1 << 10


@dataclass(kw_only=True, eq=False)
class TimeWindow:
    """Keeps the closed frequent itemsets of the records of the last `span` seconds.

    `span` is in the unit of the time stamps; `min_support` is a count, since the number of records varies. Time stamps
    never decrease. A record leaves when one arrives that is `span` or more later.

    >>> window = TimeWindow(span=10, min_support=2)
    >>> window.learn_many([["a", "b"], ["a"], ["a", "b"]], [0, 4, 9])
    >>> list(window.closed())
    [(('a',), 3), (('a', 'b'), 2)]
    >>> window.learn_many([["b"]], [13])
    >>> list(window.closed()), len(window)
    ([(('a',), 2), (('b',), 2)], 3)
    """

    span: float
    min_support: int
    _window: SlidingWindow = field(init=False, repr=False)
    _times: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not is_number(self.span) or self.span <= 0:
            raise RequirementError(
                f"span={self.span} is no stretch of time; use a number of seconds above 0",
                parameter="span",
                value=self.span,
            )
        check_count("min_support", self.min_support, least=1, why="is no count of records")
        self._window = SlidingWindow(size=max(_FIRST_ROOM, 2 * self.min_support), min_support=self.min_support)
        self._times = np.zeros(0)

    def __len__(self) -> int:
        """Number of records in the window."""
        return len(self._window)

    @property
    def newest(self) -> float | None:
        """The newest time stamp."""
        return float(self._times[-1]) if len(self._times) else None

    def learn_many(self, records: Any, times: Any) -> None:
        """Let records in, in order, and those out that are `span` or more older than the last of them.

        What `closed` says afterwards is the same however the records were divided among calls.
        """
        rows = as_transactions(records)
        try:
            stamps = np.asarray(times, dtype=np.float64)
        except (TypeError, ValueError):
            raise UsageError(f"times must be numbers, one for each record, not {type(times).__name__}") from None
        if stamps.shape != (len(rows),):
            raise UsageError(f"{stamps.size} time stamps for {len(rows)} records; give one for each")
        if not len(rows):
            return
        before = np.concatenate([self._times[-1:], stamps])
        if not np.isfinite(stamps).all() or (np.diff(before) < 0).any():
            at = int(np.flatnonzero(~np.isfinite(stamps) | (np.diff(before, prepend=before[0])[-len(stamps) :] < 0))[0])
            raise InputError("a time stamp goes back in time, or is no number", source="records", line=at + 1)
        limit = stamps[-1] - self.span
        gone = int(np.searchsorted(self._times, limit, side="right"))
        self._window.forget(gone)
        first = int(np.searchsorted(stamps, limit, side="right"))
        self._times = np.concatenate([self._times[gone:], stamps[first:]])
        if len(self._times) > self._window.size:
            self._room(len(self._times))
        self._window.learn_many(rows.take(np.arange(first, len(rows))) if first else rows)

    def forget_before(self, time: float) -> None:
        """Let records out whose time stamps are less than `time`, with none in their place."""
        gone = int(np.searchsorted(self._times, time, side="left"))
        self._window.forget(gone)
        self._times = self._times[gone:]

    def _room(self, needed: int) -> None:
        held = self._window.transactions()
        self._window = SlidingWindow(size=2 * needed, min_support=self.min_support)
        self._window.learn_many(held)

    def closed(self) -> Itemsets:
        """The closed frequent itemsets of the records now in the window, in canonical order."""
        return self._window.closed()

    def frequent(self) -> Itemsets:
        """All frequent itemsets of the records now in the window."""
        return self._window.frequent()

    def transactions(self) -> Transactions:
        """The records now in the window, oldest first."""
        return self._window.transactions()
