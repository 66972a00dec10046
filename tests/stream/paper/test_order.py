import random
from itertools import pairwise

import numpy as np
import pytest
from tests.oracles import streaming as oracles

from confide import OutputPrivacy
from confide.core.errors import RequirementError
from confide.core.requirements.base import exact
from confide.stream import NoiseLaw
from confide.stream.paper.order import order_cost, order_shifts, places
from confide.stream.setting import Setting

LAWS = [NoiseLaw.uniform(3), NoiseLaw.uniform(4), NoiseLaw.triangular(2), NoiseLaw.of({0: 1, 1: 3, 3: 1})]


def instance(seed, *, classes=5, spread=9):
    """A law, a setting it fits, supports close together, sizes, and a few classes already said."""
    chance = random.Random(seed)
    law = chance.choice(LAWS)
    base = chance.randint(6, 14)
    chosen = sorted(chance.sample(range(base, base + spread), chance.randint(2, classes + 2)))
    kept = sorted(chance.sample(chosen, chance.choice([0, 0, 1, 2]) if len(chosen) > 3 else 0))
    supports = [t for t in chosen if t not in kept][:classes]
    sizes = [chance.randint(1, 9) for _ in supports]
    epsilon = chance.choice([0.03, 0.05, 0.1])
    while law.variance + law.mean**2 > exact(epsilon) * base**2:
        epsilon *= 2
    requirement = OutputPrivacy(epsilon=epsilon, delta=0.001, min_support=base, vulnerable=1)
    setting = Setting(requirement=requirement, law=law)
    said = [(t, t + chance.randint(-4, 4), chance.randint(1, 9)) for t in kept]
    return setting, supports, sizes, said


def solve(setting, supports, sizes, said, depth):
    kept = tuple(np.array([one[i] for one in said], dtype=np.int64) for i in range(3))
    shifts = order_shifts(np.array(supports), np.array(sizes), setting=setting, depth=depth, kept=kept)
    return [t + s for t, s in zip(supports, shifts.tolist(), strict=True)]


@pytest.mark.parametrize("block", range(10))
def test_full_depth_is_optimal_among_ascending_estimators(block):
    for seed in range(50 * block, 50 * block + 50):  # 500 instances in all
        setting, supports, sizes, said = instance(seed)
        found = solve(setting, supports, sizes, said, depth=99)
        assert all(a < b for a, b in pairwise(found))
        bounds = [setting.shifts(t) for t in supports]
        assert all(a <= e - t <= b for e, t, (a, b) in zip(found, supports, bounds, strict=True))
        best = oracles.order_shifts(setting.law, exact(setting.requirement.epsilon), supports, sizes, said)
        assert oracles.order_cost(setting.law, supports, sizes, found, said) == best, seed


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_less_depth_is_optimal_for_the_pairs_it_weighs(depth):
    for seed in range(1000, 1040):
        setting, supports, sizes, said = instance(seed)
        found = solve(setting, supports, sizes, said, depth)
        epsilon = exact(setting.requirement.epsilon)
        best = oracles.order_shifts(setting.law, epsilon, supports, sizes, said, depth)
        assert oracles.order_cost(setting.law, supports, sizes, found, said, depth) == best, seed


def test_overlapping_classes_are_set_apart_where_there_is_room():  # Example 6.4, Figure 4
    requirement = OutputPrivacy(epsilon=0.12, delta=0.4, min_support=25, vulnerable=5)
    setting = Setting.of(requirement)
    supports, sizes = np.array([100, 104, 109]), np.array([1, 1, 1])
    assert order_cost(supports, sizes, setting.law) > 0.5
    apart = supports + order_shifts(supports, sizes, setting=setting, depth=2)
    assert order_cost(apart, sizes, setting.law) == 0
    assert np.diff(apart).tolist() == [11, 11]


def test_of_settings_that_cost_the_same_the_least_shifted_is_taken():
    setting = Setting.of(OutputPrivacy(epsilon=0.12, delta=0.4, min_support=25, vulnerable=5))
    shifts = order_shifts(np.array([100, 105, 300]), np.array([1, 1, 1]), setting=setting, depth=2)
    assert shifts.tolist() == [-3, 3, 0]


def test_no_bias_is_capped_and_lone_classes_have_one_place():
    setting = Setting.of(OutputPrivacy(epsilon=0.0225, delta=0.4, min_support=25, vulnerable=5))
    supports = np.array([3000, 6000])
    assert setting.shifts(6000)[1] == 899
    assert places(supports, setting)[0].tolist() == supports.tolist() == places(supports, setting)[1].tolist()
    crowd = np.arange(6000, 6200)
    low, high = places(crowd, setting)
    assert (crowd - low).max() > 800
    assert (high - crowd).max() > 800
    moved = crowd + order_shifts(crowd, np.ones(200, dtype=np.int64), setting=setting, depth=1)
    assert (np.diff(moved) > 8).all()


def test_more_depth_never_costs_more_in_the_end_on_average():
    chance = np.random.default_rng(3)
    setting = Setting.of(OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5))
    totals = dict.fromkeys((1, 2, 4), 0.0)
    for _ in range(20):
        supports = np.sort(chance.choice(np.arange(25, 120), 40, replace=False)).astype(np.int64)
        sizes = chance.integers(1, 30, 40)
        for depth in totals:
            shifts = order_shifts(supports, sizes, setting=setting, depth=depth)
            totals[depth] += order_cost(supports + shifts, sizes, setting.law)
    assert totals[4] <= totals[2] <= totals[1]


def test_a_depth_that_needs_too_much_is_refused():
    setting = Setting.of(OutputPrivacy(epsilon=0.1, delta=2, min_support=60, vulnerable=5))
    with pytest.raises(RequirementError, match="use a smaller depth"):
        order_shifts(np.arange(60, 90), np.ones(30, dtype=np.int64), setting=setting, depth=20)
