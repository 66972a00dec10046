"""Requests to every page and service over HTTP, broken: bytes in, never a traceback and never a status of 500 or more.

The bytes go through the server's own protocol and all that stands before the application, over a connection in memory:
no case waits for a clock, and the same bytes come in the same pieces on every machine.
"""

import asyncio
import json
import uuid
from contextlib import AsyncExitStack
from functools import partial
from urllib.parse import urlencode

from confide.collect import GammaDiagonal
from confide.collect.service.desk import SurveyDesk
from confide.collect.service.group_commit import Recorder
from confide.collect.service.server import application
from confide.collect.service.store import open_store
from confide.collect.survey.survey_file import Survey
from confide.core.errors import InputError, UsageError
from confide.core.samples import documents
from confide.core.samples.people_files import write_people
from confide.search import LocalIndex, LocalRanker, Profile, Wrapper
from confide.search.page.application import ORDER, page_application
from confide.search.page.session import Session
from confide.search.wrapper.service import wrapper_application
from confide.stream.live.hub import Hub
from confide.stream.live.live_pages import live_application
from confide.studio.project.project_folder import Project
from confide.studio.screen_pages import studio_application
from confide.studio.visit import Studio
from confide.web.connections import Limits, Listener
from confide.web.guard import HEADER, Guard
from confide.web.headers import SecurityHeaders
from confide.web.serving import configure_server
from tests.commands import confide
from tests.fuzzing.mutations import broken_bytes, broken_json
from tests.fuzzing.survey_targets import form_application, team_application
from tests.patience import LONG, wait_until

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
        self.faults, self.tidy = [], None
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
        written = self.loop.run_until_complete(asyncio.wait_for(self._converse(pieces), LONG))
        return [int(part[9:12]) for part in written if part.startswith(b"HTTP/1.1 ")]

    def said(self, request):
        """The answer, as it was written."""
        return b"".join(self.loop.run_until_complete(asyncio.wait_for(self._converse([request]), LONG)))

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
        return wire.written

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
    recorder = Recorder(open_store(str(folder / "answers.duckdb"), scheme), lambda line: None)
    desk = SurveyDesk(scheme, recorder, survey=Survey())
    app = application(desk, recorder, allow_origins=["https://a.example"])
    good = {"scheme": scheme.fingerprint, "submission": str(uuid.UUID(int=7, version=4)), "records": [[0, 1], [1, 3]]}
    scripts = ["confide.js", "questions.js", "form.js", "carry.js"]
    plain = ["", "form", "scheme.json", "promise.json", *scripts, "collect.css", "count", "records"]
    return Server(app, inner=app), None, [("records", good)], plain


def _survey(folder):
    app, posts, plain = form_application(folder)
    return Server(app, inner=app), None, posts, plain


def _team(folder):
    app, inner, guard, posts, plain = team_application(folder, ADDRESS, PROXY)
    return Server(app, inner=inner), guard, posts, plain


def _wrapper(folder):
    index = LocalIndex.build([(f"https://site.example/{i}", text) for i, text in enumerate(documents(60, seed=5))])
    exposed = Profile.build(documents(60, seed=3)).expose(min_detail=0.02).profile
    good = {"query": "evening", "profile": exposed.to_dict(), "alpha": 0.5}
    return Server(wrapper_application(Wrapper(index))), None, [("search", good)], ["", "search", "x"]


def _studio(folder):
    """A folder in which something was released and something refused; no process is started in it any more."""
    write_people(folder / "people.csv", 40, seed=1)
    confide("publish", "table", "people.csv", "-o", "out.csv", "--schema", "people.schema.toml", "--k", "2", cwd=folder)
    studio, guard = Studio(Project(folder)), Guard(ADDRESS)
    asked = {"table": "people.csv", "schema": "people.schema.toml", "k": "5", "output": "new.csv"}
    wanted = {"job": "publish table", "name": "", "base": "", "wanted": "r"}
    table = {"table": "people.csv", "schema": "people.schema.toml"}
    roles = {"role-0": "identifier", "marked": "1", "role": "quasi-identifier"}
    tree = {"name": "occupation.csv", "marked": "1-0", "into": "x", "level": "1", "base": ""}
    posts = [
        *(("run", {**wanted, **asked, "do": do}) for do in ("save", "start", "use:{}")),
        *(("run", {"name": "r.run.toml", "do": do}) for do in ("undo", "redo", 'use:{"k": 7}')),
        *(("hierarchy", {**tree, "do": do}) for do in ("gather", "rename", "split", "add-level", "undo", "add-values")),
        *(("columns", {**table, **roles, "do": do}) for do in ("save", "marked", "undo")),
        *(("job", {"n": "1", "do": do}) for do in ("cancel", "again")),
        ("explore", {"job": "publish table", **asked, "do": "start"}),
        ("", {"invent": "people"}),
    ]
    plain = ["", "guide", "guide?have=baskets&keeps=items&knows=3", "columns?table=people.csv&rows=yes&row=7", "jobs"]
    plain += ["hierarchy?name=occupation.csv", "explore?job=publish+table&table=people.csv", "publish", "verify"]
    plain += ["tools", "run?job=collect+plan", "run?name=r.run.toml", "job?n=1", "progress?n=1", "other-words?name=x"]
    plain += ["file?name=out.csv.passport.json", "file?name=..%2fx", "report?name=%00", "download?name=people.csv"]
    server = Server(studio_application(studio, guard))
    for name in ("people.csv", "out.csv"):
        wait_until(lambda name=name: studio.copies.look(name) is not None)
    wait_until(lambda: studio.verdicts.of("out.csv.passport.json").state != "waiting")
    server.tidy = partial(_remove_runs, folder)
    studio.jobs.start = _refuse_to_start
    studio.copies.look = partial(_look_without_a_process, studio.copies, studio.copies.look)
    return server, guard, posts, plain


