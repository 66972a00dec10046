"""A committee of published trees, against votes counted by hand."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from tests.random_trees import random_tree

from confide.core.errors import InputError, UsageError
from confide.share.bagging import Bagging
from confide.share.generation.baseline import generate_baseline


def records(n=300):
    return generate_baseline(random_tree(0), rows=n).drop_columns(["class"])


@pytest.mark.parametrize("number", [1, 2, 5])
def test_the_class_with_most_votes_wins_and_ties_go_to_the_first(number):
    trees = [random_tree(seed) for seed in range(number)]
    table = records()
    predicted = Bagging(trees).predict(table).tolist()
    for row, given in zip(table.to_pylist(), predicted, strict=True):
        votes = Counter(tree.classify(row) for tree in trees)
        assert given == max(trees[0].classes, key=lambda label: votes[label])


def test_shares_are_summed_by_weight():
    trees = [random_tree(seed) for seed in range(3)]
    table = records(50)
    chances = Bagging(trees, votes="shares", weights=[1, 2, 1]).predict_proba(table)
    assert np.allclose(chances.sum(axis=1), 1)
    row = table.to_pylist()[0]
    expected = np.zeros(4)
    for tree, weight in zip(trees, [1, 2, 1], strict=True):
        leaf = next(path.node for path in tree.paths() if _satisfies(row, path))
        expected += weight * np.array(leaf.counts) / leaf.total
    assert np.allclose(chances[0], expected / 4)


def _satisfies(row, path):
    return all(
        any(low < row[name] <= high for low, high in allowed) if isinstance(allowed[0], tuple) else row[name] in allowed
        for name, allowed in path.conditions.items()
    )


def test_bad_committees_are_refused():
    with pytest.raises(InputError, match="does not fit tree 1"):
        Bagging([random_tree(1), random_tree(1, classes=3)])
    with pytest.raises(UsageError, match="weights must be 2 numbers"):
        Bagging([random_tree(1), random_tree(2)], weights=[1, -1])
    with pytest.raises(UsageError, match="votes='loud'"):
        Bagging([random_tree(1)], votes="loud")
    with pytest.raises(UsageError, match="not Table"):
        Bagging([pa.table({"a": [1]})])
