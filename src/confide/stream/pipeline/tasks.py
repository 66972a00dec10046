"""`release_stream`: a run from names of sources and sinks to its passport."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.artefacts.names import check_file_name
from confide.core.errors import UsageError
from confide.core.file_groups import check_outputs
from confide.core.release import Release, passport_path
from confide.core.streams.run import StreamRun
from confide.stream.pipeline.run import RunSummary, StreamPipeline, Watcher
from confide.stream.pipeline.sealing import seal, unseal
from confide.stream.pipeline.settings import StreamSettings
from confide.stream.sinks.lines import LineSink
from confide.stream.sinks.redis_streams import RedisSink
from confide.stream.sinks.text import FileSink
from confide.stream.sources.batches import RecordSource
from confide.stream.sources.redis_streams import RedisSource, is_stream
from confide.stream.sources.text import FileSource, StdinSource

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["Released", "open_source", "release_stream"]


@dataclass(frozen=True, kw_only=True)
class Released:
    """`summary` is the owner's; `release`, with the passport, is there when a file was written; `notes` are what
    `warn` was told as the run began."""

    summary: RunSummary
    release: Release[StreamRun] | None
    notes: tuple[str, ...] = ()


def release_stream(
    source: str | PathLike[str] | RecordSource,
    settings: StreamSettings,
    *,
    output: str | PathLike[str] | None = None,
    redis: str | None = None,
    sinks: Iterable[LineSink] = (),
    state: str | PathLike[str] | None = None,
    key: bytes | None = None,
    limit: int | None = None,
    follow: bool = False,
    format: str | None = None,
    stopped: Callable[[], bool] = lambda: False,
    watch: Watcher | None = None,
    sign: "Ed25519PrivateKey | None" = None,
    replace: bool = False,
    warn: Callable[[str], None] = lambda text: None,
) -> Released:
    """Release the frequent itemsets of a stream, window after window, until it ends or `stopped()` is true.

    `source`: a `.dat` or `.jsonl` file, "-" for standard input, a Redis stream (`redis://host:port/0?stream=NAME`), or
    a `RecordSource` of your own. Releases go to the file `output` (which then gets a passport), to the stream `redis`,
    and to `sinks`.

    `state`: a file that a run is taken up from, after an end or a crash; it is the owner's, and encrypted under `key`.
    Without one, a run that is broken off is lost. `follow` waits for a file to grow; `limit` ends after so many
    records.
    `watch` sees the true itemsets beside each release. `warn` is told, before the first record, what the owner should
    know of these settings.
    """
    opened = open_source(source, timed=settings.seconds is not None, follow=follow, format=format)
    file = None if output is None else FileSink(path=Path(output), replace=replace)
    all_sinks: list[LineSink] = list(sinks)
    if redis is not None:
        if not is_stream(redis):
            raise UsageError("redis= names no stream; write redis://host:port/0?stream=NAME")
        all_sinks.insert(0, RedisSink(url=redis))
    if file is not None:
        all_sinks.insert(0, file)
    if not all_sinks:
        raise UsageError("say where releases go: output=, redis= or sinks=")
    kept = None if state is None else Path(state)
    if key is not None and kept is None:
        raise UsageError("a key encrypts the state; say where that goes with --state FILE (in Python: state=)")
    resumed = kept is not None and kept.exists()
    beside = None if file is None else passport_path(file.path)
    if file is not None:
        check_file_name(file.path.name)
    inputs = [opened.path] if isinstance(opened, FileSource) else []
    check_outputs([None if file is None else file.path, beside], inputs=[*inputs, kept], replace=replace or resumed)
    if file is not None and (resumed or replace):
        unseal(file.path)
    notes = _notes(settings, kept=output is None or kept is not None)
    for text in notes:
        warn(text)
    summary = StreamPipeline(
        settings=settings,
        source=opened,
        sinks=all_sinks,
        state=kept,
        key=key,
        limit=limit,
        stopped=stopped,
        watch=watch,
    ).run()
    release = None if file is None else seal(file.path, summary, key=sign)
    return Released(summary=summary, release=release, notes=notes)


def _notes(settings: StreamSettings, *, kept: bool) -> tuple[str, ...]:
    notes = []
    if not settings.randomness.protects:
        notes.append("warning: noise from a seed can be repeated by whoever knows the seed; it protects nobody")
    if not kept:
        notes.append("without state= a run that is broken off cannot be taken up again")
    return tuple(notes)


def open_source(
    source: str | PathLike[str] | RecordSource, *, timed: bool, follow: bool = False, format: str | None = None
) -> RecordSource:
    """The source that a name stands for."""
    if not isinstance(source, str | PathLike):
        return source
    name = str(source)
    if name.startswith(("redis://", "rediss://", "unix://")):
        return RedisSource(url=name, timed=timed)
    if name == "-":
        return StdinSource(form=format or "jsonl", timed=timed)
    return FileSource(path=Path(source), form=format, timed=timed, follow=follow)
