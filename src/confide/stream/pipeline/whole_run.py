"""`release_stream`: a run from names of sources and sinks to its passport."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.artefacts.names import check_file_name
from confide.core.errors import UsageError
from confide.core.file_groups import check_outputs
from confide.core.jobs.outcome import Outcome
from confide.core.release import passport_path
from confide.stream.live.meters import RunMeters
from confide.stream.pipeline.opening import check_promise
from confide.stream.pipeline.pipeline import RunSummary, StreamPipeline, Watcher
from confide.stream.pipeline.sealing import seal, seal_stream, unseal
from confide.stream.sinks.kafka_sink import KafkaSink
from confide.stream.sinks.lines import KeptSink, LineSink
from confide.stream.sinks.redis_sink import RedisSink
from confide.stream.sinks.text_sink import FileSink
from confide.stream.sources.bad_records import BadRecords
from confide.stream.sources.batch_source import RecordSource
from confide.stream.sources.kafka_source import KafkaSource
from confide.stream.sources.kafka_topic import KafkaTopic
from confide.stream.sources.redis_source import RedisSource, is_stream
from confide.stream.sources.text_source import FileSource, StdinSource

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from confide.stream.jobs.requests import StreamRelease

__all__ = ["StreamOutcome", "release_stream"]

_LEAST_IN_A_BLOCK = 1.25  # records of the rarest frequent set in a block, below which its noisy count can be worked out


@dataclass(frozen=True, kw_only=True)
class StreamOutcome(Outcome):
    """What came of a run: `run`, which is the owner's; `release`, with the passport, is there when a file was written;
    `notes` are what `warn` heard as the run began."""

    run: RunSummary


def release_stream(
    request: "StreamRelease",
    *,
    output: str | PathLike[str] | None = None,
    sinks: Iterable[LineSink] = (),
    stopped: Callable[[], bool] = lambda: False,
    watch: Watcher | None = None,
    sign: "Ed25519PrivateKey | None" = None,
    replace: bool = False,
    meters: RunMeters | None = None,
    warn: Callable[[str], None] = lambda text: None,
) -> StreamOutcome:
    """Release the frequent itemsets of a stream, window after window, until it ends or `stopped()` is true.

    The request's `records` are a `.dat`, `.jsonl` or `.csv` file, "-" for standard input, a Redis stream
    (`redis://host:port/0?stream=NAME`), a Kafka topic (`kafka://host:port/TOPIC`), or a `RecordSource` of your own.
    Releases go to the file `output` (which then gets a passport, signed with `sign`), to the request's stream `to`
    (whose passport, if there is no file, is kept in Redis under NAME:passport, or in the topic under the key passport),
    and to `sinks`. Its pages are not served here.

    `watch` sees the true itemsets beside each release; `meters` count what a monitor asks for. `warn` hears, before the
    first record, what the owner should know of this request.
    """
    check_promise(request)
    source = _open_source(request)
    if meters is not None:
        meters.bad = getattr(source, "bad", None)
    file = None if output is None else FileSink(path=Path(output), replace=replace)
    outlets = _outlets(request, file, sinks)
    resumed = request.state is not None and request.state.exists()
    if file is not None:
        check_file_name(file.path.name)
    targets = [] if file is None else [file.path, passport_path(file.path)]
    inputs = []
    if isinstance(source, FileSource):
        source.check()
        inputs = [source.path]
    check_outputs(targets, inputs=[*inputs, request.state], replace=replace or resumed)
    if file is not None and (resumed or replace):
        unseal(file.path)
    for outlet in outlets:
        if resumed and file is None and isinstance(outlet, KeptSink):
            outlet.put_passport(None)  # it is of a part; the stream is about to grow
    notes = _notes(request, resumable=file is None or request.state is not None)
    for text in notes:
        warn(text)
    run = StreamPipeline(
        request=request, source=source, sinks=outlets, stopped=stopped, watch=watch, meters=meters
    ).run()
    release = None if file is None else seal(file.path, run, key=sign)
    if file is None:
        kept = next((outlet for outlet in outlets if isinstance(outlet, KeptSink)), None)
        release = None if kept is None or not run.releases else seal_stream(kept, run, key=sign)
    return StreamOutcome(run=run, release=release, notes=notes, document=_document(run))


def _outlets(request: "StreamRelease", file: FileSink | None, sinks: Iterable[LineSink]) -> list[LineSink]:
    """All places that releases go to: the file, the stream in Redis or Kafka, and those of the caller."""
    outlets: list[LineSink] = [] if file is None else [file]
    if request.to is not None:
        outlets.append(_open_stream(str(request.to)))
    outlets.extend(sinks)
    if not outlets:
        raise UsageError("say where releases go: output=, to= or sinks=")
    return outlets


def _open_stream(url: str) -> KeptSink:
    if url.startswith("kafka://"):
        KafkaTopic.of(url)
        return KafkaSink(url=url)
    if not is_stream(url):  # it may hold a password
        raise UsageError(
            "to= names no stream; write redis://host:port/0?stream=NAME or kafka://host:port/TOPIC", parameter="to"
        )
    return RedisSink(url=url)


def _notes(request: "StreamRelease", *, resumable: bool) -> tuple[str, ...]:
    notes = []
    if request.seed is not None:
        notes.append("warning: noise from a seed can be repeated by whoever knows the seed; it protects nobody")
    if request.promise == "none":
        scheme = f"scheme={request.scheme}"
        notes.append(f"warning: {scheme} promises nothing: whoever knows its rules undoes its noise")
    if request.promise == "run" and _LEAST_IN_A_BLOCK * request.blocks > request.min_support:
        notes.append(
            f"warning: a window has {request.blocks:,} blocks, so sets of {request.min_support} records have about "
            f"{request.min_support / request.blocks:.2g} in each: whoever follows the run works the blocks out, and by "
            "knowing that sets lie inside each other then learns more of rare patterns than one reading; use "
            f"{_fewer_blocks(request)}, or promise=stretch"
        )
    if not resumable:
        notes.append("without state= a run that is broken off cannot be taken up again")
    return tuple(notes)


def _fewer_blocks(request: "StreamRelease") -> str:
    """The least distance of releases at which blocks cannot be worked out, where it is a whole number of records."""
    most = max(1, int(request.min_support / _LEAST_IN_A_BLOCK))
    if request.window is None:
        return f"at most {most} blocks"
    fitting = next(
        every for every in range(-(-request.window // most), request.window + 1) if not request.window % every
    )
    return f"every={fitting} or more"


def _document(run: RunSummary) -> dict[str, Any]:
    """What the owner reads; the share of frequent itemsets that were published follows from true supports."""
    share = {"share of frequent itemsets published": run.published / run.frequent} if run.frequent else {}
    return {
        "run": run.header.run,
        "requirement": run.header.requirement.to_dict(),
        "releases": run.releases,
        "records": run.offset,
        "chain": run.sha256,
        "resumed": run.resumed,
        **share,
    }


def _open_source(request: "StreamRelease") -> RecordSource:
    """The source that the request names, or the one it holds."""
    if not isinstance(request.records, str | PathLike):
        source: RecordSource = request.records
        return source
    name, timed = str(request.records), request.seconds is not None
    bad = BadRecords(rule=request.bad_records if request.bad_records in ("stop", "skip") else Path(request.bad_records))
    if name.startswith(("redis://", "rediss://", "unix://")):
        return RedisSource(url=name, timed=timed, bad=bad)
    if name.startswith("kafka://"):
        KafkaTopic.of(name)
        return KafkaSource(url=name, timed=timed, bad=bad)
    if name == "-":
        return StdinSource(form=request.format or "jsonl", timed=timed, bad=bad)
    return FileSource(path=Path(name), form=request.format, timed=timed, follow=request.follow, bad=bad)