def _remove_runs(folder):
    """Remove what was saved, so that pages do not grow from case to case."""
    for file in folder.glob("*.run.toml"):
        file.unlink()


def _refuse_to_start(run, version):
    raise UsageError("no process is started here")


def _look_without_a_process(copies, look, name):
    if name not in ("people.csv", "out.csv"):
        raise InputError("is not copied here", source=name[:50])
    return look(name)


_LIVE = ["", "page.js", "live.css", "favicon.ico", "run", "releases", "releases/"]
_MADE = {
    "search page": _search_page,
    "owner's page of a stream": _owner_page,
    "public page of a stream": _public_page,
    "collector's pages": _collector,
    "form of a survey with links": _survey,
    "team's page of a survey": _team,
    "wrapper of an engine": _wrapper,
    "studio": _studio,
}
_FORMS = ("studio", "team's page of a survey")
PAGES = tuple(_MADE)


def page_target(name, folder):
    """A function from a draw to whether a broken request was answered with 200, and one that ends the server."""
    server, guard, posts, plain = _MADE[name](folder)

    tried = 0

    def attempt(draw):
        nonlocal tried
        tried += 1
        if server.tidy is not None and tried % 100 == 0:
            server.tidy()
        many = draw.choice((1, 1, 1, 2, 3))
        requests = [_request(draw, guard, posts, plain, form=name in _FORMS) for _ in range(many)]
        whole = b"".join(requests)
        whole = broken_bytes(draw, whole) if draw.random() < 0.5 else whole
        cut = sorted(draw.randrange(len(whole) + 1) for _ in range(draw.choice((0, 0, 1, 3))))
        pieces = [whole[a:b] for a, b in zip([0, *cut], [*cut, len(whole)], strict=True) if a < b]
        answers = server.ask(pieces)
        assert all(status < 500 for status in answers), answers
        return 200 in answers

    return attempt, server.end


def _request(draw, guard, posts, plain, *, form):
    """One request: mostly a good one, with some of its body, head or line changed."""
    place, value = draw.choice(posts) if draw.random() < 0.7 else (draw.choice(plain), None)
    method = "GET" if value is None else "POST"
    if draw.random() < 0.05:
        method = draw.choice(("GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "X"))
    heads = [b"Host: 127.0.0.1:8002"]
    body = b""
    if value is not None:
        value = broken_json(draw, value) if draw.random() < 0.5 else value
        body = _form(value) if form else json.dumps(value).encode(errors="surrogatepass")
        body = broken_bytes(draw, body) if draw.random() < 0.2 else body
        kind = b"application/x-www-form-urlencoded" if form else b"application/json"
        heads += [b"Content-Type: " + kind, b"Content-Length: %d" % len(body)]
    if guard is not None:
        place = f"{guard.key}/{place}" if draw.random() < 0.97 else place
        heads += [f"{HEADER}: {guard.key}".encode(), *([b"Origin: http://127.0.0.1:8002"] if form else [])]
    heads += [draw.choice(HEADS) for _ in range(draw.choice((0, 0, 0, 1, 2)))]
    return b"\r\n".join([f"{method} /{place} HTTP/1.1".encode(), *heads, b"", body])


def _form(value):
    """What a browser would send of these texts."""
    value = value if isinstance(value, dict) else {"x": value}
    texts = {name: text if isinstance(text, list) else str(text) for name, text in value.items()}
    return urlencode(texts, doseq=True, errors="surrogatepass").encode()
