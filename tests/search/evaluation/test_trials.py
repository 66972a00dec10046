"""Evaluation: a profile lifts what is its own, another person's does not, and the engine gets the query alone."""

import pytest

from confide.core.errors import InputError, RequirementError
from confide.report import render_study
from confide.search import Evaluation, Judged, LocalIndex, Profile, evaluate
from confide.search.evaluation.study import best_trials, study_of

# Two subjects within each person's interests: a term that is in all documents weighs nothing.
CATS = [f"jaguar {('jungle prey', 'claws teeth')[n % 2]} number{n}" for n in range(12)]
CARS = [f"jaguar {('engine motor', 'road wheels')[n % 2]} number{n}" for n in range(12)]


class Recorded:
    """An engine that keeps what it was asked."""

    name = "recorded"

    def __init__(self, index):
        self.index, self.asked = index, []

    def search(self, query, *, count=50):
        self.asked.append((query, count))
        return self.index.search(query, count=count)


@pytest.fixture(scope="module")
def engine():
    texts = [(f"cat{n}", text) for n, text in enumerate(CATS)] + [(f"car{n}", text) for n, text in enumerate(CARS)]
    return Recorded(LocalIndex.build(texts[::2] + texts[1::2]))


@pytest.fixture(scope="module")
def profiles():
    return {"own": Profile.build(CARS, minsup=3), "somebody else": Profile.build(CATS, minsup=3)}


JUDGED = [Judged("jaguar number3", frozenset(f"car{n}" for n in range(12)))]


def test_a_person_s_own_profile_helps_an_ambiguous_query_and_another_s_hurts(engine, profiles):
    found = evaluate(JUDGED * 3, profiles, engine, asked=Evaluation(ranking="pprank", alphas=(0, 0.5, 1)))
    at = {(one.profile, one.weight): one for one in found}
    assert at["own", 0].gain == 0 == at["somebody else", 0].gain
    assert at["own", 1].precision > at["own", 0].precision
    assert at["somebody else", 1].gain < 0
    assert all(one.queries == 3 and 0 <= one.precision <= 1 for one in found)
    assert [one.weight for one in best_trials(found) if one.profile == "somebody else"] == [0]


def test_the_engine_is_asked_once_a_query_whatever_is_tried(engine, profiles):
    engine.asked.clear()
    asked = Evaluation(
        ranking="pprank", min_details=(0.0, 0.2, 0.5), terms=(0, 1, 2), cuts=2, scorings=("raw", "normalised"), top=9
    )
    found = evaluate(JUDGED, profiles, engine, asked=asked)
    assert len(engine.asked) == 1 + 2 + 2
    assert {count for _, count in engine.asked} == {9}
    assert len(found) == 2 * 3 * 3 * 2 * 11
    ratios = [one.exp_ratio for one in found if one.profile == "own" and one.weight == 0 and one.terms == 0]
    assert ratios == sorted(ratios, reverse=True)


def test_only_links_that_were_seen_count(engine, profiles):
    seen = Judged("jaguar", frozenset({"car1"}), frozenset({"car1"}))
    for ranking in ("evidence", "pprank"):
        asked = Evaluation(ranking=ranking)
        assert {one.precision for one in evaluate([seen], profiles, engine, asked=asked)} == {1}


def test_a_page_leads_with_what_helped(engine, profiles):
    found = evaluate(
        JUDGED * 4, profiles, engine, asked=Evaluation(ranking="pprank", min_details=(0.0, 0.4), terms=(0, 1))
    )
    study = study_of(found, name="jaguars")
    assert "rose by" in study.lead
    page = render_study(study.title, lead=study.lead, facts=study.facts, charts=study.charts, tables=study.tables)
    assert "1 term" in page
    assert "whole queries" in page
    plain = study_of([one for one in found if one.profile == "somebody else"], name="jaguars")
    assert "leave the engine's order" in plain.lead


def test_by_evidence_the_whole_profile_and_what_a_service_is_sent_are_tried(engine, profiles):
    asked = Evaluation(min_details=(0.0, 0.9), strengths=(0.0, 0.5))
    found = evaluate([Judged("jaguar", JUDGED[0].relevant)] * 3, profiles, engine, asked=asked)
    at = {(one.profile, one.min_detail, one.weight): one for one in found}
    assert len(at) == len(found) == 2 * 3 * 2
    whole, sent, few = (at["own", detail, 0.5] for detail in (None, 0.0, 0.9))
    assert whole.gain > 0
    assert (whole.exp_ratio, whole.words, whole.fits) == (0, 0, 2)
    assert sent.words > few.words == 1  # the query's own word, which all documents hold
    assert (sent.fits, few.fits) == (1, 2)  # nobody else holds all those words
    assert sent.gain > few.gain == 0 == at["own", None, 0.0].gain
    page = study_of(found, name="jaguars")
    assert "nothing of the profile leaving" in page.lead or "words, which fit" in page.lead


def test_nothing_to_compare_is_said(engine, profiles):
    with pytest.raises(InputError, match="no judged query has a relevant link"):
        evaluate([Judged("jaguar", frozenset({"elsewhere"}))], profiles, engine)
    with pytest.raises(InputError, match="no profile"):
        evaluate(JUDGED, {}, engine)
    for wrong in ({"alphas": (2,)}, {"alphas": ()}, {"cuts": 0}, {"terms": (-1,)}):
        with pytest.raises(RequirementError):
            Evaluation(**wrong)
