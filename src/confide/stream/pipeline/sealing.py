"""The passport of a run: over the whole file, read back from the disk and verified by the auditor.

It is written when a run ends, and is gone while the run goes on: a passport speaks of one file that does not change.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.artefacts.kinds import read_released
from confide.core.errors import VerificationError
from confide.core.figures import Figure, Figures
from confide.core.files import read_regular
from confide.core.passport import Passport
from confide.core.release import Release, passport_path
from confide.core.streams.header import KeyedLaws, StreamHeader
from confide.core.streams.run import StreamRun
from confide.stream.blocks.block_precision import published_precision
from confide.stream.blocks.law import RunNoise
from confide.stream.pipeline.pipeline import RunSummary
from confide.stream.sinks.lines import KeptSink

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["seal", "seal_stream", "unseal"]

_STREAM_FILE = "releases.jsonl"

_SHARED = {"confide", "version", "run", "requirement", "randomness"}


def seal(
    path: Path, summary: RunSummary | None = None, *, key: "Ed25519PrivateKey | None" = None
) -> Release[StreamRun]:
    """Verify the file of a run and write its passport beside it; VerificationError, and no passport, if it fails.

    `summary` adds how many itemsets were withheld, which the file does not show.
    """
    release, passport = _judge(read_regular(path), path.name, summary, key)
    unseal(path)
    passport.write(passport_path(path))
    return release


def seal_stream(
    sink: KeptSink, summary: RunSummary | None = None, *, key: "Ed25519PrivateKey | None" = None
) -> Release[StreamRun]:
    """As `seal`, for a run that went to Redis or Kafka alone: its passport is kept with the stream, and is of the lines
    in it, one after another, under the name releases.jsonl."""
    release, passport = _judge(sink.contents(), _STREAM_FILE, summary, key)
    sink.put_passport(passport.to_json())
    return release


def _judge(
    written: bytes, name: str, summary: RunSummary | None, key: "Ed25519PrivateKey | None"
) -> tuple[Release[StreamRun], Passport]:
    """Have the lines of a run verified; also return the passport that is of those very bytes."""
    run: StreamRun = read_released(written, name, type="stream").data
    if not run.releases:
        raise VerificationError(
            f"{name} holds no release: the stream ended before the window was full; use a smaller window"
        )
    header = run.header
    release = Release.issue(
        run,
        header.requirement,
        stage="stream",
        algorithm=f"butterfly {header.scheme}",
        parameters={name: value for name, value in header.to_dict().items() if name not in _SHARED},
        context={"run": header.run, "releases": len(run.releases), "chain": run.releases[-1].sha256},
        loss=_loss(run, summary),
        headline=_headline(run),
        key_figures=("releases", "itemsets published in a release, on average"),
        randomness=header.randomness,
    )
    passport = release.passport.for_bytes(written, name, type="stream", format=None)
    return release, passport if key is None else passport.sign(key)


def unseal(path: Path) -> None:
    """Take the passport of an earlier part away: the file is about to grow."""
    with suppress(FileNotFoundError):
        passport_path(path).unlink()


def _headline(run: StreamRun) -> str:
    header = run.header
    size = (
        f"the last {header.records:,} records" if header.records is not None else f"the last {header.seconds:g} seconds"
    )
    rare = f"patterns of {header.requirement.vulnerable} records or fewer stay uncertain"
    ending = {
        "run": f"{rare}, however many releases are averaged.",
        "release": f"{rare} in each release, but several average out.",
        "stretch": f"{rare}, however many releases are averaged, and so do the records between two.",
        "none": f"no promise: {header.requirement.not_kept}.",
    }[header.requirement.span]
    return f"{len(run.releases):,} releases of what is frequent in {size}; {ending}"


def _precision(header: StreamHeader) -> Iterator[Figure]:
    """Within how many records published supports are, by the law; of a run by blocks."""
    if not isinstance(header.noise, KeyedLaws):
        return
    rows = published_precision(RunNoise.of(header.requirement, blocks=header.noise.blocks))
    for row in rows:
        yield Figure(f"95 of 100 published supports of {row.support:,} are within so many records", row.within, "count")
    yield Figure(f"published supports of {rows[0].support:,} lean upwards by", round(rows[0].lean, 6), "number")


def _loss(run: StreamRun, summary: RunSummary | None) -> Figures:
    sizes = [len(release.data) for release in run.releases]
    figures: list[Any] = [
        Figure("releases", len(run.releases), "count"),
        Figure("records read", run.releases[-1].offset, "count"),
        Figure("itemsets published in a release, on average", sum(sizes) / len(sizes), "number"),
        Figure("bound on the mean squared relative error", float(run.header.requirement.epsilon), "number"),
        *_precision(run.header),
    ]
    keyed = isinstance(run.header.noise, KeyedLaws)  # its promise covers true supports, which this share follows from
    if summary is not None and not keyed and not summary.resumed and summary.frequent:
        figures.append(Figure("share of frequent itemsets published", summary.published / summary.frequent, "share"))
    return Figures(*figures)
