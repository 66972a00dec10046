"""How much of a server one client may hold: connections and time.

A client that opens connections and sends nothing, a byte now and then, or takes no answer must not shut out others:

    accepted    at most so many of one client, and so many in all; one more is closed before it costs anything, even
                before TLS greets
    head        the TLS handshake and the head of a request arrive within seconds; so does whatever comes unasked
    body        see `bodies`
    answer      a client that takes no byte of it for a while is given up

Connections from a trusted proxy are not counted by address, since they carry many clients; `Requests` counts those.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from confide.core.runtime.extras import require
from confide.web.clients import client_of, plain_address

__all__ = ["Limits", "Listener", "Requests", "timed_protocol"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one client may hold. Larger numbers let a client do more harm, smaller ones hinder many behind one address.

    `per_client` connections, or requests through a proxy (None: as many as in all); `in_all` connections; `head`
    seconds for the handshake and the head of a request; `stalled` seconds for a client that takes no byte of its
    answer; `proxies`, the addresses whose word on the client is taken.
    """

    per_client: int | None = 100
    in_all: int = 800
    head: float = 10
    stalled: float = 30
    proxies: frozenset[str] = frozenset()


class Listener(socket.socket):
    """A socket that hands out connections within limits, which may be set until it is used."""

    limits = Limits()

    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        self.held: Counter[str] = Counter()
        self._files = _most_files()

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection of a client that holds fewer than it may; others are closed."""
        while True:
            connection, address = super().accept()
            peer = plain_address(str(address[0]))
            client = "" if peer in self.limits.proxies else client_of(peer)
            if not self._has_room(client):
                connection.close()
                continue
            self.held[client] += 1
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * self.limits.stalled))
            return _Connection(connection, partial(self._let_go, client)), address

    def _has_room(self, client: str) -> bool:
        most = self.limits.per_client
        fits = not client or most is None or self.held[client] < most
        return fits and self.held.total() < min(self.limits.in_all, self._files)

    def _let_go(self, client: str) -> None:
        self.held[client] -= 1
        if not self.held[client]:
            del self.held[client]  # nobody who left is remembered


def _most_files() -> int:
    """How many connections leave room for other files among those that this process may have open."""
    try:
        import resource
    except ImportError:  # not on every system
        return 1 << 30
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else max(1, soft * 3 // 4)


class _Connection(socket.socket):
    """A connection that says when it is closed."""

    def __init__(self, connection: socket.socket, closed: Callable[[], None]):
        super().__init__(fileno=connection.detach())
        self._say: Callable[[], None] | None = closed

    def close(self) -> None:
        if self._say is not None:
            self._say()
            self._say = None
        super().close()


class Requests:
    """ASGI middleware: at most so many requests of one client at once; within, `client` is who the request is from."""

    def __init__(self, app: Any, limits: Limits):
        self._app, self._limits = app, limits
        self._held: Counter[str] = Counter()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        peer = scope["client"][0] if scope.get("client") else ""
        client = client_of(peer, scope["headers"], self._limits.proxies)
        if self._limits.per_client is not None and self._held[client] >= self._limits.per_client:
            from starlette.responses import JSONResponse

            line = "too many requests of one client at once; send this one again later"
            await JSONResponse({"error": line}, 429, {"retry-after": "1"})(scope, receive, send)
            return
        self._held[client] += 1
        try:
            await self._app({**scope, "client": (client, 0)}, receive, send)
        finally:
            self._held[client] -= 1
            if not self._held[client]:
                del self._held[client]


def timed_protocol(limits: Limits) -> Any:
    """Make uvicorn's HTTP protocol give up on clients that send no whole head of a request in time."""
    http = require("uvicorn.protocols.http.h11_impl", extra="serve")

    class Timed(http.H11Protocol):  # type: ignore[misc, name-defined]  # uvicorn is optional
        _clock: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, error: Exception | None) -> None:
            self._stop()
            super().connection_lost(error)

        def send_400_response(self, msg: str) -> None:
            """Refuse bytes that are not HTTP; amid or after another answer by closing, where uvicorn would fail."""
            under_way = self.cycle is not None and not self.cycle.response_complete
            if under_way or str(self.conn.our_state) not in ("IDLE", "SEND_RESPONSE"):
                self.transport.abort()
            else:
                super().send_400_response(msg)

        def _watch(self) -> None:
            """Let the clock run while bytes may come and no request is being answered.

            uvicorn's own clock runs between requests, and every byte stops it.
            """
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()
            elif self._clock is None and not self.transport.is_closing():
                self._clock = self.loop.call_later(limits.head, self.transport.abort)

        def _stop(self) -> None:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None

    return Timed
