from itertools import product
from math import exp, factorial

import numpy as np
import pytest
from tests.stream.streams import asked

from confide.audit.adversaries.blocks.nested_cleaning import clean_nested, guess_one_reading
from confide.audit.adversaries.runs.rare_patterns import RunPatterns
from confide.audit.adversaries.windows.intra_window import RarePattern
from confide.core.streams.header import LawWeights
from confide.stream.pipeline.opening import header_of

LAW = LawWeights(first=-1, weights=(1, 4, 1))


def poisson(count, rate):
    return exp(-rate) * rate**count / factorial(count)


def slow(seen, rates):
    """One block: all cells up to 6 records, with the noise that is then left; the pattern's mean and variance."""
    chance = {-1: 1 / 6, 0: 4 / 6, 1: 1 / 6}
    total = mean = square = 0.0
    for cells in product(range(7), repeat=len(rates)):
        if len(rates) == 2:
            counts, pattern = (sum(cells), cells[1]), cells[0]
        else:
            only_x, with_y, with_z, both = cells
            counts, pattern = (sum(cells), with_y + both, with_z + both, both), only_x + with_z
        weight = np.prod([poisson(n, rate) for n, rate in zip(cells, rates, strict=True)])
        weight *= np.prod([chance.get(value - n, 0.0) for value, n in zip(seen, counts, strict=True)])
        total, mean, square = total + weight, mean + weight * pattern, square + weight * pattern**2
    return mean / total, square / total - (mean / total) ** 2


@pytest.mark.parametrize("rates", [(0.1, 0.8), (0.1, 0.4, 0.2, 0.9)])
def test_every_noise_that_fits_is_gone_through(rates):
    for seen in [(2, 1, 1, 1), (1, 0, 1, 0), (0, -1, 0, 0), (3, 2, 2, 1), (0, 1, 1, 1)]:
        part = seen[: len(rates)]
        found = clean_nested(np.array(part)[:, None], rates, LAW)
        assert (found.count, found.variance) == pytest.approx(slow(part, rates))
    several = clean_nested(np.array([[2, 1], [1, 0]]), rates[:2], LAW)
    each = [clean_nested(np.array([[x], [y]]), rates[:2], LAW) for x, y in ((2, 1), (1, 0))]
    assert several.count == pytest.approx(sum(one.count for one in each))


def test_what_no_records_can_give_leaves_the_mean():
    found = clean_nested(np.array([[-3], [5]]), (0.25, 1.0), LAW)
    assert (found.count, found.variance) == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize(("every", "most"), [(100, 2.5), (1, 1.75)])
def test_a_further_item_bears_witness_in_small_blocks(every, most):
    """A reading with an error of variance 10 of a count of mean 2.5 leaves 2.0; blocks of one record leave less."""
    laws = header_of(asked(window=2000, every=every, epsilon=0.2)).noise
    chance, rates = np.random.default_rng(6), np.array([0.5, 20.0, 2.0, 40.0]) / laws.blocks
    chances = np.array(laws.block.weights) / sum(laws.block.weights)
    errors = []
    for _ in range(40):
        only_x, with_y, with_z, both = chance.poisson(rates[:, None], size=(4, laws.blocks))
        counts = np.stack([only_x + with_y + with_z + both, with_y + both, with_z + both, both])
        seen = counts + laws.block.first + chance.choice(len(chances), size=counts.shape, p=chances)
        errors.append(clean_nested(seen, rates.tolist(), laws.block).count - (only_x + with_z).sum())
    assert 0.3 < np.mean(np.square(errors)) < most


def test_one_reading_is_as_good_as_bayes_makes_it():
    patterns = tuple(
        RarePattern(items=frozenset("x"), without=frozenset("y"), count=int(n))
        for n in np.random.default_rng(1).poisson(2.5, size=200)
    )
    rare = RunPatterns(by_window={0: patterns}, vulnerable=5, records=[2000])
    errors = [guess_one_reading(rare, 10.0, np.random.default_rng(seed)).error for seed in range(20)]
    counts = np.array([x.count for x in patterns])
    assert np.mean(errors) < np.mean((counts - 2.5) ** 2)
    assert np.mean(errors) == pytest.approx(2.0, rel=0.15)
