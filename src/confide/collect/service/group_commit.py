"""Group commit: submissions that arrive while one transaction is on its way to the disk share the next one.

    request --> add() --+
    request --> add() --+--> one transaction, one sync --> each request gets its own outcome
    request --> add() --+

A commit costs about the same for one submission as for a hundred, so under load the disk is not what limits.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from confide.collect.service.store import Store, Submission, SubmissionOutcome
from confide.core.errors import ConfideError, UnreachableError

__all__ = ["Recorder"]

T = TypeVar("T")

_MOST_TOGETHER = 256
_MOST_WAITING = 2048
_FEWEST = 5  # more records than at the last word about them
_EVERY = 60.0  # seconds between two such words
_FRESH = 1.0  # seconds for which a count is not asked again


@dataclass(frozen=True)
class _Waiting:
    submission: Submission
    outcome: "asyncio.Future[SubmissionOutcome]"


class Recorder:
    """Hands submissions to a store from its one thread, many at a time; `trouble` gets a line for the operator.

    `progress` gets how many records came in: at most once a minute and never of fewer than five more, so that it
    does not tell when one person answered.
    """

    def __init__(
        self, store: Store, trouble: Callable[[str], None], progress: Callable[[int], None] = lambda records: None
    ):
        self._store, self._trouble, self._progress = store, trouble, progress
        self._came = self._told = 0
        self._told_at = -_EVERY
        # The store is used from this thread only, and the event loop never waits for the disk.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="confide-store")
        self._queue: asyncio.Queue[_Waiting] = asyncio.Queue(_MOST_WAITING)
        self._task: asyncio.Task[None] | None = None
        self._counted: tuple[float, tuple[int, int]] | None = None

    def start(self) -> None:
        """Begin to record; needs a running event loop."""
        self._task = asyncio.create_task(self._record())

    async def stop(self) -> None:
        """Record what waits, let the store forget who came first, and close it."""
        await self._queue.join()
        if self._task is not None:
            self._task.cancel()
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, self._store.forget_order)
        except ConfideError as error:
            self._trouble(f"the store still shows in which order records came ({error}); start and end it once more")
        await loop.run_in_executor(self._thread, self._store.close)
        self._thread.shutdown()

    async def add(self, submission: Submission) -> SubmissionOutcome:
        """Store a submission; returns once it is on disk. Raises UnreachableError if it could not be stored."""
        waiting = _Waiting(submission, asyncio.get_running_loop().create_future())
        try:
            self._queue.put_nowait(waiting)
        except asyncio.QueueFull:
            raise UnreachableError("the collector is busy") from None
        return await waiting.outcome

    async def count(self) -> tuple[int, int]:
        """How many submissions and records the store holds, at most a second old."""
        loop = asyncio.get_running_loop()
        if self._counted is None or loop.time() - self._counted[0] > _FRESH:
            self._counted = (loop.time(), await loop.run_in_executor(self._thread, self._store.count))
        return self._counted[1]

    async def on_store(self, work: Callable[[Store], T]) -> T:
        """What a function says of the store, asked on the store's own thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, self._store)

    async def _record(self) -> None:
        loop = asyncio.get_running_loop()
        held_back: list[_Waiting] = []
        while True:
            group, held_back = self._group(held_back, None if held_back else await self._queue.get())
            submissions = [one.submission for one in group]
            try:
                found = await loop.run_in_executor(self._thread, self._store.add, submissions)
                for one, outcome in zip(group, found, strict=True):
                    one.outcome.set_result(outcome)
                    self._came += len(one.submission.lengths) if outcome is SubmissionOutcome.STORED else 0
                self._tell(loop.time())
            except Exception as error:  # the store's trouble is each client's answer, not the end of the collector
                self._fail(group, error)
            for _ in group:
                self._queue.task_done()

    def _tell(self, now: float) -> None:
        if self._came - self._told >= _FEWEST and now - self._told_at >= _EVERY:
            self._told, self._told_at = self._came, now
            self._progress(self._came)

    def _group(self, held_back: list[_Waiting], first: _Waiting | None) -> tuple[list[_Waiting], list[_Waiting]]:
        """Who shares the next transaction, each id once, and who must wait for the one after it."""
        waiting = [*held_back, *([first] if first else [])]
        while len(waiting) < _MOST_TOGETHER and not self._queue.empty():
            waiting.append(self._queue.get_nowait())
        group: dict[UUID, _Waiting] = {}
        for one in waiting:
            group.setdefault(one.submission.id, one)
        chosen = list(group.values())
        return chosen, [one for one in waiting if group[one.submission.id] is not one]

    def _fail(self, group: list[_Waiting], error: Exception) -> None:
        """Ask clients to come back and tell the operator why; the text of a bug of ours might quote a record."""
        self._trouble(f"not stored: {error if isinstance(error, ConfideError) else type(error).__name__}")
        for one in group:
            one.outcome.set_exception(UnreachableError("the store does not answer"))
