"""Shares of all combinations, none negative: the likeliest ones, and the nearest to what blocks estimate."""

import itertools

import numpy as np
import pytest
from tests.oracles.answering import block_law

from confide import Randomness
from confide.collect import LocalHashing, SampledDesign, UnaryEncoding
from confide.collect.designs.joint_shares import nearest_shares
from confide.core.errors import RequirementError, UsageError

SIZES = (2, 3, 2)
MIXED = SampledDesign(
    domains=list(SIZES),
    gamma=9,
    subsets=[["a0"], ["a0", "a1"], ["a1", "a2"], ["a0", "a1", "a2"]],
    scheme=["k-ary", "unary", "symmetric-unary", "subset-selection"],
    weights=[1, 2, 3, 4],
)
TRUTH = np.random.default_rng(1).dirichlet(np.full(12, 0.4)).reshape(SIZES)


def people(n, seed=1):
    cells = np.random.default_rng(seed).choice(12, n, p=TRUTH.ravel())
    return np.stack(np.unravel_index(cells, SIZES), axis=1).astype(np.int32)


def test_em_finds_the_likeliest_shares():
    answers = MIXED.perturb(people(800), randomness=Randomness.seeded(1))
    laws = [block_law(MIXED, codes) for codes in itertools.product(*(range(n) for n in SIZES))]
    chances = np.array([[float(law[tuple(one)]) for law in laws] for one in answers])
    found = MIXED.reconstruct(answers, method="em")
    assert found.shape == SIZES
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    best = np.log(chances @ found.ravel()).sum()
    for mixed in (0.01, 0.1, 0.5):
        for other in np.random.default_rng(2).dirichlet(np.ones(12), 50):
            assert np.log(chances @ ((1 - mixed) * found.ravel() + mixed * other)).sum() <= best + 0.02


@pytest.mark.parametrize("method", ["em", "simplex"])
@pytest.mark.parametrize(
    "scheme", [MIXED, SampledDesign(domains=list(SIZES), gamma=9, size=2, scheme="hashing")], ids=["mixed", "hashed"]
)
def test_shares_can_be_and_come_near_the_truth(scheme, method):
    codes = people(20_000)
    found = scheme.reconstruct(scheme.perturb(codes, randomness=Randomness.seeded(3)), method=method)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    held = np.bincount(np.ravel_multi_index(tuple(codes.T), SIZES), minlength=12).reshape(SIZES) / len(codes)
    for pair in ((0,), (1,), (2,)):
        assert np.abs(found - held).sum(axis=pair).max() < 0.15


def test_with_one_block_the_simplex_is_the_projection():
    whole = UnaryEncoding(domains=list(SIZES), gamma=9)
    answers = whole.perturb(people(300), randomness=Randomness.seeded(4))
    unbiased = whole.estimator(answers).margin(0, (0, 1, 2))
    assert unbiased.min() < 0
    assert whole.reconstruct(answers, method="simplex").ravel() == pytest.approx(
        nearest_shares(unbiased.ravel()), abs=1e-4
    )


@pytest.mark.parametrize("method", ["em", "simplex"])
def test_few_people_are_estimated_better_than_without_bias(method):
    """Mean squared error of the whole table over 20 collections of 400 people: smaller."""
    whole = UnaryEncoding(domains=list(SIZES), gamma=9)
    codes = people(400)
    held = np.bincount(np.ravel_multi_index(tuple(codes.T), SIZES), minlength=12).reshape(SIZES) / len(codes)
    better, plain = 0.0, 0.0
    for seed in range(20):
        answers = whole.perturb(codes, randomness=Randomness.seeded(seed))
        better += ((whole.reconstruct(answers, method=method) - held) ** 2).sum()
        plain += ((whole.estimator(answers).margin(0, (0, 1, 2)) - held) ** 2).sum()
    assert better < 0.9 * plain


def test_what_cannot_be_reconstructed_is_refused():
    with pytest.raises(UsageError, match="method='magic' is not a way"):
        MIXED.reconstruct([[0, 1]], method="magic")
    with pytest.raises(UsageError, match="there are no answers"):
        MIXED.reconstruct([])
    large = SampledDesign(domains=[1200, 1200], gamma=9, size=1, scheme="k-ary")
    with pytest.raises(RequirementError, match="1,440,000 combinations"):
        large.reconstruct([[0, 1]])
    hashed = LocalHashing(domains=[1 << 16], gamma=9)
    with pytest.raises(UsageError, match="too many for method='em'"):
        hashed.reconstruct([[0, 1, 1, 1]] * 1025)


def test_shares_are_brought_to_the_nearest_that_can_be():
    assert nearest_shares(np.array([0.7, 0.5, -0.2])) == pytest.approx([0.6, 0.4, 0.0])
    given = np.random.default_rng(1).normal(0.1, 0.2, 20)
    found = nearest_shares(given)
    assert found.sum() == pytest.approx(1)
    for other in np.random.default_rng(2).dirichlet(np.ones(20), 200):
        assert ((found - given) ** 2).sum() <= ((other - given) ** 2).sum() + 1e-12
