import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies

from confide import Transactions
from confide.core.errors import InputError, UsageError
from confide.core.transactions.labels import label_order


def plain(rows):
    """The meaning of a database, by hand: sets of labels in label order."""
    return [sorted({str(x).strip() for x in row}, key=label_order) for row in rows]


@given(strategies.rows())
def test_a_database_gives_back_its_records_as_sorted_sets(rows):
    assert list(Transactions.from_lists(rows)) == plain(rows)


@given(strategies.rows(), st.randoms())
def test_codes_do_not_depend_on_the_order_of_records(rows, random):
    shuffled = rows[:]
    random.shuffle(shuffled)
    assert Transactions.from_lists(shuffled).labels == Transactions.from_lists(rows).labels


@given(strategies.databases())
def test_codes_rise_strictly_within_each_record(tx):
    for i in range(len(tx)):
        row = tx.indices[tx.indptr[i] : tx.indptr[i + 1]]
        assert np.all(np.diff(row) > 0)


@given(strategies.databases())
def test_supports_are_what_counting_gives(tx):
    assert tx.supports().tolist() == [sum(label in row for row in tx) for label in tx.labels]


def test_whole_numbers_come_first_and_by_value():
    tx = Transactions.from_lists([["b", 10, "7", "a", "007"]])
    assert tx.items == ("7", "10", "007", "a", "b")


def test_a_number_and_its_digits_are_one_item():
    assert list(Transactions.from_lists([[7, "7", np.int64(7)]])) == [["7"]]


@pytest.mark.parametrize("bad", [1.5, True, None, float("nan"), "", "  ", ["x"]])
def test_an_item_that_is_not_a_label_is_refused_with_its_record(bad):
    with pytest.raises((InputError, TypeError)) as caught:
        Transactions.from_lists([["a"], [bad]])
    if isinstance(caught.value, InputError):
        assert "line 2" in str(caught.value)


def test_a_text_given_as_a_record_is_refused():
    with pytest.raises(InputError, match="list of items"):
        Transactions.from_lists(["abc"])


def test_equality_ignores_labels_that_never_occur():
    tx = Transactions.from_lists([["a", "b"], ["a"]])
    fewer = tx.keep_items(np.array([True, False]))
    assert fewer == Transactions.from_lists([["a"], ["a"]])
    assert fewer != tx


@given(strategies.databases(), st.data())
def test_take_picks_records(tx, data):
    index = data.draw(st.lists(st.integers(0, max(len(tx) - 1, 0)), max_size=5)) if len(tx) else []
    assert list(tx.take(np.array(index, dtype=np.int64))) == [tx[i] for i in index]


@pytest.mark.parametrize(
    ("indptr", "indices", "labels"),
    [([0, 2], [0], ["a"]), ([1, 1], [], []), ([0, 1], [3], ["a"]), ([0, 1], [-1], ["a"]), ([0, 2], [0, 1], ["a", "a"])],
)
def test_arrays_that_do_not_fit_are_refused(indptr, indices, labels):
    with pytest.raises(UsageError):
        Transactions.from_arrays(np.array(indptr), np.array(indices), labels)


def test_indexing_from_the_end_and_past_it():
    tx = Transactions.from_lists([["a"], ["b"]])
    assert tx[-1] == ["b"]
    with pytest.raises(IndexError):
        tx[2]


@given(strategies.databases())
def test_sparse_matrices_round_trip(tx):
    assert Transactions.from_sparse(tx.to_sparse(), labels=tx.labels) == tx


@given(strategies.databases())
def test_arrow_round_trips(tx):
    assert Transactions.from_frame(tx.to_arrow()) == tx


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_long_frames_of_every_library_are_read(library):
    module = pytest.importorskip(library)
    columns = {"id": ["u", "v", "u", "w"], "item": ["b", "a", "a", None]}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    assert list(Transactions.from_frame(frame)) == [["a", "b"], ["a"], []]


def test_a_frame_without_the_columns_says_which_it_has():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="no column 'id'; columns are: a, b"):
        Transactions.from_frame(pa.table({"a": [1], "b": [2]}))
