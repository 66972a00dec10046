"""The page over HTTP, on this machine only unless its owner says otherwise.

    GET  /KEY/              the page; /KEY/?q=WORDS searches at once (a browser's address bar uses it)
    GET  /KEY/search.js ... search.css, icon.svg, opensearch.xml
    POST /KEY/api/about     profile and engine
    POST /KEY/api/view      what is exposed now, and results in both orders
    POST /KEY/api/judge     mark a result
    POST /KEY/api/worth     what each exposed branch gains and costs
    POST /KEY/api/keep      hide branches in the profile itself
    POST /KEY/api/drop      take a word out of the profile
    POST /KEY/api/list      interests by a filter
    POST /api/order         order what another program found: the key in the header alone, since a plugin or an
                            extension has no page; see `confide.search.local.order_request`

Only the person who has the key may use it (`confide.web.guard`). Nothing is logged. Nothing is loaded from elsewhere.
"""

import asyncio
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from confide.core.errors import ConfideError, InputError
from confide.core.json_text import read_json
from confide.core.runtime.extras import require
from confide.search.page.session import Session, Wish
from confide.web.addresses import is_local
from confide.web.bodies import Bodies, Refusal
from confide.web.connections import Limits
from confide.web.guard import Guard, read_or_make_key
from confide.web.serving import listen, run, url_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["EXTENSION", "ORDER", "page_application", "serve_page"]

ORDER = "/api/order"
EXTENSION = "chrome-extension://khephldmcoinldoiknfcehcbgjipmlfa"
"""The origin of our extension in Chromium: its manifest holds the public key that this is made from."""

_LONGEST_ORDERING = 5.0
_LONGEST_TEXT = 200

_OPENSEARCH = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>Confide</ShortName>
  <Description>Search in your own order, on your own machine</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Url type="text/html" method="get" template="{url}?q={{searchTerms}}"/>
</OpenSearchDescription>
"""


def page_application(session: Session, guard: Guard) -> Any:
    """The page as an ASGI application, for whoever knows the key."""
    require("starlette", extra="search")
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    static = files("confide.search.page") / "static"
    bodies = Bodies(most=1 << 18)

    def fixed(name: str, kind: str) -> "Callable[[Request], Any]":
        async def give(request: "Request") -> "Response":
            return Response((static / name).read_bytes(), media_type=kind)

        return give

    async def opensearch(request: "Request") -> "Response":
        text = _OPENSEARCH.format(url=escape(guard.entrance, {'"': "&quot;"}))
        return Response(text, media_type="application/opensearchdescription+xml")

    def answering(work: Callable[[Any], dict[str, Any]], seconds: float | None) -> "Callable[[Request], Any]":
        async def answer(request: "Request") -> "Response":
            try:
                data = read_json(await bodies.read(request), what="a request in JSON")
                async with asyncio.timeout(seconds):
                    return JSONResponse(await asyncio.to_thread(work, data))
            except Refusal as refusal:
                return JSONResponse({"error": str(refusal)}, refusal.status)
            except TimeoutError:
                return JSONResponse({"error": f"not done within {seconds:g} seconds"}, 503)
            except ConfideError as error:
                return JSONResponse({"error": str(error)}, 400)

        return answer

    api: dict[str, Callable[[Any], dict[str, Any]]] = {
        "about": lambda data: session.about(),
        "view": lambda data: session.view(Wish.read(data)),
        "judge": lambda data: _judge(session, data),
        "worth": lambda data: session.worth(Wish.read(data)),
        "keep": lambda data: session.keep(Wish.read(data)),
        "drop": lambda data: session.drop(_texts(data, "word")["word"]),
        "list": lambda data: session.interests(**_texts(data, "filter", "by")),
    }
    page = Starlette(
        routes=[
            Route("/", fixed("index.html", "text/html; charset=utf-8")),
            Route("/search.js", fixed("search.js", "text/javascript; charset=utf-8")),
            Route("/search.css", fixed("search.css", "text/css; charset=utf-8")),
            Route("/icon.svg", fixed("icon.svg", "image/svg+xml")),
            Route("/opensearch.xml", opensearch),
            *(Route(f"/api/{name}", answering(work, None), methods=["POST"]) for name, work in api.items()),
            Route(ORDER, answering(session.order, _LONGEST_ORDERING), methods=["POST"]),
        ],
    )
    return guard.protect(page)


def _texts(data: Any, *names: str) -> dict[str, str]:
    """The texts of these names, and nothing else."""
    if not isinstance(data, dict) or set(data) != set(names) or not all(isinstance(v, str) for v in data.values()):
        raise InputError(f"a request holds {' and '.join(names)}, as text")
    return {name: data[name][:_LONGEST_TEXT] for name in names}


def _judge(session: Session, data: Any) -> dict[str, Any]:
    if not isinstance(data, dict) or set(data) != {"query", "rank", "relevant", "wish"}:
        raise InputError("a mark holds query, rank, relevant and wish")
    query, rank, relevant = data["query"], data["rank"], data["relevant"]
    if not isinstance(query, str) or type(rank) is not int or not isinstance(relevant, bool | None):
        raise InputError("a mark names a query, a rank, and true, false or null")
    return session.judge(query, rank, relevant, Wish.read(data["wish"]))


def serve_page(
    session: Session,
    *,
    host: str = "127.0.0.1",
    port: int = 8002,
    also: Iterable[str] = (),
    extensions: Iterable[str] = (),
    key_file: Path | None = None,
    ready: Callable[[str], None] = lambda url: None,
    warn: Callable[[str], None] = lambda text: None,
) -> None:
    """Serve the page until Ctrl-C; `ready` gets the address to open, which holds the key.

    `also` names hosts by which others may ask for it, where it listens on more than this machine; `warn` gets what its
    owner must know then. Results are ordered for a browser's `extensions`, too, by their origins, beside our own. The
    key is a new one, unless `key_file` keeps it from run to run.
    """
    key = None if key_file is None else read_or_make_key(key_file)
    if not is_local(host):
        warn(f"warning: {host} can be reached from elsewhere, without TLS; whoever reads along sees your profile")
    # Whoever else uses this machine has the owner's address, too: a bound for each client would shut out the owner.
    limits = Limits(per_client=None) if is_local(host) else Limits()
    with listen(host, port, limits) as listening:
        guard = Guard(url_of(listening, tls=False), key=key, also=also, by_header={ORDER: (EXTENSION, *extensions)})
        run(page_application(session, guard), listening, ready=lambda: ready(guard.entrance))
