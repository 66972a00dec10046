"""What `stream attack` works out: the recorded stream's windows beside what was published of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.runs.handed_blocks import RecordBlocks
from confide.audit.adversaries.runs.run_errors import attack_run
from confide.audit.adversaries.windows.averaging import average_releases
from confide.audit.adversaries.windows.run_view import ReleaseView, view_release, view_run
from confide.audit.verifiers.streams.block_claims import BlockClaims
from confide.cli.jobs.stream import StreamAttack
from confide.core.errors import ConfideError, InputError
from confide.core.figures import Chart, Figure, Figures, Study
from confide.core.itemsets.container import Itemsets
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.runtime.progress import task
from confide.core.streams.header import KeyedLaws, StreamHeader
from confide.core.streams.run import StreamRun
from confide.mining.window.sliding import SlidingWindow
from confide.mining.window.timed import TimeWindow
from confide.stream.pipeline.windows import part_of
from confide.stream.sources.text_source import FileSource

__all__ = ["attack_stream"]

_WIDTHS = (1, 3, 5, 9)
_LOOKED_AT = 100  # windows in which rare patterns are looked for


def attack_stream(request: StreamAttack, host: Host = QUIET) -> Outcome:
    """Go through the windows of a recorded stream as a run does, and look at each as an adversary would.

    The answer is a tuple of `ReleaseView`, one for each window; they hold true counts.
    """
    run = None if request.published is None else StreamRun.read(request.published)
    window, offsets = _windows_of(request, run)
    ends = [] if run is None or run.header.every_seconds is None else [one.until or 0.0 for one in run.releases]
    true = _true_itemsets(request, window, offsets, ends)
    if not true:
        raise InputError("holds fewer records than a window", source=request.records)
    if run is not None and len(true) < len(run.releases[: request.limit]):
        raise InputError(
            "holds fewer records than the run was released from; give the same stream", source=request.records
        )
    published = [] if run is None else [release.data for release in run.releases[: len(true)]]
    promise = request if run is None else run.header.requirement
    views = []
    with task("attacking", total=len(true)) as step:
        for i, itemsets in enumerate(true):
            views.append(
                view_release(
                    itemsets,
                    published[i] if published else None,
                    vulnerable=promise.vulnerable,
                    before=true[i - 1] if request.between and i else None,
                    lag=request.every,
                    min_support=promise.min_support,
                )
            )
            step(1)
    document = view_run(views)
    if run is not None:
        document["squared error of a support, by releases averaged"] = _averaged(true, published)
        document["squared error left to whoever knows the rules"] = _attacked(request, run, true, published)
    return Outcome(
        answer=tuple(views),
        document=document,
        notes=("for the owner only: this answer holds true counts",),
        page=lambda: _page(views, document),
    )


def _windows_of(request: StreamAttack, run: StreamRun | None) -> tuple[SlidingWindow | TimeWindow, Iterator[int]]:
    """The window, and the offsets at which it is looked at: those of a run, or every so many records."""
    if run is None:
        assert request.min_support is not None
        assert request.window is not None
        window = SlidingWindow(size=request.window, min_support=request.min_support)
        return window, count(request.window, request.every)
    header, least = run.header, run.header.requirement.min_support
    if isinstance(header.noise, KeyedLaws):
        claims = BlockClaims(header)
        least = claims.threshold - header.noise.reach
    offsets = iter([release.offset for release in run.releases])
    if header.records is not None:
        return SlidingWindow(size=header.records, min_support=least), offsets
    return TimeWindow(span=header.seconds or 0.0, min_support=least), offsets


def _true_itemsets(
    request: StreamAttack, window: SlidingWindow | TimeWindow, offsets: Iterator[int], ends: Sequence[float]
) -> list[Itemsets]:
    """The true frequent itemsets at each of the offsets, up to the request's limit; `ends` are where blocks end in
    time.
    """
    timed = isinstance(window, TimeWindow)
    found: list[Itemsets] = []
    at, offset = next(offsets, None), 0
    for batch in FileSource(path=request.records, timed=timed).batches(None, lambda: False):
        start, n = 0, 0 if batch is None else len(batch.rows)
        while batch is not None and at is not None and start < n:
            stop = min(n, start + at - offset)
            rows = part_of(batch.rows, start, stop)
            if isinstance(window, TimeWindow):
                assert batch.times is not None
                window.learn_many(rows, batch.times[start:stop])
            else:
                window.learn_many(rows)
            offset, start = offset + stop - start, stop
            if offset == at:
                if isinstance(window, TimeWindow) and ends:
                    window.forget_before(ends[len(found)] - window.span)
                found.append(window.frequent())
                at = None if request.limit is not None and len(found) >= request.limit else next(offsets, None)
    return found


def _attacked(
    request: StreamAttack, run: StreamRun, true: list[Itemsets], published: list[Itemsets]
) -> dict[str, dict[str, float | None]] | None:
    """What each adversary of a whole run is left with; None where nothing was published."""
    header = run.header
    releases = run.releases[: len(published)]
    if header.every_seconds is not None:
        numbers = [round((one.until or 0.0) / header.every_seconds) - 1 for one in releases]
    else:
        numbers = [one.offset // (header.every or 1) - 1 for one in releases]
    if not any(len(one) for one in published):
        return None
    handed = None
    if isinstance(header.noise, KeyedLaws):
        records, blocks = _record_blocks(request, header), header.noise.blocks

        def handed(i: int, sets: Sequence[frozenset[str]]) -> NDArray[np.int64]:
            return records.count(numbers[i], blocks, sets)

    looked_at = max(1, len(published) // _LOOKED_AT)
    found = attack_run(header, numbers, true[: len(published)], published, every=looked_at, blocks=handed)
    return {
        one.name: {
            "supports": one.supports,
            "rare patterns": one.patterns,
            "spread": one.spread,
            "rare patterns that fewest supports give": one.simple,
            "share of their variance explained": one.explained,
        }
        for one in found
    }


def _record_blocks(request: StreamAttack, header: StreamHeader) -> RecordBlocks:
    """The recorded stream, each record with the number of its block."""
    timed = header.every_seconds is not None
    batches = FileSource(path=request.records, timed=timed).batches(None, lambda: False)
    parts = [batch for batch in batches if batch is not None]
    if timed:
        times = np.concatenate([part.times for part in parts if part.times is not None])
        numbers = np.floor_divide(times, header.every_seconds or 1.0).astype(np.int64)
    else:
        numbers = np.arange(sum(len(part.rows) for part in parts)) // (header.every or 1)
    return RecordBlocks(parts=[part.rows for part in parts], numbers=numbers)


def _averaged(true: list[Itemsets], published: list[Itemsets]) -> dict[str, float] | None:
    try:
        averages = average_releases(true, published, widths=_WIDTHS, past=True)
    except ConfideError:  # no itemset is published so many times in a row
        return None
    return {str(width): error for width, error in averages.errors.items()}


def _page(views: Sequence[ReleaseView], document: Mapping[str, Any]) -> Study:
    """For the owner: patterns by window, and the error that is left by true count."""
    patterns = [len(view.patterns) for view in views]
    charts = [
        Chart(
            title="Rare patterns that raw supports give away, window by window",
            x=tuple(float(i + 1) for i in range(len(views))),
            series={"patterns": tuple(map(float, patterns))},
            y_unit="count",
            x_unit="count",
            kind="line",
            x_label="window",
        )
    ]
    left = document["squared error left, adding and subtracting"]
    if left:
        knowing = document["squared error left, knowing 0 to K"]
        charts.append(
            Chart(
                title="Squared error left after sanitising",
                x=tuple(left),
                series={"adding and subtracting": tuple(left.values()), "knowing 0 to K": tuple(knowing.values())},
                y_unit="number",
                x_label="true count of the pattern",
            )
        )
    return Study(
        title="What an adversary makes of this stream",
        lead="Rare patterns that raw supports would give away, and how wrong an adversary is after sanitising.",
        facts=Figures(
            Figure("windows", len(views), "count"),
            Figure("rare patterns that raw supports give away", sum(patterns), "count"),
        ),
        tables={},
        charts=tuple(charts),
    )
