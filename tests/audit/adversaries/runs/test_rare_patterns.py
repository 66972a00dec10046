import numpy as np
import pytest

from confide.audit.adversaries.runs.noise_model import NoiseModel
from confide.audit.adversaries.runs.rare_patterns import PatternGuesses, RunPatterns
from confide.core.itemsets.container import Itemsets

NONE = NoiseModel(stays=5.0, moves=5.0, fresh=0.0, blocks=4)


def test_simple_patterns_are_those_of_the_fewest_supports():
    window = Itemsets.from_pairs([("a", 40), ("b", 50), ("ab", 38), ("c", 60)], n_transactions=100)
    found = RunPatterns.find([window, window], [window, window], vulnerable=5, every=2)
    assert [(sorted(x.items), sorted(x.without), x.count) for x in found.by_window[0]] == [(["a"], ["b"], 2)]
    assert list(found.by_window) == [0]
    assert found.fewest_absent == 1
    guessed = {**{items: float(n) for items, n in window.as_dict().items()}, frozenset("ab"): 35.0}
    judged = found.judge([guessed, guessed])
    assert (judged.error, judged.simple_error, judged.spread) == (9, 9, 0)
    assert found.judge([{}, {}]).error is None


def test_what_is_explained_is_what_a_line_explains():
    counts, noise = np.repeat([1.0, 3.0, 5.0], 4000), np.random.default_rng(1).normal(0, 10**0.5, size=12000)
    judged = PatternGuesses(counts=counts, guesses=2 * (counts + noise) + 9, simple=np.ones(12000, dtype=bool))
    assert judged.explained == pytest.approx(counts.var() / (counts.var() + 10), rel=0.1)
    few = PatternGuesses(counts=counts[:2], guesses=counts[:2], simple=np.ones(2, dtype=bool))
    assert few.explained is None


def test_knowing_that_a_pattern_is_rare_helps_where_noise_is_small_only():
    draw = np.random.default_rng(4)

    def explained(scale):
        true, out = [], []
        for _ in range(30):
            pairs = [(x, 60) for x in "abcdefgh"] + [(f"{x}z", 60 - int(draw.integers(1, 6))) for x in "abcdefgh"]
            true.append(Itemsets.from_pairs(pairs, n_transactions=400))
            out.append({items: n + draw.normal(0, scale) for items, n in true[-1].as_dict().items()})
        rare = RunPatterns.find(true, true, vulnerable=5, every=1)
        model = NoiseModel(stays=0.0, moves=0.0, fresh=max(scale, 0.01) ** 2, blocks=1)
        return rare.judge_knowing([(i, one) for i, one in enumerate(out)], model).explained

    assert explained(0.1) > 0.9
    assert explained(3.2) < 0.25
