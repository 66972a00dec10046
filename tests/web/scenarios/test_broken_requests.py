"""What fuzzing found in the pages, kept: each of these was an exception in the server."""

import pytest
from tests.fuzzing.pages import ADDRESS, PROXY, Server
from tests.fuzzing.survey_targets import team_application

from confide.stream.live.hub import Hub
from confide.stream.live.live_pages import live_application
from confide.web.bodies import Bodies, Refusal


@pytest.fixture
def serve():
    opened = []

    def start(app):
        opened.append(Server(app))
        return opened[-1]

    yield start
    for server in opened:
        server.end()


def reading_application():
    """Takes a body in JSON, as every service here does."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    bodies = Bodies(most=1000)

    async def take(request):
        try:
            return JSONResponse({"bytes": len(await bodies.read(request))})
        except Refusal as refusal:
            return JSONResponse({"error": str(refusal)}, refusal.status)

    return Starlette(routes=[Route("/take", take, methods=["POST"])])


HEAD = b"POST /take HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def test_a_client_that_leaves_amid_its_body_is_no_fault_of_the_server(serve):
    server = serve(reading_application())
    assert server.ask([HEAD % 7, b'{"a"', b": 1"]) == [200]
    assert server.ask([HEAD % 7, b'{"a"']) == []  # gone before it could be answered


def test_what_is_not_http_after_a_request_ends_the_connection(serve):
    server = serve(reading_application())
    for garbage in (b"\x00\x01\r\n\r\n", b"GET\r\n\r\n"):
        assert server.ask([HEAD % 2 + b"{}" + garbage]) == [200, 400]
        amid = [HEAD.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked"), b"2\r\n{}\r\n", garbage]
        assert server.ask(amid) == []
    assert server.ask([b"\x00\x01\r\n\r\n"]) == [400]


@pytest.mark.parametrize("last", [b"\xb2", b"\xb9\xb3", b"", b"-1", b"9" * 400])
def test_an_odd_number_of_the_last_event_starts_from_the_first(serve, last):
    hub = Hub()
    hub.over = True
    server = serve(live_application(hub, "owner", dict))
    assert server.ask([b"GET /releases HTTP/1.1\r\nHost: a\r\nLast-Event-ID: " + last + b"\r\n\r\n"]) == [200]


def test_a_press_of_the_team_that_ends_amid_its_body_changes_nothing(tmp_path):
    app, inner, guard, _, _ = team_application(tmp_path, ADDRESS, PROXY)
    server = Server(app, inner=inner)
    form = b"Host: 127.0.0.1:8002\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    press = b"POST /%s/state HTTP/1.1\r\n" % guard.key.encode() + form + b"Content-Length: 12\r\n\r\n"
    page = b"GET /%s/progress.json HTTP/1.1\r\nHost: 127.0.0.1:8002\r\n\r\n" % guard.key.encode()
    try:
        assert server.ask([press, b"state=clos"]) == []
        assert server.ask([press.replace(b"Length: 12", b"Length: 2000"), b"x" * 2000]) == [413]
        assert server.ask([press.replace(b"x-www-form-urlencoded", b"json"), b"state=closed"]) == [404]
        assert server.ask([press, b"state=opened"]) == [400]
        assert b'"state":"open"' in server.said(page)
        assert server.ask([press, b"state=closed"]) == [303]
        assert b'"state":"closed"' in server.said(page)
    finally:
        server.end()
