"""Path adversaries: one tree before and after, and several trees that tell together what none tells alone."""

from dataclasses import replace

import numpy as np
import pytest
from tests.oracles import several_releases

from confide import SimpleDiversity
from confide.audit import follow_paths, follow_several
from confide.core.errors import InputError, UsageError
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.published import PublishedTree
from confide.mining import DecisionTree
from confide.share import anonymize_tree


def stump(name, first, second):
    """A tree that splits on one of two attributes, with the counts (no, yes) of its leaves."""
    leaves = [
        Node(label="no" if a >= b else "yes", hit=max(a, b), miss=min(a, b), counts=(a, b)) for a, b in (first, second)
    ]
    whole = (first[0] + second[0], first[1] + second[1])
    edges = (Edge(to=1, values=("0",)), Edge(to=2, values=("1",)))
    root = Node(
        label="no" if whole[0] >= whole[1] else "yes", hit=max(whole), miss=min(whole), counts=whole,
        attribute=name, edges=edges,
    )  # fmt: skip
    attributes = tuple(Attribute(name=n, kind="categorical", values=("0", "1")) for n in ("a", "b"))
    return PublishedTree(classes=("no", "yes"), attributes=attributes, nodes=(root, *leaves))


def test_one_tree_is_as_risky_as_its_purest_leaf():
    risk = follow_paths(stump("a", (9, 1), (5, 5)))
    assert (risk.leaves, risk.fewest, risk.best_chance, risk.certain) == (2, 10, 0.9, 0.0)
    assert risk.mean_chance == pytest.approx(14 / 20)
    assert follow_paths(stump("a", (10, 0), (5, 5))).certain == 0.5


@pytest.mark.parametrize("seed", range(10))
def test_anonymising_bounds_the_best_chance(seed):
    draw = np.random.default_rng(seed)
    X = np.array([[f"v{draw.integers(5)}", f"w{draw.integers(3)}"] for _ in range(120)], dtype=object)
    y = [f"c{c}" for c in draw.integers(0, 3, 120)]
    learned = DecisionTree(min_branch=1, confidence=None).fit(X, y).tree_
    after = follow_paths(anonymize_tree(learned, SimpleDiversity(l=2)).data)
    assert after.best_chance <= 0.5
    assert follow_paths(learned).best_chance >= after.best_chance
    assert follow_paths(learned).fewest <= after.fewest


def test_two_trees_of_the_same_records_tell_what_neither_tells():
    """A neighbour is certain of nothing. Whoever follows everybody works it out from the leaves alone: with
    n no's at a = b = 0, there are n - 4 at a = b = 1; so n is 4, and all four of each are certain."""
    pa = pytest.importorskip("pyarrow")
    rows = [("0", "0", "no")] * 4 + [("0", "1", "no")] * 2 + [("0", "1", "yes")] * 2 + [("1", "0", "no")] * 2
    rows += [("1", "0", "yes")] * 2 + [("1", "1", "yes")] * 4
    table = pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows]})
    found = follow_several([stump("a", (6, 2), (2, 6)), stump("b", (6, 2), (2, 6))], table, [r[2] for r in rows])
    assert found.alone == 0.75
    assert (found.certain, found.register) == (0.0, (8, 8))
    assert found.fewest == 8
    assert "leave no doubt about the class of 50% of the people, the best of them alone 0%" in found.warning


def test_classes_that_all_leaves_have_in_common_may_be_one():
    """Each leaf of one tree has two of three classes, half the people of the other are sure: together, everybody is."""
    pa = pytest.importorskip("pyarrow")
    rows = [("0", "0", "x")] * 4 + [("0", "1", "y")] * 4 + [("1", "0", "z")] * 4 + [("1", "1", "y")] * 4

    def tree(name, column):
        counts = [[sum(r[2] == c for r in rows if r[column] == side) for c in "xyz"] for side in "01"]
        nodes = [
            Node(label="xyz"[int(np.argmax(c))], hit=max(c), miss=sum(c) - max(c), counts=tuple(c))
            for c in ([4, 8, 4], *counts)
        ]
        edges = (Edge(to=1, values=("0",)), Edge(to=2, values=("1",)))
        whole = replace(nodes[0], attribute=name, edges=edges)
        attributes = tuple(Attribute(name=n, kind="categorical", values=("0", "1")) for n in ("a", "b"))
        return PublishedTree(classes=("x", "y", "z"), attributes=attributes, nodes=(whole, *nodes[1:]))

    table = pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows]})
    truth = [r[2] for r in rows]
    found = follow_several([tree("a", 0), tree("b", 1)], table, truth)
    possible = several_releases.worlds_values(
        [[int(r[0]) for r in rows[::2]], [int(r[1]) for r in rows[::2]]], truth[::2]
    )
    assert found.certain == 1.0
    assert found.register == (16, 16)
    assert all(len(values) == 1 for values in possible)
    assert "leave no doubt about the class of 100% of the people, the best of them alone 50%" in found.warning
    others = follow_several([tree("a", 0), tree("b", 1)], table.slice(4), truth[4:])
    assert others.register is None, "the trees count other people than these"


def test_voting_trees_of_several_owners_are_warned_of():
    pa = pytest.importorskip("pyarrow")
    draw = np.random.default_rng(1)
    bits = draw.integers(0, 2, (600, 5))
    y = np.where(bits.sum(axis=1) >= 3, "yes", "no")
    table = pa.table({f"x{j}": [str(b) for b in bits[:, j]] for j in range(5)})
    learned = [
        DecisionTree(max_depth=1, min_branch=1, confidence=None).fit(table.select([f"x{j}"]), y).tree_ for j in range(5)
    ]
    found = follow_several(learned, table, y.tolist())
    assert found.voted > 0.95 > 0.8 > found.alone
    assert found.warning.startswith("5 trees together name the class of")
    assert follow_several(learned[:1] * 2, table, y.tolist()).warning == ""


def test_what_does_not_fit_is_refused():
    tree = stump("a", (1, 0), (0, 1))
    with pytest.raises(UsageError, match="give two trees or more"):
        follow_several([tree], [], [])
    other = PublishedTree(classes=("x",), attributes=(), nodes=(Node(label="x", hit=1, miss=0),))
    with pytest.raises(InputError, match="do not have the same classes"):
        follow_several([tree, other], [], [])
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="1 records but 2 classes"):
        follow_several([tree, tree], pa.table({"a": ["0"], "b": ["0"]}), ["no", "no"])
    with pytest.raises(InputError, match="counts no records"):
        follow_paths(PublishedTree(classes=("x",), attributes=(), nodes=(Node(label="x", hit=0, miss=0),)))


def test_the_answer_in_one_line():
    risk = follow_paths(stump("a", (3, 1), (0, 4)))
    assert risk.summary() == "guessed right for 87.5% of its people, certain for 50.0%"
