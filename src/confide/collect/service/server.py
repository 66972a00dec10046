"""The collector: an HTTP server that publishes a scheme, takes perturbed records and keeps nothing else.

    GET  /              what leaves your device: one page in plain words
    GET  /form          a form made from the scheme; the record is perturbed in the page
    GET  /confide.js    the browser client
    GET  /scheme.json   the scheme, byte for byte what its fingerprint is the SHA-256 of
    GET  /promise.json  gamma and epsilon of the scheme
    GET  /count         how many submissions and records are stored
    POST /records       {"scheme": fingerprint, "submission": uuid, "records": [[...], ...]}

A submission is acknowledged when it is on disk. Sent again under its id it is acknowledged again and stored once; the
same id with other records is refused. No log is kept of requests. Addresses are only counted, while a connection is
open, so that no client takes the room of others.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from confide.collect.schemes.promise import is_weak
from confide.collect.service.group_commit import Recorder
from confide.collect.service.notice import form_page, notice_page, promise
from confide.collect.service.store import Store, Submission, SubmissionOutcome, open_store
from confide.core.errors import ConfideError, InputError, UnreachableError, UsageError
from confide.core.json_text import canonical_json, read_json
from confide.core.runtime.extras import require
from confide.web.addresses import is_local
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
    from confide.collect.service.form_texts import FormTexts

__all__ = ["MAX_BODY", "MAX_RECORDS", "application", "operator_warnings", "published", "read_submission", "serve"]

MAX_BODY = 4 << 20
"""Bytes a request may have."""

MAX_RECORDS = 10_000
"""Records a submission may have."""


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
    scheme: "Scheme",
    store: Store,
    *,
    title: str = "Answer in confidence",
    texts: "FormTexts | None" = None,
    allow_origins: Sequence[str] = (),
    max_body: int = MAX_BODY,
    trouble: Callable[[str], None] = lambda line: None,
    progress: Callable[[int], None] = lambda records: None,
) -> "Starlette":
    """The collector as an ASGI application over an open store, which it closes when it ends.

    `allow_origins` names sites whose pages may use the browser client with this collector ("https://example.org");
    `trouble` gets a line on what keeps the store from storing; `progress`, now and then, how many records came in.
    """
    require("starlette", extra="serve")
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    _check_origins(allow_origins)
    recorder = Recorder(store, trouble, progress)
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

    async def records(request: Request) -> Response:
        try:
            submission = read_submission(scheme, await bodies.read(request))
            outcome = await recorder.add(submission)
        except Refusal as refusal:
            return JSONResponse({"error": str(refusal)}, refusal.status)
        except UnreachableError as error:
            line = f"not stored ({error}); send the same submission again later"
            return JSONResponse({"error": line}, 503, {"retry-after": "1"})
        if outcome is SubmissionOutcome.CONFLICT:
            line = "this submission id was used for other records; nothing was stored"
            return JSONResponse({"error": line}, 409)
        held = {"submission": str(submission.id), "records": len(submission.lengths), "state": outcome.value}
        return JSONResponse(held)

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
    routes = [
        Route("/", fixed(notice_page(scheme, title), html)),
        Route("/form", fixed(form_page(scheme, title, texts), html)),
        Route("/scheme.json", fixed(published(scheme), data)),
        Route("/promise.json", fixed(json.dumps(promise(scheme)), data)),
        Route("/confide.js", fixed(browser_client(), script)),
        Route("/form.js", fixed((static / "form.js").read_bytes(), script)),
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


def read_submission(scheme: "Scheme", body: bytes) -> Submission:
    """The submission a request's body holds, checked against the scheme; raises Refusal for anything else."""
    try:
        sent = read_json(body)
    except InputError as error:
        raise Refusal(400, f"the request is {error}") from None
    if not isinstance(sent, dict) or set(sent) != {"scheme", "submission", "records"}:
        raise Refusal(400, 'a request has "scheme", "submission" and "records", nothing else')
    if sent["scheme"] != scheme.fingerprint:
        raise Refusal(409, "perturbed by another scheme than this collector's; fetch scheme.json again")
    records = sent["records"]
    if not isinstance(records, list) or not 1 <= len(records) <= MAX_RECORDS:
        raise Refusal(400, f"records must be a list of 1 to {MAX_RECORDS:,} records")
    for number, record in enumerate(records, start=1):
        try:
            scheme.check_wire(record)
        except InputError as error:
            raise Refusal(422, f"record {number} does not fit the scheme: {error}") from None
    return Submission.of(_read_id(sent["submission"]), records)


def _read_id(text: object) -> UUID:
    try:
        id = UUID(text) if isinstance(text, str) else None
    except ValueError:
        id = None
    if id is None or str(id) != text or id.version != 4:  # other versions tell the time, or the machine
        raise Refusal(400, "submission must be a random UUID in lower case, such as Python's str(uuid.uuid4())")
    return id


def serve(
    scheme: "Scheme",
    store: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    title: str = "Answer in confidence",
    texts: "FormTexts | None" = None,
    allow_origins: Sequence[str] = (),
    certificate: Path | None = None,
    key: Path | None = None,
    trusted_proxies: Sequence[str] = (),
    ready: Callable[[str, tuple[int, int]], None] = lambda url, count: None,
    trouble: Callable[[str], None] = lambda line: None,
    progress: Callable[[int], None] = lambda records: None,
    warn: Callable[[str], None] = lambda text: None,
) -> None:
    """Collect into the store (a file name or a postgresql:// address) until SIGINT or SIGTERM.

    `port=0` takes a free one; `ready` gets the address once requests are answered, and what the store holds
    already; `trouble` what keeps the store from storing; `progress` how many records came in since the start; `warn`
    what an operator must know of a scheme or address that protects little. With a certificate and its key the server
    speaks TLS itself; else put a proxy that does before it, and name its address in `trusted_proxies`: then clients are
    counted by the address that it forwards.
    """
    check_servable(scheme)
    _check_origins(allow_origins)
    if certificate is not None and key is not None:
        check_pair(certificate, key)
    listening = listen(host, port, Limits(proxies=check_proxies(trusted_proxies)))
    try:
        opened = open_store(store, scheme)
        held = opened.count()
        for text in operator_warnings(scheme, host=host, tls=certificate is not None):
            warn(text)
        url = url_of(listening, tls=certificate is not None)
        app = application(
            scheme,
            opened,
            title=title,
            texts=texts,
            allow_origins=allow_origins,
            trouble=trouble,
            progress=progress,
        )
        run(app, listening, certificate=certificate, key=key, ready=lambda: ready(url, held))
    finally:
        listening.close()


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
