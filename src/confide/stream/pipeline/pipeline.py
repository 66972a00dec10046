"""The pipeline: records in, verified releases out, nothing drawn twice.

    source --> window --> Butterfly --> line --> auditor --> group of lines
                                                                 |
    sinks  <--  lines  <--  checkpoint, with the lines in it  <--+     (synced, unless told otherwise)

It is pulled: the source is read only as fast as sinks take what comes of it, and no more than a group is held. A group
ends when the source has nothing for now, when it is large, or after a moment.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from confide.core.artefacts.held_files import hold_file
from confide.core.errors import InputError
from confide.core.itemsets.container import Itemsets
from confide.core.runtime.progress import task
from confide.core.stages import named, stage_named
from confide.core.streams.header import KeyedLaws, StreamHeader
from confide.core.streams.releases import release_line
from confide.stream.blocks.block_digests import BlockDigests
from confide.stream.blocks.used_blocks import UsedBlocks
from confide.stream.butterfly import ClassTable, SanitisedItemsets
from confide.stream.live.meters import RunMeters
from confide.stream.pipeline.checkpoint import Checkpoint
from confide.stream.pipeline.opening import header_of, promise_of, publisher_of
from confide.stream.pipeline.windows import ReleaseWindow, open_window
from confide.stream.sinks.lines import Line, LineSink
from confide.stream.sources.batch_source import Batch, RecordSource
from confide.stream.state_file import read_key

if TYPE_CHECKING:
    from confide.stream.jobs.requests import StreamRelease

__all__ = ["RunSummary", "StreamPipeline", "Watcher"]

_MOST_LINES, _MOST_BYTES, _LONGEST_WAIT = 64, 1 << 20, 0.25
_NOT_SHARED = ("confide", "version", "run")

Watcher = Callable[[int, Itemsets, Itemsets], None]
"""The owner's eyes: (number of the release, true itemsets, published itemsets)."""


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """What a run did this time: `releases` and `offset` count from its first beginning."""

    header: StreamHeader
    releases: int
    offset: int
    sha256: str
    published: int
    frequent: int
    resumed: bool


