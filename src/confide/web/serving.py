"""An address to listen on, and an application that is served there until a signal ends it."""

import asyncio
import errno
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from confide.core.errors import InputError, UsageError
from confide.core.runtime.extras import require
from confide.web.connections import Limits, Listener, Requests, timed_protocol

_SILENT: dict[str, Any] = {
    "access_log": False,
    "log_config": None,
    "log_level": "critical",
    "proxy_headers": False,
    "server_header": False,
}
"""No request is logged, no header names the software."""

__all__ = ["BackgroundServer", "UntilSignal", "check_address", "configure_server", "listen", "run", "url_of"]


def listen(host: str, port: int, limits: Limits | None = None) -> Listener:
    """A socket that listens, within limits for each client; port 0 takes a free one."""
    listening = Listener(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.limits = limits or Limits()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        no_host = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        name, value = ("host", host) if no_host else ("port", port)
        text = f"cannot listen on {host} port {port}: {error.strerror}; choose another with {name}="
        raise UsageError(text, parameter=name, value=value) from None
    return listening


def check_address(address: str) -> None:
    """See whether HOST:PORT is free to listen on, for servers that only say that they did not start."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        family = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0][0]
        socket.create_server((host, int(port)), family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UsageError(f"cannot serve at {address}: another program listens there") from None
        raise InputError(f"cannot serve at {address}: {error.strerror}") from None


def url_of(listening: socket.socket, *, tls: bool) -> str:
    """The address a browser would open."""
    host, port = listening.getsockname()[:2]
    return f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}/"


def run(
    application: Any,
    listening: Listener,
    *,
    certificate: Path | None = None,
    key: Path | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve an ASGI application until SIGINT or SIGTERM; `ready` is called once requests are answered.

    No request is logged, no header names the software. A client holds no more than the limits of the socket allow.
    Requests under way get 5 seconds to finish.
    """
    uvicorn = require("uvicorn", extra="serve")

    class Server(uvicorn.Server):  # type: ignore[misc, name-defined]  # uvicorn is optional, so its types are not known here
        async def startup(self, sockets: Any = None) -> None:
            if certificate is not None:  # uvicorn would leave a client a minute for the handshake
                loop: Any = asyncio.get_running_loop()
                loop.create_server = partial(loop.create_server, ssl_handshake_timeout=listening.limits.head)
            await super().startup(sockets)
            ready()

        def handle_exit(self, sig: int, frame: Any) -> None:
            """A signal is how a service is meant to end: uvicorn would raise it again after closing down."""
            self.should_exit = True

    tls = {"ssl_certfile": certificate, "ssl_keyfile": key}
    config = configure_server(application, listening, lifespan="on", timeout_graceful_shutdown=5, **tls)
    Server(config).run(sockets=[listening])


def configure_server(application: Any, listening: Listener, **given: Any) -> Any:
    """Make uvicorn's configuration for an application behind the socket's limits; `given` is passed on to it."""
    uvicorn = require("uvicorn", extra="serve")
    limits = listening.limits
    return uvicorn.Config(
        Requests(application, limits),
        http=timed_protocol(limits),
        loop="asyncio",  # others accept connections by themselves
        ws="none",
        timeout_keep_alive=min(5, limits.head),
        **given,
        **_SILENT,
    )


class BackgroundServer:
    """An application served by a thread of this process, for programs whose work is elsewhere."""

    def __init__(self, application: Any, listening: Listener, url: str) -> None:
        import threading

        uvicorn = require("uvicorn", extra="serve")
        config = configure_server(application, listening, lifespan="off", timeout_graceful_shutdown=2)
        self.url = url
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, daemon=True, name="confide-pages"
        )
        self._thread.start()

    def close(self) -> None:
        """Requests under way get 2 seconds to finish."""
        self._server.should_exit = True
        self._thread.join(5)


class UntilSignal:
    """SIGINT and SIGTERM end a wait instead of the program. Make it before you say that you are ready.

    In a `with` block they get their former meaning back at its end.
    """

    def __init__(self) -> None:
        import signal
        import threading

        self._over = threading.Event()
        self._before = {
            number: signal.signal(number, lambda *_: self._over.set()) for number in (signal.SIGINT, signal.SIGTERM)
        }

    def __enter__(self) -> "UntilSignal":
        return self

    def __exit__(self, *error: object) -> None:
        import signal

        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self) -> bool:
        """Whether one has come."""
        return self._over.is_set()

    def wait(self) -> None:
        """Until one of them comes."""
        while not self._over.wait(0.5):
            pass
