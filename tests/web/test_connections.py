"""Slow and greedy clients on real sockets: each loses its own connections, and nobody else waits for them.

Every address of 127.0.0.0/8 is this machine, so clients with different addresses come from it.
"""

import asyncio
import contextlib
import errno
import socket
import ssl
import subprocess
import sys
import time

import pytest
from tests.patience import LONG, wait_until

from confide.core.errors import UsageError
from confide.join.network.certificates import make_certificates
from confide.web.connections import Limits
from confide.web.serving import BackgroundServer, listen, url_of

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

GET = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.fixture
def serve():
    """Start a server with limits; it answers with who the client is, or with 10 MB."""
    servers = []

    def start(**limits):
        from starlette.applications import Starlette
        from starlette.responses import PlainTextResponse, Response
        from starlette.routing import Route

        async def who(request):
            return PlainTextResponse(request.client.host)

        async def much(request):
            return Response(bytes(10 << 20))

        async def late(request):
            await asyncio.sleep(1.5)
            return PlainTextResponse("late")

        async def never(request):
            while not await request.is_disconnected():
                await asyncio.sleep(0.01)
            return PlainTextResponse("gone")

        answers = {"/": who, "/much": much, "/late": late, "/never": never}
        app = Starlette(routes=[Route(path, give, methods=["GET", "POST"]) for path, give in answers.items()])
        listening = listen("127.0.0.1", 0, Limits(**limits))
        servers.append(BackgroundServer(app, listening, url_of(listening, tls=False)))
        listening.place = listening.getsockname()
        return listening

    yield start
    for server in servers:
        server.close()


def connect(server, source="127.0.0.1"):
    return socket.create_connection(server.place, timeout=LONG, source_address=(source, 0))


def read(link):
    """All that comes until the other side closes; None where it broke off."""
    found = b""
    try:
        while block := link.recv(65536):
            found += block
    except ConnectionResetError:
        return None
    return found


def ask(server, source="127.0.0.1", headers=""):
    with connect(server, source) as link:
        link.sendall(f"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n".encode())
        return (read(link) or b"").decode()


def test_one_client_has_so_many_connections_and_others_are_served(serve):
    server = serve(per_client=5)
    greedy = [connect(server, "127.0.0.2") for _ in range(80)]
    wait_until(lambda: server.held["127.0.0.2"] == 5)
    assert ask(server).endswith("127.0.0.1")
    closed = [link for link in greedy if not is_open(link)]
    assert len(closed) == 75
    for link in greedy:
        link.close()
    wait_until(lambda: "127.0.0.2" not in server.held)
    assert ask(server, "127.0.0.2").endswith("127.0.0.2")


def is_open(link):
    """Whether the other side has not closed; it answers a request, or it has."""
    try:
        link.sendall(GET)
        return bool(link.recv(100))
    except OSError as error:
        assert error.errno in (errno.ECONNRESET, errno.EPIPE)
        return False


def test_all_clients_together_have_a_bound(serve):
    server = serve(per_client=3, in_all=10)
    held = [connect(server, f"127.0.0.{client}") for client in range(2, 6) for _ in range(3)]
    wait_until(lambda: server.held.total() == 10)
    assert ask(server) == ""
    held[0].close()
    wait_until(lambda: ask(server).endswith("127.0.0.1"))


