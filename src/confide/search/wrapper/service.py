"""The wrapper as a service that several people use, as the chapter has it.

    GET  /          what this is, and what it is given
    POST /search    {"query": "...", "profile": an exposed profile, "alpha": 0.5 or null} --> the ranking

It orders by evidence of the exposed words alone, unless a request gives an alpha, which asks for PPRank.

Nothing is kept: no request is stored or logged, and each is answered from its own body alone, so one person's pairs
never touch another's results.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import ConfideError, InputError, UnreachableError, UsageError
from confide.core.json_text import read_json
from confide.core.runtime.extras import require
from confide.search.exposed import ExposedProfile
from confide.search.wrapper.wrapper import Wrapper
from confide.web.addresses import is_local
from confide.web.bodies import Bodies, Refusal
from confide.web.clients import check_proxies
from confide.web.connections import Limits
from confide.web.headers import SecurityHeaders
from confide.web.serving import listen, run, url_of

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["MAX_BODY", "read_request", "serve_wrapper", "wrapper_application"]

MAX_BODY = 1 << 20
"""Bytes a request may have."""

_ABOUT = """Confide search wrapper. It asks {engine} and orders the results.
It is given your query and the terms and weights you expose, in POST /search. It keeps and logs nothing.
"""


def read_request(body: bytes) -> tuple[str, ExposedProfile, float | None]:
    """Query, exposed profile and alpha of a request; anything beside them is refused."""
    data = read_json(body, what="a request in JSON")
    if not isinstance(data, dict) or set(data) != {"query", "profile", "alpha"}:
        raise InputError("a request holds query, profile and alpha, and nothing else")
    if not isinstance(data["query"], str):
        raise InputError("query must be text")
    alpha = data["alpha"]
    if alpha is not None and (isinstance(alpha, bool) or not isinstance(alpha, int | float)):
        raise InputError("alpha must be a number from 0 to 1, or null")
    return data["query"], ExposedProfile.from_dict(data["profile"]), alpha


def wrapper_application(wrapper: Wrapper) -> "Starlette":
    """The service as an ASGI application."""
    require("starlette", extra="search")
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import JSONResponse, PlainTextResponse
    from starlette.routing import Route

    bodies = Bodies(most=MAX_BODY)

    async def about(request: "Request") -> "Response":
        return PlainTextResponse(_ABOUT.format(engine=wrapper.engine.name))

    async def search(request: "Request") -> "Response":
        try:
            query, exposed, alpha = read_request(await bodies.read(request))
            ranking = await asyncio.to_thread(wrapper.search, query, exposed, alpha=alpha)
        except Refusal as refusal:
            return JSONResponse({"error": str(refusal)}, refusal.status)
        except UnreachableError as error:
            return JSONResponse({"error": str(error)}, 502)
        except ConfideError as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse(ranking.to_dict())

    return Starlette(
        routes=[Route("/", about), Route("/search", search, methods=["POST"])],
        middleware=[Middleware(SecurityHeaders)],
    )


def serve_wrapper(
    wrapper: Wrapper,
    *,
    host: str = "127.0.0.1",
    port: int = 8001,
    certificate: Path | None = None,
    key: Path | None = None,
    trusted_proxies: Sequence[str] = (),
    ready: Callable[[str], None] = lambda url: None,
    warn: Callable[[str], None] = lambda text: None,
) -> None:
    """Serve a wrapper until Ctrl-C; `ready` gets its address, `warn` what its operator must know.

    Behind `trusted_proxies`, named by their addresses, clients are counted by the address that is forwarded.
    """
    from confide.web.tls import check_pair

    if (certificate is None) != (key is None):
        raise UsageError("certificate and key go together")
    if certificate is not None and key is not None:
        check_pair(certificate, key)
    if certificate is None and not is_local(host):
        warn(f"warning: {host} can be reached from elsewhere; without TLS anyone on the way reads queries and pairs")
    application: Any = wrapper_application(wrapper)
    with listen(host, port, Limits(proxies=check_proxies(trusted_proxies))) as listening:
        url = url_of(listening, tls=certificate is not None)
        run(application, listening, certificate=certificate, key=key, ready=lambda: ready(url))
