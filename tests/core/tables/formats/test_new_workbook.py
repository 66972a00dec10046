"""Workbooks that we write: Excel's other readers see the table, and a released one is read only if it is as written."""

import io
import random
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.commands import confide

from confide import verify
from confide.core.artefacts.kinds import open_released, read_released
from confide.core.errors import InputError, UsageError
from confide.core.tables.formats.new_workbook import NewWorkbook, workbook_of
from confide.core.tables.formats.workbook import read_sheet
from confide.core.tables.frames import csv_blocks, read_table, write_table

CELLS = st.text(st.characters(codec="utf-8", min_codepoint=0x20, exclude_characters="\x7f￾￿_"), max_size=5)


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 6))
    number = st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-5, 5).map(float))
    columns = {
        "text": pa.array(draw(st.lists(st.one_of(st.none(), CELLS), min_size=rows, max_size=rows)), pa.string()),
        "number": pa.array(draw(st.lists(number, min_size=rows, max_size=rows)), pa.float64()),
        "id": pa.array(range(rows)),
    }
    return pa.table(columns)


@settings(max_examples=100, deadline=None)
@given(tables())
def test_a_workbook_holds_what_a_csv_file_holds(table):
    found = NewWorkbook.open(workbook_of(table), Path("x.xlsx"), most=1 << 20).to_table()
    assert b"".join(csv_blocks(found)) == b"".join(csv_blocks(table))
    sheet = read_sheet(workbook_of(table), Path("x.xlsx"))
    assert sheet.to_csv(padded=True) == b"".join(csv_blocks(table))


def test_other_readers_see_numbers_as_numbers_and_codes_as_text():
    openpyxl = pytest.importorskip("openpyxl")
    table = pa.table({"zip": ["01234", None], "age": [41, None], "note": [" <&> ", "3-4"]})
    book = openpyxl.load_workbook(io.BytesIO(workbook_of(table)))
    assert list(book.active.values) == [("zip", "age", "note"), ("01234", 41, " <&> "), (None, None, "3-4")]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pa.table({"a": ["bell\a"]}), "text that a workbook cannot carry"),
        (pa.table({"a": ["_x0041_"]}), "text that a workbook cannot carry"),
        (pa.table({"a": ["x" * 40_000]}), "text that a workbook cannot carry"),
        (pa.table({"": ["x"]}), "has no name"),
        (pa.table({"a": [b"x"], "b": [[1]]}), "values that a workbook cannot carry"),
        (pa.table({"a": pa.nulls(1 << 20, pa.string())}), "more than 1,048,575 rows"),
    ],
)
def test_what_a_workbook_cannot_hold_is_refused(table, said):
    with pytest.raises(InputError, match=said):
        workbook_of(table)


GOOD = workbook_of(pa.table({"age": [1, 2, 30], "ill": ["a", None, "b & c"]}))


def repacked(change):
    """The parts of a good workbook, packed by somebody else after a change."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(GOOD)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        parts = {info: old.read(info) for info in old.namelist()}
        change(parts)
        for name, data in parts.items():
            new.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def in_sheet(old, new):
    def change(parts):
        assert old in parts["xl/worksheets/sheet1.xml"]
        parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"].replace(old, new)

    return repacked(change)


FORGED = {
    "a comment behind": GOOD + b"hidden",
    "a comment declared": GOOD[:-2] + b"\x06\x00hidden",
    "another part": repacked(lambda parts: parts.update({"docProps/core.xml": b"<x/>"})),
    "another sheet's name": repacked(
        lambda parts: parts.update({"xl/workbook.xml": parts["xl/workbook.xml"].replace(b'"table"', b'"anna"')})
    ),
    "a formula": in_sheet(b"<v>30</v>", b"<f>A2</f><v>30</v>"),
    "a blank": in_sheet(b"<sheetData>", b"<sheetData> "),
    "a number as text": in_sheet(
        b'<c r="A4"><v>30</v></c>', b'<c r="A4" t="inlineStr"><is><t xml:space="preserve">30</t></is></c>'
    ),
    "another spelling": in_sheet(b"<v>30</v>", b"<v>30.0</v>"),
    "a row by another number": in_sheet(b'<row r="4">', b'<row r="5">'),
    "a column that has no name": in_sheet(b"</row></sheetData>", b'<c r="C4"><v>1</v></c></row></sheetData>'),
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_workbook_with_anything_else_in_it_is_no_release(forged):
    for read in (read_released, lambda *given, type: open_released(*given, type=type, spelled=True)):
        with pytest.raises(InputError, match="as Confide writes it"):
            read(FORGED[forged], "x.xlsx", type="table")


def test_no_changed_byte_goes_unseen():
    """Except where deflate has several ways to pack the same cells."""
    draws, table = random.Random(1), NewWorkbook.open(GOOD, Path("x.xlsx"), most=1 << 20).to_table()
    for _ in range(400):
        forged = bytearray(GOOD)
        place = draws.randrange(len(forged))
        forged[place] ^= 1 << draws.randrange(8)
        try:
            found = read_released(bytes(forged), "x.xlsx", type="table").data
        except InputError:
            continue
        assert found.equals(table)


def test_a_packed_workbook_that_unpacks_to_too_much_is_refused(tmp_path):
    with pytest.raises(UsageError, match="a workbook is packed inside"):
        write_table(pa.table({"a": ["1"]}), tmp_path / "x.xlsx.gz")
    with pytest.raises(InputError, match="unpacks to more than"):
        NewWorkbook.open(GOOD, Path("x.xlsx"), most=100)


@pytest.mark.parametrize("name", ["out.xlsx", "out.csv", "out.tsv"])
def test_a_release_keeps_the_mark_of_what_was_read_and_can_be_a_workbook(tmp_path, name):
    rows = "".join(f"{age};{'ab'[age % 2]};1,5\n" for age in range(20, 40))
    (tmp_path / "in.csv").write_text("age;ill;cost\n" + rows)
    (tmp_path / "s.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nrange = [0, 99]\n[columns.ill]\nrole = "sensitive"\n'
        '[columns.cost]\nrole = "insensitive"\n'
    )
    asked = ["publish", "table", "in.csv", "--schema", "s.toml", "--k", "5"]
    done = confide(*asked, "-o", name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert verify(tmp_path / f"{name}.passport.json").ok
    assert read_table(tmp_path / name).num_rows == 20
    if name != "out.xlsx":
        header = (tmp_path / name).read_text().partition("\n")[0]
        assert header == ("age;ill;cost" if name == "out.csv" else "age\till\tcost")
