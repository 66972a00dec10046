"""What `confide stream attack` works out: the recorded stream's windows beside what was published of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confide.audit.adversaries.releases import average_releases
from confide.audit.adversaries.run_view import ReleaseView, view_release, view_run
from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.figures import Figure, Figures
from confide.core.figures.charts import Chart
from confide.core.itemsets.container import Itemsets
from confide.core.runtime.progress import task
from confide.core.streams.run import StreamRun
from confide.mining.window.sliding import SlidingWindow
from confide.mining.window.timed import TimeWindow
from confide.stream.pipeline.windows import part_of
from confide.stream.sources.text import FileSource

__all__ = ["StreamAttack", "attack_stream"]

_WIDTHS = (1, 3, 5, 9)


@dataclass(frozen=True, kw_only=True)
class StreamAttack:
    """The answer, and the views it was made of; they hold true counts."""

    answer: dict[str, Any]
    views: tuple[ReleaseView, ...]
    title: str = "What an adversary makes of this stream"
    lead: str = "Rare patterns that raw supports would give away, and how wrong an adversary is after sanitising."
    notes: tuple[str, ...] = ("for the owner only: this answer holds true counts",)

    def facts(self) -> Figures:
        """For the owner's page."""
        return Figures(
            Figure("windows", len(self.views), "count"),
            Figure("rare patterns that raw supports give away", sum(len(v.patterns) for v in self.views), "count"),
        )

    def charts(self) -> tuple[Chart, ...]:
        """Patterns by window, and the error that is left by true count."""
        charts = [
            Chart(
                title="Rare patterns that raw supports give away, window by window",
                x=tuple(float(i + 1) for i in range(len(self.views))),
                series={"patterns": tuple(float(len(v.patterns)) for v in self.views)},
                y_unit="count",
                x_unit="count",
                kind="line",
                x_label="window",
            )
        ]
        left = self.answer["squared error left, adding and subtracting"]
        knowing = self.answer["squared error left, knowing 0 to K"]
        if left:
            charts.append(
                Chart(
                    title="Squared error left after sanitising",
                    x=tuple(left),
                    series={"adding and subtracting": tuple(left.values()), "knowing 0 to K": tuple(knowing.values())},
                    y_unit="number",
                    x_label="true count of the pattern",
                )
            )
        return tuple(charts)


def attack_stream(
    source: Path,
    *,
    published: Path | None,
    min_support: int | None,
    vulnerable: int,
    records: int | None,
    every: int,
    between: bool,
    limit: int | None,
) -> StreamAttack:
    """Go through the windows of a recorded stream as a run does, and look at each as an adversary would."""
    run = None if published is None else StreamRun.read(published)
    if run is not None:
        header = run.header
        min_support, vulnerable = header.requirement.min_support, header.requirement.vulnerable
        due = [release.offset for release in run.releases][:limit]
        window: Any = (
            SlidingWindow(size=header.records, min_support=min_support)
            if header.records is not None
            else TimeWindow(span=header.seconds or 0.0, min_support=min_support)
        )
    else:
        assert min_support is not None
        assert records is not None
        if vulnerable < 1 or min_support <= vulnerable:
            raise UsageError(
                f"--min-support {min_support} must be above --vulnerable {vulnerable}, which is at least 1"
            )
        if every < 1:
            raise UsageError("--every is a number of records of 1 or more")
        window, due = SlidingWindow(size=records, min_support=min_support), []
    trues = _windows(source, window, due, first=records, every=every, limit=limit)
    said: list[Itemsets | None] = (
        [None] * len(trues) if run is None else [one.data for one in run.releases[: len(trues)]]
    )
    if not trues:
        raise InputError("holds fewer records than a window", source=source)
    if run is not None and len(trues) < len(due):
        raise InputError("holds fewer records than the run was released from; give the same stream", source=source)
    views = []
    with task("attacking", total=len(trues)) as step:
        for i, (true, data) in enumerate(zip(trues, said, strict=True)):
            before = trues[i - 1] if between and i else None
            views.append(
                view_release(true, data, vulnerable=vulnerable, before=before, lag=every, min_support=min_support)
            )
            step(1)
    answer = view_run(views)
    if run is not None:
        answer["squared error of a support, by releases averaged"] = _averaged(
            trues, [x for x in said if x is not None]
        )
    return StreamAttack(answer=answer, views=tuple(views))


def _windows(
    source: Path, window: Any, due: list[int], *, first: int | None, every: int, limit: int | None
) -> list[Itemsets]:
    """The true frequent itemsets at every offset that is due."""
    timed = isinstance(window, TimeWindow)
    wanted = iter(due)
    at = next(wanted, None) if due else first
    found: list[Itemsets] = []
    offset = 0
    for batch in FileSource(path=source, timed=timed).batches(None, lambda: False):
        start, n = 0, 0 if batch is None else len(batch.rows)
        while batch is not None and at is not None and start < n:
            stop = min(n, start + at - offset)
            rows = part_of(batch.rows, start, stop)
            window.learn_many(rows, batch.times[start:stop]) if timed else window.learn_many(rows)  # type: ignore[index]
            offset, start = offset + stop - start, stop
            if offset == at:
                found.append(window.frequent())
                at = next(wanted, None) if due else at + every
                at = None if limit is not None and len(found) >= limit else at
    return found


def _averaged(trues: list[Itemsets], said: list[Itemsets]) -> dict[str, float] | None:
    try:
        found = average_releases(trues, said, widths=_WIDTHS, past=True)
    except ConfideError:  # no itemset is published so many times in a row
        return None
    return {str(width): error for width, error in found.errors.items()}
