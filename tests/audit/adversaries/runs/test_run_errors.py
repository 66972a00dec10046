import numpy as np
import pytest
from tests.stream.streams import asked

from confide import Randomness
from confide.audit.adversaries.runs.cleaning import clean_blocks
from confide.audit.adversaries.runs.noise_model import NoiseModel
from confide.audit.adversaries.runs.projection import project_supports
from confide.audit.adversaries.runs.run_errors import attack_run
from confide.audit.adversaries.runs.shifts import undo_shifts
from confide.audit.adversaries.runs.smoothing import smooth_series
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import LawWeights
from confide.stream import Butterfly
from confide.stream.pipeline.opening import header_of, publisher_of, requirement_of

BLOCKS, WINDOWS, ITEMS = 8, 40, 24


def drifting(seed=1):
    """Counts of some items that move as records come and go: sums of 8 blocks each."""
    random = np.random.default_rng(seed)
    blocks = random.poisson(80 / BLOCKS, size=(ITEMS, WINDOWS + BLOCKS - 1))
    counts = np.array([blocks[:, i : i + BLOCKS].sum(axis=1) for i in range(WINDOWS)])
    return [
        Itemsets.from_pairs([((f"i{j}",), int(n)) for j, n in enumerate(row)], n_transactions=400) for row in counts
    ]


def attacked(scheme, seeds=range(2)):
    request = asked(scheme=scheme, epsilon=0.2)
    true, numbers = drifting(), [BLOCKS - 1 + i for i in range(WINDOWS)]
    found = {}
    for seed in seeds:
        made = publisher_of(request)
        made = (
            Butterfly(requirement_of(request), blocks=BLOCKS, randomness=Randomness.seeded(seed))
            if scheme == "blocks"
            else Butterfly(made.requirement, scheme=scheme, randomness=Randomness.seeded(seed))
        )
        out = [made.release(x).data for x in true]
        for one in attack_run(header_of(request), numbers, true, out):
            if one.supports is not None:
                found.setdefault(one.name, []).append(one.supports)
    return {name: float(np.mean(errors)) for name, errors in found.items()}


def test_one_value_per_support_is_learnt_and_noise_by_blocks_is_not():
    paper, ours = attacked("basic"), attacked("blocks")
    assert paper["one reading"] > 8
    assert min(paper["Baum-Welch"], paper["all releases smoothed"]) < 0.7 * paper["one reading"]
    reading = ours["one reading"]
    assert reading == pytest.approx(10.4, rel=0.25)
    for name in (
        "all releases smoothed",
        "Baum-Welch",
        "shifts undone",
        "arrivals counted",
        "projected on the lattice",
    ):
        assert ours[name] > 0.85 * reading, name


def test_a_shift_that_grows_with_the_support_is_undone():
    random = np.random.default_rng(2)
    counts = random.integers(25, 300, size=4000).astype(float)
    values = 1.5 * counts + random.normal(0, 3, size=4000)
    found = undo_shifts(values[:2000], learnt_values=values[2000:], learnt_counts=counts[2000:])
    assert np.mean((found - counts[:2000]) ** 2) < 0.6 * 9


def test_smoothing_constant_counts_leaves_the_noise_that_stays():
    model = NoiseModel(stays=5.0, moves=5.0, fresh=0.0, blocks=4)
    random = np.random.default_rng(3)
    numbers, errors = np.arange(80), []
    for _ in range(200):
        z = random.normal(0, (5 / 4) ** 0.5, size=83)
        noise = random.normal(0, 5**0.5) + np.array([z[i : i + 4].sum() for i in range(80)])
        errors.append(smooth_series(numbers, 100 + noise, model, turnover=0.0)[-1] - 100)
    assert np.var(errors) == pytest.approx(5.3, rel=0.3)
    assert smooth_series(numbers, np.full(80, 7.0), model) == pytest.approx(np.full(80, 7.0))


def test_projection_gives_supports_that_some_records_have():
    known = {frozenset("a"): 50.0, frozenset("b"): 60.0, frozenset("ab"): 58.0, frozenset("c"): 120.0}
    found = project_supports(known, records=100)
    assert found[frozenset("a")] == pytest.approx(54, abs=0.01)
    assert found[frozenset("ab")] == pytest.approx(54, abs=0.01)
    assert found[frozenset("b")] == pytest.approx(60, abs=0.01)
    assert found[frozenset("c")] == pytest.approx(100, abs=0.01)
    assert project_supports({frozenset("a"): 40.0}, records=100) == {frozenset("a"): 40.0}


def test_a_cleaned_block_is_what_bayes_says():
    law = LawWeights(first=-1, weights=(1, 2, 1))
    found = clean_blocks(np.array([-1, 0, 1]), law, rate=0.5)
    prior = [np.exp(-0.5), 0.5 * np.exp(-0.5), 0.125 * np.exp(-0.5)]
    assert found[0] == pytest.approx(0)
    assert found[1] == pytest.approx(prior[1] * 1 / (2 * prior[0] + prior[1]))
    assert found[2] == pytest.approx((2 * prior[1] + 2 * prior[2]) / (prior[0] + 2 * prior[1] + prior[2]))
