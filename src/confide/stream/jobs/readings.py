"""The jobs `stream plan`, `stream look` and `stream replay`."""

from dataclasses import asdict
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.errors import UsageError
from confide.core.figures import Study
from confide.core.files import write_text
from confide.core.jobs.catalogue import job_named
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.request_files import request_text
from confide.stream.jobs.requests import RunFiles, StreamLook, StreamPlan, StreamReplay

__all__ = ["look", "plan", "replay"]

_LARGEST = 20


def plan(request: StreamPlan, host: Host = QUIET) -> Outcome:
    """Fill in epsilon or delta, and try it on a sample; the answer is what `plan_run` gives, or, for the paper's
    schemes, `plan_stream`."""
    from confide.core.transactions.container import Transactions
    from confide.stream.planning.noise_plan import PromisePlan, plan_stream
    from confide.stream.planning.run_plan import RunPlan, plan_run

    names = ("min_support", "vulnerable", "epsilon", "delta", "error")
    asked: dict[str, Any] = {name: getattr(request, name) for name in names}
    sample = request.sample
    if sample is not None and not isinstance(sample, Transactions):
        sample = Transactions.read(sample)
    planned: RunPlan | PromisePlan
    if request.promise == "none":
        planned = plan_stream(**asked, noise=request.noise, sample=sample, records=request.window)
    else:
        sizes = {"window": request.window, "every": request.every}
        planned = plan_run(**asked, **sizes, span=request.promise, sample=sample)
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
        files={"request": partial(_write_request, request, planned)},
    )


def _write_request(request: StreamPlan, planned: Any, path: Path, replace: bool) -> str:
    """Write the planned release as a request file, and say so."""
    from confide.stream.planning.run_plan import RunPlan

    if not isinstance(planned, RunPlan):
        raise UsageError(
            "promise=none plans for the paper's schemes, of which no request is written",
            parameter="promise",
            value=request.promise,
        )
    named = isinstance(request.sample, str | PathLike)
    records = request.records if request.records is not None else request.sample if named else "-"
    release = planned.request(records, request.noise_key)
    write_text(path, request_text(job_named("stream release"), release, RunFiles(), path), replace=replace)
    return f"the planned release is in {path}; make it with: confide run {path}"


def look(request: StreamLook, host: Host = QUIET) -> Outcome:
    """Read one release of a run, or windows as one: the largest sets or rules, with bounds that hold for certain."""
    from confide.core.streams.run import StreamRun
    from confide.stream.results.longer_windows import add_windows
    from confide.stream.results.rules import published_rules
    from confide.stream.results.support_bounds import PublishedBounds
    from confide.stream.results.top_sets import top_published

    run = StreamRun.read(request.run)
    chosen = run.release(request.release)
    bounds = PublishedBounds(run.header, request.windows)
    data = add_windows(run, chosen, request.windows)
    answer: list[Any]
    if request.rules is not None:
        answer = list(published_rules(data, bounds, min_confidence=request.rules))
    else:
        answer = list(top_published(data, bounds, k=request.top or _LARGEST))
    return Outcome(
        answer=answer,
        rows=lambda: [asdict(row) for row in answer],
        title=f"release {chosen.number}, after {chosen.offset:,} records"
        + (f", {request.windows} windows together" if request.windows > 1 else ""),
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
            to=None if request.to is None else str(request.to),
            limit=request.limit,
            stopped=stopped,
        )
    return Outcome(answer=count, notes=(f"{count:,} records played",))
