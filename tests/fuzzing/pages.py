"""Requests to every page and service over HTTP, broken: bytes in, never a traceback and never a status of 500 or more.

The bytes go through the server's own protocol and all that stands before the application, over a connection in memory:
no case waits for a clock, and the same bytes come in the same pieces on every machine.
"""

import asyncio
import json
import uuid
from contextlib import AsyncExitStack

from confide.collect import GammaDiagonal
from confide.collect.service.server import application
from confide.collect.service.store import open_store
from confide.core.samples import documents
from confide.search import LocalIndex, LocalRanker, Profile, Wrapper
from confide.search.page.application import ORDER, page_application
from confide.search.page.session import Session
from confide.search.wrapper.service import wrapper_application
from confide.stream.live.hub import Hub
from confide.stream.live.pages import live_application
from confide.web.connections import Limits, Listener
from confide.web.guard import HEADER, Guard
from confide.web.headers import SecurityHeaders
from confide.web.serving import configure_server
from tests.fuzzing.mutations import broken_bytes, broken_json
from tests.patience import LONG

__all__ = ["PAGES", "page_target"]

ADDRESS = "http://127.0.0.1:8002/"
PROXY = "192.0.2.1"
HEADS = [
    *(b"Last-Event-ID: 2", b"Last-Event-ID: \xb2", b"Range: bytes=0-1", b"Expect: 100-continue", b"Connection: close"),
    *(b"Origin: http://127.0.0.1:8002", b"Origin: null", b"Upgrade: websocket\r\nConnection: Upgrade", b"Host: \xff"),
    *(b"X-Forwarded-For: ::1, [::1]:80, x", b'Forwarded: for="[::1%25x]"', b"Content-Encoding: gzip", b"Cookie: a"),
    *(b"Transfer-Encoding: chunked", b"Content-Length: 0", b"Content-Length: 99999999999999999999", b"Accept: \x80"),
]


class Wire(asyncio.Transport):
    """A connection in memory: what was written, and whether it was closed."""

    def __init__(self, loop):
        super().__init__({"peername": (PROXY, 1), "sockname": ("127.0.0.1", 8002)})
        self.loop, self.written, self.closing, self.protocol = loop, [], False, None

    def write(self, data):
        self.written.append(bytes(data))

    def is_closing(self):
        return self.closing

    def close(self):
        if not self.closing:
            self.closing = True
            self.loop.call_soon(self.protocol.connection_lost, None)

    abort = close

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


class Server:
    """An application behind the server's protocol and the limits of its clients."""

    def __init__(self, app, *, inner=None):
        self.faults = []
        self.loop, self.stack = asyncio.new_event_loop(), AsyncExitStack()
        listening = Listener()
        listening.limits = Limits(proxies=frozenset({PROXY}))
        self.config = configure_server(self._watched(app), listening, lifespan="off")
        self.config.load()
        listening.close()
        self.loop.set_exception_handler(lambda loop, context: self.faults.append(repr(context)))
        if inner is not None:  # a store to open before, and to close after
            self.loop.run_until_complete(self.stack.enter_async_context(inner.router.lifespan_context(inner)))

    def _watched(self, app):
        async def watch(scope, receive, send):
            try:
                await app(scope, receive, send)
            except Exception as error:
                self.faults.append(repr(error))
                raise

        return watch

    def ask(self, pieces):
        """The statuses of what was answered to these bytes."""
        return self.loop.run_until_complete(asyncio.wait_for(self._converse(pieces), LONG))

    async def _converse(self, pieces):
        from uvicorn.server import ServerState

        wire, state = Wire(self.loop), ServerState()
        made = self.config.http_protocol_class(config=self.config, server_state=state, app_state={}, _loop=self.loop)
        wire.protocol = made
        made.connection_made(wire)
        for piece in pieces:
            if not wire.closing:
                made.data_received(piece)
                await asyncio.sleep(0)
        while state.tasks and not made.cycle.more_body:
            await asyncio.wait(state.tasks)
        wire.close()  # a client that leaves in the middle of a request
        if state.tasks:
            await asyncio.wait(state.tasks)
        faults, self.faults = self.faults, []
        assert not faults, faults
        return [int(part[9:12]) for part in wire.written if part.startswith(b"HTTP/1.1 ")]

    def end(self):
        self.loop.run_until_complete(self.stack.aclose())
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()


