"""The page of those who ask: how many answered, how near estimates are, results, pausing and closing.

    GET  KEY/                how many answered, the margins now beside the wanted ones, when to stop
    POST KEY/state           open, pause or close the survey
    GET  KEY/results         the share of each answer with its interval, and frequent combinations
    GET  KEY/answers.zip     every perturbed record with its passport, to be handed on
    GET  KEY/progress.json   the first page as data

Nothing here shows what one person sent; before five answers nothing is counted out. The key is the first part of the
path (see `web.guard`). Without TLS it is taken only from this machine, where a proxy with TLS may be the one that asks.
"""

import asyncio
import io
import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from confide.collect.service.desk import STATES
from confide.collect.service.export import release_collected
from confide.collect.service.notice import page_template
from confide.collect.survey.question_results import question_results
from confide.collect.survey.survey_progress import FEWEST_SHOWN
from confide.core.errors import ConfideError
from confide.web.addresses import is_local
from confide.web.bodies import Bodies, Refusal
from confide.web.guard import Guard, read_or_make_key

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from confide.collect.service.desk import SurveyDesk
    from confide.collect.service.store import Collected

__all__ = ["TeamPage"]

_MOST_SETS = 50
_SUPPORT = 10.0  # percent: of combinations that the page shows, where nobody says another
_LEAST_SUPPORT = 0.1  # percent: below, nearly every combination is found, and searching for them takes long


