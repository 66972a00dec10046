import gzip
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import strategies

from confide import Transactions
from confide.core.errors import ConfideError, InputError, UsageError

NAMES = ["t.csv", "t.csv.gz", "t.jsonl", "t.jsonl.zst", "t.parquet", "t.ndjson.gz"]
any_label = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5).filter(
    lambda text: text.strip() == text
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(rows=strategies.rows(items=any_label))
def test_every_format_round_trips(tmp_path_factory, name, rows):
    tx = Transactions.from_lists(rows)
    path = tmp_path_factory.mktemp("round") / name
    try:
        tx.write(path)
    except UsageError as error:
        assert "header" in str(error)  # a first record that reads as a header is refused
        return
    assert Transactions.read(path) == tx


@settings(max_examples=60)
@given(rows=strategies.rows(items=any_label))
def test_long_csv_round_trips(tmp_path_factory, rows):
    tx = Transactions.from_lists(rows)
    path = tmp_path_factory.mktemp("round") / "long.csv"
    tx.write(path, format="long")
    assert Transactions.read(path) == tx


@settings(max_examples=100)
@given(rows=strategies.rows(items=st.one_of(st.integers(0, 2**33).map(str), st.text(string.ascii_letters, min_size=1))))
@pytest.mark.parametrize("name", ["t.dat", "t.txt.zst"])
def test_dat_round_trips(tmp_path_factory, name, rows):
    tx = Transactions.from_lists(rows)
    path = tmp_path_factory.mktemp("round") / name
    tx.write(path)
    assert Transactions.read(path) == tx


@given(st.text("0123456789 \t\r\n", max_size=60))
def test_the_fast_reader_reads_what_splitting_reads(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("fast") / "t.dat"
    path.write_bytes(text.encode())
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    assert Transactions.read(path) == Transactions.from_lists(line.split() for line in lines)


def test_many_threads_read_what_one_does(tmp_path):
    rows = [[str((i * 7919 + j * j) % 1000) for j in range(i % 9)] for i in range(400_000)]
    path = tmp_path / "large.dat"
    path.write_text("".join(" ".join(row) + "\n" for row in rows))
    tx = Transactions.read(path)
    assert len(tx) == len(rows)
    assert all(tx[i] == sorted(set(rows[i]), key=int) for i in range(0, len(rows), 997))


def test_a_long_csv_from_a_spreadsheet_is_read(tmp_path):
    path = tmp_path / "export.csv"
    path.write_bytes('\ufeffID;Item\r\n1;milk\r\n2;"bread; white"\r\n1;eggs\r\n3;\r\n'.encode())
    assert list(Transactions.read(path)) == [["eggs", "milk"], ["bread; white"], []]


def test_padding_commas_of_a_spreadsheet_are_not_items(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text("milk, bread,,\neggs,,,\n")
    assert list(Transactions.read(path)) == [["bread", "milk"], ["eggs"]]


def test_other_column_names_can_be_said(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("patient,when,drug\n7,mon,aspirin\n7,tue,insulin\n")
    assert list(Transactions.read(path, format="long", id="patient", item="drug")) == [["aspirin", "insulin"]]


def test_naming_a_column_says_that_the_file_is_long(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("patient,when,drug\n7,mon,aspirin\n")
    assert list(Transactions.read(path, id="patient", item="drug")) == [["aspirin"]]
    with pytest.raises(InputError, match="no column 'item'; columns are: patient, when, drug"):
        Transactions.read(path, id="patient")  # never read as baskets, which would make items of patients


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.dat", b"1 2\n3 \xff\n", "line 2: not UTF-8"),
        ("a.csv", b'x,"y\n', "line 1: not well-formed CSV"),
        ("a.csv", b'ok\n"\xff"\n', "line 2: not UTF-8"),
        ("a.csv", b"id,item\n1\n", "line 2: 1 cell where the header has 2"),
        ("a.csv", b"id,item\n,milk\n", "line 2, column 'id': the id is empty"),
        ("a.jsonl", b'["a"]\n["a",\n', "line 2: not JSON"),
        ("a.jsonl", b'["a"]\n7\n', "line 2: neither a list"),
        ("a.jsonl", b'["a", 1.5]\n', "line 1: an item is neither text nor a whole number"),
        ("a.jsonl", b"[" * 100_000, "line 1: not JSON"),
        ("a.parquet", b"PAR1", "not a sound Parquet file"),
        ("a.dat", b"1\x002\n", "zero bytes"),
        ("a.dat.gz", b"no gzip", "not a whole gzip file"),
        ("a.dat.gz", gzip.compress(b"1 2\n" * 1000, mtime=0)[:-20], "a.dat.gz"),
        ("a.dat.zst", b"no zstd", "a.dat.zst"),
    ],
)
def test_bad_files_get_one_line_that_says_where(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Transactions.read(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_file_without_its_column_names_those_it_has(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("person,thing\n1,a\n")
    with pytest.raises(InputError, match="no column 'id'; columns are: person, thing"):
        Transactions.read(path, format="long")


def test_a_missing_file_a_folder_and_an_unknown_name_are_distinguished(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Transactions.read(tmp_path / "none.dat")
    (tmp_path / "folder.dat").mkdir()
    with pytest.raises(InputError, match="folder"):
        Transactions.read(tmp_path / "folder.dat")
    with pytest.raises(UsageError, match="does not say the format"):
        Transactions.read(tmp_path / "t.ods")


def test_a_file_that_unpacks_to_more_than_allowed_is_refused(tmp_path):
    path = tmp_path / "bomb.dat.gz"
    path.write_bytes(gzip.compress(b"1 " * 5_000_000))
    with pytest.raises(InputError, match="unpacks to more than"):
        Transactions.read(path, max_bytes=1_000_000)


def test_a_label_with_a_blank_cannot_go_into_a_dat_file(tmp_path):
    with pytest.raises(UsageError, match="blanks"):
        Transactions.from_lists([["red wine"]]).write(tmp_path / "t.dat")
    assert not list(tmp_path.iterdir())


def test_a_file_that_exists_is_kept_unless_replaced(tmp_path):
    tx = Transactions.from_lists([["a"]])
    tx.write(tmp_path / "t.csv")
    with pytest.raises(ConfideError, match="exists"):
        tx.write(tmp_path / "t.csv")
    tx.write(tmp_path / "t.csv", replace=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.jsonl", '["a"]\n[' + "[]," * 1000 + "[]]\n"),
        ("t.csv", 'a,"b"\n' + '"\n",' * 500 + "a\n"),
        ("t.csv", '"a"\n' + "," * 2000 + "\n"),
    ],
)
def test_a_record_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch, name, text):
    monkeypatch.setattr("confide.core.tables.formats.csv_text.LONGEST_RECORD", 1000)
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="a record of more than 1,000 characters"):
        Transactions.read(tmp_path / name)


def test_a_stray_quote_does_not_make_one_record_of_a_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr("confide.core.tables.formats.csv_text.LONGEST_RECORD", 1000)
    (tmp_path / "t.csv").write_text('4" nail,glue\n' + "glue,wood\n" * 1000)
    assert len(Transactions.read(tmp_path / "t.csv")) == 1001


def test_a_parquet_name_holds_parquet(tmp_path):
    tx = Transactions.from_lists([["a"]])
    for form in ("long", "basket"):
        with pytest.raises(UsageError, match="the name says Parquet"):
            tx.write(tmp_path / "t.parquet", format=form)
    assert not list(tmp_path.iterdir())
    tx.write(tmp_path / "t.parquet", format="parquet")
    with pytest.raises(UsageError, match="the name says Parquet"):
        Transactions.read(tmp_path / "t.parquet", format="long")


def test_a_column_named_with_a_line_end_is_refused_in_one_line(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"\nd\x1b[2J": [1], "item": ["tea"]}), tmp_path / "long.parquet")
    with pytest.raises(InputError) as refused:
        Transactions.read(tmp_path / "long.parquet", id="id", item="item")
    assert r"columns are: \nd\x1b[2J, item" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "format"), [("t.csv", None), ("t.tsv.gz", None), ("t.csv", "long"), ("t.jsonl", None), ("t.parquet", None)]
)
@pytest.mark.parametrize("rows", [[["\ufeffa"], ["a"]], [["\ufeff", "b"], ["b"]], [["\ufeff\ufeffa", "1"]]])
def test_a_label_that_begins_with_a_byte_order_mark_stays(tmp_path, name, format, rows):
    given = Transactions.from_lists(rows)
    given.write(tmp_path / name, format=format)
    assert list(Transactions.read(tmp_path / name, format=format)) == list(given)


def test_a_byte_order_mark_in_a_label_is_refused_where_cells_cannot_be_quoted(tmp_path):
    with pytest.raises(UsageError, match="byte-order mark"):
        Transactions.from_lists([["a"], ["\ufeffa"]]).write(tmp_path / "t.dat")
