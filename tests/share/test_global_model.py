"""One model from several published trees."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from tests.random_trees import random_tree

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.trees.nodes import Attribute
from confide.mining import DecisionTree
from confide.share.bagging import Bagging
from confide.share.generation.baseline import generate_baseline
from confide.share.global_model import learn_from, learn_global, pool_pseudo_data

TREES = [random_tree(seed) for seed in range(3)]


def records(n=400):
    return generate_baseline(TREES[0], rows=n, randomness=Randomness.seeded(1)).drop_columns(["class"])


def test_one_tree_is_itself_the_model():
    model = learn_global(TREES[:1])
    assert model.rows == 0
    assert model.tree_ == TREES[0]


@pytest.mark.parametrize("name", ["tree", "naive-bayes", "conjunctive-rule", LogisticRegression(max_iter=500)])
def test_every_kind_of_model_learns_and_predicts_declared_classes(name):
    model = learn_global(TREES, model=name, rows=600, labels="own", randomness=Randomness.seeded(3))
    assert model.rows == 600
    assert model.owners == 3
    assert set(model.predict(records()).tolist()) <= set(TREES[0].classes)
    assert np.allclose(model.predict_proba(records()).sum(axis=1), 1)


def test_voted_labels_are_those_of_the_committee():
    table = pool_pseudo_data(TREES, rows=500, labels="voted", randomness=Randomness.seeded(2))
    sizes = [tree.nodes[0].total for tree in TREES]
    committee = Bagging(TREES, votes="evidence", weights=sizes)
    assert table.column("class").to_pylist() == committee.predict(table.drop_columns(["class"])).tolist()


def test_a_global_tree_from_voted_rows_nearly_does_what_the_committee_does():
    model = learn_global(TREES, rows=20_000, labels="voted", randomness=Randomness.seeded(5))
    committee = Bagging(TREES, votes="evidence", weights=[tree.nodes[0].total for tree in TREES])
    assert np.mean(model.predict(records()) == committee.predict(records())) > 0.9


def test_owners_count_by_their_records_or_by_given_weights():
    sizes = np.array([tree.nodes[0].total for tree in TREES])
    assert pool_pseudo_data(TREES, labels="own").num_rows == sizes.sum()
    assert pool_pseudo_data(TREES).num_rows == 5 * sizes.sum()
    assert pool_pseudo_data(TREES, rows=2.0).num_rows == 2 * sizes.sum()
    only = pool_pseudo_data(TREES, rows=100, weights=[0, 1, 0], labels="own")
    assert only.num_rows == 100


def test_the_same_seed_gives_the_same_model():
    one, two = (learn_global(TREES, randomness=Randomness.seeded(7)) for _ in range(2))
    assert one.tree_ == two.tree_


def test_learning_from_what_one_tree_made_gives_that_tree_back_in_effect():
    """With many rows of its own labels a tree learned from pseudo-data predicts as the published one."""
    rng = np.random.default_rng(0)
    X = pa.table({"a": rng.choice(list("uvw"), 500), "b": rng.choice(list("xy"), 500)})
    y = np.where(np.array(X["a"].to_pylist()) == "u", "p", np.where(np.array(X["b"].to_pylist()) == "x", "q", "p"))
    tree = DecisionTree().fit(X, y).tree_
    model = learn_global([tree, tree], labels="own", randomness=Randomness.seeded(1))
    assert model.predict(X).tolist() == y.tolist()


def test_refusals_name_what_is_wrong():
    with pytest.raises(UsageError, match="no model 'forest'"):
        learn_global(TREES, model="forest")
    with pytest.raises(UsageError, match="labels='random'"):
        learn_global(TREES, labels="random")
    with pytest.raises(UsageError, match="weights must be 3 numbers"):
        learn_global(TREES, weights=[1, 1])
    with pytest.raises(RequirementError, match="rows=-1"):
        learn_global(TREES, rows=-1)
    with pytest.raises(InputError, match="tree 2 does not fit"):
        learn_global([random_tree(1), random_tree(1, classes=2)])
    with pytest.raises(UsageError, match="no tree is given"):
        learn_global([])


def test_a_tree_of_pseudo_data_cuts_only_where_owners_may_cut():
    tree = declared_tree()
    table = pool_pseudo_data([tree, tree], rows=2_000, randomness=Randomness.seeded(4))
    learned = learn_from(table, tree).tree_
    numeric = {attribute.name: set(attribute.cuts) for attribute in tree.attributes if attribute.kind == "numeric"}
    ends = {
        (node.attribute, end)
        for node in learned.nodes
        if node.attribute in numeric
        for edge in node.edges
        for interval in edge.intervals
        for end in interval
        if np.isfinite(end)
    }
    assert ends
    assert all(end in numeric[name] for name, end in ends)
    assert learned.classes == tree.classes


def declared_tree():
    rng = np.random.default_rng(6)
    age = rng.uniform(0, 90, 400)
    attribute = Attribute(name="age", kind="numeric", bins=(0.0, 30.0, 60.0, 100.0))
    y = np.where(age > 60, "c", np.where(age > 30, "b", "a"))
    return DecisionTree().fit(pa.table({"age": age}), y, attributes=[attribute], classes=["a", "b", "c"]).tree_
