"""The nearest consistent estimates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.collecting import powerset

from confide.collect.estimating.consistency import consistent
from confide.collect.estimating.item_search import ItemsetLevel

SETS = [x for x in powerset("abcd") if x]


def levels_of(estimates, variances):
    """All sets over four items, with these numbers."""
    found = []
    for n in range(1, 5):
        index = [i for i, x in enumerate(SETS) if len(x) == n]
        sets = np.array([sorted("abcd".index(item) for item in SETS[i]) for i in index], dtype=np.int32)
        order = np.lexsort(sets.T[::-1])
        index = [index[i] for i in order]
        found.append(ItemsetLevel(sets=sets[order], estimates=estimates[index], variances=variances[index]))
    return found


def test_a_chain_is_pooled_as_isotonic_regression_pools_it():
    # b = 10 +- 1 below ab = 14 +- 1: both 12; with ab ten times as unsure, (10 * 100 + 14 * 1) / 101
    a, b = np.array([[0], [1]], dtype=np.int32), np.array([[0, 1]], dtype=np.int32)
    for deviation, mean in [(1.0, 12.0), (10.0, 1014 / 101)]:
        levels = [
            ItemsetLevel(sets=a, estimates=np.array([30.0, 10.0]), variances=np.ones(2)),
            ItemsetLevel(sets=b, estimates=np.array([14.0]), variances=np.array([deviation**2])),
        ]
        singles, pair = consistent(levels, records=100)
        assert singles == pytest.approx([30, mean], abs=2e-3)
        assert pair == pytest.approx([mean], abs=2e-3)


def test_consistent_estimates_stay_as_they_are():
    estimates = np.array([40.0 / len(x) for x in SETS])
    done = consistent(levels_of(estimates, np.ones(len(SETS))), records=100)
    assert np.array_equal(np.concatenate(done), [40.0 / len(x) for x in sorted(SETS, key=len)])


numbers = st.lists(st.floats(-50, 150), min_size=15, max_size=15).map(np.array)
deviations = st.lists(st.floats(1, 20), min_size=15, max_size=15).map(np.array)


@given(numbers, deviations, st.lists(st.sets(st.sampled_from("abcd")), min_size=0, max_size=100))
@settings(max_examples=100)
def test_no_consistent_point_is_nearer(estimates, errors, rows):
    """At the nearest point x of a convex set, (x - given) . (y - x) is not negative for any point y of it."""
    levels = levels_of(estimates, errors**2)
    nearest = np.concatenate(consistent(levels, records=100))
    given_values = np.concatenate([level.estimates for level in levels])
    precision = 1 / np.concatenate([level.variances for level in levels])
    names = [frozenset("abcd"[i] for i in row) for level in levels for row in level.sets]
    at = dict(zip(names, nearest, strict=True))
    assert all(at[name - {item}] >= at[name] for name in names if len(name) > 1 for item in name)
    assert nearest.min() >= 0
    assert nearest.max() <= 100
    some = np.array([sum(name <= row for row in rows) for name in names], dtype=float)
    scale = (precision * (nearest - given_values) ** 2).sum() + 1
    assert (precision * (nearest - given_values) * (some - nearest)).sum() >= -0.02 * scale
