"""Estimates from blocks: best linear, consistent across subsets, with standard errors that simulation confirms."""

import itertools

import numpy as np
import pytest
from tests.oracles import answering as oracle

from confide import Randomness
from confide.collect import SampledDesign, UnaryEncoding
from confide.collect.designs.design_estimates import BlockEstimator, SupportTally, parts_of
from confide.collect.designs.design_forecasts import set_variance

SIZES = (2, 3, 2)
MIXED = SampledDesign(
    domains=list(SIZES),
    gamma=9,
    subsets=[["a0"], ["a0", "a1"], ["a1", "a2"], ["a0", "a1", "a2"]],
    scheme=["k-ary", "subset-selection", "unary", "hashing"],
    weights=[1, 2, 3, 4],
)


def people(n, seed=1):
    """Correlated records over SIZES."""
    rng = np.random.default_rng(seed)
    a = rng.random(n) < 0.3
    b = np.where(a, rng.integers(0, 3, n), rng.choice(3, n, p=[0.7, 0.2, 0.1]))
    return np.stack([a, b, rng.random(n) < 0.2 + 0.4 * a], axis=1).astype(np.int32)


def itemsets(chosen, sizes=SIZES):
    return np.array(list(itertools.product(*(range(sizes[i]) for i in chosen))), dtype=np.int32)


def test_estimates_are_those_of_dense_least_squares():
    answers = MIXED.perturb(people(5000), randomness=Randomness.seeded(1))
    tally = SupportTally.count(MIXED.blocks, answers)
    dense = oracle.dense_estimates(MIXED, tally)
    estimator = BlockEstimator(MIXED.blocks, SIZES, tally)
    for chosen in parts_of((0, 1, 2))[1:]:
        estimates, _ = estimator(chosen, itemsets(chosen))
        margin = dense.sum(axis=tuple(i for i in range(3) if i not in chosen))
        assert estimates / tally.records == pytest.approx(margin.ravel(), abs=1e-6)


@pytest.mark.parametrize("design", [MIXED, SampledDesign(domains=[2, 3, 2, 4], gamma=19, size=2)])
def test_margins_agree_whichever_subsets_they_come_from(design):
    sizes = design.fields.sizes
    codes = np.random.default_rng(2).integers(0, sizes, (3000, len(sizes))).astype(np.int32)
    estimator = design.estimator(design.perturb(codes, randomness=Randomness.seeded(2)))
    for chosen in parts_of(tuple(range(len(sizes))))[1:]:
        if not design.covers(chosen):
            continue
        estimates, _ = estimator(chosen, itemsets(chosen, sizes))
        table = estimates.reshape([sizes[i] for i in chosen])
        assert table.sum() == pytest.approx(3000)
        for k, i in enumerate(chosen):
            shorter = tuple(j for j in chosen if j != i)
            if shorter:
                less, _ = estimator(shorter, itemsets(shorter, sizes))
                assert table.sum(axis=k).ravel() == pytest.approx(less, abs=1e-6)


@pytest.mark.parametrize(
    "scheme",
    [
        MIXED,
        SampledDesign(domains=list(SIZES), gamma=19, size=1),
        SampledDesign(domains=list(SIZES), gamma=4, size=2, scheme="k-ary"),
        UnaryEncoding(domains=list(SIZES), gamma=19, symmetric=True),
    ],
    ids=["mixed", "one field", "pairs", "whole"],
)
def test_standard_errors_are_those_of_simulation(scheme):
    """200 collections of the same people: unbiased within 5 standard errors, spread within 20% (about 4 of its own)."""
    codes, runs = people(2000), 200
    chosen = max((block.positions for block in scheme.blocks), key=len)[:2]
    sets = itemsets(chosen)
    truth = np.array([(codes[:, chosen] == row).all(axis=1).sum() for row in sets])
    randomness = Randomness.seeded(5)
    found = [scheme.estimator(scheme.perturb(codes, randomness=randomness))(chosen, sets) for _ in range(runs)]
    estimates, variances = np.array([e for e, _ in found]), np.array([v for _, v in found])
    stated = np.sqrt(variances.mean(axis=0))
    assert (np.abs(estimates.mean(axis=0) - truth) < 5 * stated / np.sqrt(runs)).all()
    assert estimates.std(axis=0) == pytest.approx(stated, rel=0.2)


def test_a_block_nobody_answered_is_left_out():
    design = SampledDesign(domains=[2, 2], gamma=19, size=1)
    answers = design.perturb(np.zeros((50, 2), dtype=np.int32), randomness=Randomness.seeded(1))
    tally = SupportTally.count(design.blocks, answers[np.flatnonzero(answers.questions == 0)])
    estimates, variances = BlockEstimator(design.blocks, (2, 2), tally)((1,), itemsets((1,), (2, 2)))
    assert np.isinf(variances).all()
    assert (estimates == 0).all()


def test_tallies_add_up():
    answers = MIXED.perturb(people(400), randomness=Randomness.seeded(3))
    whole = SupportTally.count(MIXED.blocks, answers)
    parts = [SupportTally.count(MIXED.blocks, answers[rows]) for rows in np.array_split(np.arange(400), 3)]
    total = SupportTally.empty(MIXED.blocks).add(parts[0]).add(parts[1]).add(parts[2])
    assert total.people.tolist() == whole.people.tolist()
    assert total.records == 400
    assert all((a == b).all() for a, b in zip(total.supports, whole.supports, strict=True))


def test_a_pair_gains_from_what_other_subsets_know_of_its_parts():
    blocks, sizes = SampledDesign(domains=[5, 5, 5, 5], gamma=19, size=2).blocks, (5, 5, 5, 5)
    alone = set_variance(blocks, [1000, 0, 0, 0, 0, 0], sizes, (0, 1), support=0.04)
    helped = set_variance(blocks, [1000] * 6, sizes, (0, 1), support=0.04)
    assert helped < 0.95 * alone
