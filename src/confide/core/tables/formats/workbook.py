"""The cells of an .xlsx workbook as text, the way a CSV file saved from it would have them.

    workbook.xml      names of the sheets, in their order; whether days are counted from 1904
    sharedStrings.xml texts that cells name by number
    styles.xml        which formats of numbers are dates
    sheetN.xml        the cells; one may leave out where it stands

A workbook is a zip file of XML, and both unpack to far more than they weigh. Every part is therefore unpacked in pieces
and given up past a limit, whatever the zip file says of its size; cells are counted one by one, so that neither a cell
in the last corner of a sheet nor one long text named a million times costs more than it would in a CSV file; and a
part that declares entities is refused.

Why our own, on the zip and XML readers that come with Python: `python3 run.py bench house.untrusted_files` compares it
with python-calamine in a child process under limits of memory and time, which would be smaller (28 lines and some 40
to start it, against 370) and computes a quarter of our time (0.9 s for 100,000 x 10 cells, ours 3.9 s). But it lays
out the whole sheet before anybody can see how large it is. A far cell (1 kB), a long shared text and a zip bomb each
end that child without a reason, after up to 2,044 MB; here they are one line, after 154 MB at most, and the bound
holds where a system has no such limits, too.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Any
from xml.parsers import expat

from confide.core.errors import InputError, UsageError
from confide.core.files import read_bytes
from confide.core.tables.formats.csv_text import quoted

__all__ = ["LARGEST_UNPACKED", "Sheet", "read_sheet", "sheet_asked_for", "sheet_named"]

LARGEST_UNPACKED = 1 << 30
"""Bytes that all parts read from a workbook may unpack to; the text of its cells may be as much again."""

_PIECE = 1 << 20
_MOST_COLUMNS, _MOST_ROWS = 16_384, 1_048_576  # of a sheet of Excel's
_DATES = frozenset(
    (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59))
)  # formats that Excel knows by number
_PLACE = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_NOT_A_DATE_CODE = re.compile(r'"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)

Handlers = tuple[Callable[[str, dict[str, str]], None], Callable[[str], None], Callable[[str], None]]
Row = list[str]


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A sheet's name, its rows of cells (each as long as its last cell), and the names of the other sheets."""

    name: str
    rows: list[Row]
    others: tuple[str, ...]

    def to_csv(self, *, padded: bool = False) -> bytes:
        """The rows as lines of CSV; with `padded` each has at least as many cells as the first, as a table must."""
        width = len(self.rows[0]) if padded and self.rows else 0
        lines = (",".join(map(quoted, row + [""] * (width - len(row)))) for row in self.rows)
        return "".join(line + "\n" for line in lines).encode()


