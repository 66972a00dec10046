"""A wrapper for several people: what crosses to it, byte for byte, and that nobody's pairs touch another's results."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from tests.search.engines import engine

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.samples import documents
from confide.search import ExposedProfile, LocalIndex, Pair, Profile, RemoteWrapper, Wrapper
from confide.search.page import application as page_module
from confide.search.page.application import serve_page
from confide.search.wrapper import service as service_module
from confide.search.wrapper.service import read_request, serve_wrapper, wrapper_application
from confide.web.serving import listen, url_of

TEXTS = documents(300, seed=5)
EMPTY = b'{"format": "confide exposed profile", "version": 1, "pairs": []}'


@contextmanager
def service(wrapper):
    import uvicorn

    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(wrapper_application(wrapper), log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield url_of(listening, tls=False)
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


class NotServed(Exception):
    """Raised in place of listening."""


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)])
@pytest.mark.parametrize(("module", "serve"), [(service_module, serve_wrapper), (page_module, serve_page)])
def test_whoever_serves_to_others_without_tls_is_warned(module, serve, host, warned, monkeypatch, index):
    def listen(host, port, limits):
        raise NotServed

    monkeypatch.setattr(module, "listen", listen)
    told = []
    with pytest.raises(NotServed):
        serve(Wrapper(index), host=host, warn=told.append)
    assert ["can be reached from elsewhere" in text for text in told] == [True] * warned


@pytest.fixture(scope="module")
def index():
    return LocalIndex.build([(f"https://a.example/{i}", text) for i, text in enumerate(TEXTS)])


def test_a_service_ranks_as_the_client_would(index):
    me = ExposedProfile((Pair(("sport",), 0.4), Pair(("cooking",), 0.8)))
    with service(Wrapper(index, alpha=0.6)) as url:
        theirs = RemoteWrapper(url).search("evening", me)
        ours = Wrapper(index, alpha=0.6).search("evening", me)
        assert [link.url for link in theirs.results] == [link.url for link in ours.results]
        assert RemoteWrapper(url).search("evening", me, alpha=0).alpha == 0


def test_a_service_orders_by_evidence_unless_an_alpha_is_asked_for(index):
    me = ExposedProfile((Pair(("sport",), 0.4), Pair(("cooking",), 0.8)))
    with service(Wrapper(index)) as url:
        theirs, ours = RemoteWrapper(url).search("evening", me), Wrapper(index).search("evening", me)
        assert theirs == ours
        assert theirs.strength == 0.3
        assert RemoteWrapper(url, strength=0.0).search("evening", me).results == ours.with_strength(0.0).results
        assert RemoteWrapper(url).search("evening", me, alpha=0.6).strength is None
        longer = RemoteWrapper(url, strength=0.4).search("evening friend story", me)
        assert longer.results == Wrapper(index, strength=0.4).search("evening friend story", me).results
        assert RemoteWrapper(url).search("evening").notes == (
            "nothing of a profile is exposed: the engine's order stays",
        )


def test_a_service_may_give_names_of_files_and_other_addresses_are_left_out_with_a_line():
    names = ("notes/1.txt", "https://a.example/2", "javascript:alert(1)", "file:///etc/passwd")
    files = LocalIndex.build([(name, "an evening in the garden") for name in names])
    with service(Wrapper(files)) as url:
        found = RemoteWrapper(url).search("evening", ExposedProfile((Pair(("garden",), 0.4),)))
    assert sorted(link.url for link in found.results) == ["https://a.example/2", "notes/1.txt"]
    assert found.notes == ("2 of 4 results were left out: their addresses are not of the web",)


def test_what_crosses_is_the_query_and_the_exposed_pairs_and_nothing_else():
    profile = Profile.build(TEXTS).hide("cooking")
    exposed = profile.expose(min_detail=0.01)
    with engine() as recorder:  # it answers every POST with an error, and keeps what it was sent
        with pytest.raises(UnreachableError, match="HTTP 500"):
            RemoteWrapper(recorder.address).search("evening plan", exposed.profile)
        (body,) = recorder.bodies
        pairs = [{"term": list(pair.words), "weight": pair.weight} for pair in exposed.pairs]
        assert json.loads(body) == {
            "query": "evening plan",
            "profile": {"format": "confide exposed profile", "version": 1, "pairs": pairs},
            "alpha": None,
        }
        sent = body.decode() + recorder.seen[0]
        kept_back = {word for interest in profile.root.walk() for word in interest.words}
        kept_back -= {word for pair in exposed.pairs for word in pair.words}
        assert "cooking" in kept_back
        assert not [word for word in kept_back - {"query"} if f'"{word}"' in sent]  # "query" is a name of a field
        names = {line.partition(":")[0].lower() for line in recorder.seen[0].splitlines()[1:] if line}
        assert names == {"host", "user-agent", "accept-encoding", "connection", "content-type", "content-length"}


def test_on_the_client_only_the_query_crosses():
    exposed = Profile.build(TEXTS).expose(min_detail=0.01).profile
    with engine() as server:
        Wrapper(server.address, alpha=0.5).search("evening plan", exposed)
        sent = "".join(server.seen)
        assert "q=evening+plan" in sent
        assert not any(word in sent for pair in exposed.pairs for word in pair.words if word not in ("evening", "plan"))


def test_people_at_the_same_time_do_not_touch_each_others_results(index):
    people = [ExposedProfile((Pair((word,), 1.0),)) for word in ("sport", "cooking", "music", "garden", "programming")]
    alone = {person: Wrapper(index, alpha=1).search("evening", person).results for person in people}
    with service(Wrapper(index, alpha=1)) as url, ThreadPoolExecutor(5) as pool:
        remote = RemoteWrapper(url)
        found = list(pool.map(lambda person: (person, remote.search("evening", person).results), people * 6))
    for person, results in found:
        assert [link.url for link in results] == [link.url for link in alone[person]]


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b'{"query": "x", "profile": {}, "alpha": null}',
        b'{"query": 3, "profile": null, "alpha": null}',
        b'{"query": "x", "profile": ' + EMPTY + b', "alpha": true}',
        b'{"query": "x", "profile": ' + EMPTY + b', "alpha": 0, "me": 1}',
        b'{"query": "x", "profile": ' + EMPTY[:-1] + b', "x": 1}, "alpha": 0}',
    ],
)
def test_a_request_with_more_or_less_is_refused(body):
    with pytest.raises(InputError):
        read_request(body)


def test_an_engine_that_fails_and_a_body_that_is_wrong_are_one_line():
    import urllib.error
    import urllib.request

    with engine("error") as broken, service(Wrapper(broken.address)) as url:
        with pytest.raises(UnreachableError, match=r"HTTP 502: 127.0.0.1:.* answers with HTTP 500"):
            RemoteWrapper(url).search("tea")
        request = urllib.request.Request(url + "search", data=b"{}", headers={"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request)
        assert refused.value.code == 400
        assert b"nothing else" in refused.value.read()
    with pytest.raises(UsageError, match="not the address of a wrapper"):
        RemoteWrapper("searx")
