"""Split and BuildUP: the chapter's example, the slow twin, and what always holds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import searching

from confide.core.samples import figure_30
from confide.core.transactions.container import Transactions
from confide.search.profile.growth import ProfileThresholds, grow
from confide.search.profile.interests import UNIT

DELTA = Fraction(3, 5)


def grown(rows, minsup=2, delta=DELTA, min_share=Fraction(0), max_depth=6):
    data = Transactions.from_lists(rows)
    return grow(data, ProfileThresholds(minsup=minsup, delta=delta, min_share=min_share, max_depth=max_depth))


def plain(interest):
    return (interest.terms, interest.support, interest.documents, [plain(child) for child in interest.children])


def alike(ours, theirs):
    assert ours[0] == theirs[0]
    assert ours[1] == pytest.approx(float(theirs[1]), abs=1e-9)
    assert ours[2] == theirs[2]
    assert len(ours[3]) == len(theirs[3])
    for a, b in zip(ours[3], theirs[3], strict=True):
        alike(a, b)


def test_figure_34_comes_out():  # thesis, Figures 31, 32 and 34
    assert plain(grown(figure_30())) == (
        (), 10, 10,
        [
            (("research",), 5, 5, [(("personalized", "search"), 3, 3, []), (("AI",), 2, 2, [])]),
            (("sports",), 3.5, 4, [(("soccer",), 2, 2, [])]),
            (("sex",), 1.5, 2, []),
        ],
    )  # fmt: skip


def collections():
    terms = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)
    return st.lists(terms, min_size=1, max_size=14)


@settings(max_examples=150, deadline=None)
@given(collections(), st.integers(1, 3), st.sampled_from([Fraction(1, 4), Fraction(1, 2), DELTA, Fraction(9, 10)]))
def test_a_tree_is_the_slow_twins(rows, minsup, delta):
    ours = grown(rows, minsup, delta, min_share=Fraction(1, 10), max_depth=4)
    alike(plain(ours), searching.build(rows, minsup, delta, Fraction(1, 10), 4))


def test_a_larger_random_collection_is_the_slow_twins():
    generator = np.random.default_rng(7)
    rows = [[f"t{t}" for t in np.unique(generator.zipf(1.4, size=12) % 40)] for _ in range(300)]
    ours = grown(rows, 8, DELTA, min_share=Fraction(1, 100), max_depth=5)
    alike(plain(ours), searching.build(rows, 8, DELTA, Fraction(1, 100), 5))
    assert sum(1 for _ in ours.walk()) > 50


@settings(max_examples=100, deadline=None)
@given(collections(), st.integers(1, 3))
def test_leaves_sum_to_the_documents_and_no_child_outweighs_its_parent(rows, minsup):
    root = grown(rows, minsup)
    assert sum(root.leaves()) == len(rows) * UNIT
    for interest in root.walk():
        assert interest.others >= 0
        assert all(0 < child.units <= interest.units for child in interest.children)
        assert [c.units for c in interest.children] == sorted((c.units for c in interest.children), reverse=True)


def test_the_order_of_the_documents_changes_nothing():
    rows = figure_30()
    assert plain(grown(rows)) == plain(grown(rows[::-1]))


def test_splitting_stops_at_the_share_and_at_the_depth():
    rows = figure_30()
    assert all(not child.children for child in grown(rows, max_depth=1).children)
    few = grown(rows, min_share=Fraction(4, 10))  # only research, with 5 of 10, is split
    assert [len(child.children) for child in few.children] == [2, 0, 0]


def test_ordinary_text_does_not_explode():  # erratum 4: without the rule, millions of nodes
    generator = np.random.default_rng(1)
    odds = 1 / np.arange(1, 2001)
    rows = [[f"t{t}" for t in generator.choice(2000, size=50, p=odds / odds.sum())] for _ in range(1000)]
    root = grown(rows, 5, DELTA, min_share=Fraction(1, 1000), max_depth=8)
    assert sum(1 for _ in root.walk()) < 50_000
