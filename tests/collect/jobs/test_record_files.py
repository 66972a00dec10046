"""Records from files: tables and baskets, what is said about them, and what is refused."""

import pyarrow as pa
import pytest

from confide import Transactions
from confide.collect.jobs.record_files import read_items, read_records
from confide.core.errors import InputError, UsageError


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "baskets.csv").write_text("milk\nmilk,bread\n")
    (tmp_path / "long.csv").write_text("id,item\n1,milk\n1,bread\n2,milk\n")
    return tmp_path


def test_tables_and_baskets_are_recognised(desk):
    table, notes = read_records(desk / "table.csv")
    assert isinstance(table, pa.Table)
    assert notes == (f"read {desk / 'table.csv'}: a table of 2 rows, 2 columns",)
    assert isinstance(read_records(desk / "baskets.csv")[0], Transactions)
    assert len(read_records(desk / "long.csv")[0]) == 2
    assert isinstance(read_records(desk / "table.csv", kind="transactions")[0], Transactions)


def test_records_at_hand_are_taken_as_they_are_and_nothing_is_said():
    tx = Transactions.from_lists([["a"]])
    assert read_records(tx) == (tx, ())
    table, notes = read_records(pa.table({"a": [1], "b": [2]}), columns=["b"])
    assert (table.column_names, notes) == (["b"], ())


def test_lines_of_two_cells_are_doubted(desk):
    (desk / "pairs.csv").write_text("1,milk\n1,bread\n2,milk\n")
    assert any("every line was read as a record of two items" in text for text in read_items(desk / "pairs.csv")[1])
    assert len(read_items(desk / "baskets.csv")[1]) == 1


def test_missing_columns_and_ragged_tables_are_refused(desk):
    with pytest.raises(UsageError, match="no column 'zip'; columns are: a, b"):
        read_records(desk / "table.csv", columns=["zip"])
    (desk / "ragged.csv").write_text("sex,smoker\nfemale,yes\nmale,no,x\nmale,no\n")
    with pytest.raises(InputError, match="has 3 cells where the first line has 2"):
        read_records(desk / "ragged.csv")
    (desk / "empty.dat").write_text("")
    with pytest.raises(InputError, match="holds no records"):
        read_items(desk / "empty.dat")
