"""What divides cells is never guessed where two marks compete; what we write reads back as it was."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Coherence, Transactions
from confide.core.errors import InputError, UsageError
from confide.core.tables.formats.csv_text import delimiter_of, header_of, without_mark
from confide.core.tables.frames import csv_blocks, read_table, table_from_csv

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1, max_size=8).filter(str.strip)
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
SHAMPOO = "Shampoo; 250 ml; dry hair\ntea,nuts,s:hiv-test\nnuts,tea\n"


def test_a_first_line_with_semicolons_does_not_make_one_item_of_a_record(tmp_path):
    (tmp_path / "b.csv").write_text(SHAMPOO)
    with pytest.raises(
        InputError, match=r"a comma \(first in line 2\) and a semicolon \(first in line 1\).*delimiter="
    ):
        Transactions.read(tmp_path / "b.csv")
    read = Transactions.read(tmp_path / "b.csv", delimiter=",")
    assert "s:hiv-test" in read.items
    assert Coherence(h=0.5, k=5, p=2).k == 5


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        (b"a,b\nc", ","),
        (b"a;b\n", ";"),
        (b"a\tb\n", "\t"),
        (b"a\nb\n", ","),
        (b'"x; y",b\n', ","),
        (b'"x, ""y""";b\n', ";"),
    ],
)
def test_marks_inside_quotes_do_not_count(text, mark):
    assert delimiter_of(text, "f.csv") == mark


def test_two_marks_anywhere_compete():
    with pytest.raises(InputError, match="line 1"):
        delimiter_of(b"a,b\n" * 1000 + b"c;d\n", "f.csv")
    with pytest.raises(UsageError, match="none of them"):
        delimiter_of(b"a", "f.csv", given="|")


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbf\xef\xbb\xbfage,zip\n20,1\n", b'"a\nge",zip\n20,1\n', b"a\rge,zip\n1,2\n", b"age\n\xef\xbb\xbf20\n"],
    ids=["two marks", "line break", "lone return", "mark before a row"],
)
def test_headers_that_two_readers_take_differently_are_refused(data, tmp_path):
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(InputError):
        read_table(tmp_path / "t.csv")


def test_columns_stay_text():
    table = table_from_csv(b"\xef\xbb\xbfage,zip\n20,1\n020,1\n0020,1\n", "t.csv")
    assert table["age"].to_pylist() == ["20", "020", "0020"]
    assert header_of(without_mark(b"a,b\n1,2\n", "t"), ",", "t") == (["a", "b"], 4)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=6), st.lists(NAMES, min_size=2, max_size=2, unique=True))
def test_what_we_write_reads_back_with_any_cells(rows, names):
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)})
    again = table_from_csv(b"".join(csv_blocks(table)), "t.csv")
    assert again.equals(table)


@given(st.lists(CELLS, max_size=6))
def test_a_table_of_one_column_keeps_its_empty_cells(cells):
    table = pa.table({"a": pa.array(cells, pa.string())})
    assert table_from_csv(b"".join(csv_blocks(table)), "t.csv").equals(table)
