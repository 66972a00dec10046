"""The whole profile orders on this machine; it goes nowhere else."""

import pytest

from confide.core.errors import InputError, RequirementError, UsageError
from confide.search import LocalIndex, LocalRanker, Profile, RemoteWrapper, Result, Wrapper
from confide.search.local.whole_profile import WholeProfile

NOTES = [f"the gearbox and engine of car number {n}, and how to repair it" for n in range(20)]
PAGES = [
    ("https://example.org/cat", "jaguar jaguar, a large cat of the forest"),
    ("https://example.org/zoo", "the jaguar in the zoo sleeps all day"),
    ("https://example.org/car", "a jaguar, its engine and the gearbox"),
]


class Fixed:
    """An engine that tells nothing of how common words are."""

    name = "fixed"

    def search(self, query, *, count=50):
        return [Result(rank=n, title="Jaguar", url=f"https://example.org/{n}", snippet="engine") for n in (1, 2, 3)]


@pytest.fixture(scope="module")
def profile():
    return Profile.build(NOTES, minsup=3)


@pytest.fixture(scope="module")
def index():
    return LocalIndex.build(PAGES)


def test_results_on_the_person_s_subjects_rise_and_say_why(profile, index):
    ranking = LocalRanker(profile, index).search("jaguar")
    assert ranking.results[0].url.endswith("/car")
    assert ranking.results[0].engine_rank > 1
    assert {"engine", "gearbox"} & set(ranking.results[0].reasons)
    assert ranking.strength == 0.3
    assert ranking.to_dict()["results"][0]["reasons"]
    with pytest.raises(UsageError, match="has no alpha to change"):
        ranking.with_alpha(0.5)


def test_hidden_branches_order_too_since_nothing_leaves(profile, index):
    hidden = profile
    for child in profile.root.children:
        hidden = hidden.hide("/".join(child.words))
    assert not hidden.expose(min_detail=0).pairs
    whole, kept = (LocalRanker(one, index).search("jaguar").to_dict() for one in (profile, hidden))
    assert whole == kept


def test_the_engine_is_given_the_query_and_nothing_else(profile):
    asked = []

    class Listening:
        name = "listening"

        def search(self, query, *, count=50):
            asked.append((query, count))
            return []

    assert LocalRanker(profile, Listening(), top=7).search(" jaguar ").results == ()
    assert asked == [("jaguar", 7)]


def test_no_wrapper_takes_a_whole_profile(profile, index):
    whole = WholeProfile.of(profile)
    for wrapper in (Wrapper(index), RemoteWrapper("http://127.0.0.1:9")):
        for given in (whole, profile):
            with pytest.raises(UsageError, match="takes an ExposedProfile and nothing else"):
                wrapper.search("jaguar", given)


@pytest.mark.parametrize(("query", "strength"), [("jaguar", 0.3), ("jaguar zoo", 0.1), ("jaguar zoo sleeps", 0.0)])
def test_longer_queries_say_themselves_what_they_mean(profile, index, query, strength):
    ranking = LocalRanker(profile, index).search(query)
    assert ranking.strength == strength
    if not strength:
        assert [link.engine_rank for link in ranking.results] == sorted(link.engine_rank for link in ranking.results)


def test_of_two_words_only_results_that_hold_both_move(profile):
    index = LocalIndex.build([*PAGES, ("https://example.org/both", "zoo jaguar with an engine")])
    ranking = LocalRanker(profile, index, strength=0.5).search("jaguar zoo")
    moved = {link.url.rpartition("/")[2] for link in ranking.results if link.up_score}
    assert moved == {"both"}


def test_without_documents_the_interests_order(profile, index):
    ranking = LocalRanker(profile.without_documents(), index).search("jaguar")
    assert ranking.results[0].url.endswith("/car")


def test_without_a_list_of_the_language_one_line_and_the_engine_s_order(monkeypatch):
    monkeypatch.setattr("confide.search.evidence.background.language_rates", lambda language: {})
    profile = Profile.build(NOTES)
    ranking = LocalRanker(profile, Fixed()).search("jaguar")
    assert [link.engine_rank for link in ranking.results] == [1, 2, 3]
    assert ranking.notes == ("there is no list of words for english: the engine's order stays",)


def test_an_index_of_the_same_folder_leaves_the_language_to_decide():
    index = LocalIndex.build([(f"n{n}", text) for n, text in enumerate(NOTES)])
    profile = Profile.build(NOTES, minsup=3)
    assert LocalRanker(profile, index).ratios


@pytest.mark.parametrize("setting", [{"strength": 2}, {"top": 0}])
def test_settings_out_of_range_are_refused(profile, index, setting):
    with pytest.raises(RequirementError):
        LocalRanker(profile, index, **setting)


def test_where_no_word_stands_out_one_line_and_the_engine_s_order():
    common = Profile.build(NOTES)
    for word in LocalRanker(common, None).ratios:
        common = common.drop(word)
    ranking = LocalRanker(common, Fixed()).search("jaguar")
    assert [link.engine_rank for link in ranking.results] == [1, 2, 3]
    assert ranking.notes == ("no word of the profile stands out: the engine's order stays",)


def test_one_document_makes_no_profile_and_says_so():
    with pytest.raises(InputError, match="minsup=5 is more than the 1 documents"):
        Profile.build(["a gearbox and an engine"])


def test_three_results_and_empty_snippets_are_ordered(profile):
    links = [Result(rank=n, title=t, url="https://a.example/") for n, t in enumerate(["", "x", "gearbox"], start=1)]
    assert [k.engine_rank for k in LocalRanker(profile, None).order("jaguar", links).results] == [3, 1, 2]
    assert LocalRanker(profile, None).order("jaguar", []).results == ()


def test_snippets_of_earlier_searches_are_the_background_of_other_engines(profile):
    seen = profile.remember(["gearbox for sale"] * 60 + ["engine"])
    before, after = (LocalRanker(one, Fixed()).ratios for one in (profile, seen))
    assert after["gearbox"] < before["gearbox"]
    index = LocalIndex.build(PAGES)
    assert LocalRanker(seen, index).ratios == LocalRanker(profile, index).ratios  # an index says so itself


def test_a_service_orders_by_evidence_of_the_exposed_words_alone(profile, index):
    exposed = profile.expose(min_detail=0).profile
    here, there = LocalRanker(profile, index).search("jaguar"), Wrapper(index).search("jaguar", exposed)
    assert there.strength == 0.3
    assert [link.url for link in there.results] == [link.url for link in here.results]
    assert there.with_strength(0).with_strength(0.3) == there
    nothing = Wrapper(index).search("jaguar")
    assert [link.engine_rank for link in nothing.results] == [1, 2, 3]
    assert [link.engine_rank for link in there.with_strength(0).results] == [1, 2, 3]
    with pytest.raises(UsageError, match="it has an alpha, and no strength"):
        Wrapper(index, alpha=0.5).search("jaguar", exposed).with_strength(0.1)
    with pytest.raises(RequirementError, match="none of: evidence, pprank"):
        Wrapper(index, ranking="best")
