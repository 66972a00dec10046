"""Trees whose counts are not of people: scikit-learn's weights and bootstraps, and joins, in which records repeat."""

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some

from confide import KAnonymity, SimpleDiversity
from confide.core.errors import CannotMeetError, UsageError
from confide.core.trees.caveats import COUNTED
from confide.join import JoinGraph, JoinTree
from confide.mining import DecisionTree
from confide.share import anonymize_tree

datasets = pytest.importorskip("sklearn.datasets")
trees = pytest.importorskip("sklearn.tree")
ensemble = pytest.importorskip("sklearn.ensemble")
X, Y = datasets.load_breast_cancer(return_X_y=True)
TENFOLD = np.full(len(Y), 10)
REFUSED = "fitted with weights or copies of records"


def people_at_leaves(tree, X):
    """How many rows of X reach each leaf, found by following the edges one row after the other."""
    reached = dict.fromkeys(tree.leaves(), 0)
    for row in X.tolist():
        i = 0
        while not tree.nodes[i].is_leaf:
            node = tree.nodes[i]
            value = row[[a.name for a in tree.attributes].index(node.attribute)]
            ways = [
                edge.to
                for edge in node.edges
                if (edge.missing if value != value else any(low < value <= high for low, high in edge.intervals))
            ]
            assert len(ways) == 1
            i = ways[0]
        reached[i] += 1
    return reached


WEIGHTED = {
    "class weights": lambda: trees.DecisionTreeClassifier(class_weight={0: 10, 1: 1}, random_state=0).fit(X, Y),
    "balanced": lambda: trees.DecisionTreeClassifier(class_weight="balanced", random_state=0).fit(X, Y),
    "sample weights": lambda: trees.DecisionTreeClassifier(random_state=0).fit(X, Y, sample_weight=TENFOLD),
    "forest": lambda: ensemble.RandomForestClassifier(3, random_state=0).fit(X, Y).estimators_[0],
    "bagging": lambda: ensemble.BaggingClassifier(n_estimators=3, random_state=0).fit(X, Y).estimators_[0],
    "extra trees": lambda: ensemble.ExtraTreesClassifier(3, bootstrap=True, random_state=0).fit(X, Y).estimators_[0],
    "boosting": lambda: ensemble.AdaBoostClassifier(n_estimators=3, random_state=0).fit(X, Y).estimators_[1],
}


@pytest.mark.parametrize("kind", WEIGHTED)
def test_a_tree_that_counted_weights_or_copies_is_refused_and_counted_again_from_its_records(kind):
    theirs = WEIGHTED[kind]()
    with pytest.raises(UsageError, match=REFUSED):
        anonymize_tree(theirs, KAnonymity(k=10))
    with pytest.raises(UsageError, match="data="):
        DecisionTree.from_sklearn(theirs)
    release = anonymize_tree(theirs, KAnonymity(k=10), data=(X, Y))
    reached = people_at_leaves(release.data, X)
    assert min(reached.values()) >= 10
    assert reached == {leaf: release.data.nodes[leaf].total for leaf in reached}
    assert COUNTED in release.passport.does_not_protect_against


def test_no_tree_of_a_forest_is_taken_for_its_bootstrap():
    forest = ensemble.RandomForestClassifier(30, random_state=0).fit(X, Y)
    for theirs in forest.estimators_:
        with pytest.raises(UsageError, match=REFUSED):
            anonymize_tree(theirs, KAnonymity(k=10))


@pytest.mark.parametrize("mode", ["estimated", "sound"])
def test_hit_and_miss_are_of_the_records_given_too(mode):
    theirs = WEIGHTED["sample weights"]()
    with pytest.raises(UsageError, match=REFUSED):
        anonymize_tree(theirs, KAnonymity(k=10), mode=mode)
    release = anonymize_tree(theirs, KAnonymity(k=10), mode=mode, data=(X, Y))
    assert min(people_at_leaves(release.data, X).values()) >= 10
    assert release.data.nodes[0].total == len(Y)


def test_balanced_weights_are_refused_where_they_add_up():
    """At the root they sum to the number of records, half for each class: 2-diverse, it would seem."""
    X, y = np.zeros((10, 1)), np.array([0] * 9 + [1])
    theirs = trees.DecisionTreeClassifier(class_weight="balanced").fit(X, y)
    assert theirs.tree_.weighted_n_node_samples[0] == 10
    with pytest.raises(UsageError, match=REFUSED):
        anonymize_tree(theirs, SimpleDiversity(l=2))
    with pytest.raises(CannotMeetError):
        anonymize_tree(theirs, SimpleDiversity(l=2), data=(X, y))


def test_weights_that_cancel_out_are_refused_at_the_node_where_they_do_not():
    """Halves and twos that sum to the number of records at the root, not below it."""
    X, y = np.arange(12.0)[:, None], np.array([0] * 4 + [1] * 8)
    theirs = trees.DecisionTreeClassifier().fit(X, y, sample_weight=[2.0] * 4 + [0.5] * 8)
    assert theirs.tree_.weighted_n_node_samples[0] == 12
    with pytest.raises(UsageError, match=REFUSED):
        anonymize_tree(theirs, KAnonymity(k=5))


