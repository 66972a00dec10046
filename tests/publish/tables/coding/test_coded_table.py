import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from confide.core.errors import InputError, UsageError
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable

SCHEMA = Schema.from_dict(
    {
        "id": {"role": "person"},
        "age": {"role": "quasi-identifier", "range": [0, 99], "weight": 3},
        "sex": {"role": "quasi-identifier"},
        "pay": {"role": "sensitive"},
        "job": {"role": "class"},
    }
)
DATA = {
    "id": ["p", "q", "p"],
    "age": [30, 40, 50],
    "sex": ["f", "m", "f"],
    "pay": [100, 9, 9],
    "job": ["x", "y", "x"],
}


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_every_frame_is_coded_alike(make):
    coded = CodedTable.of(make(DATA), SCHEMA)
    assert [column.name for column in coded.quasi] == ["age", "sex"]
    assert coded.quasi[0].codes.tolist() == [30, 40, 50]
    assert coded.weights.tolist() == [0.75, 0.25]
    assert coded.persons.tolist() == [0, 1, 0]
    assert coded.classes.labels == ("x", "y")


def test_sensitive_numbers_stand_in_numeric_order_even_as_text():
    for pay in ([100, 9, 9], ["100", "9", "9"]):
        coded = CodedTable.of(pa.table({**DATA, "pay": pay}), SCHEMA)
        assert coded.sensitive[0].labels == ("9", "100")
        assert coded.sensitive[0].codes.tolist() == [1, 0, 0]


def test_missing_sensitive_values_are_one_value():
    coded = CodedTable.of(pa.table({**DATA, "pay": ["", None, "a"]}), SCHEMA)
    assert coded.sensitive[0].labels == ("", "a")
    assert coded.sensitive[0].codes.tolist() == [0, 0, 1]


def test_dropped_rows_are_counted_and_leave_no_value_behind():
    coded = CodedTable.of(pa.table({**DATA, "sex": [None, "m", "f"]}), SCHEMA, missing="drop")
    assert (coded.dropped, coded.rows.tolist(), len(coded)) == (1, [1, 2], 2)
    assert coded.sensitive[0].labels == ("9",)
    assert coded.quasi[0].codes.tolist() == [40, 50]
    assert coded.persons.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sex": [None, "m", "f"]}, "values are missing"),
        ({"id": [None, "a", "b"]}, "every row must say whose it is"),
        ({"extra": [1, 2, 3]}, "column 'extra' has no role"),
        ({"age": [[1], [2], [3]]}, "cannot be published"),
    ],
)
def test_bad_tables_get_one_line(change, words):
    with pytest.raises(InputError, match=words) as caught:
        CodedTable.of(pa.table({**DATA, **change}), SCHEMA)
    assert "\n" not in str(caught.value)


def test_a_schema_without_quasi_identifiers_or_with_two_classes_is_refused():
    table = pa.table({"a": [1], "b": [2]})
    with pytest.raises(InputError, match="no column is a quasi-identifier"):
        CodedTable.of(table, Schema.from_dict({"a": {"role": "class"}, "b": {"role": "sensitive"}}))
    table = pa.table({"a": [1], "b": [2], "c": [3]})
    roles = {"a": "class", "b": "class", "c": "quasi-identifier"}
    with pytest.raises(InputError, match="are both class"):
        CodedTable.of(table, Schema.from_dict({name: {"role": role} for name, role in roles.items()}))


def test_a_table_without_rows_and_an_unknown_policy_are_refused():
    with pytest.raises(InputError, match="no rows"):
        CodedTable.of(pa.table({name: pa.array([], pa.string()) for name in DATA}), SCHEMA)
    with pytest.raises(UsageError, match="choose among"):
        CodedTable.of(pa.table(DATA), SCHEMA, missing="guess")


def test_rows_point_into_the_original():
    assert np.array_equal(CodedTable.of(pa.table(DATA), SCHEMA).rows, [0, 1, 2])


@pytest.mark.parametrize(
    ("ages", "words"),
    [
        (
            [30, 140, 150],
            "values lie outside the range [0, 99] of the schema, in 2 of 3 rows, first in row 2; widen it",
        ),
        (["30", "n/a", "old"], "holds what is no number, in 2 of 3 rows, first in row 2; correct these rows"),
        ([30.0, 40.0, float("inf")], "numbers that are not finite, in 1 of 3 rows, first in row 3; correct these rows"),
    ],
)
def test_a_refusal_says_in_how_many_rows_and_in_which_first(ages, words):
    with pytest.raises(InputError) as caught:
        CodedTable.of(pa.table({**DATA, "age": ages}), SCHEMA)
    assert caught.value.column == "age"
    assert words in str(caught.value)
    assert "140" not in str(caught.value)


def test_rows_that_were_dropped_or_stand_for_several_are_counted_in_a_refusal():
    table = pa.table({**DATA, "age": [30, 140, 150], "sex": [None, "m", "f"]})
    with pytest.raises(InputError, match="in 2 of 3 rows, first in row 2"):
        CodedTable.of(table, SCHEMA, missing="drop")
    with pytest.raises(InputError, match="in 12 of 22 rows;"):
        CodedTable.of(table.drop(["sex"]), Schema({"age": SCHEMA.columns["age"]}), times=np.array([10, 5, 7]))