class TeamPage:
    """The team's page of a desk, reached at each of these addresses under one key."""

    def __init__(
        self,
        desk: "SurveyDesk",
        addresses: Sequence[str],
        *,
        title: str,
        key: Path | None = None,
        tls: bool = False,
        proxies: Collection[str] = (),
    ):
        self._desk, self._tls, self._proxies = desk, tls, frozenset(proxies)
        self._title = desk.survey.title or title
        self._bodies = Bodies(most=1000, kind="application/x-www-form-urlencoded")
        known = None if key is None else read_or_make_key(key)
        first = Guard(addresses[0], key=known)
        self._guards = [first, *(Guard(address, key=first.key) for address in addresses[1:])]

    @property
    def entrance(self) -> str:
        """The address to open."""
        return self._guards[-1].entrance

    def before(self, application: Any) -> Any:
        """An ASGI application: this page for whoever knows the key, the given one for everybody else."""
        pages = self._pages()
        guarded = {urlsplit(guard.url).netloc: guard.protect(pages) for guard in self._guards}
        usual = next(iter(guarded.values()))
        mark = f"/{self._guards[0].key}"

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            path = scope.get("path", "")
            if scope["type"] == "http" and path.startswith(mark) and self._may_ask(scope):
                host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
                await guarded.get(host, usual)(scope, receive, send)
            else:
                await application(scope, receive, send)

        return answer

    def _may_ask(self, scope: Any) -> bool:
        """Whether the key came by a line that nobody listens on: our TLS, this machine, or a proxy that is trusted."""
        client = scope.get("client")
        return self._tls or (client is not None and (is_local(client[0]) or client[0] in self._proxies))

    def _pages(self) -> Any:
        from importlib.resources import files

        from starlette.applications import Starlette
        from starlette.responses import Response
        from starlette.routing import Route

        style = (files("confide.collect.service") / "static" / "collect.css").read_bytes()

        async def give_style(request: "Request") -> Response:
            return Response(style, media_type="text/css; charset=utf-8")

        return Starlette(
            routes=[
                Route("/", self._show_progress),
                Route("/state", self._change_state, methods=["POST"]),
                Route("/results", self._show_results),
                Route("/answers.zip", self._export),
                Route("/progress.json", self._give_progress),
                Route("/collect.css", give_style),
            ],
            exception_handlers={Refusal: _refuse, ConfideError: _say_what_failed},
        )

    async def _show_progress(self, request: "Request") -> "Response":
        from starlette.responses import HTMLResponse

        progress = await self._desk.progress()
        links = self._desk.links
        return HTMLResponse(
            page_template(
                "team.html.j2",
                title=self._title,
                progress=progress,
                few=progress.answers < FEWEST_SHOWN,
                fewest=FEWEST_SHOWN,
                links=None if links is None else len(links),
                public=self._guards[-1].url,
            )
        )

    async def _give_progress(self, request: "Request") -> "Response":
        from starlette.responses import JSONResponse

        return JSONResponse((await self._desk.progress()).to_dict())

    async def _change_state(self, request: "Request") -> "Response":
        from starlette.responses import PlainTextResponse, RedirectResponse

        wanted = (await self._bodies.read(request)).decode("latin-1").removeprefix("state=")
        if wanted not in STATES:
            return PlainTextResponse(f"state must be one of: {', '.join(STATES)}\n", 400)
        await self._desk.change_state(wanted)
        return RedirectResponse("./", 303)

    async def _show_results(self, request: "Request") -> "Response":
        from starlette.responses import HTMLResponse

        support, fault = _support_of(request.query_params.get("support", ""))
        collected = await self._desk.collected()
        few = len(collected.records) < FEWEST_SHOWN
        results, sets = ([], []) if few else await asyncio.to_thread(self._mine, collected, support)
        return HTMLResponse(
            page_template(
                "results.html.j2",
                title=self._title,
                few=few,
                fewest=FEWEST_SHOWN,
                records=len(collected.records),
                results=results,
                sets=sets,
                support=support,
                fault=fault,
            )
        )

    def _mine(self, collected: "Collected", support: float) -> tuple[list[Any], list[dict[str, Any]]]:
        scheme, records = collected.scheme, collected.records
        results = question_results(scheme, records, survey=self._desk.survey)
        texts = {f"{one.name}={answer.value}": f"{one.text} {answer.text}" for one in results for answer in one.answers}
        found = scheme.mine(records, min_support=support / 100)
        n = found.n_transactions
        shown = {"share": "estimate", "low": "selected_low", "high": "selected_high"}
        columns = {name: found.columns[column] / n for name, column in shown.items()}
        sets = [
            {"texts": [texts.get(label, label) for label in labels]}
            | {name: float(values[i]) for name, values in columns.items()}
            for i, (labels, _) in enumerate(found)
            if len(labels) > 1 or scheme.fields is None
        ]
        return results, sorted(sets, key=lambda one: one["low"], reverse=True)[:_MOST_SETS]

    async def _export(self, request: "Request") -> "Response":
        from starlette.responses import PlainTextResponse, Response

        collected = await self._desk.collected()
        if not len(collected.records):
            return PlainTextResponse("There is no answer yet.\n", 409)
        try:
            packed = await asyncio.to_thread(_packed, collected)
        except ConfideError as error:
            return PlainTextResponse(f"{error}\n", 409)
        name = {"content-disposition": 'attachment; filename="answers.zip"'}
        return Response(packed, media_type="application/zip", headers=name)


def _packed(collected: "Collected") -> bytes:
    """The records as a release, and its passport, in one archive."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / ("answers.dat" if collected.scheme.sends_items else "answers.csv")
        release_collected(collected).write(file)
        collected.scheme.write(Path(folder) / "scheme.json")
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as into:
            for part in sorted(Path(folder).iterdir()):
                into.write(part, part.name)
    return archive.getvalue()


async def _refuse(request: "Request", refusal: Any) -> "Response":
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(f"{refusal}\n", refusal.status)


async def _say_what_failed(request: "Request", error: Exception) -> "Response":
    """Of a store that does not answer, mostly."""
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(f"{error}; load this page again later\n", 503)


def _support_of(text: str) -> tuple[float, str]:
    """The percentage asked for, and what is wrong with it."""
    if not text:
        return _SUPPORT, ""
    try:
        support = float(text)
    except ValueError:
        support = -1
    if not _LEAST_SUPPORT <= support <= 100:
        return _SUPPORT, f"Give a percentage from {_LEAST_SUPPORT} to 100."
    return support, ""
