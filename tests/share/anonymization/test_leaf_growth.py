"""Growing under a requirement: the kernel grows what the slow twin grows, and sends records where the tree does."""

import numpy as np
import pytest
from tests.oracles import growing as oracle
from tests.share.trees import random_requirement

from confide.core.errors import CannotMeetError
from confide.core.trees.nodes import Attribute
from confide.mining import DecisionTree
from confide.mining.trees.splits import grid
from confide.mining.trees.table import read_declared
from confide.share import DiverseTree
from confide.share.anonymization.leaf_growth import TreeGrower
from confide.share.pruning.leaf_tests import LeafTest


def random_records(seed, rows=40):
    rng = np.random.default_rng(seed)
    letters = rng.integers(0, 6, rows)
    colours = rng.integers(0, 3, rows)
    numbers = rng.integers(0, 8, rows).astype(float)
    y = (letters + colours + rng.integers(0, 3, rows)) % int(rng.integers(2, 5))
    X = np.array([[f"v{a}", f"c{b}", n] for a, b, n in zip(letters, colours, numbers, strict=True)], dtype=object)
    return X, y


def shape(tree, i=0):
    """A published tree in the twin's form, without numbers' ends, which records do not fix."""
    node = tree.nodes[i]
    if node.is_leaf:
        return list(node.counts)
    place = [a.name for a in tree.attributes].index(node.attribute)
    return (list(node.counts), place, sorted(map(str, (shape(tree, edge.to) for edge in node.edges))))


def twin_shape(grown):
    if isinstance(grown, list):
        return grown
    return (grown[0], grown[1], sorted(str(twin_shape(part)) for _, part in grown[2]))


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_the_kernel_grows_what_the_twin_grows(seed, merge):
    (X, y), requirement = random_records(seed), random_requirement(seed)
    try:
        tree = DiverseTree(requirement=requirement, merge=merge).fit(X, y.astype(str)).tree_
    except CannotMeetError:
        return
    columns = [(False, X[:, 0].tolist()), (False, X[:, 1].tolist()), (True, X[:, 2].tolist())]
    known = {c: i for i, c in enumerate(sorted(set(y.tolist())))}
    codes = [known[c] for c in y.tolist()]
    expected = oracle.grow(columns, codes, len(known), requirement.to_dict(), merge, 2.0 ** grid(len(y)))
    assert shape(tree) == twin_shape(expected)


@pytest.mark.parametrize("confidence", [None, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(10))
def test_records_are_located_as_the_published_tree_locates_them(seed, confidence):
    X, y = random_records(seed, rows=300)
    attributes = (
        Attribute(name="x0", kind="categorical", values=tuple(f"v{i}" for i in range(6))),
        Attribute(name="x1", kind="categorical", values=("c0", "c1", "c2")),
        Attribute(name="x2", kind="numeric", bins=(-1.0, 0.5, 2.5, 4.5, 8.0)),
    )
    columns, _ = read_declared(X, attributes)
    classes = [str(c) for c in range(4)]
    test = LeafTest.of(random_requirement(3 * seed), "exact")
    growth = TreeGrower(columns, y.astype(np.int32), classes, test, "information_gain", merge=True)
    half = np.arange(0, 300, 2)
    other = np.arange(1, 300, 2)
    grown = growth.grow(half)
    labels = grown.labels[grown.leaf_above(confidence)[grown.locate(other)]]
    learner = DiverseTree(requirement=random_requirement(3 * seed), merge=True, confidence=confidence)
    published = learner.fit(X[half], y[half].astype(str), attributes=attributes, classes=classes)
    assert isinstance(published, DecisionTree)
    assert published.predict(X[other]).tolist() == [classes[c] for c in labels]
