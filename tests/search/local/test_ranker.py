"""The whole profile orders on this machine; it goes nowhere else."""

import pytest

from confide.core.errors import RequirementError, UsageError
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