@pytest.mark.parametrize(
    "sent",
    [b"", b"G", GET[:-2], GET + b"G", b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n"],
    ids=["nothing", "a byte", "half a head", "half of a second head", "an answer, and no body"],
)
def test_what_does_not_arrive_in_time_is_closed(serve, sent):
    server = serve(head=0.5)
    with connect(server) as link:
        link.sendall(sent)
        read(link)  # returns when the server closes
    wait_until(lambda: not server.held)


@pytest.mark.parametrize(
    "head", [b"GET / HTTP/1.1\r\nx: ", b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n"]
)
def test_a_byte_now_and_then_does_not_stop_the_clock(serve, head):
    server = serve(head=0.5)
    with connect(server) as link:
        link.sendall(head)
        with pytest.raises(OSError):  # the server has closed  # noqa: PT011
            for _ in range(int(LONG) * 20):
                link.sendall(b"x")
                time.sleep(0.05)


def test_a_slow_reader_keeps_its_connection_while_it_reads_and_loses_it_when_it_stops(serve):
    if not hasattr(socket, "TCP_USER_TIMEOUT"):
        pytest.skip("this system has no such time-out")
    server = serve(stalled=1)
    with connect(server) as link:
        link.sendall(b"GET /much HTTP/1.1\r\nhost: x\r\n\r\n")
        assert link.recv(100)
        wait_until(lambda: not server.held)
    assert ask(server).endswith("127.0.0.1")


def test_a_client_that_waits_for_its_answer_is_not_hurried(serve):
    server = serve(head=0.5)
    with connect(server) as link:
        link.sendall(b"GET /late HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert read(link).endswith(b"late")


def test_behind_a_trusted_proxy_its_clients_are_counted_and_nobody_else_s_word_is_taken(serve):
    server = serve(per_client=5, proxies=frozenset({"127.0.0.3"}))
    through = [connect(server, "127.0.0.3") for _ in range(40)]
    wait_until(lambda: server.held[""] == 40)
    said = "X-Forwarded-For: 203.0.113.9\r\n"
    assert ask(server, "127.0.0.3", said).endswith("203.0.113.9")
    assert ask(server, "127.0.0.2", said).endswith("127.0.0.2")
    for link in through:
        link.close()


def test_a_proxy_is_known_also_where_ipv4_comes_as_ipv6():
    try:
        listening = listen("::", 0, Limits(per_client=1, proxies=frozenset({"127.0.0.3"})))
    except UsageError:
        pytest.skip("no IPv6 here")
    with listening, contextlib.ExitStack() as links:
        port = listening.getsockname()[1]
        for source in ("127.0.0.3", "127.0.0.3", "127.0.0.2", "127.0.0.2"):
            links.enter_context(socket.create_connection(("127.0.0.1", port), timeout=LONG, source_address=(source, 0)))
        listening.setblocking(False)
        accepted = []
        with contextlib.suppress(BlockingIOError):
            while True:
                accepted.append(links.enter_context(listening.accept()[0]))
        assert listening.held == {"": 2, "127.0.0.2": 1}


def test_requests_of_one_client_through_a_proxy_are_bounded(serve):
    server = serve(per_client=3, proxies=frozenset({"127.0.0.3"}))
    greedy, other = ("X-Forwarded-For: 203.0.113.9\r\n", "X-Forwarded-For: 203.0.113.8\r\n")
    held = [connect(server, "127.0.0.3") for _ in range(3)]
    for link in held:
        link.sendall(f"GET /never HTTP/1.1\r\nhost: x\r\n{greedy}\r\n".encode())
    wait_until(lambda: ask(server, "127.0.0.3", greedy).startswith("HTTP/1.1 429 "))
    assert ask(server, "127.0.0.3", other).endswith("203.0.113.8")
    for link in held:
        link.close()
    wait_until(lambda: ask(server, "127.0.0.3", greedy).endswith("203.0.113.9"))


TLS = """
from pathlib import Path
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from confide.web.connections import Limits
from confide.web.serving import listen, run

async def who(request):
    return PlainTextResponse(request.client.host)

listening = listen("127.0.0.1", 0, Limits(per_client=5, head=1))
ready = lambda: print(listening.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/", who)])
run(app, listening, certificate=Path("a.pem"), key=Path("a.key"), ready=ready)
"""


def test_a_tls_handshake_that_is_never_begun_counts_and_is_given_up(tmp_path):
    make_certificates(tmp_path, ["a"])
    process = subprocess.Popen([sys.executable, "-c", TLS], cwd=tmp_path, stdout=subprocess.PIPE)
    try:
        place = ("127.0.0.1", int(process.stdout.readline()))
        silent = [socket.create_connection(place, timeout=LONG, source_address=("127.0.0.2", 0)) for _ in range(80)]
        context = ssl.create_default_context(cafile=tmp_path / "ca.pem")
        context.check_hostname = False
        with context.wrap_socket(socket.create_connection(place, timeout=LONG)) as link:
            link.sendall(GET.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
            assert read(link).endswith(b"127.0.0.1")
        for link in silent:
            read(link)  # returns when the server closes; it would leave a client a minute by default
            link.close()
    finally:
        process.terminate()
        process.communicate(timeout=LONG)
    assert process.returncode == 0