def test_weights_of_one_and_of_nothing_leave_counts_of_records():
    for weight in (np.ones(len(Y)), (np.arange(len(Y)) % 2).astype(float)):
        theirs = trees.DecisionTreeClassifier(random_state=0, class_weight={0: 1, 1: 1}).fit(X, Y, sample_weight=weight)
        release = anonymize_tree(theirs, KAnonymity(k=10))
        assert min(people_at_leaves(release.data, X[weight > 0]).values()) >= 10


def test_a_record_within_32_bits_of_a_cut_is_read_where_it_was_counted():
    """scikit-learn rounds to 32 bits before it compares: a cut drawn at random parts 64-bit records elsewhere."""
    near = np.repeat(1.0 + np.arange(4) * 2.0**-23, 40) + np.tile(np.arange(-20, 20), 4) * 2.0**-29
    for seed in range(6):
        draw = np.random.default_rng(seed)
        y = draw.integers(0, 2, len(near))
        for learner in (trees.ExtraTreeClassifier, trees.DecisionTreeClassifier):
            theirs = learner(random_state=seed).fit(near[:, None] * (-1) ** seed, y)
            ours = DecisionTree.from_sklearn(theirs).tree_
            reached = people_at_leaves(ours, near[:, None] * (-1) ** seed)
            assert reached == {leaf: ours.nodes[leaf].total for leaf in reached}


def drawn_tree(draw):
    """A tree of some learner with settings and weights drawn at random; its records and classes."""
    n, m = int(draw.integers(30, 150)), int(draw.integers(2, 4))
    X = draw.normal(size=(n, 3)) if draw.random() < 0.5 else draw.integers(0, 6, (n, 3)).astype(float)
    if draw.random() < 0.2:
        X[draw.random(X.shape) < 0.1] = np.nan
    y = draw.integers(0, m, n)
    weights = [
        None,
        draw.integers(0, 3, n).astype(float),
        draw.choice([0.5, 1.0, 2.0], n),
        np.where(draw.permutation(n) % 2, 1.5, 0.5),
        np.full(n, float(draw.integers(1, 4))),
    ][int(draw.integers(1, 5)) * int(draw.integers(2))]
    class_weight = [None, None, None, "balanced", {c: int(draw.integers(1, 4)) for c in np.unique(y)}][draw.integers(5)]
    options = {
        "criterion": str(draw.choice(["gini", "entropy", "log_loss"])),
        "ccp_alpha": float(draw.choice([0.0, 0.01])),
        "max_depth": [None, 1, 4][draw.integers(3)],
        "min_samples_leaf": int(draw.integers(1, 4)),
        "class_weight": class_weight,
        "random_state": int(draw.integers(1000)),
    }
    kind = draw.integers(4)
    if kind == 0:
        return trees.DecisionTreeClassifier(**options).fit(X, y, sample_weight=weights), X, y
    if kind == 1:
        return trees.ExtraTreeClassifier(**options).fit(X, y, sample_weight=weights), X, y
    family = ensemble.RandomForestClassifier if kind == 2 else ensemble.ExtraTreesClassifier
    forest = family(2, bootstrap=bool(draw.integers(2)), **options).fit(X, y, sample_weight=weights)
    return forest.estimators_[0], X, y


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_whatever_the_weights_a_leaf_has_k_people_or_the_tree_is_refused():
    refused = taken = again = 0
    for seed in some(range(3000), every=25):
        draw = np.random.default_rng(seed)
        theirs, X, y = drawn_tree(draw)
        k = int(draw.integers(2, 12))
        try:
            released = anonymize_tree(theirs, KAnonymity(k=k)).data
        except UsageError as error:
            assert REFUSED in str(error)
            refused += 1
        else:
            assert min(people_at_leaves(released, X).values()) >= k
            taken += 1
        released = anonymize_tree(theirs, KAnonymity(k=k), data=(X, y)).data
        assert min(people_at_leaves(released, X).values()) >= k
        again += 1
    assert min(refused, taken, again) >= 20


def test_a_tree_of_a_join_in_which_people_repeat_is_refused():
    people = pa.table({"town": ["A", "A", "B", "B"], "ill": ["yes", "no", "no", "no"]})
    air = pa.table({"town": ["A", "A", "A", "B"], "dust": [70, 55, 60, 20]})
    joins = [("people.town", "air.town")]
    learned = JoinTree(confidence=None).fit(
        JoinGraph(tables={"people": people, "air": air}, joins=joins, target="people.ill")
    )
    with pytest.raises(UsageError, match="counts joined records"):
        anonymize_tree(learned, KAnonymity(k=2))
    once = JoinTree(confidence=None).fit(
        JoinGraph(tables={"people": people, "air": air.slice(2)}, joins=joins, target="people.ill")
    )
    assert min(path.node.total for path in anonymize_tree(once, KAnonymity(k=2)).data.paths()) >= 2
