"""The screens over HTTP, for whoever has the key: each by its path, and whatever goes wrong as one line on a page."""

import asyncio
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from confide.core.errors import ConfideError
from confide.core.runtime.extras import require
from confide.core.stages import named
from confide.report.formats import clean, lead_in, scalar
from confide.studio.forms.posted import FORM, read_form
from confide.studio.screens.registry import SCREENS, Screen
from confide.studio.visit import Answer, FileAnswer, GoTo, Page, Studio, Visit, address
from confide.web.bodies import Refusal
from confide.web.guard import Guard
from confide.web.headers import FRAMED_DOCUMENT

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["studio_application"]

_STATIC = {"studio.css": "text/css", "studio.js": "text/javascript", "icon.svg": "image/svg+xml"}


def studio_application(studio: Studio, guard: Guard) -> Any:
    """The studio as an ASGI application."""
    require("starlette", extra="serve")
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    static = files("confide.studio") / "static"
    report_style = (files("confide.report") / "templates" / "style.css").read_bytes()

    def fixed(data: bytes, kind: str) -> "Callable[[Request], Any]":
        async def give(request: "Request") -> "Response":
            return Response(data, media_type=f"{kind}; charset=utf-8")

        return give

    def showing(screen: Screen) -> "Callable[[Request], Any]":
        async def show(request: "Request") -> "Response":
            return await _answer(studio, screen, request)

        return show

    routes = [Route(f"/{name}", fixed((static / name).read_bytes(), kind)) for name, kind in _STATIC.items()]
    routes.append(Route("/report.css", fixed(report_style, "text/css")))
    for screen in SCREENS:
        methods = ["GET", "POST"] if screen.acts else ["GET"]
        routes.append(Route(f"/{screen.path}", showing(screen), methods=methods))
    return guard.protect(Starlette(routes=routes), frames="'self'")


async def _answer(studio: Studio, screen: Screen, request: "Request") -> "Response":
    """Ask a screen; an error of the person's becomes a page with one line, and so does one of ours."""
    try:
        form = await read_form(request) if request.method == "POST" else None
        visit = Visit(studio=studio, query=dict(request.query_params), form=form)
        answer = await asyncio.to_thread(_ask, screen, visit)
    except Refusal as refusal:
        answer = _fault(str(refusal), refusal.status)
    except ConfideError as error:
        answer = _fault(studio.project.shorten(str(error)), 400)
    except Exception:
        traceback.print_exc(file=sys.stderr)
        answer = _fault(
            "This is an error of Confide itself; the terminal says where. Your files are as they were.", 500
        )
    return await asyncio.to_thread(_respond, studio, screen, answer)


def _ask(screen: Screen, visit: Visit) -> Answer:
    function: Callable[[Visit], Answer] = named(screen.at)
    return function(visit)


def _fault(line: str, status: int) -> Page:
    return Page(template="fault.html.j2", title="That did not work", values={"line": line}, status=status)


def _respond(studio: Studio, screen: Screen, answer: Answer) -> "Response":
    from starlette.responses import HTMLResponse, RedirectResponse, Response

    if isinstance(answer, GoTo):
        return RedirectResponse(answer.where, 303)
    if isinstance(answer, FileAnswer):
        headers = {"content-security-policy": FRAMED_DOCUMENT} if answer.framed else {}
        if answer.name:
            ascii_name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in answer.name)
            headers["content-disposition"] = f'attachment; filename="{ascii_name}"'
        return Response(answer.data, media_type=answer.type, headers=headers)
    return HTMLResponse(render(studio, screen, answer), answer.status)


def render(studio: Studio, screen: Screen, page: Page) -> str:
    """The HTML of a page within the studio's layout."""
    values: Mapping[str, Any] = {
        "title": page.title,
        "owner": page.owner,
        "again_after": page.again_after,
        "folder": studio.project.root.name or "/",
        "menu": [other for other in SCREENS if other.menu],
        "here": screen.under or screen.path,
        **page.values,
    }
    return _environment().get_template(page.template).render(values)


@cache
def _environment() -> "Environment":
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("confide.studio"), PackageLoader("confide.report")]),
        autoescape=True,  # labels come from people's data
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    environment.tests["grid"] = lambda value: hasattr(value, "rows")
    environment.tests["listing"] = lambda value: hasattr(value, "shown")
    environment.filters["thousands"] = scalar
    environment.filters["size"] = lambda value: scalar(value, "bytes")
    environment.filters["lead_in"] = lead_in
    environment.globals["address"] = address
    environment.globals["FORM"] = FORM
    return environment
