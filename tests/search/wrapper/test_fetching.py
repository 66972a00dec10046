"""One request: which addresses are the internet's, and that a name cannot lead elsewhere the second time."""

import socket

import pytest
from tests.search.engines import engine

from confide.core.errors import UnreachableError, UsageError
from confide.search.wrapper import fetching
from confide.search.wrapper.fetching import fetch, is_public
from confide.web.serving import listen


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "10.1.2.3", "169.254.169.254", "0.0.0.0"])
def test_this_machine_and_its_network_are_not_the_internet(host):
    assert not is_public(host)


def test_a_public_address_is():
    assert is_public("93.184.216.34")


def test_a_name_is_asked_for_once_and_what_leads_home_is_not_connected_to(monkeypatch):
    with listen("127.0.0.1", 0) as home:
        port = home.getsockname()[1]
        answers = [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::ffff:127.0.0.1"]]

        def resolve(host, port, **_):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in answers.pop(0)]

        monkeypatch.setattr(fetching.socket, "getaddrinfo", resolve)
        for left in (2, 1, 0):
            with pytest.raises(UnreachableError, match="not an address on the internet"):
                fetch(f"http://a.example:{port}/", seconds=30, most=1000, public_only=True)
            assert len(answers) == left
        home.setblocking(False)
        with pytest.raises(BlockingIOError):
            home.accept()


def test_what_is_too_long_is_cut():
    with engine() as server:
        answer = fetch(server.address + "/page/one", seconds=5, most=100)
        assert len(answer.body) == 100
        assert answer.cut


def test_other_kinds_of_address_are_refused():
    for url in ("file:///etc/passwd", "ftp://a.example/", "http://", "nonsense"):
        with pytest.raises(UsageError, match="must start with http"):
            fetch(url, seconds=1, most=10)
