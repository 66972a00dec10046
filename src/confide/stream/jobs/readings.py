"""The jobs `stream plan`, `stream look` and `stream replay`."""

from dataclasses import asdict
from typing import Any

from confide.core.figures import Study
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.stream.jobs.requests import StreamLook, StreamPlan, StreamReplay

__all__ = ["look", "plan", "replay"]

_LARGEST = 20


def plan(request: StreamPlan, host: Host = QUIET) -> Outcome:
    """Fill in epsilon or delta, and try the schemes on a sample; the answer is what `plan_stream` gives."""
    from confide.core.transactions.container import Transactions
    from confide.stream.planning.plan import plan_stream

    names = ("min_support", "vulnerable", "epsilon", "delta", "error", "noise")
    asked: dict[str, Any] = {name: getattr(request, name) for name in names}
    sample = request.sample
    if sample is not None and not isinstance(sample, Transactions):
        sample = Transactions.read(sample)
    planned = plan_stream(**asked, sample=sample, records=request.window)
    return Outcome(
        answer=planned,
        document=planned.answer,
        page=lambda: Study(
            title="A plan for a stream",
            lead=planned.requirement.promise(),
            facts=planned.facts(),
            tables={},
            charts=planned.charts(),
            private=sample is not None,
        ),
    )


def look(request: StreamLook, host: Host = QUIET) -> Outcome:
    """Read one release of a run: its largest sets or its rules, with bounds that hold for certain."""
    from confide.core.streams.run import StreamRun
    from confide.stream.results.bounds import PublishedBounds
    from confide.stream.results.rules import published_rules
    from confide.stream.results.top_sets import top_published

    run = StreamRun.read(request.run)
    chosen = run.release(request.release)
    bounds = PublishedBounds(run.header)
    answer: list[Any]
    if request.rules is not None:
        answer = list(published_rules(chosen.data, bounds, min_confidence=request.rules))
    else:
        answer = list(top_published(chosen.data, bounds, k=request.top or _LARGEST))
    return Outcome(
        answer=answer,
        rows=lambda: [asdict(row) for row in answer],
        title=f"release {chosen.number}, after {chosen.offset:,} records",
    )


def replay(request: StreamReplay, host: Host = QUIET) -> Outcome:
    """Play a recorded stream until it ends or a signal comes; the answer is how many records were played."""
    from confide.stream.replaying import replay_stream
    from confide.web.serving import UntilSignal

    with UntilSignal() as stopped:
        count = replay_stream(
            request.records,
            rate=request.rate,
            speed=request.speed,
            redis=None if request.to is None else str(request.to),
            limit=request.limit,
            stopped=stopped,
        )
    return Outcome(answer=count, notes=(f"{count:,} records played",))
