"""Records as a table with a 0/1 column per item."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Transactions
from confide.core.errors import InputError
from confide.core.transactions.intake import take_in
from confide.core.transactions.one_hot import is_one_hot, to_one_hot, transactions_from_one_hot

RECORDS = [["milk", "beer"], ["bread", "beer"], ["milk", "bread", "beer"]]
TEXT = "client,milk,bread,beer\na,1,0,1\nb,0,1,1\nc,1,1,1\n"


def lists(found: Transactions) -> list[list[str]]:
    return [sorted(record) for record in found]


def test_a_named_id_column_is_no_item(tmp_path):
    file = tmp_path / "hot.csv"
    file.write_text(TEXT)
    assert lists(Transactions.read(file, format="one-hot", id="client")) == lists(Transactions.from_lists(RECORDS))


@pytest.mark.parametrize("format", [None, "one-hot"])
def test_one_hot_parquet_is_read_with_and_without_an_id(tmp_path, format):
    columns = {"milk": [1, 0, 1], "bread": [False, True, True], "beer": [1, 1, 1]}
    for extra in ({}, {"id": ["a", "b", "c"]}):
        pq.write_table(pa.table(extra | columns), tmp_path / "hot.parquet")
        found = Transactions.read(tmp_path / "hot.parquet", format=format)
        assert lists(found) == lists(Transactions.from_lists(RECORDS))


def test_a_column_that_is_neither_is_named_with_what_to_say(tmp_path):
    file = tmp_path / "hot.csv"
    file.write_text(TEXT)
    with pytest.raises(InputError, match=r"line 2, column 'client'.*id="):
        Transactions.read(file, format="one-hot")
    with pytest.raises(InputError, match="no column 'person'; columns are: client, milk"):
        Transactions.read(file, format="one-hot", id="person")
    with pytest.raises(InputError, match="format=one-hot, id=client"):
        Transactions.read(file)
    pq.write_table(pa.table({"milk": [1, 2], "beer": [0, 1]}), tmp_path / "many.parquet")
    with pytest.raises(InputError, match="more than 0 and 1"):
        Transactions.read(tmp_path / "many.parquet", format="one-hot")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_with_an_id_comes_back_without_it(make):
    frame = make({"id": [7, 8, 9], "milk": [1, 0, 1], "bread": [0, 1, 1], "beer": [1, 1, 1]})
    taken = take_in(frame)
    assert lists(taken.transactions) == lists(Transactions.from_lists(RECORDS))
    back = taken.back(taken.transactions)
    assert type(back) is type(frame)
    assert list(getattr(back, "column_names", None) or back.columns) == ["milk", "bread", "beer"]


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=8))
def test_there_and_back_is_the_same(rows):
    cells = np.array(rows)
    table = pa.table({name: cells[:, j] for j, name in enumerate("abc")})
    assert is_one_hot(table)
    again = to_one_hot(transactions_from_one_hot(table), "abc")
    held = [name for j, name in enumerate("abc") if name in again.column_names]
    assert again.equals(table.select(held))
    assert all(not cells[:, "abc".index(name)].any() for name in set("abc") - set(held))


def test_a_file_of_invoice_lines_is_read_by_its_two_columns(tmp_path: Path):
    file = tmp_path / "invoices.csv"
    file.write_text('invoice;item;quantity;price\n1;milk;2;1,20\n1;"bread, white";1;0,99\n2;milk;1;1,20\n')
    found = Transactions.read(file, id="invoice", item="item")
    assert lists(found) == [["bread, white", "milk"], ["milk"]]
    file.write_text("invoice,item,quantity,price\n1,milk,2,1\n1,tea,1,3\n2,milk,1,4\n")
    with pytest.raises(InputError, match=r"columns 'invoice', 'item', 'quantity', 'price'.*id= and item="):
        Transactions.read(file)


def test_a_long_frame_keeps_records_that_lost_all_their_items():
    frame = pd.DataFrame({"id": ["x", "x", "y"], "item": ["tea", "nuts", "caviar"]})
    taken = take_in(frame)
    left = taken.back(Transactions.from_lists([["tea", "nuts"], []]))
    assert left["id"].tolist() == [1, 1, 2]
    assert left["item"].isna().tolist() == [False, False, True]
    assert lists(take_in(left).transactions) == [["nuts", "tea"], []]
