"""Class match, path match and the classification metric, on cases small enough to count by hand."""

import pyarrow as pa
import pytest
from tests.random_trees import random_tree

from confide.core.errors import InputError, UsageError
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree
from confide.share.model_measures import class_match, classification_metric, path_match

AB = (Attribute(name="A", kind="categorical", values=("a", "b", "c")),)


def stump(*edges, labels=("x", "y")):
    leaves = tuple(Node(label=label, hit=3, miss=1) for label in labels)
    root = Node(
        label=labels[0],
        hit=6,
        miss=2,
        attribute="A",
        edges=tuple(Edge(to=i + 1, values=v) for i, v in enumerate(edges)),
    )
    return PublishedTree(classes=("x", "y"), attributes=AB, nodes=(root, *leaves))


def test_class_match_is_the_share_of_records_classified_alike():
    first, second = stump(("a",), ("b", "c")), stump(("a", "b"), ("c",))
    records = pa.table({"A": ["a", "b", "c", "c"]})
    assert class_match(first, second, records) == 0.75
    assert class_match(first, first, records) == 1.0
    with pytest.raises(InputError, match="no record"):
        class_match(first, second, records.slice(0, 0))


def test_path_match_counts_paths_that_both_have():  # ss(h, h') of section 7.1
    first, second = stump(("a",), ("b", "c")), stump(("a",), ("c", "b"))
    assert path_match(first, second) == 1.0  # the order of values does not matter
    third = PublishedTree(
        classes=("x", "y"), attributes=AB,
        nodes=(
            Node(label="x", hit=6, miss=2, attribute="A", edges=(Edge(to=1, values=("a",)), Edge(to=2, values=("b",)),
                 Edge(to=3, values=("c",)))),
            Node(label="x", hit=3, miss=1), Node(label="y", hit=3, miss=1), Node(label="y", hit=3, miss=1),
        ),
    )  # fmt: skip
    assert path_match(first, third) == 1 / 4  # {a} -> x; then {b, c}, {b}, {c} -> y
    assert path_match(first, stump(("a",), ("b", "c"), labels=("y", "x"))) == 0.0  # another class is another path
    with pytest.raises(UsageError, match="not of str"):
        path_match("no tree", first)


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_matches_itself_only(seed):
    assert path_match(random_tree(seed), random_tree(seed)) == 1.0


def test_the_classification_metric_charges_minorities_and_suppressed_rows():
    table = pa.table({"q": ["1", "1", "1", "2", "2"], "z": ["u", "v", "w", "u", "v"], "c": list("xxyyx")})
    assert classification_metric(table, target="c", by=["q"]) == 2 / 5
    assert classification_metric(table, target="c") == 0.0  # all rows differ
    assert classification_metric(table, target="c", by=[]) == 2 / 5
    assert classification_metric(table, target="c", by=["q"], suppressed=5) == 7 / 10


def test_the_classification_metric_of_a_tree_takes_its_leaves_as_groups():
    tree = random_tree(4)
    leaves = [node for node in tree.nodes if node.is_leaf]
    assert classification_metric(tree) == sum(n.miss for n in leaves) / sum(n.total for n in leaves)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(InputError, match="no column 'd'; columns are: a, c"):
        classification_metric(pa.table({"a": ["1"], "c": ["x"]}), target="d")
    with pytest.raises(UsageError, match="target=None"):
        classification_metric(pa.table({"a": ["1"]}))
