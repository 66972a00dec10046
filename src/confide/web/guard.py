"""Only the person who started the page may use it.

A page on this machine can be reached by every other page in the browser and by every other account on the machine. So:
the Host must be the address we listen on (against names that are made to point here), an Origin must be our own, and a
key must be shown that only the address printed at the start holds; the browser then keeps it as a cookie that no
script and no other site can use.
"""

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["Guard"]


class Guard:
    """Knows the key, and the hosts by which the page may be asked: its own address, and names given in `also`."""

    def __init__(self, url: str, *, key: str | None = None, also: Iterable[str] = ()):
        self.url = url
        self.key = secrets.token_urlsafe(18) if key is None else key
        parts = urlsplit(url)
        self._cookie = f"confide-{parts.port}"
        self._secure = parts.scheme == "https"
        names = {parts.netloc}
        if parts.hostname in ("127.0.0.1", "::1"):
            names.add(f"localhost:{parts.port}")
        self._hosts = names | {f"{name}:{parts.port}" for name in also}

    @property
    def entrance(self) -> str:
        """The address to open first."""
        return f"{self.url}?key={self.key}"

    def host_is_ours(self, request: "Request") -> bool:
        """Whether the request was meant for us, and not sent on by another page."""
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc not in self._hosts:
            return False
        return request.headers.get("host") in self._hosts

    def fits(self, given: str | None) -> bool:
        """Whether this is the key."""
        return given is not None and secrets.compare_digest(given.encode(), self.key.encode())

    def is_known(self, request: "Request") -> bool:
        """Whether the browser has shown the key before."""
        return self.fits(request.cookies.get(self._cookie))

    def remember(self, response: Any) -> None:
        """Let the browser keep the key."""
        response.set_cookie(
            self._cookie, self.key, httponly=True, samesite="strict", secure=self._secure, max_age=30 * 86400
        )
