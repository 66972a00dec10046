"""What people have goes in, and comes back in the form they gave."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from confide import Transactions
from confide.core.errors import InputError
from confide.core.transactions.intake import as_transactions, take_in

ROWS = [["nuts", "tea"], ["tea"], [], ["milk", "tea"]]
WANTED = Transactions.from_lists(ROWS)
LONG = pd.DataFrame({"id": [9, 9, 4, 7, 7], "item": ["tea", "nuts", "tea", "milk", "tea"]})
LISTS = pa.table({"basket": ROWS})
BITS = pd.DataFrame({"tea": [1, 1, 0, 1], "nuts": [1, 0, 0, 0], "milk": [0, 0, 0, 1]})


@pytest.mark.parametrize(
    "data",
    [WANTED, ROWS, tuple(map(tuple, ROWS)), map(set, ROWS), LISTS, pl.from_arrow(LISTS), LISTS.to_pandas(), BITS,
     BITS.astype(bool), pl.from_pandas(BITS), pa.Table.from_pandas(BITS)],
    ids=lambda data: f"{type(data).__module__}.{type(data).__name__}",
)  # fmt: skip
def test_every_form_gives_the_same_transactions(data):
    assert as_transactions(data) == WANTED


def test_long_frames_make_a_record_of_each_id():
    wanted = Transactions.from_lists([["nuts", "tea"], ["tea"], ["milk", "tea"]])
    for frame in (LONG, pl.from_pandas(LONG), pa.Table.from_pandas(LONG), LONG.astype({"item": "category"})):
        assert as_transactions(frame) == wanted
    other = LONG.rename(columns={"id": "who", "item": "what"})
    assert as_transactions(other, id="who", item="what") == wanted


@pytest.mark.parametrize(
    "column", [pd.Series(ROWS, name="basket"), pl.Series("basket", ROWS), pa.array(ROWS), pa.chunked_array([ROWS])]
)
def test_a_column_of_lists_goes_in_and_comes_back(column):
    taken = take_in(column)
    assert taken.transactions == WANTED
    back = taken.back(taken.transactions)
    assert isinstance(back, pa.ListArray if isinstance(column, pa.ChunkedArray) else type(column))
    assert [sorted(row) for row in (back.to_pylist() if isinstance(back, pa.Array) else back.to_list())] == ROWS
    assert getattr(back, "name", "basket") == "basket"


def test_groups_of_a_long_frame_are_records():
    assert as_transactions(LONG.groupby("id")["item"].apply(list)).n_items == 3


@pytest.mark.parametrize("column", [pd.Series(["tea", "nuts"]), pl.Series([1, 2]), pd.Series([["tea"], None])])
def test_a_column_of_something_else_is_refused_in_words(column):
    with pytest.raises(InputError, match=r"each cell of the column must be a list of items; give a Transactions"):
        as_transactions(column)


def test_an_array_of_zeros_and_ones_is_a_record_per_row():
    bits = np.array([[1, 0, 1], [0, 0, 0]])
    for matrix in (bits, bits.astype(bool), bits.astype(float)):
        taken = take_in(matrix)
        assert list(taken.transactions) == [["0", "2"], []]
        assert np.array_equal(taken.back(taken.transactions), matrix)
        assert taken.back(taken.transactions).dtype == matrix.dtype
    with pytest.raises(InputError, match="must hold true and false, or 1 and 0"):
        as_transactions(np.array([[0.5, 1], [1, 0]]))
    for rows in ([[3, 5], [5, 7]], [["tea", "nuts"], ["milk", "tea"]]):  # items, not places
        assert as_transactions(np.array(rows)) == Transactions.from_lists(rows)


def test_a_path_is_read(tmp_path):
    WANTED.write(tmp_path / "b.jsonl")
    assert as_transactions(tmp_path / "b.jsonl") == as_transactions(str(tmp_path / "b.jsonl")) == WANTED


def test_sparse_matrices_number_their_items():
    bits = np.array([[1, 0, 2], [0, 0, 0]])
    for matrix in (csr_array(bits), coo_array(bits)):
        taken = take_in(matrix)
        assert list(taken.transactions) == [["0", "2"], []]
        assert (taken.back(taken.transactions).toarray() == (bits > 0)).all()


@pytest.mark.parametrize("data", [7, None, "no such file.csv", b"x", {"a": 1}, ["tea", "nuts"], [1, 2], object()])
def test_a_wrong_form_gets_one_clear_line(data):
    with pytest.raises(InputError) as caught:
        as_transactions(data)
    assert "\n" not in str(caught.value)


def test_a_frame_that_says_nothing_of_records_is_refused_by_its_columns():
    with pytest.raises(InputError, match=r"age, sex.*columns id and item"):
        as_transactions(pd.DataFrame({"age": [20, 31], "sex": ["F", "M"]}))


def test_results_come_back_in_the_form_given():
    less = WANTED.keep_items(np.array([label != "tea" for label in WANTED.labels]))
    assert take_in(ROWS).back(less) == [["nuts"], [], [], ["milk"]]
    assert take_in(WANTED).back(less) is less
    assert take_in(pl.from_arrow(LISTS)).back(less)["basket"].to_list() == [["nuts"], [], [], ["milk"]]
    assert [list(row) for row in take_in(LISTS.to_pandas()).back(less)["basket"]] == [["nuts"], [], [], ["milk"]]
    assert take_in(LISTS).back(less)["basket"].to_pylist() == [["nuts"], [], [], ["milk"]]
    bits = take_in(BITS).back(less)
    assert list(bits.columns) == ["nuts", "milk"]
    assert bits["milk"].tolist() == [False, False, False, True]
    long = take_in(LONG).back(less)
    assert long["id"].tolist() == [1, 2, 3, 4]  # numbered anew: ids may name somebody
    assert long["item"].fillna("").tolist() == ["nuts", "", "", "milk"]


@given(st.lists(st.frozensets(st.sampled_from("abcde"), min_size=1), min_size=1))
def test_going_in_and_back_changes_nothing(rows):
    wanted = Transactions.from_lists(rows)
    lists = pa.table({"items": [sorted(row) for row in rows]})
    for form in (lists, lists.to_pandas(), pl.from_arrow(lists), [sorted(row) for row in rows]):
        taken = take_in(form)
        assert as_transactions(taken.back(taken.transactions)) == wanted
