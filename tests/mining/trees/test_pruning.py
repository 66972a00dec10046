"""Pessimistic pruning: the limit by bisection, and Quinlan's example."""

import numpy as np
import pytest
from tests.oracles import tree as oracles

from confide.core.errors import RequirementError
from confide.mining.trees.pruning import expected_errors, prune


@pytest.mark.parametrize("confidence", [0.05, 0.25, 0.5])
def test_the_limit_is_where_so_few_errors_become_unlikely(confidence):
    pairs = [(e, n) for n in (1, 2, 6, 16, 150, 4000) for e in (0, 1, 2, n // 3, n - 1, n) if 0 <= e <= n]
    errors, totals = np.array(pairs).T
    expected = [n * oracles.upper_limit(e, n, confidence) for e, n in pairs]
    assert expected_errors(errors, totals, confidence=confidence) == pytest.approx(expected, rel=1e-9)


def test_quinlans_voting_subtree_is_replaced_by_a_leaf():
    # C4.5, section 4.2: leaves of 6, 9 and 1 records without error against one leaf of 16 with one error:
    # 6 * 0.206 + 9 * 0.143 + 1 * 0.750 = 3.273 is more than 16 * 0.157 (exactly 16 * 0.160), so cut.
    parents, errors, totals = [-1, 0, 0, 0], np.array([1, 0, 0, 0]), np.array([16, 6, 9, 1])
    assert expected_errors(errors[1:], totals[1:]).sum() == pytest.approx(3.273, abs=0.01)
    assert prune(parents, errors, totals).tolist() == [True, False, False, False]


def test_a_good_split_stays():
    assert prune([-1, 0, 0], np.array([50, 0, 0]), np.array([100, 50, 50])).tolist() == [True, True, True]


def test_pruning_goes_from_the_leaves_up():
    # Node 1 is not worth its children; with it a leaf, the root is still worth keeping.
    parents = [-1, 0, 0, 1, 1]
    errors, totals = np.array([40, 1, 2, 0, 1]), np.array([100, 58, 42, 29, 29])
    assert prune(parents, errors, totals).tolist() == [True, True, True, False, False]


def test_less_confidence_prunes_more():
    parents, errors, totals = [-1, 0, 0], np.array([3, 1, 0]), np.array([20, 8, 12])
    assert prune(parents, errors, totals, confidence=0.25).tolist() == [True, True, True]
    assert prune(parents, errors, totals, confidence=0.01).tolist() == [True, False, False]


def test_a_single_node_stays():
    assert prune([-1], np.array([3]), np.array([9])).tolist() == [True]


def test_a_node_without_records_expects_none():
    assert expected_errors(np.array([0]), np.array([0])).tolist() == [0.0]


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 2])
def test_a_confidence_that_is_not_a_probability_is_refused(confidence):
    with pytest.raises(RequirementError, match=r"C4\.5 uses 0\.25"):
        expected_errors(np.array([0]), np.array([1]), confidence=confidence)
