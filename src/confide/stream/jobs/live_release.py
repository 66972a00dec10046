"""The job `stream release`: a run that signals end, shown on pages while it goes on."""

from contextlib import ExitStack
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.itemsets.container import Itemsets
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.release import passport_path
from confide.core.stages import named, stage_named
from confide.stream.jobs.requests import StreamRelease
from confide.stream.live.meters import RunMeters
from confide.stream.pipeline.opening import requirement_of
from confide.stream.pipeline.pipeline import Watcher
from confide.stream.pipeline.whole_run import release_stream
from confide.stream.sinks.lines import LineSink
from confide.stream.sinks.text_sink import StdoutSink
from confide.web.serving import UntilSignal

if TYPE_CHECKING:
    from confide.stream.live.hub import Hub

__all__ = ["release"]


def release(request: StreamRelease, host: Host = QUIET) -> Outcome:
    """Run until the stream ends or a signal comes; without any other place, releases go to standard output."""
    to_stdout = host.output is None and request.to is None and request.serve is None
    requirement_of(request)
    with ExitStack() as pages, UntilSignal() as stopped:
        sinks, meters = _public_page(pages, request, host), RunMeters()
        outcome = release_stream(
            request,
            output=host.output,
            sinks=[*sinks, StdoutSink()] if to_stdout else sinks,
            stopped=stopped,
            watch=_owner_page(pages, request, host, meters),
            meters=meters,
            sign=host.key,
            replace=host.replace,
            warn=host.say,
        )
    if to_stdout:
        counts = f"{outcome.run.releases:,} releases, {outcome.run.offset:,} records"
        return changed(outcome, document=None, notes=(counts,))
    return changed(outcome, notes=(), save=_tell_files)


def _tell_files(path: Path, replace: bool) -> str:
    """Say where the run went: it was written while it went on."""
    return f"written to {path} and {passport_path(path)}"


def _public_page(pages: ExitStack, request: StreamRelease, host: Host) -> list[LineSink]:
    """Serve the page for everybody, if it is asked for; also return the sink that feeds it."""
    if request.serve is None:
        return []
    from confide.stream.live.hub import LiveSink
    from confide.stream.live.live_pages import serve_public

    live = LiveSink()
    server = serve_public(
        live, host=request.host, port=request.serve, trusted_proxies=request.trusted_proxy, title=request.title
    )
    pages.callback(server.close)
    host.say(f"live page at {server.url}")
    return [live]


def _owner_page(pages: ExitStack, request: StreamRelease, host: Host, meters: RunMeters) -> Watcher | None:
    """Serve the adversary's view to the owner, if it is asked for; also return what feeds it."""
    if request.owner_serve is None:
        return None
    from confide.stream.live.hub import Hub
    from confide.stream.live.live_pages import serve_owner

    hub = Hub()
    server = serve_owner(hub, port=request.owner_serve, key_file=request.owner_key_file, meters=meters)
    pages.callback(server.close)
    pages.callback(lambda: setattr(hub, "over", True))
    host.say(f"the owner's page, on this machine only, at {server.url}")
    return partial(_show_owner, hub, request, float(requirement_of(request).noise_variance()))


def _show_owner(
    hub: "Hub", request: StreamRelease, needed: float, number: int, true: Itemsets, published: Itemsets
) -> None:
    """Add what an adversary makes of release `number` to the owner's page."""
    from confide.mining import expand_closed

    path = stage_named("stream").owner_view
    assert path is not None
    whole = expand_closed(true) if request.itemsets == "closed" else true
    view = named(path)(whole, published, vulnerable=request.vulnerable, min_support=request.min_support)
    hub.add(number, {"release": number, **view.summary(needed)})
