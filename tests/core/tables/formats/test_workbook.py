"""Workbooks: cells become the text that a CSV file has; what unpacks to too much is refused while it is unpacked."""

import datetime as dt
import io
import zipfile

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confide import Transactions
from confide.core.errors import InputError, UsageError
from confide.core.tables.formats.workbook import read_sheet
from confide.core.tables.frames import read_table
from confide.core.tables.sources import load_table

openpyxl = pytest.importorskip("openpyxl")

SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = "</sheetData></worksheet>"


def workbook(path, **sheets):
    """A workbook as Excel's own format has it, with these rows in these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def forged(parts):
    """A good workbook whose parts are replaced."""
    good = io.BytesIO()
    book = openpyxl.Workbook()
    book.active["A1"] = "x"
    book.save(good)
    made = io.BytesIO()
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in {*old.namelist(), *parts}:
            new.writestr(name, parts[name] if name in parts else old.read(name))
    return made.getvalue()


def rows_of(data, tmp_path, **options):
    return read_sheet(data, tmp_path / "x.xlsx", **options).rows


def test_cells_are_the_text_a_csv_file_would_have(tmp_path):
    rows = [
        ["name", "postcode", "height", "born", "seen", "at", "smokes"],
        ["Ann", "01234", 1.5, dt.date(1980, 2, 29), dt.datetime(2026, 11, 15, 8, 30), dt.time(7, 5), True],
        ["Bob, jr.", 1234, 3.0, dt.date(1900, 3, 1), None, None, False],
        [None, None, -2.5e-7, None, None, None, None],
    ]
    table = read_table(workbook(tmp_path / "people.xlsx", People=rows))
    assert table.to_pydict() == {
        "name": ["Ann", "Bob, jr.", ""],
        "postcode": ["01234", "1234", ""],
        "height": ["1.5", "3", "-2.5e-07"],
        "born": ["1980-02-29", "1900-03-01", ""],
        "seen": ["2026-11-15 08:30:00", "", ""],
        "at": ["07:05:00", "", ""],
        "smokes": ["TRUE", "FALSE", ""],
    }
    typed = load_table(file=tmp_path / "people.xlsx", types={"born": "date", "height": "number"})
    assert typed.schema.field("born").type == pa.date32()


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(-(10**14), 10**14), st.text("ab,;\"' ü\n=", max_size=5)), max_size=4),
        max_size=5,
    )
)
def test_it_reads_what_openpyxl_reads(rows):
    book = openpyxl.Workbook()
    for r, row in enumerate(rows, start=1):
        for c, value in enumerate(row, start=1):
            cell = book.active.cell(r, c)
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"  # also a text that begins like a formula
    kept = io.BytesIO()
    book.save(kept)
    kept.seek(0)
    theirs = [
        ["" if value is None else str(value) for value in row]
        for row in openpyxl.load_workbook(kept).active.iter_rows(values_only=True)
    ]
    ours = read_sheet(kept.getvalue(), "x.xlsx").rows
    assert [_bare(row) for row in ours] == _bare([_bare(row) for row in theirs], [])


def _bare(values, empty=""):
    """Without what is empty at the end."""
    values = list(values)
    while values and values[-1] == empty:
        values.pop()
    return values


def test_baskets_long_and_one_hot_sheets_are_read_like_csv(tmp_path):
    baskets = [["tea", "nuts"], ["milk", None, "tea"], ["tea"], ["s:hiv-test", "nuts", "milk", "rum"]]
    path = workbook(
        tmp_path / "b.xlsx",
        Baskets=baskets,
        Long=[["id", "item"], [7, "tea"], [9, "nuts"], [7, "milk"]],
        Hot=[["tea", "nuts"], [1, 0], [1, 1], [0, 0]],
    )
    assert [set(row) for row in Transactions.read(path)] == [{c for c in row if c} for row in baskets]
    assert [set(row) for row in Transactions.read(path, sheet="Long")] == [{"tea", "milk"}, {"nuts"}]
    hot = Transactions.read(path, sheet="Hot", format="one-hot")
    assert [set(row) for row in hot] == [{"tea"}, {"tea", "nuts"}, set()]
    with pytest.raises(InputError, match="say format=one-hot"):
        Transactions.read(path, sheet="Hot")
    with pytest.raises(UsageError, match="no sheet 'Cold'; sheets are: Baskets, Long, Hot"):
        Transactions.read(path, sheet="Cold")
    with pytest.raises(UsageError, match="leave out delimiter="):
        Transactions.read(path, delimiter=";")


def test_an_empty_row_is_an_empty_line(tmp_path):
    path = workbook(tmp_path / "b.xlsx", S=[["tea", "nuts", "rum"], [], ["milk"]])
    assert [list(row) for row in Transactions.read(path)][1] == []


def test_workbooks_of_baskets_are_only_read(tmp_path):
    with pytest.raises(UsageError, match="workbooks are only read"):
        Transactions.from_lists([["a"]]).write(tmp_path / "x.xlsx")


def test_a_row_longer_than_the_header_is_refused_by_its_number(tmp_path):
    path = workbook(tmp_path / "t.xlsx", S=[["a", "b"], ["1", "2"], ["1", "2", "3"]])
    with pytest.raises(InputError, match=r"line 3.*3 cells where the header has 2"):
        read_table(path)


def test_formulas_give_what_they_gave_and_errors_are_refused(tmp_path):
    good = HEAD + '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c t="str"><f>"a"</f><v>a</v></c></row>' + TAIL
    assert rows_of(forged({SHEET: good}), tmp_path) == [["2", "a"]]
    rich = '<row><c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r><rPh><t>c</t></rPh></is></c></row>'
    assert rows_of(forged({SHEET: HEAD + rich + TAIL}), tmp_path) == [["ab"]]
    bad = HEAD + '<row r="4"><c r="A4" t="e"><v>#DIV/0!</v></c></row>' + TAIL
    with pytest.raises(InputError, match=r"line 4.*a cell holds an error"):
        rows_of(forged({SHEET: bad}), tmp_path)


BOMBS = {
    "a cell in the last corner": '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
    "wide rows": "".join(f'<row r="{r}"><c r="XFD{r}"><v>1</v></c></row>' for r in range(1, 2000)),
    "one text, many times": '<row r="1">' + '<c t="s"><v>0</v></c>' * 10_000 + "</row>",
    "blanks": "<row><c><v>1</v></c></row>" + " " * 18_000_000,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_unpacks_to_too_much_is_refused(tmp_path, bomb):
    shared = f"<sst><si><t>{'x' * 30_000}</t></si></sst>"
    data = forged({SHEET: HEAD + BOMBS[bomb] + TAIL, "xl/sharedStrings.xml": shared})
    assert len(data) < 200_000
    with pytest.raises(InputError, match="unpacks to more than 16 MB"):
        rows_of(data, tmp_path, most=16 << 20)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ('<row r="2"><c/></row><row r="2"><c/></row>', "rows are out of order"),
        ('<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>', "cells are out of order"),
        ('<row><c r="ZZZ1"><v>1</v></c></row>', "beyond the last column"),
        ('<row r="1048577"><c><v>1</v></c></row>', "beyond the last row"),
        ('<row><c t="s"><v>7</v></c></row>', "names a text that is not there"),
        ("<row><c><v>abc</v></c></row>", "a number that is none"),
        ("<row><c><v>nan</v></c></row>", "not a sound"),
        ("<row>", "not a sound"),
    ],
)
def test_what_no_program_writes_is_refused(tmp_path, cells, said):
    with pytest.raises(InputError, match=said):
        rows_of(forged({SHEET: HEAD + cells + TAIL}), tmp_path)


def test_entities_are_refused(tmp_path):
    laughs = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + HEAD + TAIL
    with pytest.raises(InputError, match="declares entities"):
        rows_of(forged({SHEET: laughs}), tmp_path)
