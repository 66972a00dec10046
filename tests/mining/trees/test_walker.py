"""A tree laid out from what was grown is the published tree laid out, to the last number."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from confide.core.trees.nodes import Attribute
from confide.mining import DecisionTree
from confide.mining.trees.walker import Walker


def records(seed):
    """Categories with gaps, numbers some of which are missing, three classes that depend on them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120))
    colour = rng.choice(["red", "green", "blue", None], n, p=[0.5, 0.3, 0.1, 0.1])
    size, age = rng.integers(0, 6, n).astype(float), rng.random(n) * 90
    size[rng.random(n) < 0.2] = np.nan
    if seed % 3 == 0:
        age[:] = 30.0  # only missing numbers stand apart
        age[rng.random(n) < 0.4] = np.nan
    signal = (colour == "red") + (np.nan_to_num(size) > 2) + np.isnan(age)
    y = np.where(rng.random(n) < 0.7, signal % 3, rng.integers(0, 3, n)).astype(str)
    return pd.DataFrame({"colour": colour, "size": size, "age": age}), y


DECLARED = {
    "attributes": (
        Attribute(name="colour", kind="categorical", values=("blue", "green", "never seen", "red", None)),
        Attribute(name="size", kind="numeric", bins=(0.0, 1.0, 2.5, 6.0)),
        Attribute(name="age", kind="numeric", bins=(0.0, 18.0, 40.0, 65.0, 100.0)),
    ),
    "classes": ("0", "1", "2", "3"),
}


@pytest.mark.parametrize("domains", [{}, DECLARED], ids=["as found", "declared"])
@pytest.mark.parametrize("confidence", [None, 0.25])
def test_what_was_grown_is_laid_out_as_its_published_tree(domains, confidence):
    splits, without_cut = set(), 0
    for seed in range(60):
        X, y = records(seed)
        tree = DecisionTree(confidence=confidence, min_branch=1 + seed % 2).fit(X, y, **domains)
        straight = tree._fitted.walker
        assert "tree" not in vars(tree._fitted), "records are sent down without making the tree"
        meant = Walker.of(tree.tree_)
        for field in fields(Walker):
            one, other = getattr(straight, field.name), getattr(meant, field.name)
            if isinstance(one, np.ndarray):
                np.testing.assert_array_equal(one, other, err_msg=f"{field.name}, seed {seed}")
                assert one.dtype == other.dtype, field.name
            else:
                assert one == other
        splits |= {node.attribute for node in tree.tree_.nodes}
        without_cut += int(np.sum((straight.start >= 0) & (straight.start == straight.stop)))
        again = DecisionTree.from_published(tree.tree_)
        known = X.drop(columns="colour").assign(colour=X["colour"].where(X["colour"] != "blue", "never heard of"))
        for frame in (X, known[["colour", "size", "age"]]):
            assert tree.predict(frame).tolist() == again.predict(frame).tolist()
            np.testing.assert_array_equal(tree.predict_proba(frame), again.predict_proba(frame))
    assert splits == {None, "colour", "size", "age"}
    assert without_cut > 0
