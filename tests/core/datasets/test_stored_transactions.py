"""Transactions in files are those in memory: labels, records, supports; and files that are not what they should be."""

import pickle
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide.core.datasets.choice import using_engine
from confide.core.datasets.intake import as_records
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import InputError
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions

BATCHES = (1, 7, 1000)
WORDS = ["a", "b", " c", "", None, "d", "10", "9", "10", "é"]


def random_rows(rng: random.Random) -> list[list[str | None]]:
    return [[rng.choice(WORDS) for _ in range(rng.randint(0, 5))] for _ in range(rng.randint(1, 60))]


def write_cut(table: pa.Table, folder, rng: random.Random) -> None:
    """The table in two files with row groups of a few rows."""
    cut = rng.randint(0, table.num_rows)
    for name, part in (("a", table.slice(0, cut)), ("b", table.slice(cut))):
        pq.write_table(part, folder / f"{name}.parquet", row_group_size=rng.choice([1, 2, 3, 100]))


@pytest.mark.parametrize("kind", ["lists", "large lists", "numbers", "plain text", "long"])
def test_records_in_files_are_those_in_memory(kind, tmp_path):
    for seed in range(8):
        rng = random.Random(seed)
        rows = random_rows(rng)
        if kind == "numbers":
            rows = [[rng.choice([None, 3, 30, -4]) for _ in row] for row in rows]
        value = pa.int64() if kind == "numbers" else pa.string()
        table = pa.table({"items": pa.array(rows, pa.large_list(value) if kind == "large lists" else pa.list_(value))})
        if kind == "long":
            ids = [2 * i for i, row in enumerate(rows) for _ in row or [None]]
            table = pa.table({"id": ids, "item": pa.array([v for row in rows for v in row or [None]], value)})
        meant = Transactions.from_frame(table)
        write_cut(table, tmp_path, rng)
        if kind == "plain text":
            pq.write_table(table, tmp_path / "a.parquet", use_dictionary=False)
            pq.write_table(table.slice(0, 0), tmp_path / "b.parquet")
        for batch_rows in BATCHES:
            stored = pickle.loads(pickle.dumps(StoredTransactions.open(tmp_path, batch_rows=batch_rows)))
            assert stored.to_transactions() == meant
            assert len(stored) == len(meant)
            assert (stored.labels, stored.n_items) == (meant.labels, meant.n_items)
            assert np.array_equal(stored.supports(), meant.supports())
            assert stored.dictionary.entries == len(meant.indices)
            assert stored.dictionary.longest == meant.lengths.max()


def test_text_that_parquet_stops_coding_half_way_is_read_too(tmp_path):
    rows = [[f"item {i:06d} with a long name", f"item {i % 7}"] for i in range(3000)]
    table = pa.table({"items": rows})
    pq.write_table(table, tmp_path / "a.parquet", dictionary_pagesize_limit=1 << 12, data_page_size=1 << 10)
    stored = StoredTransactions.open(tmp_path, batch_rows=64)
    assert stored.to_transactions() == Transactions.from_frame(table)


def test_repeats_count_once_and_rows_need_no_order(tmp_path):
    long = [str(i % 50) for i in range(200)]
    pq.write_table(pa.table({"things": [["b", "a", "b"], long]}), tmp_path / "a.parquet")
    stored = StoredTransactions.open(tmp_path)
    assert stored.to_transactions()[0] == ["a", "b"]
    assert stored.dictionary.longest == 50


def test_a_folder_goes_wherever_transactions_go(tmp_path):
    tx = Transactions.from_lists([["a", "b"], ["b"]])
    tx.write(tmp_path / "part-1.parquet")
    (tmp_path / "_SUCCESS").write_text("")
    assert as_transactions(tmp_path) == tx
    assert as_transactions(StoredTransactions.open(tmp_path)) == tx
    said: list[str] = []
    with using_engine("auto", say=said.append):
        assert isinstance(as_records(tmp_path), Transactions)
    with using_engine("stream", say=said.append):
        assert isinstance(as_records(tmp_path / "part-1.parquet"), StoredTransactions)
    assert said[0].startswith("engine memory: it takes up to 1 MB")
    assert said[1] == "engine stream: as asked (2 rows in 1 Parquet files)"


# -- bad input --------------------------------------------------------------------------------------------------------


def refused(path) -> str:
    with pytest.raises(InputError) as caught:
        _ = StoredTransactions.open(path).dictionary
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bad_folders_are_refused_in_one_line(tmp_path):
    assert refused(tmp_path / "nowhere").endswith("no such file or folder")
    assert refused(tmp_path).endswith("is a folder without any Parquet file (.parquet)")
    rng = random.Random(1)
    tx = Transactions.from_lists([[rng.randrange(300) for _ in range(9)] for _ in range(2000)])
    tx.write(tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(whole[: len(whole) // 2])
    assert "b.parquet: is not a whole Parquet file; it may have been cut off" in refused(tmp_path)
    broken = bytearray(whole)
    broken[5000:5080] = bytes(80)
    (tmp_path / "b.parquet").write_bytes(broken)
    assert "b.parquet: is not a sound Parquet file" in refused(tmp_path)
    pq.write_table(pa.table({"id": [1], "item": ["x"]}), tmp_path / "b.parquet")
    assert "b.parquet: has other columns than a.parquet: id (int64), item (string) instead of" in refused(tmp_path)
    (tmp_path / "b.parquet").unlink()
    (tmp_path / "notes.csv").write_text("a,b\n")
    assert "holds 'notes.csv' beside its Parquet files" in refused(tmp_path)
    (tmp_path / "notes.csv").unlink()
    (tmp_path / "year=2024").mkdir()
    assert "holds the folder 'year=2024'" in refused(tmp_path)


def test_bad_columns_are_refused_in_one_line(tmp_path):
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1]}), file)
    assert "has no columns 'id' and 'item', or one column of lists; columns are: x; name them with id= and " in refused(
        file
    )
    pq.write_table(pa.table({"items": [1]}), file)
    assert "must hold lists of items, not int64" in refused(file)
    pq.write_table(pa.table({"items": [[1.5]]}), file)
    assert "items must be text or whole numbers, not double" in refused(file)
    pq.write_table(pa.table({"id": [2, 1], "item": ["a", "b"]}), file)
    assert "ids are not in ascending order" in refused(file)
    pq.write_table(pa.table({"id": [1, None], "item": ["a", "b"]}), file)
    assert "a record's id is null" in refused(file)
