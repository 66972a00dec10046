"""Class counts of a tree, recounted."""

from dataclasses import replace

import numpy as np
import pytest
from tests.amounts import some
from tests.fault_cases import plain_tree, records

from confide import KAnonymity, SimpleDiversity
from confide.audit.comparisons.compared_tree import compare_tree
from confide.core.artefacts.originals import OriginalTree
from confide.core.errors import VerificationError
from confide.core.trees.rules import RuleSet
from confide.share import DiverseTree, anonymize_tree
from confide.share.original_records import read_records


def fine(tree, original):
    return all(check.ok for check in compare_tree(tree, None, original))


@pytest.mark.parametrize("seed", some(range(40), every=4))
def test_no_false_alarm_and_every_exchange_of_classes_is_seen(seed):
    draw = np.random.default_rng(seed)
    X = [[str(draw.integers(5)), float(draw.integers(9)), draw.choice(["x", "y", None])] for _ in range(60)]
    y = [str(draw.integers(3)) for _ in X]
    X = np.array(X, dtype=object)
    learner = DiverseTree(requirement=KAnonymity(k=4), merge=bool(seed % 2)).fit(X, y)
    tree, own = learner.release().data, learner._records
    assert fine(tree, own)
    assert fine(anonymize_tree(tree, KAnonymity(k=9), data=(X, y)).data, own)
    if len(tree.nodes) > 1:
        one = next(
            i
            for i in range(60)
            if y[i] != y[0] and tree.locate(_record(tree, X[i])) != tree.locate(_record(tree, X[0]))
        )
        swapped = own.of.copy()
        swapped[[0, one]] = swapped[[one, 0]]
        assert not fine(tree, replace(own, of=swapped))
        assert not fine(tree, replace(own, of=own.of[:-1], columns={n: _shorter(c) for n, c in own.columns.items()}))


def _record(tree, values):
    return dict(zip([attribute.name for attribute in tree.attributes], values, strict=True))


def _shorter(column):
    return (column[0][:-1], column[1]) if isinstance(column, tuple) else column[:-1]


@pytest.mark.parametrize("mode", ["exact", "estimated", "sound"])
def test_a_pruned_tree_is_held_to_the_tree_before(mode):
    before = OriginalTree(tree=plain_tree().tree_)
    tree = anonymize_tree(plain_tree(), SimpleDiversity(l=2), mode=mode).data
    assert fine(tree, before)
    for at in tree.leaves():
        leaf = tree.nodes[at]
        fewer = tuple(n - (i == 0) for i, n in enumerate(leaf.counts)) if leaf.counts else None
        wrong = replace(leaf, miss=leaf.miss + 1, counts=fewer)
        assert not fine(tree.derived([*tree.nodes[:at], wrong, *tree.nodes[at + 1 :]]), before)


def test_shares_are_held_to_their_rounding():
    X, y, _ = records()
    given = (np.array(X, dtype=object), y)
    for how in ({}, {"data": given}):
        released = anonymize_tree(plain_tree(), SimpleDiversity(l=2), shares_of=1_000, **how)
        assert released.comparison.ok
        node = released.data.nodes[0]
        wrong = replace(node, counts=tuple(n + s for n, s in zip(node.counts, (60, -60, 0), strict=True)))
        tree = released.data.derived([wrong, *released.data.nodes[1:]])
        assert not fine(tree, OriginalTree(tree=plain_tree().tree_))
        assert not fine(tree, read_records(plain_tree().tree_, *given, roundings=9))


def test_rules_are_held_to_the_rules_before():
    rules = RuleSet.from_tree(plain_tree().tree_)
    merged = anonymize_tree(rules, KAnonymity(k=12)).data
    before = OriginalTree(tree=rules)
    assert fine(merged, before)
    then = merged.rules[0].then
    wrong = replace(merged.rules[0], then=replace(then, miss=then.miss + 1))
    object.__setattr__(merged, "rules", (wrong, *merged.rules[1:]))
    assert not fine(merged, before)


def test_a_tree_with_others_counts_does_not_leave(tmp_path):
    X, y, domains = records()
    learner = DiverseTree(requirement=KAnonymity(k=8), merge=True).fit(np.array(X, dtype=object), y, **domains)
    learner._records = replace(learner._records, of=np.roll(learner._records.of, 1))
    with pytest.raises(VerificationError, match="is not what was read"):
        learner.release().write(tmp_path / "tree.json")
    assert not list(tmp_path.iterdir())
