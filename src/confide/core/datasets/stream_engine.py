"""The engine for one machine: threads take batches from files, one after another, and memory holds a few of them.

A thread opens a shard and reads it to its end. When no shard is left to open, it helps the others with theirs, batch by
batch, so that even a single large shard keeps every core busy: reading it takes turns, and what is done with a batch
does not.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from confide.core.datasets.protocol import GroupPass, Pass, Source
from confide.core.runtime import progress
from confide.core.runtime.threads import cores, interruptible

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["StreamEngine"]

B = TypeVar("B")
S = TypeVar("S")
R = TypeVar("R")

_MOST_THREADS = 16


@dataclass
class StreamEngine:
    """Runs passes on the cores of this machine; `threads` says on how many (all).

    >>> from confide.core.datasets.stream_engine import StreamEngine
    >>> StreamEngine(threads=1).name
    'stream'
    """

    threads: int | None = None
    passes: int = field(default=0, compare=False)

    @property
    def name(self) -> str:
        """The word for it."""
        return "stream"

    def fold(self, source: Source[B], job: Pass[B, S], *, label: str) -> S:
        """The state of all records."""
        feed = _Feed(source)
        shared = job.begin() if job.shared else None

        def work(_: int) -> S:
            state = shared if shared is not None else job.begin()
            for batch in feed:
                state = job.add(state, batch)
            return state

        states = self._run(work, feed, label)
        whole = states[0]
        for other in states[1:] if shared is None else ():
            whole = job.merge(whole, other)
        return whole

    def groups(
        self, source: Source[B], job: GroupPass[B, S], solve: "Callable[[pa.Table], R]", *, label: str
    ) -> list[R]:
        """What `solve` makes of all groups, in one call: they are in this machine's memory."""
        table = job.table(self.fold(source, job, label=label))
        return [solve(table)] if table.num_rows else []

    def each(self, source: Source[B], work: Callable[[int, Iterator[B]], R], *, label: str) -> list[R]:
        """One result for each shard."""
        results: dict[int, R] = {}
        feed = _Feed(source)
        numbers = iter(range(len(feed.shards)))

        def share(_: int) -> None:
            while not feed.stopped and (number := next(numbers, None)) is not None:
                results[number] = work(number, feed.only(number))
                feed.done += 1

        self._run(share, feed, label)
        return [results[number] for number in range(len(feed.shards))]

    def _run(self, work: Callable[[int], R], feed: "_Feed[B]", label: str) -> list[R]:
        self.passes += 1
        total = len(feed.shards)
        with progress.task(f"pass {self.passes}: {label}", total=total) as step:
            said = 0

            def look() -> None:
                nonlocal said
                now = feed.done
                step(now - said)
                said = now

            threads = cores(most=_MOST_THREADS) if self.threads is None else self.threads
            return interruptible(work, threads=threads, stop=feed.stop, look=look)


class _Feed(Generic[B]):
    """Batches of a source for several threads, each batch once."""

    def __init__(self, source: Source[B]) -> None:
        self.source = source
        self.shards = list(source.shards)
        self.stopped = False
        self.done = 0
        self._lock = threading.Lock()
        self._next = 0
        self._open: list[_Reader[B]] = []

    def stop(self) -> None:
        self.stopped = True

    def __iter__(self) -> Iterator[B]:
        while not self.stopped and (reader := self._reader()) is not None:
            while not self.stopped and (batch := reader.next()) is not None:
                yield batch

    def only(self, number: int) -> Iterator[B]:
        """The batches of one shard."""
        for batch in self.source.read(self.shards[number]):
            if self.stopped:
                return
            yield batch

    def _reader(self) -> "_Reader[B] | None":
        """A shard that nobody reads yet, else one that somebody does."""
        with self._lock:
            ended = [reader for reader in self._open if reader.ended]
            self.done += len(ended)
            self._open = [reader for reader in self._open if not reader.ended]
            if self._next < len(self.shards):
                self._open.append(_Reader(self.source.read(self.shards[self._next])))
                self._next += 1
                return self._open[-1]
            return self._open[0] if self._open else None


class _Reader(Generic[B]):
    """The batches of one shard, for any thread that asks."""

    def __init__(self, batches: Iterator[B]) -> None:
        self._batches = batches
        self._lock = threading.Lock()
        self.ended = False

    def next(self) -> B | None:
        with self._lock:
            batch = None if self.ended else next(self._batches, None)
            self.ended = batch is None
            return batch
