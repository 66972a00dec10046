"""PGEN: Proposition 18, Example 20, the law of what is drawn, and clear refusals."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.random_trees import random_tree

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree
from confide.share.generation.pseudo_data import CAVEAT, generate

FIVE = tuple(f"S{i}" for i in range(1, 6))


def figure_3_path(*, counts=None):
    """Path (A = a1, B in {b4, b5}) with (S4, 8, 16), and the rest of its tree as one leaf."""
    return PublishedTree(
        classes=FIVE,
        attributes=(
            Attribute(name="A", kind="categorical", values=("a1", "a2")),
            Attribute(name="B", kind="categorical", values=("b1", "b2", "b3", "b4", "b5")),
            Attribute(name="C", kind="categorical", values=("c1", "c2", "c3")),
            Attribute(name="D", kind="categorical", values=tuple(f"d{i}" for i in range(10))),
        ),
        nodes=(
            Node(label="S4", hit=8, miss=16, attribute="A",
                 edges=(Edge(to=1, values=("a1",)), Edge(to=4, values=("a2",)))),
            Node(label="S4", hit=8, miss=16, attribute="B",
                 edges=(Edge(to=2, values=("b4", "b5")), Edge(to=3, values=("b1", "b2", "b3")))),
            Node(label="S4", hit=8, miss=16, counts=counts),
            Node(label="S1", hit=0, miss=0),
            Node(label="S1", hit=0, miss=0),
        ),
    )  # fmt: skip


def rows_of(table):
    return table.to_pylist()


def test_example_20_has_eight_of_s4_and_four_of_each_other_class():  # paper 002, Example 20
    made = rows_of(generate(figure_3_path(), randomness=Randomness.seeded(1)))
    assert len(made) == 24
    assert {row["A"] for row in made} == {"a1"}
    assert {row["B"] for row in made} <= {"b4", "b5"}
    assert {label: sum(row["class"] == label for row in made) for label in FIVE} == {
        "S1": 4, "S2": 4, "S3": 4, "S4": 8, "S5": 4,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_every_row_satisfies_one_path_and_every_path_has_its_counts(seed):  # Proposition 18
    tree = random_tree(seed, counts=seed % 2 == 0)
    made = rows_of(generate(tree, randomness=Randomness.seeded(seed)))
    paths = list(tree.paths())
    found = {path.leaf: dict.fromkeys(tree.classes, 0) for path in paths}
    for row in made:
        fitting = [path for path in paths if _satisfies(row, path, tree)]
        assert len(fitting) == 1
        found[fitting[0].leaf][row["class"]] += 1
    for path in paths:
        seen = found[path.leaf]
        assert sum(seen.values()) == path.hit + path.miss
        assert seen[path.label] == path.hit
        if path.node.counts is not None:
            assert tuple(seen.values()) == path.node.counts
        else:
            others = [n for label, n in seen.items() if label != path.label]
            assert max(others) - min(others) <= 1


def _satisfies(row, path, tree):
    for name, allowed in path.conditions.items():
        if tree.attribute(name).kind == "numeric":
            if not any(low < row[name] <= high for low, high in allowed):
                return False
        elif row[name] not in allowed:
            return False
    return True


def test_numbers_stay_within_the_declared_bounds():
    for seed in range(20):
        table = generate(random_tree(seed), rows=2.0, randomness=Randomness.seeded(seed))
        for name, low, high in (("N", 0, 100), ("M", -1, 1)):
            values = table.column(name).to_numpy()
            assert values.min() > low
            assert values.max() <= high


def test_absent_attributes_are_uniform_over_their_domain():
    """Chi-square over the ten values of D: false alarm once in 10,000 seeds; the seed is fixed."""
    made = generate(figure_3_path(), rows=20_000, randomness=Randomness.seeded(5)).column("D").to_pylist()
    counts = [made.count(f"d{i}") for i in range(10)]
    assert stats.chisquare(counts).pvalue > 1e-4


def test_numbers_are_uniform_in_their_interval_or_at_its_middle_or_end():
    tree = PublishedTree(
        classes=("a",),
        attributes=(Attribute(name="x", kind="numeric", bins=(0, 4, 10)),),
        nodes=(Node(label="a", hit=5000, miss=0),),
    )
    drawn = generate(tree, randomness=Randomness.seeded(2)).column("x").to_numpy()
    assert stats.kstest(drawn / 10, "uniform").pvalue > 1e-4  # fixed seed
    assert set(generate(tree, numbers="middle").column("x").to_pylist()) == {5.0}
    assert set(generate(tree, numbers="end").column("x").to_pylist()) == {10.0}


@pytest.mark.parametrize(("rows", "expected"), [(None, 24), (7, 7), (24_000, 24_000), (2.0, 48), (0.5, 12)])
def test_rows_are_counts_a_number_or_a_multiple(rows, expected):
    assert generate(figure_3_path(), rows=rows).num_rows == expected


def test_shares_of_paths_and_classes_follow_the_counts():
    tree = random_tree(3)
    table = generate(tree, rows=100_000, randomness=Randomness.seeded(1))
    totals = np.zeros(4)
    for path in tree.paths():
        totals += path.node.counts
    made = table.column("class").to_pylist()
    for label, weight in zip(tree.classes, totals / totals.sum(), strict=True):
        # each of the leaves is off by less than one row in each class
        assert abs(made.count(label) - 100_000 * weight) <= len(tree.leaves())


def test_known_shares_of_the_other_classes_are_used():
    tree = figure_3_path()
    made = generate(tree, rest=[0, 1, 3, 9, 0], randomness=Randomness.seeded(4)).column("class").to_pylist()
    assert [made.count(label) for label in FIVE] == [0, 4, 12, 8, 0]


def test_the_same_seed_gives_the_same_rows_and_no_seed_does_not():
    tree = random_tree(8)
    assert generate(tree, randomness=Randomness.seeded(9)).equals(generate(tree, randomness=Randomness.seeded(9)))
    assert not generate(tree, rows=500).equals(generate(tree, rows=500))


def test_rows_come_in_random_order():
    labels = generate(random_tree(1), rows=2000, randomness=Randomness.seeded(1)).column("class").to_pylist()
    changes = sum(a != b for a, b in itertools.pairwise(labels))
    assert changes > 500  # sorted rows would change as often as there are leaves and classes


def test_the_table_says_that_it_promises_nothing():
    assert generate(random_tree(1)).schema.metadata == {b"confide": CAVEAT.encode()}


def test_refusals_name_what_is_wrong():
    tree = random_tree(2)
    with pytest.raises(UsageError, match="class_column='A' is an attribute"):
        generate(tree, class_column="A")
    for rows in (0, -1, True, float("nan"), float("inf"), "many"):
        with pytest.raises(RequirementError, match="rows="):
            generate(tree, rows=rows)
    with pytest.raises(RequirementError, match="more than"):
        generate(tree, rows=10**12)
    with pytest.raises(UsageError, match="numbers='low'"):
        generate(tree, numbers="low")
    with pytest.raises(InputError, match="rest must give"):
        generate(figure_3_path(), rest=[1, 2])
    with pytest.raises(UsageError, match="a published tree is needed here, not list"):
        generate([])
    unbounded = PublishedTree(
        classes=("a",), attributes=(Attribute(name="x", kind="numeric"),), nodes=(Node(label="a", hit=2, miss=0),)
    )
    with pytest.raises(InputError, match="'x' is numeric and declares no bounds"):
        generate(unbounded)


def with_marginal(tree, name="D"):
    """A marginal of D: classes S1 to S5 have values d0 to d4 only, each its own."""
    edges = tuple(Edge(to=i + 1, values=(f"d{i}",)) for i in range(4))
    rest = Edge(to=5, values=tuple(f"d{i}" for i in range(4, 10)))
    leaves = tuple(Node(label=FIVE[i], hit=10, miss=0, counts=tuple(10 * (i == j) for j in range(5))) for i in range(5))
    root = Node(label="S1", hit=10, miss=40, counts=(10,) * 5, attribute=name, edges=(*edges, rest))
    stump = PublishedTree(classes=tree.classes, attributes=tree.attributes, nodes=(root, *leaves))
    return replace(tree, marginals=(stump,))


def test_marginals_give_absent_attributes_values_that_fit_the_class():
    tree = with_marginal(figure_3_path())
    made = rows_of(generate(tree, rows=2000, absent="marginals", randomness=Randomness.seeded(1)))
    for row in made:
        assert row["D"] == f"d{FIVE.index(row['class'])}" or (row["class"] == "S5" and row["D"] in "d4d5d6d7d8d9")
        assert row["A"] == "a1"  # what the path asks stays
    assert rows_of(generate(tree, rows=2000, randomness=Randomness.seeded(1))) == made  # the default
    plain = rows_of(generate(tree, rows=2000, absent="uniform", randomness=Randomness.seeded(1)))
    assert len({row["D"] for row in plain if row["class"] == "S1"}) == 10


@pytest.mark.parametrize("numbers", ["uniform", "middle", "end"])
def test_whole_numbers_stay_whole(numbers):
    """Chi-square over the ten ages of a bin: false alarm once in 10,000 seeds; the seed is fixed."""
    tree = PublishedTree(
        classes=("a",),
        attributes=(Attribute(name="age", kind="numeric", bins=(-1, 9, 20), whole=True),),
        nodes=(Node(label="a", hit=4000, miss=0),),
    )
    ages = generate(tree, numbers=numbers, randomness=Randomness.seeded(3)).column("age")
    assert str(ages.type) == "int64"
    counts = [ages.to_pylist().count(age) for age in range(21)]
    assert sum(counts) == 4000
    if numbers == "uniform":
        assert stats.chisquare(counts).pvalue > 1e-4
    assert PublishedTree.from_dict(tree.to_dict()) == tree


def test_an_attribute_the_path_asks_about_ignores_its_marginal():
    tree = with_marginal(figure_3_path())
    stump = tree.marginals[0]
    asked = replace(stump.nodes[0], attribute="B", edges=tuple(
        Edge(to=i + 1, values=(f"b{i + 1}",)) for i in range(5)
    ))  # fmt: skip
    tree = replace(tree, marginals=(replace(stump, nodes=(asked, *stump.nodes[1:])),))
    made = rows_of(generate(tree, rows=500, absent="marginals"))
    assert {row["B"] for row in made} == {"b4", "b5"}
