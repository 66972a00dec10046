"""Fields: coding of any record, bins, cells, boolean columns."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.collect import Bins, Field, Fields
from confide.core.errors import InputError, RequirementError, UsageError


def test_table_4_1_s_age_is_cut_as_the_paper_does():  # (15-35], (35-55], (55-75], > 75
    age = Field.of("age", Bins((35, 55, 75)))
    assert [age.code(value) for value in (15, 35, 36, 55, 55.5, 75, 76, "35", "(35,55]", ">75")] == [
        *(0, 0, 1, 1, 2, 2, 3),
        *(0, 1, 3),
    ]
    assert age.values == ("<=35", "(35,55]", "(55,75]", ">75")
    assert [age.code(value) for value in (None, "", "old", float("nan"), True, [3])] == [-1] * 6
    assert Field.of("age", Bins((40.5,), labels=("young", "old"))).code(40.5) == 0
    assert Bins((100000, 0.25)).named()[0] == "<=100000"


@given(st.lists(st.integers(2, 5), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_cells_number_the_records_in_order(sizes, seed):
    fields = Fields.of(sizes)
    cells = np.arange(fields.cells)
    codes = fields.split(cells)
    assert fields.join(codes).tolist() == cells.tolist()
    assert codes.tolist() == sorted(codes.tolist())
    assert np.array_equal(fields.encode(codes), codes)
    draw = np.random.default_rng(seed).integers(0, fields.cells, 5)
    rows = [fields.decode_one(row) for row in fields.split(draw).tolist()]
    assert fields.join(fields.encode(rows)).tolist() == draw.tolist()
    assert fields.join(fields.encode(fields.to_table(fields.split(draw)))).tolist() == draw.tolist()


def test_columns_are_numbered_field_by_field():
    fields = Fields.of({"x": ["a", "b"], "y": 3})
    assert fields.columns == ("x=a", "x=b", "y=0", "y=1", "y=2")
    assert fields.starts == (0, 2, 5)
    assert fields["y"].values == ("0", "1", "2")
    with pytest.raises(UsageError, match="no field 'z'; fields are: x, y"):
        fields["z"]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 0, 1]),
        pa.array([1.0, 0.0, 1.0]),
        pa.array(["1", "0", "1"]),
        pa.array(["1", "0", "1"]).dictionary_encode(),
        pa.chunked_array([["1"], ["0", "1"]]),
        pa.chunked_array([["1", "0"], ["1"]]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_columns_of_any_type_are_coded(column):
    assert Fields.of({"x": 2}).encode(pa.table({"x": column})).tolist() == [[1], [0], [1]]


def test_an_empty_table_has_no_codes():
    fields = Fields.of({"x": 2, "y": Bins((3,))})
    empty = pa.table({"x": pa.array([], pa.string()), "y": pa.array([], pa.float64())})
    assert fields.encode(empty).shape == (0, 2)
    assert fields.encode([]).shape == (0, 2)
    assert fields.encode(np.empty((0, 2), dtype=np.int32)).shape == (0, 2)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_a_bad_code_is_found_wherever_it_stands(n):
    fields = Fields.of([2, 3])
    for row, column, code in ((0, 0, 2), (n - 1, 1, 3), (n // 2, 1, -1)):
        codes = np.zeros((n, 2), dtype=np.int32)
        codes[row, column] = code
        with pytest.raises(InputError, match=f"field 'a{column}' lies outside"):
            fields.encode(codes)


def test_too_many_combinations_to_number_are_said_so():
    with pytest.raises(UsageError, match="too many combinations"):
        Fields.of([10] * 20).join(np.zeros((1, 20), dtype=np.int32))


@pytest.mark.parametrize(
    ("domains", "message"),
    [
        ({"x": []}, "two or more"),
        ({"x": ["a"]}, "two or more"),
        ({"x": ["a", "a"]}, "twice"),
        ({"x": ["a", ""]}, "empty"),
        ({"x": [True, False]}, "must be text"),
        ({"x": {"a"}}, "no order"),
        ({"x": "ab"}, "as a list"),
        ({"x": None}, "as a list"),
        ({"x": 1}, "two or more"),
        ({"x": 10**9}, "two or more"),
        ({"": 2}, "no name"),
        ({"x": Bins(())}, "no edges"),
        ({"x": Bins((3, 3))}, "must rise"),
        ({"x": Bins((3, float("inf")))}, "finite"),
        ({"x": Bins((3,), labels=("a", "b", "c"))}, "2 bins"),
        ((Field(name="x", values=("a", "b")), Field(name="x", values=("a", "b"))), "two fields are named 'x'"),
    ],
    ids=str,
)
def test_bad_domains_get_one_line(domains, message):
    with pytest.raises(RequirementError, match=message) as caught:
        Fields.of(domains)
    assert "\n" not in str(caught.value)


def test_what_was_perturbed_holds_labels_and_no_plain_numbers():
    fields = Fields.of({"age": Bins((35, 55)), "sex": ["F", "M"]})
    sent = pa.table({"age": ["<=35", ">55"], "sex": ["F", "M"]})
    assert fields.encode(sent, perturbed=True).tolist() == [[0, 0], [2, 1]]
    for raw in (
        pa.table({"age": [30, 60], "sex": ["F", "M"]}),
        pa.table({"age": ["30", "60"], "sex": ["F", "M"]}),
        [{"age": 30, "sex": "F"}],
        [("30", "F")],
    ):
        assert len(fields.encode(raw)) == len(raw)
        with pytest.raises(InputError, match="record 1: a value of field 'age' is a plain number, which no perturbed"):
            fields.encode(raw, perturbed=True)
    numbered = Fields.of({"age": Bins((35,), labels=("0", "1"))})  # a CSV reader takes these labels for numbers
    assert numbered.encode(pa.table({"age": [1, 0]}), perturbed=True).tolist() == [[1], [0]]


def test_the_order_of_fields_is_stated_only_where_it_matters():
    fields = Fields.of({"age": Bins((35, 55)), "sex": ["F", "M"]})
    with pytest.raises(InputError, match="in the order: age, sex"):
        fields.encode_one(("M", 30))
    with pytest.raises(InputError) as caught:
        fields.encode(pa.table({"age": [30], "sex": ["man"]}))
    assert str(caught.value) == "record 1: a value of field 'sex' is not one of: F, M"
    with pytest.raises(InputError, match=r"record 2: .*; 2 of records 1 to 4 hold such a value there$"):
        fields.encode(pa.table({"age": [30] * 4, "sex": ["F", "man", "M", "?"]}))
