"""DiverseTree: every leaf keeps the requirement, splits are the best that do, and it is an estimator."""

import math
import pickle
from collections import Counter

import numpy as np
import pytest
from tests.amounts import some
from tests.oracles import anonymizing as oracles
from tests.oracles.tree import SAME, entropy
from tests.share.trees import random_pair, random_requirement

from confide import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.core.errors import CannotMeetError, RequirementError
from confide.core.trees.covering import uncovered
from confide.core.trees.nodes import Attribute
from confide.share import DiverseTree


def random_records(seed, rows=60):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(10, rows))
    X = np.empty((n, 3), dtype=object)
    X[:, 0] = [f"v{v}" for v in draw.integers(0, 4, n)]
    X[:, 1] = [None if draw.random() < 0.2 * (seed % 2) else float(v) for v in draw.integers(0, 6, n)]
    X[:, 2] = [f"w{v}" for v in draw.integers(0, 2, n)]
    X[0, 1] = 1.0
    return X, [f"c{c}" for c in draw.integers(0, 4, n)]


def best_gain(rows, y, requirement):
    """The largest gain of a split all of whose children keep the requirement; None without one. By brute force."""
    whole, classes, best = Counter(y), sorted(set(y)), None
    for j in range(3):
        ways = [lambda v: v]
        if j == 1:
            values = sorted({row[j] for row in rows if row[j] is not None})
            cuts = [(cut, right) for cut in values for right in (True, False)]
            ways = [lambda v, c=c, r=r: r if v is None else v > c for c, r in cuts]
        for way in ways:
            groups = {}
            for row, label in zip(rows, y, strict=True):
                groups.setdefault(way(row[j]), []).append(label)
            parts = [Counter(group) for group in groups.values()]
            fine = all(oracles.passes([p[c] for c in classes], "exact", requirement.to_dict()) for p in parts)
            if len(parts) > 1 and fine:
                gain = len(y) * entropy(whole) - sum(sum(p.values()) * entropy(p) for p in parts)
                if gain > SAME:
                    best = gain if best is None else max(best, gain)
    return best


@pytest.mark.parametrize("seed", some(range(500), every=6))
def test_the_root_is_split_where_the_gain_is_largest_among_what_passes(seed):
    X, y = random_records(seed)
    requirement = random_requirement(seed) if seed % 4 < 2 else random_pair(seed)
    try:
        tree = DiverseTree(requirement=requirement, max_depth=1).fit(X, y).tree_
    except CannotMeetError:
        counts = [n for _, n in sorted(Counter(y).items())]
        assert not oracles.passes(counts, "exact", requirement.to_dict())
        return
    expected = best_gain(X.tolist(), y, requirement)
    if expected is None:
        assert len(tree.nodes) == 1
        return
    parts = [Counter(dict(enumerate(tree.nodes[i].counts))) for i in tree.leaves()]
    gain = len(y) * entropy(Counter(y)) - sum(sum(p.values()) * entropy(p) for p in parts)
    assert gain == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("seed", some(range(500), every=6))
def test_every_leaf_keeps_the_requirement(seed, merge):
    X, y = random_records(seed, rows=200)
    requirement = random_requirement(seed) if seed % 4 < 2 else random_pair(seed)
    confidence = 0.25 if seed % 4 == 0 else None
    learner = DiverseTree(requirement=requirement, merge=merge, confidence=confidence)
    try:
        learner.fit(X, y)
    except CannotMeetError:
        return
    tree = learner.tree_
    assert uncovered(tree) is None
    for i in tree.leaves():
        assert oracles.passes(list(tree.nodes[i].counts), "exact", requirement.to_dict())
    at = np.bincount(learner.apply(X), minlength=len(tree.nodes))
    assert at.tolist() == [node.total * node.is_leaf for node in tree.nodes]
    release = learner.release()
    assert release.verification.ok
    assert release.passport.algorithm == ("LDM, merging" if merge else "LDM")


def test_merging_splits_where_the_plain_way_gives_up():
    X = np.array([["a"]] * 2 + [["b"]] * 20 + [["c"]] * 20, dtype=object)
    y = ["x"] * 2 + ["x", "y"] * 10 + ["y", "z"] * 10
    requirement = SimpleDiversity(l=2)
    assert len(DiverseTree(requirement=requirement).fit(X, y).tree_.leaves()) == 1
    merged = DiverseTree(requirement=requirement, merge=True).fit(X, y).tree_
    assert sorted(edge.values for edge in merged.nodes[0].edges) == [("a", "c"), ("b",)]


def test_declared_domains_are_kept():
    attributes = [
        Attribute(name="x0", kind="categorical", values=("v0", "v1", "v2", "v3", "v4")),
        Attribute(name="x1", kind="numeric", bins=(0, 2, 4, 9)),
        Attribute(name="x2", kind="categorical", values=("w0", "w1")),
    ]
    X, y = random_records(7, rows=200)
    classes = [f"c{c}" for c in range(6)]
    tree = DiverseTree(requirement=KAnonymity(k=4), merge=True).fit(X, y, attributes=attributes, classes=classes).tree_
    assert tree.declared
    assert tree.attributes == tuple(attributes)
    ends = {end for node in tree.nodes for edge in node.edges for ends in edge.intervals for end in ends}
    assert {end for end in ends if math.isfinite(end)} <= {2.0, 4.0}


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        (SimpleDiversity(l=4), "nearest that works: l=2"),
        (RecursiveDiversity(c=1, l=4), "nearest that works: l=2 with c="),
        (KAnonymity(k=9), "nearest that works: k=4"),
    ],
)
def test_a_root_that_fails_is_refused_with_what_works(requirement, message):
    with pytest.raises(CannotMeetError, match=message):
        DiverseTree(requirement=requirement).fit(np.array([["a"]] * 4, dtype=object), ["x", "y", "x", "y"])


def test_what_is_no_requirement_is_refused_when_fitting():
    with pytest.raises(RequirementError, match="must be a requirement, for example KAnonymity"):
        DiverseTree(requirement="k=5").fit([[1.0]], [0])


def test_it_is_an_estimator():
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    tree = DiverseTree(requirement=KAnonymity(k=5), criterion="gini")
    assert repr(base.clone(tree)) == "DiverseTree(requirement=KAnonymity(k=5), criterion='gini')"
    assert selection.cross_val_score(tree, X, y, cv=3).mean() > 0.9
    fitted = pickle.loads(pickle.dumps(tree.fit(X, y)))
    assert fitted.predict(X).tolist() == tree.predict(X).tolist()
