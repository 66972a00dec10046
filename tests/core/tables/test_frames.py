"""Tables from files: what is refused, in words that name lines and columns but nobody's values."""

import threading
import time
import weakref

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide.core.errors import InputError
from confide.core.files import read_bytes
from confide.core.tables import frames as tables
from confide.core.tables.frames import read_table, to_table, write_table


def test_the_header_says_what_divides_cells_where_numbers_have_a_decimal_comma(tmp_path):
    path = tmp_path / "spreadsheet.csv"
    path.write_bytes("\ufeffName;Betrag\r\nMüller;1,5\r\nMeier;2,75\r\n".encode())
    assert read_table(path).to_pydict() == {"Name": ["Müller", "Meier"], "Betrag": ["1,5", "2,75"]}
    path.write_bytes("Name;Betrag\r\nMüller;1,5\r\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"line 2: not UTF-8; .* encoding= \(such as latin-1\)"):
        read_table(path)
    assert read_table(path, encoding="latin-1").to_pydict() == {"Name": ["Müller"], "Betrag": ["1,5"]}
    path.write_text("a;b,c\n1;2,3\n")
    with pytest.raises(InputError, match=r"line 1: a comma \(first in line 1\) and a semicolon \(first in line 1\)"):
        read_table(path)
    path.write_text("a;b\n1,2\n")
    with pytest.raises(InputError, match="line 2: 1 cell where the header has 2"):
        read_table(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"sex,ill\nF,no\nM,yes,Bob Jones 1944\n", "line 3: 3 cells where the header has 2"),
        (b"sex,ill\nBob Jones\n", "line 2: 1 cell where the header has 2"),
        (b'sex,ill\n"F\nM",no\n\nBob Jones,yes,1944\n', "line 5: 3 cells where the header has 2"),
        (b"sex;ill\r\nF;no\r\nBob;Jones;1944\r\n", "line 3: 3 cells where the header has 2"),
        (b'sex,ill\nF,no\n"Bob Jones,1944\n', "line 3: not well-formed CSV (unexpected end of data)"),
        (b"sex,ill\nF,no\nBob Jones,\xff\n", "line 3: not UTF-8"),
        (b"\xef\xbb\xbfsex,ill\nF,no\nBob Jones\n", "line 3: 1 cell"),
    ],
)
def test_a_csv_that_cannot_be_read_is_named_by_its_line_and_no_value(text, message, tmp_path):
    (tmp_path / "t.csv").write_bytes(text)
    with pytest.raises(InputError) as refused:
        read_table(tmp_path / "t.csv")
    assert message in str(refused.value)
    assert "Bob" not in str(refused.value)
    assert "1944" not in str(refused.value)


def test_a_parquet_value_that_is_none_of_its_type_is_named_by_its_column(tmp_path):
    """Arrow's own message quotes the value."""
    wrong = pa.array([77_777_777], pa.int32()).view(pa.time32("s"))
    with pytest.raises(pa.ArrowInvalid, match="77777777"):
        wrong.validate(full=True)
    pq.write_table(pa.table({"born": wrong}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column 'born': not a sound Parquet file") as refused:
        read_table(tmp_path / "t.parquet")
    assert "77777777" not in str(refused.value)


def test_a_frame_of_mixed_values_is_refused_without_naming_them():
    with pytest.raises(InputError, match="several kinds") as refused:
        to_table(pd.DataFrame({"age": [41, "HIV positive"]}, dtype=object))
    assert "HIV" not in str(refused.value)


class Watched(bytearray):
    """Bytes that can be watched going."""


def test_no_thread_is_left_holding_the_bytes_of_a_file_that_was_read(tmp_path, monkeypatch):
    """One that frees memory of Python's while the program ends takes it down with status 134.

    Without a copy of Arrow's own, about one read in thirty left the bytes to another thread.
    """
    name = "t.csv"
    write_table(pa.table({"sex": ["F", "M"] * 20_000, "ill": ["no", "yes"] * 20_000}), tmp_path / name)
    freed: list[int] = []
    watches = []

    def read(path):
        data = Watched(read_bytes(path))
        watches.append(weakref.ref(data, lambda _: freed.append(threading.get_ident())))
        return data

    monkeypatch.setattr(tables, "read_bytes", read)
    for _ in range(250):
        read_table(tmp_path / name)
        time.sleep(0.002)  # else this thread is the last to let go, nearly always
    assert freed == [threading.get_ident()] * 250


@pytest.mark.parametrize("column", [pd.Series([1, 2]), pl.Series([1, 2]), pa.array([1, 2])])
def test_one_column_is_not_a_table(column):
    with pytest.raises(InputError, match="a table must be a frame of columns, not one column"):
        to_table(column)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet"])
@pytest.mark.parametrize(
    "columns",
    [
        {"\ufeffa": ["1", "2"], "b": ["3", "4"]},
        {"a": ["\ufeff1", "2"], "b": ["3", "4"]},
        {"\ufeff": ["\ufeff", "\ufeff\ufeff"]},
    ],
)
def test_names_and_cells_that_begin_with_a_byte_order_mark_stay(tmp_path, name, columns):
    write_table(pa.table(columns), tmp_path / name)
    assert read_table(tmp_path / name).to_pydict() == columns


def test_names_are_compared_in_time_that_grows_with_their_number():
    names = [f"c{i}" for i in range(100_000)]
    start = time.process_time()
    with pytest.raises(InputError, match="two columns are named 'c7'"):
        tables._check_names([*names, "c7"])
    assert time.process_time() - start < 5  # comparing each with all before took minutes