@dataclass(kw_only=True, eq=False)
class StreamPipeline:
    """One run from `source` to `sinks`, as `request` asks: its `state` is where it goes on from after a crash or an
    end, and its `limit` ends it after so many records in all.

    `meters` are kept up to date while it goes on. `stopped` is asked between records; once it is true the run ends
    cleanly. `watch` sees true itemsets: the owner's own.
    """

    request: "StreamRelease"
    source: RecordSource
    sinks: Sequence[LineSink]
    stopped: Callable[[], bool] = lambda: False
    watch: Watcher | None = None
    meters: RunMeters | None = None
    _group: list[Line] = field(default_factory=list, init=False, repr=False)
    _bytes: int = field(default=0, init=False, repr=False)
    _since: float = field(default=0.0, init=False, repr=False)
    _places: "deque[tuple[int, int, dict[str, Any] | None]]" = field(default_factory=deque, init=False, repr=False)
    _published: int = field(default=0, init=False, repr=False)
    _frequent: int = field(default=0, init=False, repr=False)
    _behind: bool = field(default=False, init=False, repr=False)
    _begins_anew: bool = field(default=False, init=False, repr=False)  # until the first window of a resumed run is full
    _digests: BlockDigests | None = field(default=None, init=False, repr=False)

    def run(self) -> RunSummary:
        """Until the source ends, `limit` is reached or `stopped` says so. Errors leave what has left as it is."""
        self._key = None if self.request.state_key is None else read_key(self.request.state_key)
        with nullcontext() if self.request.state is None else hold_file(self.request.state):
            try:
                return self._run()
            finally:
                if self._digests is not None:
                    self._digests.end()

    def _run(self) -> RunSummary:
        old = self._old()
        self._butterfly = publisher_of(self.request)
        self._header = header_of(self.request, None if old is None else old.run)
        self._number, self._sha256 = 0, self._header.sha256
        self._digests = self._open_digests(old)
        self._window = self._open_window()
        if old is not None:
            self._resume(old)
        self._audit = self._auditor(old)
        self._hand_over(old)
        try:
            try:
                with task("releasing", total=self.request.limit) as step:
                    self._read(old, step)
            except InputError:
                self._commit()  # what came before a bad record is as good as ever
                raise
            self._commit()
            self._end()
        finally:
            for sink in self.sinks:
                sink.close()
        return RunSummary(
            header=self._header,
            releases=self._number,
            offset=self._window.offset,
            sha256=self._sha256,
            published=self._published,
            frequent=self._frequent,
            resumed=old is not None,
        )

    # -- taking up ------------------------------------------------------------------------------------------------

    def _old(self) -> Checkpoint | None:
        if self.request.state is None or not self.request.state.exists():
            return None
        old = Checkpoint.read(self.request.state, key=self._key)
        wanted = header_of(self.request, old.run)
        if isinstance(wanted.noise, KeyedLaws) and old.key_name not in ("", wanted.noise.key):
            raise InputError(
                "is of another key: noise under two keys averages out; give the key that this run began with",
                source=self.request.state,
            )
        old.check_parameters(_shared(wanted), self.request.state)
        return old

    def _open_digests(self, old: Checkpoint | None) -> BlockDigests | None:
        keyed = self._butterfly.keyed_noise()
        if keyed is None:
            return None
        key_file, kept = self.request.noise_key, self.request.state is not None
        used = None if key_file is None else UsedBlocks(key_file, promise_of(self._header), optional=kept)
        return BlockDigests(keyed, () if old is None else old.blocks, used=used, source=self.source.name)

    def _open_window(self, *, offset: int = 0, due: int | None = None, lost: int = 0) -> ReleaseWindow:
        return open_window(
            self.request,
            mining_support=self._butterfly.mining_support,
            offset=offset,
            due=due,
            lost=lost,
            learnt=None if self._digests is None else self._digests.add,
        )

    def _resume(self, old: Checkpoint) -> None:
        if self._digests is None:
            self._butterfly.resume_bytes(old.memory.encode(), source=self.request.state)
            if self._butterfly.releases != old.releases:
                raise InputError(
                    "is not the state of a stream: its parts contradict each other", source=self.request.state
                )
        self._number, self._sha256 = old.releases, old.sha256
        if self.source.replayable:
            self._window = self._open_window(offset=old.offset, due=old.due, lost=old.lost)
            return
        # The rest of the block under way will never come: the next record begins a block that has not been used.
        lost = old.lost
        if self._digests is not None and self.request.every is not None:
            lost += -(old.offset + old.lost) % self.request.every
        self._window = self._open_window(offset=old.offset, lost=lost)
        self._begins_anew = self.request.every is not None  # blocks by time have the numbers of their time stamps

    def _auditor(self, old: Checkpoint | None) -> Any:
        path = stage_named("stream").watch
        assert path is not None
        begun = {} if old is None else {"number": old.releases, "sha256": old.sha256}
        if self._digests is not None:
            return named(path)(self._header, key=self._butterfly.secret(), **begun)
        if old is None:
            return named(path)(self._header)
        values, last = self._butterfly.published_values()
        return named(path)(self._header, said=values, last=last, **begun)

    def _hand_over(self, old: Checkpoint | None) -> None:
        """Begin every sink, and give it the lines of the last group that it does not hold yet."""
        if old is None:
            for sink in self.sinks:
                sink.check()
            if self.request.state is not None:
                self._save(())  # first, so that an output without a state is never one of ours
            for sink in self.sinks:
                sink.begin(self._header, resumed=False)
            return
        pending = [(old.releases - len(old.pending) + 1 + i, x.encode()) for i, x in enumerate(old.pending)]
        for sink in self.sinks:
            held = sink.begin(self._header, resumed=True)
            if held is None:
                sink.write(pending)
                continue
            if held > old.releases:
                raise InputError(
                    f"is older than {sink.name}, which holds release {held}; the state knows {old.releases}: restore "
                    "the newer state, since going on would draw again",
                    source=self.request.state,
                )
            if held < old.releases - len(pending):
                raise InputError(
                    f"ends at release {held}, but releases up to {old.releases} have left; restore it, or go on "
                    "with another output and another state",
                    source=sink.name,
                )
            sink.write([line for line in pending if line[0] > held])

    # -- going on -------------------------------------------------------------------------------------------------

    def _read(self, old: Checkpoint | None, step: Callable[[float], None]) -> None:
        window = self._window
        place, skip, first = (None, 0, 0) if old is None else (old.place, old.skip, old.first)
        replay = 0
        if old is not None and self.source.replayable:
            replay = old.offset - old.first
            if old.place is None and old.offset:
                raise InputError("does not say where its window began", source=self.request.state)
        else:
            skip, first, place = 0, window.offset, None
        self._behind = bool(replay or skip)
        for batch in self.source.batches(place, self.stopped):
            if batch is None:
                self._commit()
                continue
            n = len(batch.rows)
            start = min(skip, n)
            self._places.append((first - skip, n, batch.place))  # the number of its first record leads back to any
            skip -= start
            back = min(replay, n - start)
            if back:
                window.refill(batch, start, start + back, first)
                replay, start, first = replay - back, start + back, first + back
            while start < n and not self.stopped() and not self._enough():
                taken = window.learn(self._cut(batch, start), start)
                start, first = start + taken, first + taken
                step(taken)
                if window.is_due:
                    self._release(window.itemsets())
            self._behind = bool(replay or skip)
            if not self._behind:  # until then the window holds less than its offset says
                self._forget_places()
            if self._enough() or self.stopped():
                return
        if (replay or skip) and not self.stopped():  # asked to end while it caught up, it is not the stream that ended
            raise InputError("holds fewer records than were read before; give the same stream", source=self.source.name)

    def _enough(self) -> bool:
        return self.request.limit is not None and self._window.offset >= self.request.limit

    def _cut(self, batch: Batch, start: int) -> Batch:
        if self.request.limit is None or self._window.offset + len(batch.rows) - start <= self.request.limit:
            return batch
        import numpy as np

        stop = start + self.request.limit - self._window.offset
        times = None if batch.times is None else batch.times[:stop]
        return Batch(rows=batch.rows.take(np.arange(stop)), times=times, place=batch.place)

    def _forget_places(self) -> None:
        oldest = self._window.offset - len(self._window)
        while len(self._places) > 1 and self._places[0][0] + self._places[0][1] <= oldest:
            self._places.popleft()

    def _release(self, true: Itemsets) -> None:
        number = self._number + 1
        block = None
        if self._digests is not None:
            self._digests.close()
            block = self._window.block
            if self._begins_anew:
                self._digests.check_window_is_new(self._window.oldest_block)
                self._begins_anew = False
        sanitised = self._butterfly.release(true, block=block)
        published, until = sanitised.data, self._window.until
        line, digest = release_line(
            published,
            run=self._header.run,
            number=number,
            offset=self._window.offset,
            until=until,
            previous=self._sha256,
        )
        self._audit.check(line, true, block)
        self._window.move_on()
        self._number, self._sha256 = number, digest
        self._count(sanitised, until)
        if self.watch is not None:
            self.watch(number, true, published)
        if not self._group:
            self._since = time.monotonic()
        self._group.append((number, line))
        self._bytes += len(line)
        full = len(self._group) >= _MOST_LINES or self._bytes >= _MOST_BYTES
        if full or self.request.sync == "each" or time.monotonic() - self._since > _LONGEST_WAIT:
            self._commit()

    def _count(self, sanitised: SanitisedItemsets, until: float | None) -> None:
        """Count the frequent sets, and those of them that were published."""
        owner, least = sanitised.owner, self._header.requirement.min_support
        frequent = owner.supports >= least
        sizes = owner.sizes if isinstance(owner, ClassTable) else 1
        there, out = int((frequent * sizes).sum()), int((frequent * owner.published * sizes).sum())
        self._frequent += there
        self._published += out
        if self.meters is not None:
            self.meters.count_release(records=self._window.offset, withheld=there - out, until=until)

    # -- keeping --------------------------------------------------------------------------------------------------

    def _commit(self) -> None:
        """Write down what leaves, then let it leave."""
        if not self._group:
            return
        if self._digests is not None:
            self._digests.keep(sync=self.request.sync != "none")
        if self.request.state is not None:
            self._sync()  # lines of the group before, which the state is about to forget
            self._save(tuple(line.decode() for _, line in self._group))
        for sink in self.sinks:
            sink.write(self._group)
        self._group, self._bytes = [], 0

    def _end(self) -> None:
        """Nothing is pending any more; the next run goes on behind the last record.

        A run that ends while its window fills again has nothing to add to the state it began with.
        """
        if self.request.state is not None and not self._behind:
            self._sync()
            self._save(())

    def _sync(self) -> None:
        if self.request.sync != "none":
            for sink in self.sinks:
                sink.sync()

    def _save(self, pending: tuple[str, ...]) -> None:
        assert self.request.state is not None
        oldest = self._window.offset - len(self._window)
        begun, _, place = next((x for x in self._places if x[0] + x[1] > oldest), (oldest, 0, None))
        Checkpoint(
            parameters=_shared(self._header),
            run=self._header.run,
            memory="" if self._digests is not None else self._butterfly.to_bytes().decode(),
            offset=self._window.offset,
            due=self._window.due,
            place=place,
            skip=max(oldest - begun, 0),
            first=oldest,
            releases=self._number,
            sha256=self._sha256,
            pending=pending,
            lost=self._window.lost,
            blocks=() if self._digests is None else self._digests.live(self._window.oldest_block),
            key_name=self._header.noise.key if isinstance(self._header.noise, KeyedLaws) else "",
        ).write(self.request.state, key=self._key, sync=self.request.sync != "none")


def _shared(header: StreamHeader) -> dict[str, Any]:
    return {name: value for name, value in header.to_dict().items() if name not in _NOT_SHARED}