def _search_page(folder):
    profile = Profile.build(documents(60, seed=3))
    index = LocalIndex.build([(f"https://site.example/{i}", text) for i, text in enumerate(documents(60, seed=5))])
    session, guard = (
        Session(profile, LocalRanker(profile, index), save=lambda changed: None),
        Guard(ADDRESS, by_header={ORDER: ()}),
    )
    wish = {"min_detail": 0.02, "weight": None, "hide": [], "query": "evening", "related": False, "ask": True}
    hidden = {**wish, "hide": ["0"], "weight": 0.5, "related": True}
    mark = {"query": "evening", "rank": 1, "relevant": True, "wish": wish}
    posts = [("api/about", {}), ("api/view", wish), ("api/view", hidden), ("api/judge", mark), ("api/worth", wish)]
    found = {"query": "evening", "results": [{"title": "a", "snippet": "b"}], "strength": 0.3}
    more = [("api/drop", {"word": "sport"}), ("api/list", {"filter": "s", "by": "effect"}), ("api/order", found)]
    plain = ["", "?q=tea", "search.js", "search.css", "icon.svg", "opensearch.xml", "api/view", "..%2f", "%00"]
    return Server(page_application(session, guard)), guard, [*posts, ("api/keep", hidden), *more], plain


def _hub():
    hub = Hub()
    for number in (1, 2, 3):
        hub.add(number, {"release": number, "raw": 7})
    hub.over = True
    return hub


def _owner_page(folder):
    guard = Guard(ADDRESS)
    return Server(guard.protect(live_application(_hub(), "owner", dict))), guard, [("run", {})], _LIVE


def _public_page(folder):
    return Server(SecurityHeaders(live_application(_hub(), "live", dict))), None, [("run", {})], _LIVE


def _collector(folder):
    scheme = GammaDiagonal(domains={"sex": ["F", "M"], "size": 4}, gamma=19)
    app = application(scheme, open_store(str(folder / "answers.duckdb"), scheme), allow_origins=["https://a.example"])
    good = {"scheme": scheme.fingerprint, "submission": str(uuid.UUID(int=7, version=4)), "records": [[0, 1], [1, 3]]}
    plain = ["", "form", "scheme.json", "promise.json", "confide.js", "form.js", "collect.css", "count", "records"]
    return Server(app, inner=app), None, [("records", good)], plain


def _wrapper(folder):
    index = LocalIndex.build([(f"https://site.example/{i}", text) for i, text in enumerate(documents(60, seed=5))])
    exposed = Profile.build(documents(60, seed=3)).expose(min_detail=0.02).profile
    good = {"query": "evening", "profile": exposed.to_dict(), "alpha": 0.5}
    return Server(wrapper_application(Wrapper(index))), None, [("search", good)], ["", "search", "x"]


_LIVE = ["", "page.js", "live.css", "favicon.ico", "run", "releases", "releases/"]
_MADE = {
    "search page": _search_page,
    "owner's page of a stream": _owner_page,
    "public page of a stream": _public_page,
    "collector's pages": _collector,
    "wrapper of an engine": _wrapper,
}
PAGES = tuple(_MADE)


def page_target(name, folder):
    """A function from a draw to whether a broken request was answered with 200, and one that ends the server."""
    server, guard, posts, plain = _MADE[name](folder)

    def attempt(draw):
        requests = [_request(draw, guard, posts, plain) for _ in range(draw.choice((1, 1, 1, 2, 3)))]
        whole = b"".join(requests)
        whole = broken_bytes(draw, whole) if draw.random() < 0.5 else whole
        cut = sorted(draw.randrange(len(whole) + 1) for _ in range(draw.choice((0, 0, 1, 3))))
        pieces = [whole[a:b] for a, b in zip([0, *cut], [*cut, len(whole)], strict=True) if a < b]
        answers = server.ask(pieces)
        assert all(status < 500 for status in answers), answers
        return 200 in answers

    return attempt, server.end


def _request(draw, guard, posts, plain):
    """One request: mostly a good one, with some of its body, head or line changed."""
    place, value = draw.choice(posts) if draw.random() < 0.7 else (draw.choice(plain), None)
    method = "GET" if value is None else "POST"
    if draw.random() < 0.05:
        method = draw.choice(("GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "X"))
    heads = [b"Host: 127.0.0.1:8002"]
    body = b""
    if value is not None:
        value = broken_json(draw, value) if draw.random() < 0.5 else value
        body = json.dumps(value).encode(errors="surrogatepass")
        body = broken_bytes(draw, body) if draw.random() < 0.2 else body
        heads += [b"Content-Type: application/json", b"Content-Length: %d" % len(body)]
    if guard is not None:
        place = f"{guard.key}/{place}" if draw.random() < 0.97 else place
        heads += [f"{HEADER}: {guard.key}".encode()]
    heads += [draw.choice(HEADS) for _ in range(draw.choice((0, 0, 0, 1, 2)))]
    return b"\r\n".join([f"{method} /{place} HTTP/1.1".encode(), *heads, b"", body])