def read_sheet(
    data: bytes | bytearray, source: Path, *, sheet: str | None = None, most: int = LARGEST_UNPACKED
) -> Sheet:
    """The cells of the first sheet, or of the one called `sheet`.

    Whole numbers have no decimal point, dates are written 2026-11-15, with a time 2026-11-15 08:30:00, truth values
    TRUE and FALSE; a formula is what it gave when the workbook was saved. A cell with an error (#DIV/0!) is refused.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _Workbook(archive, source, most).read(sheet)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, UnicodeError) or type(error) is ValueError:
            raise InputError("not a sound .xlsx file", source=source) from None
        raise InputError(f"not a sound .xlsx file ({type(error).__name__})", source=source) from None


def sheet_asked_for(data: bytes | bytearray, source: Path, *, sheet: str | None, **of_text: str | None) -> Sheet:
    """The sheet that was asked for, or the first. What only text files have is refused."""
    for name, value in of_text.items():
        if value is not None:
            raise UsageError(f"{source.name}: a workbook has no {name}; leave out {name}=")
    return read_sheet(data, source, sheet=sheet)


def sheet_named(path: str | PathLike[str], sheet: str | None = None) -> str:
    """Which sheet of a workbook is read, to follow its name in a message; nothing for other files, or the only sheet.

    The workbook has been read before, so whatever is wrong with it has been said.
    """
    source = Path(path)
    if ".xlsx" not in (suffix.lower() for suffix in source.suffixes):
        return ""
    with zipfile.ZipFile(io.BytesIO(read_bytes(source))) as archive:
        names = [name for name, _ in _Workbook(archive, source, LARGEST_UNPACKED).sheets()]
    read = sheet or names[0]
    others = ", ".join(name for name in names if name != read)
    return f" (sheet {read!r}; not read: {others})" if others else ""


class _Workbook:
    def __init__(self, archive: zipfile.ZipFile, source: Path, most: int):
        self.archive, self.source, self.most = archive, source, most
        self.left = self.text_left = most
        self.from_1904 = False

    def read(self, wanted: str | None) -> Sheet:
        sheets = self.sheets()
        names = tuple(name for name, _ in sheets)
        if not sheets:
            raise InputError("holds no sheet", source=self.source)
        if wanted is not None and wanted not in names:
            raise UsageError(f"{self.source.name}: no sheet {wanted!r}; sheets are: {', '.join(names)}")
        name, part = sheets[0 if wanted is None else names.index(wanted)]
        rows = _Cells(self, self._texts(), self._date_styles()).read(part)
        return Sheet(name=name, rows=rows, others=tuple(other for other in names if other != name))

    # -- parts of the archive -------------------------------------------------------------------------------------

    def parse(self, part: str, handlers: Handlers, *, needed: bool = True) -> None:
        """Read one part through an XML parser, piece by piece, within what is left of the limit."""
        parser = expat.ParserCreate()
        begin, end, text = handlers
        parser.StartElementHandler = lambda tag, attributes: begin(tag.rpartition(":")[2], attributes)
        parser.EndElementHandler = lambda tag: end(tag.rpartition(":")[2])
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        try:
            for piece in self._pieces(part, needed=needed):
                parser.Parse(piece)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            if parser.CurrentByteIndex <= 0 and not needed:
                return
            what = f"not a sound .xlsx file ({posixpath.basename(part)}: {expat.ErrorString(error.code)})"
            raise InputError(what, source=self.source) from None

    def _refuse_doctype(self, *declared: Any) -> None:
        raise InputError("not a sound .xlsx file (it declares entities)", source=self.source)

    def _pieces(self, part: str, *, needed: bool) -> Iterator[bytes]:
        try:
            found = self.archive.getinfo(part)
        except KeyError:
            if needed:
                raise InputError(f"not a sound .xlsx file (no {part})", source=self.source) from None
            return
        with self.archive.open(found) as stream:
            while piece := stream.read(_PIECE):
                self.left -= len(piece)
                if self.left < 0:
                    raise self.too_large()
                yield piece

    def too_large(self) -> InputError:
        return InputError(f"unpacks to more than {self.most >> 20:,} MB", source=self.source)

    # -- what the parts say ---------------------------------------------------------------------------------------

    def sheets(self) -> list[tuple[str, str]]:
        """(name, part) of every sheet, in the order of the workbook."""
        targets: dict[str, str] = {}
        found: list[tuple[str, str]] = []

        def relation(tag: str, attributes: dict[str, str]) -> None:
            if tag == "Relationship" and attributes.get("Type", "").endswith("/worksheet"):
                targets[attributes.get("Id", "")] = attributes.get("Target", "")

        def entry(tag: str, attributes: dict[str, str]) -> None:
            if tag == "sheet":
                id = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "id"), "")
                if id in targets:  # a sheet of charts has no cells
                    found.append((attributes.get("name", ""), _joined(targets[id])))
            elif tag == "workbookPr":
                self.from_1904 = attributes.get("date1904", "0") in ("1", "true")

        self.parse("xl/_rels/workbook.xml.rels", (relation, _nothing, _nothing))
        self.parse("xl/workbook.xml", (entry, _nothing, _nothing))
        return found

    def _texts(self) -> list[str]:
        """The shared texts; of a text in pieces of several fonts the pieces joined, without its reading aids."""
        found: list[str] = []
        parts: list[str] = []
        inside = aside = False

        def begin(tag: str, attributes: dict[str, str]) -> None:
            nonlocal inside, aside
            if tag == "si":
                parts.clear()
            inside = tag == "t"
            aside = aside or tag == "rPh"

        def end(tag: str) -> None:
            nonlocal inside, aside
            inside = False
            if tag == "rPh":
                aside = False
            elif tag == "si":
                found.append("".join(parts))

        def text(data: str) -> None:
            if inside and not aside:
                parts.append(data)

        self.parse("xl/sharedStrings.xml", (begin, end, text), needed=False)
        return found

    def _date_styles(self) -> list[bool]:
        """For each style of cells whether it shows a number as a date."""
        custom: dict[str, bool] = {}
        found: list[bool] = []
        inside = False

        def begin(tag: str, attributes: dict[str, str]) -> None:
            nonlocal inside
            if tag == "numFmt":
                custom[attributes.get("numFmtId", "")] = _shows_a_date(attributes.get("formatCode", ""))
            elif tag == "cellXfs":
                inside = True
            elif tag == "xf" and inside:
                number = attributes.get("numFmtId", "0")
                found.append(custom.get(number, number.isascii() and number.isdigit() and int(number[:9]) in _DATES))

        def end(tag: str) -> None:
            nonlocal inside
            inside = inside and tag != "cellXfs"

        self.parse("xl/styles.xml", (begin, end, _nothing), needed=False)
        return found


class _Cells:
    """The rows of one sheet, cell by cell."""

    def __init__(self, book: _Workbook, texts: list[str], dates: list[bool]):
        self.book, self.texts, self.dates = book, texts, dates
        self.rows: list[Row] = []
        self.row: Row = []
        self.number = self.column = 0
        self.kind, self.style, self.parts = "n", 0, list[str]()
        self.inside = self.aside = False

    def read(self, part: str) -> list[Row]:
        self.book.parse(part, (self._begin, self._end, self._text))
        return self.rows

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            place = _PLACE.fullmatch(attributes.get("r", ""))
            self.column = _column(place[1]) if place else self.column + 1
            if self.column > _MOST_COLUMNS:
                raise self._fault("a cell stands beyond the last column of a sheet")
            self.kind = attributes.get("t", "n")
            style = attributes.get("s", "0")
            self.style = int(style[:9]) if style.isascii() and style.isdigit() else 0
            self.parts.clear()
        elif tag == "row":
            given = attributes.get("r", "")
            number = int(given[:9]) if given.isascii() and given.isdigit() else self.number + 1
            if number > _MOST_ROWS:
                raise self._fault("a row stands beyond the last row of a sheet")
            if number <= self.number:
                raise self._fault("rows are out of order")
            self.number, self.column, self.row = number, 0, []
        self.inside = tag in ("v", "t")
        self.aside = self.aside or tag == "rPh"

    def _text(self, data: str) -> None:
        if self.inside and not self.aside:
            self.parts.append(data)

    def _end(self, tag: str) -> None:
        self.inside = False
        if tag == "rPh":
            self.aside = False
        elif tag == "c":
            value = self._value("".join(self.parts))
            self._charge(len(value) + 64 + 8 * (self.column - len(self.row)))
            if value:
                if self.column <= len(self.row):
                    raise self._fault("cells are out of order")
                self.row.extend([""] * (self.column - len(self.row) - 1))
                self.row.append(value)
        elif tag == "row" and self.row:
            skipped = self.number - 1 - len(self.rows)  # rows that hold nothing: lines without a cell, as in a CSV file
            self._charge(64 * (skipped + 1))
            self.rows.extend([] for _ in range(skipped))
            self.rows.append(self.row)

    def _charge(self, size: int) -> None:
        """Take about as many bytes of memory from what is left."""
        self.book.text_left -= size
        if self.book.text_left < 0:
            raise self.book.too_large()

    def _value(self, text: str) -> str:
        if self.kind == "s":
            if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) >= len(self.texts):
                raise self._fault("a cell names a text that is not there")
            return self.texts[int(text)]
        if self.kind == "b":
            return {"0": "FALSE", "1": "TRUE"}.get(text, text)
        if self.kind == "e":
            raise self._fault("a cell holds an error (such as #DIV/0!); repair it, or clear the cell")
        if self.kind == "d":  # a date in ISO form
            return text.replace("T", " ").removesuffix(" 00:00:00")
        if self.kind != "n" or not text.strip():
            return text
        try:
            number = float(text)
        except ValueError:
            raise self._fault("a cell holds a number that is none") from None
        is_date = self.style < len(self.dates) and self.dates[self.style]
        return self._date(number) if is_date else _number(number)

    def _date(self, days: float) -> str:
        if not 0 <= days < 2_958_466:  # the year 10000
            raise self._fault("a date is before 1900 or after 9999")
        if days < 1:  # a time of day
            return str((datetime(2000, 1, 1) + timedelta(seconds=round(days * 86_400))).time())
        first = datetime(1904, 1, 1) if self.book.from_1904 else datetime(1899, 12, 30)
        if not self.book.from_1904 and days < 60:  # Excel counts a 29 February 1900, which never was
            first += timedelta(days=1)
        try:
            found = first + timedelta(days=int(days), seconds=round(days % 1 * 86_400))
        except OverflowError:
            raise self._fault("a date is before 1900 or after 9999") from None
        return str(found).removesuffix(" 00:00:00")

    def _fault(self, what: str) -> InputError:
        return InputError(what, source=self.book.source, line=max(self.number, 1))


def _number(value: float) -> str:
    """A number as a program would write it: 3 and not 3.0; digits that no double holds are rounded, as Excel does."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _joined(target: str) -> str:
    """Where a relationship of the workbook leads: beside it, or from the top."""
    return target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))


def _shows_a_date(code: str) -> bool:
    """Whether a format of numbers has years, months, days or times in it, outside quotes, colours and conditions.

    >>> _shows_a_date("yyyy-mm-dd"), _shows_a_date('0.00" days"'), _shows_a_date("[Red]0.0"), _shows_a_date("[h]:mm")
    (True, False, False, True)
    """
    return bool(re.search("[ymdhs]", _NOT_A_DATE_CODE.sub("", code).lower())) and code.lower() != "general"


def _nothing(*ignored: Any) -> None:
    pass
