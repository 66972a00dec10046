"""Informative terms: surely more common with the person than in ordinary texts."""

import math
from dataclasses import replace
from statistics import median

import pytest

from confide.core.samples import documents
from confide.core.transactions.container import Transactions
from confide.search import ExposedProfile, Pair, Profile
from confide.search.evidence.background import REPEATED, Background
from confide.search.evidence.informative import exposed_ratios, keep_informative, log_ratios
from confide.search.words import Words


def usual(**shares):
    """A background of 1,000 texts in which terms have these shares."""
    return Background().with_texts({term: round(1_000 * share) for term, share in shares.items()}, 1_000)


def slow_pass(data, background, minsup=1):
    """The rule as the issue words it, one term at a time."""
    lists = list(data)
    length = 1.5 * sum(map(len, lists)) / len(lists)
    for factor in (2, 1.5, 1.2, 1):
        passing = set()
        for term in data.labels:
            df = sum(term in row for row in lists)
            expected = len(lists) * replace(background, length=length / REPEATED).share(term, length)
            if df >= minsup and df - 1.3 * math.sqrt(df) >= factor * expected:
                passing.add(term)
        if len(passing) >= 30:
            break
    return passing


@pytest.mark.parametrize("seed", range(10))
def test_the_terms_that_pass_are_those_of_the_slow_rule(seed):
    import random

    random_ = random.Random(seed)
    names = [f"t{n}" for n in range(60)]
    chance = {name: random_.random() * 0.3 for name in names}
    rows = [[name for name in names if random_.random() < chance[name]][:9] for _ in range(80)]
    data = Transactions.from_lists(rows)
    background = usual(**{name: random_.random() * 0.2 for name in names})
    kept = keep_informative(data, background)
    assert {term for row in kept for term in row} == slow_pass(data, background)
    assert len(kept) == len(data)


def test_a_document_counts_for_its_ten_most_informative_terms():
    names = [f"t{n:02}" for n in range(15)]
    data = Transactions.from_lists([names] * 40)
    background = usual(**{name: 0.01 * (n + 1) for n, name in enumerate(names)})
    assert all(row == names[:10] for row in keep_informative(data, background))


def test_without_any_background_every_term_stays():
    data = Transactions.from_lists([["a", "b"]] * 5)
    assert keep_informative(data, Background()) is data


def test_where_texts_and_background_are_the_same_the_language_decides():
    data = Transactions.from_lists([["orbit", "time"]] * 50)
    same = Background(rates={"time": 0.5, "orbit": 1e-6}).with_texts({"orbit": 50, "time": 50}, 50)
    assert {term for row in keep_informative(data, same) for term in row} == {"orbit"}


def test_log_ratios_are_of_terms_in_three_documents_and_never_negative():
    found = log_ratios({"orbit": 10, "time": 10, "rare": 2}, 100, REPEATED, usual(orbit=0.01, time=0.5))
    assert found == {"orbit": pytest.approx(math.log(10), abs=1e-6)}


def test_a_share_of_the_profile_is_compared_as_five_times_that_share_of_documents():
    # A document is divided among the interests that hold it, so the weight alone would make most words seem usual.
    pairs = ExposedProfile((Pair(("orbit",), 1.301), Pair(("space", "orbits"), 0.301), Pair(("time",), 1.301)))
    found = exposed_ratios(pairs, usual(orbit=0.05, space=0.02, time=0.3), Words())
    assert found == {
        "orbit": pytest.approx(math.log(1 / 0.05), abs=1e-6),  # of two pairs the larger, and at most all documents
        "space": pytest.approx(math.log(1 / 0.02), abs=1e-6),
    }
    half = exposed_ratios(ExposedProfile(pairs.pairs[:1]), usual(orbit=0.05), Words())
    assert half == {"orbit": pytest.approx(math.log(0.25 / 0.05), abs=1e-3)}


def test_five_is_about_how_many_interests_share_a_document():
    profile = Profile.build(documents(300), minsup=5)
    shared = [
        profile.root.units * one.documents / (one.units * profile.n_documents)
        for one in profile.expose(min_detail=0.02).interests
    ]
    assert 3 < median(shared) < 8
