"""Bodies of requests within limits, asked of a real server on the loopback address."""

import json
import socket
import threading
import time

import pytest
from tests.patience import LONG, wait_until

from confide.web.bodies import Bodies, Refusal
from confide.web.headers import SecurityHeaders
from confide.web.serving import listen, url_of

starlette = pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")


@pytest.fixture
def server(request):
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    bodies = Bodies(most=1000, seconds=getattr(request, "param", LONG), at_once=8)

    async def give(request):
        try:
            return JSONResponse({"bytes": len(await bodies.read(request))})
        except Refusal as refusal:
            return JSONResponse({"error": str(refusal)}, refusal.status)

    app = Starlette(routes=[Route("/", give, methods=["POST"])], middleware=[Middleware(SecurityHeaders)])
    listening = listen("127.0.0.1", 0)
    running = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    assert url_of(listening, tls=False).startswith("http://127.0.0.1:")
    yield listening.getsockname()
    running.should_exit = True
    thread.join(LONG)


def send(address, body, *, length=None, kind="application/json", wait=True, source="127.0.0.1"):
    connection = socket.create_connection(address, timeout=LONG, source_address=(source, 0))
    head = f"POST / HTTP/1.1\r\nhost: x\r\ncontent-type: {kind}\r\ncontent-length: {length or len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return answer(connection) if wait else connection


def answer(connection):
    with connection:
        text = b""
        while b"\r\n\r\n" not in text or not text.partition(b"\r\n\r\n")[2]:
            got = connection.recv(65536)
            if not got:
                break
            text += got
    head, _, body = text.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body), head.decode().lower()


def test_a_body_within_limits_is_read_and_every_answer_carries_the_headers(server):
    status, said, head = send(server, b"{}")
    assert (status, said) == (200, {"bytes": 2})
    for header in ("content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "no-store"):
        assert header in head


def test_another_kind_and_too_many_bytes_are_refused(server):
    assert send(server, b"x", kind="text/plain")[0] == 415
    assert send(server, b"x" * 1001)[0] == 413


@pytest.mark.parametrize("server", [0.5], indirect=True)
def test_a_body_that_does_not_arrive_in_time_is_given_up(server):
    status, said, _ = send(server, b"{", length=10)
    assert status == 408
    assert "0.5 seconds" in said["error"]


def test_unfinished_bodies_take_room_by_their_bytes_and_one_client_a_quarter_of_it(server):
    small = [send(server, b"{", length=10, wait=False) for _ in range(80)]
    assert send(server, b"{}")[0] == 200, "80 bytes shut out nobody"
    large = [send(server, b"x" * 990, length=1000, wait=False, source="127.0.0.2") for _ in range(2)]
    wait_until(lambda: send(server, b"x" * 990, source="127.0.0.2")[0] == 429)  # one client has a quarter at most
    assert send(server, b"x" * 990)[0] == 200, "another client has its own"
    for link in small + large:
        link.close()
    wait_until(lambda: send(server, b"x" * 990, source="127.0.0.2")[0] == 200)


def test_all_clients_together_have_a_bound(server):
    held = [
        send(server, b"x" * 950, length=1000, wait=False, source=f"127.0.0.{client}")
        for client in range(2, 6)
        for _ in range(2)
    ]
    wait_until(lambda: send(server, b"x" * 990, source="127.0.0.9")[0] == 503)
    for link in held:
        link.close()
    wait_until(lambda: send(server, b"x" * 990)[0] == 200)
