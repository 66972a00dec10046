"""Releases for whoever listens: the pipeline never waits for a listener.

The last releases are kept. A listener that falls behind them goes on with the oldest that is left.
"""

import json
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Any

from confide.core.streams.header import StreamHeader
from confide.core.streams.releases import WindowRelease
from confide.stream.results.support_bounds import PublishedBounds
from confide.stream.sinks.lines import Line

__all__ = ["Hub", "LiveSink"]

_KEPT = 120
_LOOK = 0.2  # seconds between two looks
_ALIVE = 15.0  # seconds after which a line of comment keeps a connection open
_MOST_LISTENERS = 200


class Hub:
    """Numbered messages, the newest kept; any thread may add, listeners look."""

    def __init__(self, kept: int = _KEPT):
        self._messages: deque[tuple[int, str]] = deque(maxlen=kept)
        self._lock = threading.Lock()
        self.listeners = 0
        self.over = False

    def add(self, number: int, message: Any) -> None:
        """Keep a message."""
        with self._lock:
            self._messages.append((number, json.dumps(message, ensure_ascii=False, separators=(",", ":"))))

    def after(self, number: int) -> list[tuple[int, str]]:
        """What came after a number."""
        with self._lock:
            return [one for one in self._messages if one[0] > number]

    @property
    def full(self) -> bool:
        """Whether nobody else can listen."""
        return self.listeners >= _MOST_LISTENERS

    async def events(self, last: int) -> AsyncIterator[str]:
        """Server-sent events from a number on, until the run is over."""
        import asyncio

        self.listeners += 1
        quiet = 0.0
        try:
            while True:
                new = self.after(last)
                for number, text in new:
                    yield f"id: {number}\ndata: {text}\n\n"
                    last = number
                if self.over and not new:
                    yield "event: end\ndata: {}\n\n"
                    return
                quiet = 0.0 if new else quiet + _LOOK
                if quiet >= _ALIVE:
                    quiet = 0.0
                    yield ": still there\n\n"
                await asyncio.sleep(_LOOK)
        finally:
            self.listeners -= 1


class LiveSink:
    """A sink that shows releases on a page: values with the supports they can stand for."""

    name = "live page"

    def __init__(self) -> None:
        self.hub = Hub()
        self.header: StreamHeader | None = None

    def check(self) -> None:
        """Always fine."""

    def begin(self, header: StreamHeader, *, resumed: bool) -> int | None:
        """Whoever opens the page after a restart sees releases from then on."""
        self.header, self._bounds = header, PublishedBounds(header)
        return None

    def write(self, lines: Sequence[Line]) -> None:
        """Show them."""
        for number, line in lines[-_KEPT:]:
            release = WindowRelease.from_line(line)
            data = release.data
            ranges = self._bounds.of_all(data)
            sets = [[list(items), value, *ranges[frozenset(items)]] for items, value in data]
            self.hub.add(
                number,
                {
                    "release": number,
                    "at": time.time(),
                    "offset": release.offset,
                    "until": release.until,
                    "records": data.n_transactions,
                    "itemsets": sets,
                },
            )

    def sync(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Tell listeners."""
        self.hub.over = True
