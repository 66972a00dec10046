"""How strongly to prune, by cross-validation within the records."""

import numpy as np
import pytest

from confide import KAnonymity, SimpleDiversity
from confide.core.errors import RequirementError
from confide.share import DiverseTree
from confide.share.anonymization.validation import AMOUNTS


def records(noise, rows=600, seed=0):
    """The class follows the first column, but for noise; nine more columns say nothing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (rows, 10)).astype(str).astype(object)
    y = np.where(rng.random(rows) < noise, rng.integers(0, 3, rows), X[:, 0].astype(int))
    return X, y.astype(str)


def leaves(X, y, confidence):
    tree = DiverseTree(requirement=KAnonymity(k=2), merge=True, confidence=confidence).fit(X, y).tree_
    return len(tree.leaves())


def test_noise_is_pruned_more_than_c45_would():
    X, y = records(noise=0.6)
    chosen = leaves(X, y, "validated")
    assert chosen < leaves(X, y, 0.25) < leaves(X, y, None)


def test_the_choice_is_one_of_the_amounts_and_the_same_every_time():
    X, y = records(noise=0.4, seed=1)
    again = [leaves(X, y, "validated") for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] in {leaves(X, y, amount) for amount in AMOUNTS}


def test_every_leaf_still_keeps_the_requirement():
    X, y = records(noise=0.5, seed=2)
    tree = DiverseTree(requirement=SimpleDiversity(l=2), merge=True, confidence="validated").fit(X, y).tree_
    assert all(2 * node.hit <= node.total for node in tree.nodes if node.is_leaf)


@pytest.mark.parametrize("rows", [2, 3, 5])
def test_few_records_are_enough(rows):
    X, y = records(noise=0.0, rows=rows)
    assert leaves(X, y, "validated") >= 1


def test_another_word_is_refused():
    X, y = records(noise=0.1, rows=30)
    with pytest.raises(RequirementError, match="confidence='often' must be a number"):
        DiverseTree(requirement=KAnonymity(k=2), confidence="often").fit(X, y)
