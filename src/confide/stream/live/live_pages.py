"""Pages that show a run while it goes on.

    GET /            the page                              GET /run        how the run works
    GET /releases    releases as server-sent events; `Last-Event-ID` goes on from there
    GET /metrics     for a monitor, on the owner's page only

The page for everybody shows published values only. The owner's shows what an adversary makes of them beside the true
counts; it listens on this machine alone, and every path of it begins with a key (`confide.web.guard`).
"""

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from confide.core.runtime.extras import require
from confide.stream.live.hub import Hub, LiveSink
from confide.stream.live.meters import RunMeters
from confide.web.clients import check_proxies
from confide.web.connections import Limits, Listener
from confide.web.guard import Guard, read_or_make_key
from confide.web.headers import SecurityHeaders
from confide.web.serving import BackgroundServer, listen, url_of

__all__ = ["live_application", "serve_owner", "serve_public"]

_LOOPBACK = "127.0.0.1"


def serve_public(
    sink: LiveSink,
    *,
    host: str = _LOOPBACK,
    port: int = 0,
    trusted_proxies: Sequence[str] = (),
    title: str | None = None,
) -> BackgroundServer:
    """Serve the page for everybody, under a title, in a thread of its own; behind `trusted_proxies`, forwarded
    addresses count."""
    limits = Limits(proxies=check_proxies(trusted_proxies))
    return _serve(live_application(sink.hub, "live", lambda: _run(sink, title)), listen(host, port, limits), None)


def serve_owner(
    hub: Hub, *, port: int = 0, key_file: Path | None = None, meters: RunMeters | None = None
) -> BackgroundServer:
    """Serve the owner's page, to this machine alone, and there to whoever has the key in its address.

    The key is a new one, unless `key_file` keeps it from run to run.
    """
    key = None if key_file is None else read_or_make_key(key_file)
    # Whoever else uses this machine has the owner's address, too: a bound for each client would shut out the owner.
    listening = listen(_LOOPBACK, port, Limits(per_client=None))
    return _serve(live_application(hub, "owner", dict, meters), listening, lambda url: Guard(url, key=key))


def _run(sink: LiveSink, title: str | None) -> dict[str, Any]:
    header = sink.header
    if header is None:
        return {}
    return {
        **header.to_dict(),
        "title": title,
        "promise": header.requirement.promise(),
        "limits": list(header.requirement.does_not_stop),
    }


def _serve(application: Any, listening: Listener, guarded: Callable[[str], Guard] | None) -> BackgroundServer:
    try:
        url = url_of(listening, tls=False)
        if guarded is None:
            return BackgroundServer(SecurityHeaders(application), listening, url)
        guard = guarded(url)
        return BackgroundServer(guard.protect(application), listening, guard.entrance)
    except BaseException:
        listening.close()
        raise


def live_application(hub: Hub, page: str, run: Callable[[], dict[str, Any]], meters: RunMeters | None = None) -> Any:
    """Make the ASGI application of a page ("live" or "owner") that shows what `hub` gets; `run()` describes the run."""
    require("starlette", extra="stream")
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route

    static = files("confide.stream.live") / "static"

    def fixed(name: str, kind: str) -> Any:
        body = (static / name).read_bytes()

        async def give(request: Request) -> Response:
            return Response(body, media_type=kind)

        return give

    async def releases(request: Request) -> Response:
        if hub.full:
            return JSONResponse({"error": "too many listen already; try again later"}, 503)
        last = request.headers.get("last-event-id", "0")
        number = int(last) if last.isascii() and last.isdigit() and len(last) < 16 else 0  # "²" is a digit, too
        return StreamingResponse(hub.events(number), media_type="text/event-stream")

    async def no_icon(request: Request) -> Response:
        return Response(status_code=204)

    async def about(request: Request) -> Response:
        return JSONResponse(run())

    async def metrics(request: Request) -> Response:
        return Response("" if meters is None else meters.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    routes = [
        Route("/", fixed(f"{page}.html", "text/html; charset=utf-8")),
        Route("/page.js", fixed(f"{page}.js", "text/javascript; charset=utf-8")),
        Route("/live.css", fixed("live.css", "text/css; charset=utf-8")),
        Route("/favicon.ico", no_icon),
        Route("/run", about),
        Route("/releases", releases),
    ]
    if meters is not None:
        routes.append(Route("/metrics", metrics))
    return Starlette(routes=routes)
