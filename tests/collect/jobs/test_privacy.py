"""How much a scheme protects, as a notebook asks for it."""

import pytest

from confide import Transactions
from confide.collect import CollectPrivacy, Emask, GammaDiagonal, basic_privacy, privacy
from confide.core.errors import UsageError

BASKETS = Transactions.from_lists([["tea"], ["tea", "milk"], ["milk", "beer", "nuts"]] * 30)


def test_the_promise_is_stated_in_several_terms():
    found = privacy(CollectPrivacy(scheme=GammaDiagonal(domains=[2, 2], gamma=19), priors=(0.05,)))
    assert found.measures["posteriors"] == [{"rho1": 0.05, "rho2": pytest.approx(0.5)}]
    assert found.notes[0] == "gamma 19 (epsilon 2.9445): an answer shifts anyone's odds by at most that factor"
    assert found.amplified.gamma == 19
    assert "posterior_range" not in found.measures


def test_alpha_adds_a_range_and_no_promise():
    found = privacy(CollectPrivacy(scheme=GammaDiagonal(domains=[2, 2], gamma=19, alpha=0.1), priors=(0.05,)))
    (low_high,) = found.measures["posterior_range"]
    assert low_high["low"] < 0.5 < low_high["high"]
    assert any("adds no privacy" in text for text in found.notes)


def test_an_open_scheme_is_bound_to_the_records_or_taken_for_one_item():
    alone = privacy(CollectPrivacy(scheme=Emask(p=0.5, q=0.9)))
    assert alone.measures["gamma"] == pytest.approx(9)
    assert "gamma is for one item" in alone.notes[0]
    with_data = privacy(CollectPrivacy(scheme=Emask(p=0.5, q=0.9), data=BASKETS, min_support=0.1, seed=1))
    assert with_data.scheme.universe == BASKETS.labels
    assert with_data.measures["basic_privacy"] == basic_privacy(with_data.scheme, BASKETS).privacy
    assert 0 <= with_data.measures["reinterrogation"]["privacy"] <= with_data.measures["basic_privacy"]
    assert "averages over people, not guarantees" in with_data.notes


def test_a_useless_gamma_is_called_so():
    found = privacy(CollectPrivacy(scheme=Emask(p=0.5, q=0.9), max_length=50))
    assert any("bounds no posterior that matters" in text for text in found.notes)


def test_itemsets_an_attacker_knows_need_the_true_records():
    with pytest.raises(UsageError, match="min_support goes with data"):
        privacy(CollectPrivacy(scheme=Emask(p=0.5, q=0.9), min_support=0.1))
