"""The engine's order, moved by evidence."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import RequirementError
from confide.search.evidence.ordering import check_strength, hold_the_query, move_by_evidence
from confide.search.words import Words


@given(st.lists(st.floats(0, 10), max_size=30))
def test_strength_0_and_equal_evidence_leave_the_engine_s_order(evidence):
    ranks = list(range(1, len(evidence) + 1))
    assert move_by_evidence(ranks, evidence, strength=0) == list(range(len(ranks)))
    assert move_by_evidence(ranks, [1.0] * len(ranks), strength=0.3) == list(range(len(ranks)))


@given(st.lists(st.floats(0, 10), max_size=30), st.floats(0, 1))
def test_the_order_is_by_the_formula(evidence, strength):
    ranks = list(range(1, len(evidence) + 1))
    moved = move_by_evidence(ranks, evidence, strength=strength)
    keys = [math.log(ranks[i] + 10) - strength * evidence[i] for i in moved]
    assert sorted(moved) == list(range(len(ranks)))
    assert all(a <= b + 2e-9 for a, b in itertools.pairwise(keys))


@pytest.mark.parametrize("strength", [-0.1, 1.1, math.nan, "1", True])
def test_what_is_no_strength_is_refused(strength):
    with pytest.raises(RequirementError, match="strength="):
        check_strength(strength)


def test_results_that_hold_as_many_words_of_the_query_as_the_best():
    assert hold_the_query("space orbit", ["orbit", "space in orbits", ""], Words()) == [False, True, False]
    assert hold_the_query("space", [], Words()) == []
