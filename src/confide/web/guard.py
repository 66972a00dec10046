"""Pages for the one person who started them: the key is the first part of every path.

    http://127.0.0.1:8002/KEY/            the page; its links are relative, so the key stays in front of them
    http://127.0.0.1:8002/KEY/api/view    a request that a script sends: the key stands in the header X-Confide-Key, too
    http://127.0.0.1:8002/api/order       a path that other programs ask, which know the key only: the header alone
    anything else                         404, the same few bytes, whatever was wrong

A page on this machine can be reached by every other page in the browser and every other account. A cookie would not
keep them out: browsers send it to every port of a host, whoever listens there. An address is known only to whoever
was given it, and never leaves: `Referrer-Policy: same-origin` keeps it out of requests to others, another port
included. Beside the key, the Host must be ours (against names that are made to point here), and so must an Origin.
Forms work without scripts: they need the path and the Origin that browsers add. All else that can change something
must carry the header, which no page of another origin may send.

The key is new in each run, unless a file keeps it.
"""

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from confide.core.errors import InputError
from confide.core.files import read_regular, write_text
from confide.web.headers import SecurityHeaders

if TYPE_CHECKING:
    from starlette.datastructures import Headers

__all__ = ["HEADER", "Guard", "read_key", "read_or_make_key"]

HEADER = "x-confide-key"
"""Carries the key in requests that scripts send."""

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_KEY = re.compile(r"[A-Za-z0-9_-]{24,128}")
_NOT_FOUND = "Nothing is here. Open the whole address that was printed at the start: it holds the key to the page.\n"


def _new_key() -> str:
    return secrets.token_urlsafe(24)


def read_or_make_key(path: Path) -> str:
    """Read the key that a file keeps from run to run; make the file, for its owner only, where there is none."""
    if not os.path.lexists(path):
        write_text(path, _new_key() + "\n", private=True)
    return read_key(path)


def read_key(path: Path) -> str:
    """Read the key that a file keeps; one that others can read is refused."""
    key = read_regular(path, max_bytes=1000).decode(errors="replace").strip()
    found = path.stat()
    if os.name == "posix" and (found.st_mode & 0o077 or found.st_uid != os.geteuid()):
        raise InputError("others can read or change this key; chmod 600 it, or name a new file", source=path)
    if not _KEY.fullmatch(key):
        raise InputError("holds no key of a page; name a new file, and one is made", source=path)
    return key


class Guard:
    """Knows the key, and the hosts by which the page may be asked: its own address, and names given in `also`.

    `by_header` maps paths that need the key in the header alone to the origins, beside ours, that may ask them.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        also: Iterable[str] = (),
        by_header: Mapping[str, Iterable[str]] | None = None,
    ):
        self.url = url
        self._by_header = {path: frozenset(origins) for path, origins in (by_header or {}).items()}
        self.key = _new_key() if key is None else key
        parts = urlsplit(url)
        self._scheme = parts.scheme
        names = [f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname, *also]
        if parts.hostname in ("127.0.0.1", "::1"):
            names.append("localhost")
        usual = parts.port in (None, 443 if parts.scheme == "https" else 80)  # browsers leave it out
        self._hosts = {f"{name}:{parts.port}" for name in names} | {f"{name}" for name in names if usual}

    @property
    def entrance(self) -> str:
        """The address to open."""
        return f"{self.url}{self.key}/"

    def protect(self, application: Any, *, frames: str = "'none'") -> Any:
        """An ASGI application for whoever knows the key; it sees paths without it. Every answer has our headers.

        `frames` says what its pages may show in a frame: 'self', or nothing.
        """

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            from starlette.datastructures import Headers
            from starlette.responses import RedirectResponse

            path = scope.get("path", "")
            given, slash, rest = path.removeprefix("/").partition("/")
            if scope["type"] == "lifespan":
                await application(scope, receive, send)
            elif scope["type"] == "http" and path in self._by_header and self._admits_program(path, scope):
                await _pass_on(application, scope, receive, send)
            elif scope["type"] != "http" or not self._admits(given, scope["method"], Headers(scope=scope)):
                await _not_found(scope, receive, send)
            elif not slash:
                query = scope["query_string"].decode("latin-1")
                there = f"/{self.key}/{'?' if query else ''}{query}"
                await RedirectResponse(there)(scope, receive, send)
            else:
                inner = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
                await _pass_on(application, inner, receive, send)

        return SecurityHeaders(answer, forms="'self'", frames=frames)

    def _admits(self, given: str, method: str, headers: "Headers") -> bool:
        """Whether a request shows the key, and was meant for us: not sent on by another page."""
        ours = self._is_for_us(headers, frozenset())
        plain = method in ("GET", "HEAD") or headers.get("content-type", "").partition(";")[0].lower() in _FORMS
        return self._fits(given) and ours and (plain or self._fits(headers.get(HEADER, "")))

    def _admits_program(self, path: str, scope: Any) -> bool:
        """Whether a program that has no page shows the key, and comes from none or from one that may ask."""
        from starlette.datastructures import Headers

        headers = Headers(scope=scope)
        return self._fits(headers.get(HEADER, "")) and self._is_for_us(headers, self._by_header[path])

    def _is_for_us(self, headers: "Headers", others: frozenset[str]) -> bool:
        """Whether the Host is ours, and an Origin ours or one of the others."""
        origin = headers.get("origin")
        own = {f"{self._scheme}://{host}" for host in self._hosts}
        return headers.get("host") in self._hosts and (origin is None or origin in own or origin in others)

    def _fits(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(errors="replace"), self.key.encode())


async def _pass_on(application: Any, scope: Any, receive: Any, send: Any) -> None:
    """Have the application answer; a path that it does not know is answered like a wrong key."""
    missing = False

    async def send_found(message: Any) -> None:
        nonlocal missing
        if message["type"] == "http.response.start":
            missing = message["status"] == 404
        if not missing:
            await send(message)

    await application(scope, receive, send_found)
    if missing:
        await _not_found(scope, receive, send)


async def _not_found(scope: Any, receive: Any, send: Any) -> None:
    """The one answer to a wrong key, a wrong host and an unknown path."""
    from starlette.responses import PlainTextResponse

    await PlainTextResponse(_NOT_FOUND, 404)(scope, receive, send)
