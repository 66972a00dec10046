"""One request over HTTP: within a deadline for all of it, up to so many bytes, never on to another host.

A server may drip a byte a second, announce more than it sends, or send without end. The time counts for the whole
answer: it is read in a thread of its own, which is left alone when the time is over. Redirects to another host are not
followed: the query would go there too.
"""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from confide.core.errors import UnreachableError, UsageError
from confide.web.addresses import is_on_the_internet, web_address

__all__ = ["HttpAnswer", "fetch", "is_public"]

_AGENT = "confide"
_MOST_REDIRECTS = 3
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back: status, kind of content, and its bytes (`cut` if there were more than allowed)."""

    status: int
    kind: str
    body: bytes
    cut: bool = False


def fetch(
    url: str,
    *,
    seconds: float,
    most: int,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    public_only: bool = False,
) -> HttpAnswer:
    """GET (or, with a body, POST) an address; UnreachableError in one line, naming the host only, if that fails.

    With `public_only`, addresses of this machine and of the local network are refused.
    """
    until = time.monotonic() + seconds
    host = _parts(url).netloc
    for _ in range(_MOST_REDIRECTS + 1):
        answer = _within(url, until, most, dict(headers or {}), body, public_only)
        if not isinstance(answer, str):
            return answer
        try:
            target = urljoin(url, answer)
        except ValueError:
            target = ""
        on = web_address(target)
        if on is None or on.netloc != host or on.scheme != urlsplit(url).scheme:
            raise UnreachableError(f"{host} sends us on to another address; give the final one")
        url = target
    raise UnreachableError(f"{host} sends us in a circle")


def _parts(url: str) -> SplitResult:
    found = web_address(url)
    if found is None:
        raise UsageError("an address must start with http:// or https:// and name a host")
    return found


def is_public(host: str) -> bool:
    """Whether a name leads to the internet, and not to this machine or the network it is in."""
    try:
        return bool(_public_places(host, 0))
    except OSError:
        return False


def _public_places(host: str, port: int) -> list[Any]:
    """Where a name leads, as `socket.getaddrinfo` has it; OSError if any of it is not on the internet."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if not found or not all(is_on_the_internet(str(place[4][0])) for place in found):
        raise OSError("not an address on the internet")
    return found


def _within(
    url: str, until: float, most: int, headers: dict[str, str], body: bytes | None, public_only: bool
) -> HttpAnswer | str:
    """One exchange in a thread; an answer, or the address it is sent on to."""
    parts = _parts(url)
    host = parts.netloc.rpartition("@")[2]
    outcome: list[HttpAnswer | str | Exception] = []
    ended = threading.Event()
    connection: http.client.HTTPConnection
    patience = max(0.01, until - time.monotonic())
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(host, timeout=patience, context=ssl.create_default_context())
    else:
        connection = http.client.HTTPConnection(host, timeout=patience)

    if public_only:
        connection._create_connection = _connected_publicly  # type: ignore[attr-defined]

    def run() -> None:
        try:
            outcome.append(_exchange(connection, parts.path or "/", parts.query, most, headers, body))
        except Exception as error:  # told to whoever waits
            outcome.append(error)
        finally:
            with suppress(Exception):
                connection.close()
            ended.set()

    threading.Thread(target=run, daemon=True, name="confide-fetch").start()
    if not ended.wait(patience):
        with suppress(Exception):  # ends a read that would go on for as long as the server drips
            if connection.sock is not None:
                connection.sock.shutdown(socket.SHUT_RDWR)
        raise UnreachableError(f"{host} did not answer in time")
    found = outcome[0]
    if isinstance(found, TimeoutError):
        raise UnreachableError(f"{host} did not answer in time")
    if isinstance(found, Exception):
        raise UnreachableError(f"{host} cannot be reached: {_reason(found)}")
    return found


def _connected_publicly(address: tuple[str, int], timeout: float, source: Any = None) -> socket.socket:
    """Connect to a name's public addresses, asked for once: it may lead elsewhere the second time."""
    failure: OSError = OSError("no address")
    for *_, place in _public_places(*address):
        try:
            return socket.create_connection(place[:2], timeout, source)
        except OSError as error:
            failure = error
    raise failure


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return "its certificate is not trusted"
    if isinstance(error, OSError):
        return error.strerror or str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"its answer is no HTTP ({type(error).__name__})"


def _exchange(
    connection: http.client.HTTPConnection,
    path: str,
    query: str,
    most: int,
    headers: dict[str, str],
    body: bytes | None,
) -> HttpAnswer | str:
    given = {"User-Agent": _AGENT, "Accept-Encoding": "identity", "Connection": "close", **headers}
    target = f"{path}?{query}" if query else path
    connection.request("GET" if body is None else "POST", target, body=body, headers=given)
    response = connection.getresponse()
    if response.status in (301, 302, 303, 307, 308) and body is None:
        where = response.getheader("location")
        if where:
            return where
    whole = bytearray()
    while len(whole) <= most and (block := response.read1(_BLOCK)):
        whole += block
    kind = (response.getheader("content-type") or "").partition(";")[0].strip().lower()
    return HttpAnswer(response.status, kind, bytes(whole[:most]), cut=len(whole) > most)
