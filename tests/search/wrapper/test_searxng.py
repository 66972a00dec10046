"""A SearXNG server that behaves, and one that does not: no hang, no injection, one line."""

import pytest
from tests.search.engines import engine, seconds_taken

from confide.core.errors import ConfideError, InputError, UnreachableError, UsageError
from confide.search import SearXNG


def test_links_come_in_the_engines_order_and_the_engine_sees_the_query_alone():
    with engine() as server:
        found = SearXNG(server.address).search("gravel bikes & tea", count=5)
        assert [(result.rank, result.title) for result in found] == [(i, f"Result {i}") for i in range(1, 6)]
        assert server.seen[0].splitlines()[0] == "GET /search?q=gravel+bikes+%26+tea&format=json&pageno=1 HTTP/1.1"
        names = {line.partition(":")[0].lower() for line in server.seen[0].splitlines()[1:] if line}
        assert names == {"host", "user-agent", "accept-encoding", "connection"}


@pytest.mark.parametrize(
    ("behaviour", "line"),
    [
        ("slow", "did not answer in time"),
        ("dripping", "did not answer in time"),
        ("dripping_head", "did not answer in time"),
        ("error", "answers with HTTP 500"),
        ("forbidden", "does it allow format=json"),
        ("redirecting", "sends us on to another address"),
        ("misleading", "sends us on to another address"),
        ("circling", "sends us in a circle"),
        ("malformed", "not an answer in JSON"),
        ("not_http", "its answer is no HTTP"),
        ("hung_up", "cannot be reached"),
        ("no_list", "without a list of results"),
    ],
)
def test_a_server_that_does_not_behave_costs_a_line_and_little_time(behaviour, line):
    with engine(behaviour) as server:
        asked = SearXNG(server.address, seconds=0.6)

        def search():
            with pytest.raises((UnreachableError, InputError), match=line) as refused:
                asked.search("tea")
            assert "\n" not in str(refused.value)

        assert seconds_taken(search) < 3


def test_an_answer_without_end_is_left():
    with engine("endless") as server, pytest.raises(UnreachableError, match=r"more than 8,000,000 bytes|in time"):
        SearXNG(server.address, seconds=10).search("tea")


def test_large_answers_are_read_and_cut():
    with engine("large") as server:
        (found,) = SearXNG(server.address, seconds=20).search("tea")
        assert len(found.snippet) <= 2000


def test_markup_and_odd_addresses_do_not_come_through():
    with engine("odd") as server:
        found = SearXNG(server.address).search("tea")
        assert [result.url for result in found] == ["https://a.example/", "https://b.example/"]
        assert found[0].title == "Gravel"
        assert found[0].snippet == "bicycle"
        assert found[1].title == "https://b.example/"


def test_nobody_at_the_address_is_one_line():
    with engine() as server:
        address = server.address
    with pytest.raises(UnreachableError, match="cannot be reached: Connection refused"):
        SearXNG(address).search("tea")
    for wrong in ("ftp://x", "searx.example", "http://"):
        with pytest.raises(UsageError, match="not the address of a server"):
            SearXNG(wrong)
    for query in ("", "  ", "x" * 2000):
        with pytest.raises(ConfideError, match="query"):
            SearXNG(address).search(query)
