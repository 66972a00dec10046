"""Marginals: counts of each attribute alone, over domains declared beforehand."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.trees.covering import cover
from confide.core.trees.published import Attribute, PublishedTree
from confide.mining import DecisionTree
from confide.share import generate
from confide.share.marginals import marginal_trees, with_marginals

ATTRIBUTES = (
    Attribute(name="sex", kind="categorical", values=("f", "m", "x")),
    Attribute(name="age", kind="numeric", bins=(0.0, 18.0, 40.0, 65.0, 120.0)),
    Attribute(name="same", kind="categorical", values=("one", "two")),
)


def people(n=400):
    rng = np.random.default_rng(1)
    ages = rng.integers(18, 90, n).astype(float)
    ages[:20] = np.nan
    table = pa.table({"sex": rng.choice(["f", "m"], n), "age": pa.array(ages), "same": ["one"] * n})
    return table, np.where(np.nan_to_num(ages) > 50, "ill", "well")


def learned():
    X, y = people()
    return DecisionTree().fit(X, y, attributes=ATTRIBUTES, classes=("ill", "well")).tree_


def test_each_answer_has_the_class_counts_of_its_records():
    X, y = people()
    sex, age = marginal_trees(learned(), X, y)
    seen = Counter(zip(X["sex"].to_pylist(), y.tolist(), strict=True))
    for edge in sex.nodes[0].edges:
        assert counts(sex, edge) == tuple(sum(seen[value, c] for value in edge.values) for c in ("ill", "well"))
    for edge in age.nodes[0].edges:
        inside = [c for a, c in zip(X["age"].to_pylist(), y.tolist(), strict=True) if edge.holds(a)]
        assert counts(age, edge) == (inside.count("ill"), inside.count("well"))


def counts(stump, edge):
    return stump.nodes[edge.to].counts


def test_what_nobody_has_is_on_no_edge_and_in_no_pseudo_record():
    X, y = people()
    sex, age = marginal_trees(learned(), X, y)
    assert [edge.values for edge in sex.nodes[0].edges] == [("f",), ("m",)]  # "x" is declared
    assert sum(edge.missing for edge in age.nodes[0].edges) == 1
    shared = with_marginals(learned(), X, y)
    rows = generate(shared, rows=2_000, absent="marginals", randomness=Randomness(1))
    assert set(rows["sex"].to_pylist()) <= {"f", "m"}
    assert "x" in set(generate(shared, rows=2_000, absent="uniform", randomness=Randomness(1))["sex"].to_pylist())


def test_only_marginals_leave_values_out():
    X, y = people()
    sex, _ = marginal_trees(learned(), X, y)
    with pytest.raises(InputError, match="do not cover"):
        replace(sex, partial=False)
    assert replace(cover(sex), partial=False).declared


def test_an_attribute_with_one_value_has_no_marginal():
    X, y = people()
    assert [stump.nodes[0].attribute for stump in marginal_trees(learned(), X, y)] == ["sex", "age"]


def test_what_cannot_be_protected_goes_without():
    def refuse_age(stump: PublishedTree) -> PublishedTree:
        if stump.nodes[0].attribute == "age":
            raise RequirementError("too few")
        return stump

    X, y = people()
    shared = with_marginals(learned(), X, y, protect=refuse_age)
    assert [stump.nodes[0].attribute for stump in shared.marginals] == ["sex"]
    assert PublishedTree.from_json(shared.to_json()) == shared


def test_domains_must_be_declared():
    X, y = people()
    with pytest.raises(UsageError, match="declared domains"):
        with_marginals(DecisionTree().fit(X, y).tree_, X, y)
