"""Pitman's estimate: the law sums to one, the products by hand, and populations drawn from the law itself."""

import math
from itertools import permutations

import numpy as np
import pytest

from confide.core.errors import InputError, UsageError
from confide.publish.tables.risk.population import _log_stays, log_likelihood, population_risk


def partitions(items):
    """Every way to part the items into groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for groups in partitions(rest):
        yield [[first], *groups]
        for place, group in enumerate(groups):
            yield [*groups[:place], [first, *group], *groups[place + 1 :]]


@pytest.mark.parametrize(("theta", "alpha"), [(1.0, 0.5), (-0.2, 0.3), (20.0, 0.01), (0.5, 0.9)])
def test_the_law_sums_to_one_over_all_partitions(theta, alpha):
    for n in (1, 2, 3, 5):
        chances = [
            math.exp(log_likelihood(np.array([len(group) for group in groups]), theta, alpha))
            for groups in partitions(list(range(n)))
        ]
        assert sum(chances) == pytest.approx(1)


def arrivals(n, theta, alpha, rng):
    """Groups of n people who come in one after the other, as the model says."""
    group_of, sizes = [0], [1]
    for i in range(1, n):
        if rng.random() < (theta + len(sizes) * alpha) / (theta + i):
            sizes.append(1)
            group_of.append(len(sizes) - 1)
        else:
            while True:  # a group of f with a chance in proportion to f - alpha
                group = group_of[rng.integers(i)]
                if rng.random() < (sizes[group] - alpha) / sizes[group]:
                    break
            sizes[group] += 1
            group_of.append(group)
    return np.array(group_of)


def test_the_chance_to_stay_unique_is_the_product_and_what_simulation_shows():
    theta, alpha, n, population = 2.0, 0.6, 5, 40
    product = math.prod((theta + i - 1 + alpha) / (theta + i) for i in range(n, population))
    assert math.exp(_log_stays(n, population, theta, alpha)) == pytest.approx(product)
    rng = np.random.default_rng(1)
    shares = []
    for _ in range(1500):
        group = arrivals(population, theta, alpha, rng)
        shares.append(np.mean(np.bincount(group)[group] == 1))
    expected = math.exp(_log_stays(1, population, theta, alpha))
    # 5 standard errors: a false alarm in about 1.7 million runs, and the seed is fixed
    assert np.mean(shares) == pytest.approx(expected, abs=5 * np.std(shares) / len(shares) ** 0.5)


@pytest.mark.parametrize(("theta", "alpha"), [(50.0, 0.5), (5.0, 0.7), (300.0, 0.2)])
def test_the_unique_of_a_drawn_population_are_estimated_from_a_sample(theta, alpha):
    rng = np.random.default_rng(7)
    group = arrivals(20_000, theta, alpha, rng)
    truth = np.mean(np.bincount(group)[group] == 1)
    sample = rng.permutation(group)[:2000]
    sizes = np.bincount(sample)
    found = population_risk(sizes[sizes > 0], population=len(group))
    assert found.unique == pytest.approx(truth, rel=0.35)
    unique_in_sample = np.bincount(sample)[sample] == 1
    stayed = np.mean(np.bincount(group)[sample[unique_in_sample]] == 1)
    assert found.stays_unique == pytest.approx(stayed, rel=0.35)


def test_no_other_parameters_are_likelier():
    sizes = np.array([1] * 30 + [2] * 8 + [3] * 4 + [10, 25])
    found = population_risk(sizes, population=1000)
    best = log_likelihood(sizes, found.theta, found.alpha)
    for theta in np.linspace(found.theta * 0.5, found.theta * 1.5, 9):
        for alpha in np.linspace(0.05, 0.95, 19):
            assert log_likelihood(sizes, theta, alpha) <= best + 1e-3


def test_a_table_of_the_whole_population_is_told_as_it_is():
    sizes = np.array([1, 1, 3, 5])
    found = population_risk(sizes, population=10)
    assert (found.unique, found.stays_unique) == (0.2, 1.0)


def test_extremes_do_not_break():
    for sizes in ([1], [1] * 50, [50], [1, 1_000_000]):
        found = population_risk(np.array(sizes), population=2_000_000)
        assert 0 <= found.unique <= 1
        assert 0 <= found.stays_unique <= 1
    assert population_risk(np.array([1] * 50), population=100).stays_unique == 1.0
    assert population_risk(np.array([50]), population=100).unique < 0.05


def test_order_does_not_matter_and_wrong_use_is_refused():
    answers = {population_risk(np.array(sizes), population=99) for sizes in permutations((1, 2, 4))}
    assert len(answers) == 1
    with pytest.raises(UsageError, match="population=3"):
        population_risk(np.array([2, 2]), population=3)
    with pytest.raises(InputError):
        population_risk(np.array([], dtype=np.int64), population=3)
