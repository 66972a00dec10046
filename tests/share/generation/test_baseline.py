"""BASEGEN: uniform rows, labelled as the tree classifies them."""

import pytest
from tests.random_trees import random_tree

from confide.core.errors import RequirementError
from confide.core.randomness import Randomness
from confide.share.generation.baseline import generate_baseline


@pytest.mark.parametrize("seed", range(20))
def test_each_row_has_the_class_the_tree_gives_it(seed):
    tree = random_tree(seed)
    table = generate_baseline(tree, rows=200, randomness=Randomness.seeded(seed))
    assert [tree.classify(row) for row in table.drop_columns(["class"]).to_pylist()] == table.column(
        "class"
    ).to_pylist()


def test_rows_default_to_the_records_of_the_tree():
    tree = random_tree(4)
    assert generate_baseline(tree).num_rows == tree.nodes[0].total


def test_values_that_no_path_asks_for_occur_as_often_as_others():
    values = generate_baseline(random_tree(1), rows=9000, randomness=Randomness.seeded(1)).column("A").to_pylist()
    assert all(abs(values.count(value) - 3000) < 200 for value in ("a1", "a2", "a3"))  # 4.5 standard deviations


def test_rows_must_be_a_count():
    with pytest.raises(RequirementError, match="rows=0"):
        generate_baseline(random_tree(1), rows=0)
