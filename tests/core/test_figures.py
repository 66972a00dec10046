import json

import numpy as np
import pytest

from confide.core.errors import UsageError
from confide.core.figures import UNITS, Column, Figure, Figures, Table


def test_figures_are_a_mapping_of_plain_values():
    loss = Figures(Figure("rows", 12, "count"), Figure("kept", 0.5, "share", "of the rows are kept"))
    assert loss == {"rows": 12, "kept": 0.5}
    assert json.loads(json.dumps(dict(loss))) == {"rows": 12, "kept": 0.5}
    assert (loss["kept"], loss.unit("kept"), loss.heading("kept")) == (0.5, "share", "of the rows are kept")
    assert loss.heading("rows") == ""
    assert list(loss | Figures(Figure("rows", 13, "count"), Figure("more", 1, "count"))) == ["rows", "kept", "more"]
    assert (loss | Figures(Figure("rows", 13, "count")))["rows"] == 13


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (80, "share", "is 80, which is not a share"),
        (-0.1, "share", "not a share"),
        ("many", "count", "not a number"),
        (True, "count", "not a number"),
        ({"a": 0.5, "b": 2}, "share", "is 2, which is not a share"),
        ([0.5, "x"], "share", "not a number"),
        (1, "furlongs", "no unit 'furlongs'; units are: count, share"),
        ([{"a": 1, "b": 2}], {"a": "count"}, "a column without a unit"),
        ([{"a": 1.5}], {"a": "share"}, "not a share"),
        (7, {"a": "count"}, "must be a list or a mapping of rows"),
    ],
)
def test_a_value_that_cannot_have_its_unit_is_refused(value, unit, said):
    with pytest.raises(UsageError, match=said):
        Figure("x", value, unit)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (0, "share"),
        (np.float64(1.0), "share"),
        (float("nan"), "share"),
        (None, "count"),
        (True, "text"),
        ([{"a": 1, "b": None}], {"a": "count", "b": "share"}),
        ({"x": {"a": 1}}, {"a": "count"}),
        ([], {"a": "count"}),
    ],
)
def test_a_value_that_can_is_taken(value, unit):
    assert Figures(Figure("x", value, unit)).unit("x") == unit


def test_a_name_is_given_once():
    with pytest.raises(UsageError, match="'a' is given twice"):
        Figures(Figure("a", 1, "count"), Figure("a", 2, "count"))


def test_a_table_is_printed_as_one():
    table = Table((Column("column", "text"), Column("rows", "count")), (("age", 12), ("a long name", 3)))
    assert str(table).splitlines() == ["column       rows", "age          12", "a long name  3"]


def test_a_column_has_a_unit_of_the_closed_set():
    assert [Column("x", unit).unit for unit in UNITS] == list(UNITS)
    with pytest.raises(UsageError, match="no unit 'furlongs'"):
        Column("x", "furlongs")
