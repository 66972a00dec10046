"""The collector: an HTTP server that publishes a scheme, takes perturbed records and keeps nothing else.

    GET  /              what leaves your device: one page in plain words, ?lang=de in another language of the survey
    GET  /form          a form made from the survey; the record is perturbed in the page
    GET  /confide.js    the browser client
    GET  /scheme.json   the scheme, byte for byte what its fingerprint is the SHA-256 of
    GET  /promise.json  gamma and epsilon of the scheme
    GET  /count         how many submissions and records are stored
    POST /records       {"scheme": fingerprint, "submission": uuid, "records": [[...], ...]}; by personal link "code"
         /KEY/...       the team's page, see `team`

A submission is acknowledged when it is on disk. Sent again under its id it is acknowledged again and stored once; the
same id with other records is refused. No log is kept of requests. Addresses are only counted, while a connection is
open, so that no client takes the room of others.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.collect.schemes.promise import is_weak
from confide.collect.service.desk import STATES, SurveyDesk, TurnedAway, settle_questions
from confide.collect.service.group_commit import Recorder
from confide.collect.service.notice import ended_page, form_page, notice_page, promise
from confide.collect.service.personal_links import hold_links
from confide.collect.service.store import open_store
from confide.collect.service.team import TeamPage
from confide.collect.survey.questions import check_survey
from confide.collect.survey.survey_file import Survey
from confide.collect.survey.survey_progress import measure_progress
from confide.core.errors import ConfideError, UnreachableError, UsageError
from confide.core.json_text import canonical_json
from confide.core.runtime.extras import require
from confide.web.addresses import is_local, web_address
from confide.web.bodies import Bodies, Refusal
from confide.web.clients import check_proxies
from confide.web.connections import Limits
from confide.web.headers import SecurityHeaders
from confide.web.serving import listen, run, url_of
from confide.web.tls import check_pair

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from confide.collect.schemes.scheme import Scheme

__all__ = ["MAX_BODY", "application", "operator_warnings", "published", "serve"]

MAX_BODY = 4 << 20
"""Bytes a request may have."""

_SCRIPTS = ("questions.js", "form.js", "carry.js")


def published(scheme: "Scheme") -> bytes:
    """The scheme as the server publishes it: the text whose SHA-256 is the fingerprint."""
    return canonical_json(scheme.to_dict()).encode()


def browser_client() -> bytes:
    """confide.js as it is served: the rules a scheme must keep, then the client that draws by one."""
    static = files("confide.collect.service") / "static"
    return b"".join((static / name).read_bytes() for name in ("designs.js", "rules.js", "confide.js"))


def _check_origins(origins: Sequence[str]) -> None:
    for origin in origins:
        if origin != "*" and not re.fullmatch(r"https?://[^/\s]+", origin):
            raise UsageError(f"{origin!r} is not a site; name it like 'https://example.org', without a path")


def application(
    desk: SurveyDesk,
    recorder: Recorder,
    *,
    title: str = "Answer in confidence",
    allow_origins: Sequence[str] = (),
    max_body: int = MAX_BODY,
) -> "Starlette":
    """The collector as an ASGI application; the recorder's store is closed when it ends.

    `allow_origins` names sites whose pages may use the browser client with this collector ("https://example.org").
    """
    require("starlette", extra="serve")
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    _check_origins(allow_origins)
    bodies = Bodies(most=max_body)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        recorder.start()
        yield
        await recorder.stop()

    def fixed(body: bytes | str, kind: str) -> "Callable[[Request], Any]":
        async def give(request: Request) -> Response:
            return Response(body, media_type=kind)

        return give

    def page(open_pages: dict[str, str], ended: dict[tuple[str, str], str]) -> "Callable[[Request], Any]":
        async def give(request: Request) -> Response:
            language = _language_of(request, desk.survey)
            try:
                state = await desk.state()
            except ConfideError:  # the form can be filled in meanwhile
                state = "open"
            return Response(open_pages[language] if state == "open" else ended[language, state], media_type=html)

        return give

    async def records(request: Request) -> Response:
        try:
            return JSONResponse(await desk.receive(await bodies.read(request)))
        except TurnedAway as refusal:
            return JSONResponse({"error": str(refusal), "why": refusal.why}, refusal.status)
        except Refusal as refusal:
            return JSONResponse({"error": str(refusal)}, refusal.status)
        except UnreachableError as error:
            line = f"not stored ({error}); send the same submission again later"
            return JSONResponse({"error": line}, 503, {"retry-after": "1"})

    async def count(request: Request) -> Response:
        try:
            submissions, found = await recorder.count()
        except ConfideError:
            return JSONResponse({"error": "the store does not answer"}, 503)
        return JSONResponse({"submissions": submissions, "records": found})

    async def no_icon(request: Request) -> Response:
        return Response(status_code=204)

    async def failed(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "the collector failed; send the same submission again later"}, 500)

    static = files("confide.collect.service") / "static"
    script, style = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
    html, data = "text/html; charset=utf-8", "application/json"
    scheme, survey, links = desk.scheme, desk.survey, desk.links is not None
    languages = survey.all_languages
    ended = {
        (language, state): ended_page(title, state, survey, language)
        for language in languages
        for state in STATES
        if state != "open"
    }
    notices = {one: notice_page(scheme, title, survey, one, links=links) for one in languages}
    forms = {one: form_page(scheme, title, survey, one, links=links) for one in languages}
    routes = [
        Route("/", page(notices, ended)),
        Route("/form", page(forms, ended)),
        Route("/scheme.json", fixed(published(scheme), data)),
        Route("/promise.json", fixed(json.dumps(promise(scheme)), data)),
        Route("/confide.js", fixed(browser_client(), script)),
        *(Route(f"/{name}", fixed((static / name).read_bytes(), script)) for name in _SCRIPTS),
        Route("/collect.css", fixed((static / "collect.css").read_bytes(), style)),
        Route("/favicon.ico", no_icon),
        Route("/records", records, methods=["POST"]),
        Route("/count", count),
    ]
    cors = Middleware(
        CORSMiddleware, allow_origins=list(allow_origins), allow_methods=["GET", "POST"], allow_headers=["content-type"]
    )
    return Starlette(
        routes=routes,
        # confide.js is there to be used by other sites' pages, so it is shared
        middleware=[Middleware(SecurityHeaders, shared=True), *([cors] if allow_origins else [])],
        exception_handlers={500: failed},
        lifespan=lifespan,
    )


def _language_of(request: "Request", survey: Survey) -> str:
    """The language asked for by the address, else the first that the browser wants and the survey has."""
    known = {language.lower(): language for language in reversed(survey.all_languages)}
    asked = request.query_params.get("lang", "").lower()
    if asked in known:
        return known[asked]
    wanted = request.headers.get("accept-language", "")[:500]
    for part in wanted.split(","):
        code = part.partition(";")[0].strip().lower()
        for one in (code, code.partition("-")[0]):
            if one in known:
                return known[one]
    return survey.language


def serve(
    scheme: "Scheme",
    store: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    title: str = "Answer in confidence",
    survey: Survey | None = None,
    links: Path | None = None,
    people: int | None = None,
    within: Sequence[float] = (),
    address: str | None = None,
    team_key: Path | None = None,
    allow_origins: Sequence[str] = (),
    certificate: Path | None = None,
    key: Path | None = None,
    trusted_proxies: Sequence[str] = (),
    ready: Callable[[str, str, tuple[int, int]], None] = lambda url, team, count: None,
    trouble: Callable[[str], None] = lambda line: None,
    progress: Callable[[int], None] = lambda records: None,
    warn: Callable[[str], None] = lambda text: None,
) -> None:
    """Collect into the store (a file name or a postgresql:// address) until SIGINT or SIGTERM.

    `survey` brings questions and words. `links` is a file of personal links, one answer each; it is made for so many
    `people` where there is none. `within` are the margins in points that the team wants, for single answers, pairs and
    so on. `address` is where people reach the collector, if a proxy is before it. `team_key` keeps the key to the
    team's page from run to run; without it each run has a new one.

    `port=0` takes a free one; `ready` gets the address once requests are answered, the address of the team's page, and
    what the store holds already; `trouble` what keeps the store from storing; `progress` how many records came in
    since the start; `warn` what an operator must know of a scheme or address that protects little. With a certificate
    and its key the server speaks TLS itself; else put a proxy that does before it, and name its address in
    `trusted_proxies`: then clients are counted by the address that it forwards.
    """
    survey = Survey() if survey is None else survey
    check_servable(scheme)
    check_survey(survey, scheme)
    _check_origins(allow_origins)
    measure_progress(scheme, 0, within=within)
    if certificate is not None and key is not None:
        check_pair(certificate, key)
    proxies = check_proxies(trusted_proxies)
    listening = listen(host, port, Limits(proxies=proxies))
    with ExitStack() as held:
        held.callback(listening.close)
        url = url_of(listening, tls=certificate is not None)
        public = url if address is None else _public_address(address)
        by_link = None if links is None else held.enter_context(hold_links(links, address=public, people=people))
        opened = open_store(store, scheme)
        held.callback(opened.close)
        settle_questions(opened, survey)
        before = opened.count()
        for text in operator_warnings(scheme, host=host, tls=certificate is not None):
            warn(text)
        recorder = Recorder(opened, trouble, progress)
        desk = SurveyDesk(scheme, recorder, survey=survey, links=by_link, within=within)
        team = TeamPage(desk, [url, public], title=title, key=team_key, tls=certificate is not None, proxies=proxies)
        app = team.before(application(desk, recorder, title=title, allow_origins=allow_origins))
        run(app, listening, certificate=certificate, key=key, ready=lambda: ready(url, team.entrance, before))


def _public_address(address: str) -> str:
    if web_address(address) is None:
        line = f"address={address!r} is not where a collector is reached; it starts with https:// or http://"
        raise UsageError(line, parameter="address", value=address)
    return address if address.endswith("/") else f"{address}/"


def operator_warnings(scheme: "Scheme", *, host: str, tls: bool) -> Iterator[str]:
    """What an operator must know of a scheme or an address that protects little."""
    if is_weak(scheme.amplification().epsilon):
        yield (
            "warning: a gamma above 1,000 is weak protection: the pages say so, and clients refuse it unless they are "
            "set to allow it"
        )
    if not tls and not is_local(host):
        yield (
            f"warning: {host} can be reached from elsewhere, and without TLS anyone on the way can change the page "
            "that protects people; give certificate= and key=, or listen on 127.0.0.1 behind a proxy with TLS"
        )


def check_servable(scheme: "Scheme") -> None:
    """Refuse a scheme that names no universe: no record could be checked against it."""
    if scheme.universe is None:
        raise UsageError("the scheme names neither items nor fields, so no record can be checked; add them to its file")
