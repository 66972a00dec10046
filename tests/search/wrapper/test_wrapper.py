"""The wrapper: what it is given, the order it makes, and pages only when asked for."""

import re
import time

import pytest
from tests.search.engines import engine

from confide.core.errors import RequirementError, UnreachableError, UsageError
from confide.core.samples import documents, figure_30
from confide.search import ExposedProfile, LocalIndex, Pair, Profile, Result, Wrapper

ME = ExposedProfile((Pair(("gravel",), 0.9), Pair(("bicycles",), 0.4)))


@pytest.fixture(scope="module")
def index():
    return LocalIndex.build([(f"note {i}", text) for i, text in enumerate(documents(300, seed=5))])


def test_the_engines_order_stays_where_the_profile_has_no_say(index):
    for exposed, alpha in ((ME, 0.0), (ExposedProfile(), 1.0)):
        ranking = Wrapper(index, alpha=alpha).search("lane", exposed)
        assert [link.engine_rank for link in ranking.results] == list(range(1, len(ranking.results) + 1))


def test_a_profile_brings_its_own_subject_up(index):
    exposed = Profile.build(documents(300, seed=6)).expose(min_detail=0.01).profile
    plain = Wrapper(index, alpha=0).search("evening", exposed).results
    mine = Wrapper(index, alpha=1).search("evening", exposed).results
    assert {link.url for link in plain} == {link.url for link in mine}
    scores = [link.up_score for link in mine]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > plain[0].up_score


def test_only_an_exposed_profile_is_taken(index):
    profile = Profile.build(figure_30(), minsup=2)
    for wrong in (profile, profile.expose(min_detail=0.3), profile.root, {"research": 1}, [("research", 1)], None):
        with pytest.raises(UsageError, match="an ExposedProfile and nothing else"):
            Wrapper(index).search("x", wrong)


def test_alpha_follows_the_length_of_the_query_unless_it_is_given(index):
    wrapper = Wrapper(index, ranking="pprank")
    assert wrapper.search("evening").alpha > wrapper.search("evening friend story").alpha
    assert wrapper.search("evening friend story plan oven").alpha == 0
    assert Wrapper(index, alpha=0.7).search("evening").alpha == 0.7
    assert wrapper.search("evening", alpha=0.2).alpha == 0.2
    for wrong in (-0.1, 1.1, float("nan"), "x"):
        with pytest.raises(RequirementError):
            Wrapper(index, alpha=wrong)


def test_another_alpha_needs_no_other_search():
    with engine() as server:
        wrapper = Wrapper(server.address, alpha=0.5)
        first = wrapper.search("tea", ME)
        assert first.with_alpha(0).results == wrapper.search("tea", ME, alpha=0).results
        asked = len(server.seen)
        first.with_alpha(1)
        assert len(server.seen) == asked


def links(server, *paths):
    return [{"title": path, "url": f"{server.address}/page/{path}", "content": "nothing"} for path in paths]


def test_pages_are_fetched_only_when_asked_and_their_hosts_are_named_first():
    with engine() as server:
        server.results = links(server, "one", "broken", "away", "large")
        Wrapper(server.address, alpha=1).search("tea", ME)
        assert not any("/page/" in seen for seen in server.seen)
        named = []
        asking = Wrapper(server.address, alpha=1, pages=True, confirm=lambda hosts: bool(named.extend(hosts)))
        assert asking.search("tea", ME).notes == ("no pages were fetched; snippets were scored",)
        assert named == [server.address.removeprefix("http://")]
        assert not any("/page/" in seen for seen in server.seen)
        ranking = Wrapper(server.address, alpha=1, pages=True, public_only=False).search("tea", ME)
        assert ranking.results[0].title == "one"
        assert ranking.results[0].up_score > 0
        assert ranking.notes == ("2 of 4 pages could not be had in time; their snippets were scored",)


def test_an_engine_cannot_make_us_ask_our_own_machine():
    with engine() as server:
        server.results = links(server, "one")
        ranking = Wrapper(server.address, alpha=1, pages=True).search("tea", ME)
        assert not any("/page/" in seen for seen in server.seen)
        assert "1 of 1 pages could not be had" in ranking.notes[0]


def test_pages_without_time_are_scored_by_their_snippets():
    with engine() as server:
        server.results = links(server, "one", "two")
        wrapper = Wrapper(server.address, alpha=1, pages=True, public_only=False)
        wrapper.seconds = 0.0
        assert "2 of 2 pages" in wrapper.search("tea", ME).notes[0]


def test_an_engine_that_fails_is_one_line():
    with engine("error") as server, pytest.raises(UnreachableError, match="answers with HTTP 500"):
        Wrapper(server.address).search("tea", ME)


def test_a_local_index_is_scored_by_whole_texts_when_asked(index):
    whole = Wrapper(index, alpha=1, pages=True, scoring="raw").search(
        "evening", ExposedProfile((Pair(("sport",), 1.0),))
    )
    for link in whole.results:
        assert link.up_score == len(re.findall(r"\bsport\b", index.text(link.url).lower()))


def test_fifty_results_are_ordered_in_milliseconds():  # the issue asks for 20 ms and 200 ms; see benchmarks/search
    words = sorted({word for text in documents(400, seed=9) for word in text.split()})
    page = " ".join(documents(90, seed=8))[:10_000]
    exposed = ExposedProfile(tuple(Pair((word.strip(".").lower(),), 0.5) for word in words[:100]))
    for length, limit in ((200, 0.02), (10_000, 0.2)):
        found = [
            Result(rank=i, title=f"t{i}", url="https://a.example/", snippet=page[i : i + length]) for i in range(1, 51)
        ]
        wrapper = Wrapper(LocalIndex.build([]), alpha=0.5)
        begin = time.process_time()
        wrapper.order("tea", found, exposed)
        assert time.process_time() - begin < 20 * limit  # another machine may be slower


def test_what_the_defaults_expose_moves_results(index):
    exposed = Profile.build(documents(300, seed=6)).expose(min_detail=0.02).profile
    ranking = Wrapper(index).search("evening", exposed)
    assert sum(link.rank != link.engine_rank for link in ranking.results) > 10
    assert any(link.reasons for link in ranking.results[:3])
    assert not ranking.notes


@pytest.mark.parametrize(
    ("exposed", "line"),
    [
        (ExposedProfile(), "nothing of a profile is exposed"),
        (ExposedProfile((Pair(("xylophone",), 0.5),)), "nothing that is exposed bears on what this query finds"),
        (ExposedProfile((Pair(("evenings",), 0.5),)), "nothing that is exposed bears on what this query finds"),
    ],
)
def test_where_nothing_that_leaves_bears_on_a_query_a_line_says_so(index, exposed, line):
    ranking = Wrapper(index).search("evening", exposed)
    assert ranking.notes == (f"{line}: the engine's order stays",)
    assert [link.engine_rank for link in ranking.results] == list(range(1, len(ranking.results) + 1))
    assert not Wrapper(index, strength=0).search("evening", exposed).notes  # the engine's order was asked for
    assert not Wrapper(index).search("nothingholdsthis", exposed).notes


def test_a_longer_query_can_be_given_a_strength_later_and_nobody_is_asked_again(index):
    exposed = Profile.build(documents(300, seed=6)).expose(min_detail=0.02).profile
    first = Wrapper(index).search("evening friend story", exposed)
    assert first.strength == 0
    again = Wrapper(index, strength=0.4).search("evening friend story", exposed)
    assert first.with_strength(0.4) == again
    assert any(link.rank != link.engine_rank for link in again.results)
