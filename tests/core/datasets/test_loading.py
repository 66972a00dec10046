"""Records in memory and in files answer the same questions alike."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide.core.datasets.loading import are_baskets, is_loaded, load_rows, require_folder, require_loaded
from confide.core.datasets.stored_table import StoredTable
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import UsageError
from confide.core.transactions.container import Transactions

ROWS = [["tea", "nuts"], [], ["tea"], ["beer", "nuts", "tea"]]


@dataclass(frozen=True)
class CountLengths:
    """A pass: records by length."""

    shared = False

    def begin(self):
        return np.zeros(4, dtype=np.int64)

    def add(self, state, batch):
        return state + np.bincount(batch.lengths, minlength=4)

    def merge(self, one, other):
        return one + other


def stored_rows(folder, rows=ROWS):
    pq.write_table(pa.table({"items": pa.array(rows, pa.list_(pa.string()))}), folder / "a.parquet", row_group_size=2)
    return StoredTransactions.open(folder)


def test_baskets_answer_alike_wherever_they_are(tmp_path):
    held, stored = Transactions.from_lists(ROWS), stored_rows(tmp_path)
    assert (held.in_memory, stored.in_memory) == (True, False)
    for name in ("labels", "n_items", "codes", "entries", "longest"):
        assert getattr(held, name) == getattr(stored, name), name
    assert held.supports().tolist() == stored.supports().tolist()
    assert held.to_transactions() is held
    assert stored.to_transactions() == held
    counts = [tx.fold(CountLengths(), label="counting").tolist() for tx in (held, stored)]
    assert counts == [[1, 1, 1, 1]] * 2
    assert are_baskets(held)
    assert are_baskets(stored)


def test_no_records_have_no_longest():
    assert (Transactions.from_lists([]).longest, Transactions.from_lists([[]]).longest) == (0, 0)


def test_a_frame_is_in_memory_and_a_stored_table_is_loaded(tmp_path):
    frame = pa.table({"age": [21, 22]})
    pq.write_table(frame, tmp_path / "a.parquet")
    stored = StoredTable.open(tmp_path)
    assert (is_loaded(frame), is_loaded(stored)) == (True, False)
    assert load_rows(frame) is frame
    assert load_rows(stored) == frame
    assert not are_baskets(frame)
    assert not are_baskets(stored)
    assert not are_baskets(ROWS)


def test_what_an_engine_cannot_do_is_said_in_its_words(tmp_path):
    require_loaded(Transactions.from_lists(ROWS), "a test")
    with pytest.raises(UsageError, match="a test needs all records in memory, and engine stream leaves") as caught:
        require_loaded(stored_rows(tmp_path), "a test")
    assert (caught.value.parameter, caught.value.value) == ("engine", "stream")
    with pytest.raises(UsageError, match="say which with into="):
        require_folder(None)
    assert require_folder(str(tmp_path)) == tmp_path
