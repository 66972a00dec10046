"""Whether to merge and how strongly to prune, by cross-validation within the records."""

import numpy as np
import pytest

from confide import KAnonymity, RecursiveDiversity, SimpleDiversity
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


def like_nursery(rows, seed):
    """One value of the first column decides the class alone; the other columns decide among the rest."""
    rng = np.random.default_rng(seed)
    X = np.array([rng.integers(0, 3, rows), rng.integers(0, 4, rows), rng.integers(0, 3, rows)]).T
    points = X[:, 1] + X[:, 2] + (X[:, 0] == 2) + rng.integers(0, 2, rows)
    y = np.where(X[:, 0] == 0, 0, np.where(points > 3, 2, 1))
    y = np.where(rng.random(rows) < 0.05, rng.integers(0, 3, rows), y)
    return X.astype(str).astype(object), y.astype(str)


@pytest.mark.parametrize(("seed", "merges"), [(0, False), (1, True)])
def test_children_are_merged_where_that_is_right_more_often(seed, merges):
    """The same law twice, other records: once the trees that merge do better on records they have not seen."""
    X, y = like_nursery(900, seed)
    new, truth = like_nursery(20_000, 100)
    tree, merging, plain = (
        DiverseTree(requirement=RecursiveDiversity(c=5, l=2), merge=merge, confidence="validated").fit(X, y)
        for merge in ("validated", True, False)
    )
    assert tree.merge_ == merges
    assert tree.tree_ == (merging if merges else plain).tree_
    assert tree.score(new, truth) == max(merging.score(new, truth), plain.score(new, truth))
    assert tree.release().passport.parameters["merge"] is merges


def test_numbers_alone_leave_nothing_to_merge():
    X, y = records(noise=0.2, rows=60)
    tree = DiverseTree(requirement=KAnonymity(k=2), merge="validated").fit(X.astype(float), y)
    assert tree.tree_ == DiverseTree(requirement=KAnonymity(k=2)).fit(X.astype(float), y).tree_


def test_merging_sometimes_is_refused():
    X, y = records(noise=0.1, rows=30)
    with pytest.raises(RequirementError, match="merge='sometimes' must be True, False or \"validated\""):
        DiverseTree(requirement=KAnonymity(k=2), merge="sometimes").fit(X, y)
