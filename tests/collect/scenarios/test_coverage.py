"""95% intervals hold the truth in 93 to 97% of simulations, for sets of one to four items, under every scheme.

A thousand simulations a scheme. Four itemsets of each length share a simulation, so a rate over them has a standard
deviation of at most 0.0069 (one set's own) around 0.95; with fixed seeds the outcome is always the same.
"""

import numpy as np
import pytest

from confide.collect import CutAndPaste, Emask, Fields, GammaDiagonal, Mask, MatrixScheme, SampledDesign
from confide.collect.estimating.reconstruction import mine
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining import itemset_supports

SIMULATIONS, RECORDS, TOGETHER = 1000, 1500, 25
FIELDS = Fields.of([2, 2, 2, 2])


def people():
    """Four answers that go together, since all depend on one hidden trait."""
    draw = np.random.default_rng(5)
    trait = draw.random(RECORDS) < 0.6
    return np.column_stack([trait ^ (draw.random(RECORDS) < flip) for flip in (0.1, 0.15, 0.2, 0.25)]).astype(np.int32)


CODES = people()
TRUE = Transactions.from_arrays(
    np.arange(RECORDS + 1) * 4, (CODES + np.array(FIELDS.starts[:-1])).ravel().astype(np.int32), FIELDS.columns
)
JOINT = np.eye(16) * 3 + np.random.default_rng(6).random((16, 16)) * 0.4
SCHEMES = {
    "mask": Mask(p=0.85, fields=FIELDS),
    "emask": Emask(p=0.7, q=0.95, fields=FIELDS),
    "cut-and-paste": CutAndPaste(K=4, rho=0.2, fields=FIELDS),
    "gamma-diagonal": GammaDiagonal(domains=FIELDS, gamma=19),
    "randomised": GammaDiagonal(domains=FIELDS, gamma=19, alpha=0.5),
    "a matrix for each field": MatrixScheme(domains=FIELDS, matrices=[[[0.8, 0.3], [0.2, 0.7]]] * 4),
    "a design": SampledDesign(
        domains=FIELDS, gamma=19, subsets=[["a0"], ["a1", "a2"], ["a0", "a3"], ["a0", "a1", "a2", "a3"]]
    ),
    "a joint matrix": MatrixScheme(domains=FIELDS, matrix=np.round(JOINT / JOINT.sum(axis=0), 12).tolist()),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_intervals_hold_the_truth_as_often_as_they_say(name):
    scheme = SCHEMES[name]
    randomness = Randomness.seeded(11)
    held, asked = np.zeros(5), np.zeros(5)
    for _ in range(SIMULATIONS // TOGETHER):
        drawn = scheme.perturb(np.tile(CODES, (TOGETHER, 1)), randomness=randomness)
        for i in range(TOGETHER):
            here = np.arange(i * RECORDS, (i + 1) * RECORDS)
            seen = drawn.take(here) if isinstance(drawn, Transactions) else drawn[here]
            found = mine(scheme, seen, min_support=1, keep_near=60.0)  # keeps all: what is left out cannot be judged
            truth = itemset_supports(TRUE, found)
            likely = truth >= 30  # of fewer the estimate is not near a normal law
            inside = (found.columns["low"] <= truth) & (truth <= found.columns["high"])
            held += np.bincount(found.lengths[likely], weights=inside[likely], minlength=5)
            asked += np.bincount(found.lengths[likely], minlength=5)
    assert np.all(asked[1:] >= SIMULATIONS)
    assert np.all((held[1:] / asked[1:] >= 0.93) & (held[1:] / asked[1:] <= 0.97)), held[1:] / asked[1:]


@pytest.mark.parametrize("name", ["gamma-diagonal", "a design"])
def test_intervals_for_the_population_hold_its_shares(name):
    """The same where each simulation draws its people from a population anew."""
    scheme, randomness, rng = SCHEMES[name], Randomness.seeded(12), np.random.default_rng(3)
    every = mine(scheme, scheme.perturb(CODES, randomness=randomness), min_support=1, keep_near=60.0, max_length=2)
    truth = {labels: count for (labels, _), count in zip(every, itemset_supports(TRUE, every), strict=True)}
    held, plain = [], []
    for _ in range(200):
        drawn = scheme.perturb(CODES[rng.integers(0, RECORDS, RECORDS)], randomness=randomness)
        for population, into in ((True, held), (False, plain)):
            found = mine(scheme, drawn, min_support=1, keep_near=60.0, max_length=2, population=population)
            likely = [(labels, i) for i, (labels, _) in enumerate(found) if truth[labels] > 0.05 * RECORDS]
            into += [found.columns["low"][i] <= truth[labels] <= found.columns["high"][i] for labels, i in likely]
    assert 0.93 <= np.mean(held) <= 0.97
    assert np.mean(plain) < np.mean(held)
