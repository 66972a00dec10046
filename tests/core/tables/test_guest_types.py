"""Frames come back with the types their columns had."""

import pandas as pd
import polars as pl
import pyarrow as pa

from confide import KAnonymity, Schema
from confide.core.tables.frames import like, to_table
from confide.publish import Mondrian

FRAME = pd.DataFrame(
    {
        "whole": pd.array([1, 2, None, 2**60 + 1] * 25, dtype="Int64"),
        "kind": pd.Categorical(["a", "b"] * 50, categories=["b", "a", "unused"], ordered=True),
        "flag": pd.array([True, None] * 50, dtype="boolean"),
        "share": pd.array([0.5, None] * 50, dtype="Float64"),
        "city": ["x", "y"] * 50,
    }
)


def test_pandas_types_survive_a_release():
    roles = {name: {"role": "insensitive"} for name in FRAME.columns} | {"city": {"role": "quasi-identifier"}}
    schema = Schema.from_dict(roles)
    made = Mondrian(requirement=KAnonymity(k=5), keep_order=True).publish(FRAME, schema).data
    for name in ("whole", "flag", "share"):
        pd.testing.assert_series_equal(made[name], FRAME[name])
    assert made["kind"].dtype == pd.CategoricalDtype(["b", "a"], ordered=True)
    assert made["kind"].tolist() == FRAME["kind"].tolist()


def test_a_category_that_no_row_holds_does_not_leave():
    made = like(to_table(FRAME).slice(0, 1).select(["kind"]), FRAME)
    assert made["kind"].cat.categories.tolist() == ["a"]
    frame = pl.DataFrame({"kind": ["a", "b"]}, schema={"kind": pl.Enum(["b", "rare", "a"])})
    assert like(pa.table({"kind": ["a", "a"]}), frame).schema["kind"] == pl.Enum(["a"])


def test_new_labels_become_categories_of_their_own():
    made = like(pa.table({"kind": ["a or b", None]}), FRAME)
    assert made["kind"].dtype == pd.CategoricalDtype(["a or b"])
    frame = pl.DataFrame({"kind": ["a", "b"], "name": ["x", "y"]}, schema={"kind": pl.Categorical, "name": pl.String})
    back = like(pa.table({"kind": ["a or b"], "name": ["x"]}), frame)
    assert back.schema["kind"] == pl.Categorical
    assert back.schema["name"] == pl.String
    enum = pl.DataFrame({"kind": ["a"]}, schema={"kind": pl.Enum(["a"])})
    assert like(pa.table({"kind": ["*", "a"]}), enum)["kind"].to_list() == ["*", "a"]
