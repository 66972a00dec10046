"""A table as an .xlsx workbook of one sheet, and the way back that takes nothing else.

Columns of numbers have cells of numbers; everything else, dates too, is text, so that no spreadsheet turns 01234 into
1234 or 3-4 into a day of April. A workbook has room for a great deal beside its cells: names, comments, authors,
hidden sheets, gaps between the parts of the zip file. One that was released is therefore read only if it is, byte for
byte, what would be written for the cells in it; only how its parts are packed is left open, since that depends on zlib.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape, unescape

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NewWorkbook", "workbook_of"]

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SHEET = "xl/worksheets/sheet1.xml"
_FIXED = {
    "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/{_SHEET}" ContentType="{_SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="table" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_HEAD, _TAIL = f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>', "</sheetData></worksheet>"

_MOST_COLUMNS, _MOST_ROWS, _LONGEST = 16_384, 1_048_576, 32_767
_NO_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")  # Excel takes _x000D_ for a character
_ROW_END = "</row>"
_CELL = re.compile(
    rb'<c r="([A-Z]+)[0-9]+"(?: t="inlineStr"><is><t xml:space="preserve">([^<]*)</t></is>|><v>([^<]*)</v>)</c>'
)
_PIECE, _ROWS_A_BATCH, _LONGEST_ROW = 1 << 20, 1 << 14, 64 << 20
_WHEN = (0, 0x21)  # 1 January 1980, the first day that a zip file knows


def workbook_of(table: "pa.Table") -> bytes:
    """The bytes of a workbook with this table, the names of its columns first."""
    import pyarrow as pa

    if table.num_rows >= _MOST_ROWS or table.num_columns > _MOST_COLUMNS:
        raise InputError(f"has more than {_MOST_ROWS - 1:,} rows or {_MOST_COLUMNS:,} columns; write .csv or .parquet")
    if "" in table.column_names:
        raise InputError(f"column {table.column_names.index('') + 1} has no name; give it one")
    numbers = [
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        for kind in table.schema.types
    ]
    columns = [[name, *cells] for name, cells in zip(table.column_names, map(_texts, table.columns), strict=True)]
    for column in columns:
        if any(len(cell) > _LONGEST or _NO_XML.search(cell) for cell in set(column)):
            raise InputError("holds text that a workbook cannot carry; write .csv or .parquet", column=column[0])
    rows = (_row(line, row, numbers) for line, row in enumerate(zip(*columns, strict=True), start=1))
    parts: dict[str, Iterable[str]] = {name: [text] for name, text in _FIXED.items()}
    parts[_SHEET] = chain([_HEAD], rows, [_TAIL])
    return _archive(_part(name, pieces) for name, pieces in parts.items())


@dataclass(frozen=True, eq=False, kw_only=True)
class NewWorkbook:
    """A workbook that `workbook_of` made: its columns, and how many rows it has. `open` refuses any other."""

    names: list[str]
    rows: int
    numbers: list[bool]
    sheet: bytes
    source: Path

    @classmethod
    def open(cls, data: bytes, source: Path, *, most: int) -> "NewWorkbook":
        """Look at every part and at the gaps between them; parts may unpack to `most` bytes."""
        packed = _packed_parts(data, source)
        sizes = {name: _measured(piece, source, most) for name, piece in packed.items()}
        parts = [_Part(name, packed[name], *sizes[name]) for name in packed]
        fixed = {name: b"".join(_unpacked(packed[name], source)) for name in _FIXED}
        if _archive(parts) != data or any(fixed[name] != text.encode() for name, text in _FIXED.items()):
            raise _foreign(source)
        rows = _rows(packed[_SHEET], source)
        names = [_text(cell) for cell in _CELL.finditer(next(rows, b""))]
        places = {_letters(number): number for number in range(len(names))}
        numbers, count = [False] * len(names), 0
        for row in rows:
            count += 1
            for cell in _CELL.finditer(row):
                place = places.get(cell[1].decode())
                if place is None:
                    raise _foreign(source)
                numbers[place] |= cell[3] is not None
        if not names or len(set(names)) < len(names):
            raise _foreign(source)
        opened = cls(names=names, rows=count, numbers=numbers, sheet=packed[_SHEET], source=source)
        for _ in opened.batches():
            pass
        return opened

    def to_table(self) -> "pa.Table":
        """All rows."""
        import pyarrow as pa

        empty = pa.schema([(name, pa.string()) for name in self.names])
        return pa.Table.from_batches(self.batches(), schema=empty)

    def batches(self) -> "Iterator[pa.RecordBatch]":
        """The rows as text, some at a time; raises unless they are, written again, what stands there."""
        import pyarrow as pa

        places = {_letters(number): number for number in range(len(self.names))}
        columns: list[list[str]] = [[] for _ in self.names]
        found = _rows(self.sheet, self.source)
        for line, row in enumerate(found, start=1):
            cells = [""] * len(self.names)
            for cell in _CELL.finditer(row):
                cells[places[cell[1].decode()]] = _text(cell)
            again = _row(line, cells, self.numbers)
            if row != again.encode() or _NO_XML.search(again):
                raise _foreign(self.source, line)
            if line > 1:
                for column, text in zip(columns, cells, strict=True):
                    column.append(text)
            if len(columns[0]) == _ROWS_A_BATCH or line == self.rows + 1:
                yield pa.record_batch([pa.array(column, pa.string()) for column in columns], names=self.names)
                columns = [[] for _ in self.names]


def _foreign(source: Path, line: int | None = None) -> InputError:
    return InputError("is not as Confide writes it: something else stands there", source=source, line=line)


# -- cells ------------------------------------------------------------------------------------------------------------


def _texts(column: "pa.ChunkedArray") -> list[str]:
    """The cells as CSV would show them; nulls are empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from confide.core.tables.spelling import one_spelling

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        found: list[str] = pc.fill_null(one_spelling(column).cast(pa.large_string()), "").to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError("holds values that a workbook cannot carry; write .parquet instead") from None
    return found


def _row(line: int, row: Sequence[str], numbers: Sequence[bool]) -> str:
    """A row of a sheet; the first holds names. A cell of a column of numbers is one if it reads back the same."""
    cells = [f'<row r="{line}">']
    for number, (is_number, cell) in enumerate(zip(numbers, row, strict=True)):
        if not cell:
            continue
        place = f"{_letters(number)}{line}"
        if line > 1 and is_number and _is_plain(cell):
            cells.append(f'<c r="{place}"><v>{cell}</v></c>')
        else:
            text = f'<t xml:space="preserve">{escape(cell)}</t>'
            cells.append(f'<c r="{place}" t="inlineStr"><is>{text}</is></c>')
    return "".join((*cells, _ROW_END))


def _is_plain(cell: str) -> bool:
    """Whether a reader of workbooks shows a cell of this number with the same letters."""
    try:
        number = float(cell)
    except ValueError:
        return False
    shown = str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    return shown == cell and shown not in ("inf", "-inf", "nan")


def _text(cell: "re.Match[bytes]") -> str:
    return unescape((cell[2] if cell[3] is None else cell[3]).decode(errors="replace"))


@cache
def _letters(number: int) -> str:
    """The name of a column: A, B, ... Z, AA, ..."""
    name = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        name = chr(65 + place) + name
    return name


# -- the zip file -----------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A part of a zip file: packed, and the checksum and length of what it unpacks to."""

    name: str
    packed: bytes
    checksum: int
    size: int


def _part(name: str, pieces: Iterable[str]) -> _Part:
    packer, packed, checksum, size = zlib.compressobj(6, zlib.DEFLATED, -15), bytearray(), 0, 0
    for piece in pieces:
        data = piece.encode()
        checksum, size = zlib.crc32(data, checksum), size + len(data)
        packed += packer.compress(data)
    return _Part(name, bytes(packed + packer.flush()), checksum, size)


def _archive(parts: Iterable[_Part]) -> bytes:
    """A zip file of these parts: no names beside theirs, no times, no comments, no gaps."""
    whole, directory, count = bytearray(), bytearray(), 0
    for part in parts:
        name = part.name.encode()
        facts = struct.pack("<HHHHHIIIHH", 20, 0, 8, *_WHEN, part.checksum, len(part.packed), part.size, len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + facts
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(whole)) + name
        whole += b"PK\x03\x04" + facts + name + part.packed
        count += 1
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(whole), 0)
    return bytes(whole + directory + b"PK\x05\x06" + end)


def _packed_parts(data: bytes, source: Path) -> dict[str, bytes]:
    """Each part as it stands in the zip file, in our order; whether anything else stands there, `_archive` tells."""
    found, at = {}, 0
    for name in (*_FIXED, _SHEET):
        if at + 30 > len(data):
            raise _foreign(source)
        begin = at + 30 + len(name)
        at = begin + int(struct.unpack_from("<I", data, at + 18)[0])
        found[name] = data[begin:at]
    return found


def _measured(packed: bytes, source: Path, most: int) -> tuple[int, int]:
    """The checksum and the length of what a part unpacks to."""
    checksum = size = 0
    for piece in _unpacked(packed, source):
        checksum, size = zlib.crc32(piece, checksum), size + len(piece)
        if size > most:
            raise InputError(f"unpacks to more than {most >> 20:,} MB", source=source)
    return checksum, size


def _unpacked(packed: bytes, source: Path) -> Iterator[bytes]:
    """What a part unpacks to, in pieces; refused where anything follows its packed stream."""
    unpacker = zlib.decompressobj(-15)
    try:
        while packed and not unpacker.eof:
            if piece := unpacker.decompress(packed, _PIECE):
                yield piece
            packed = unpacker.unconsumed_tail
    except zlib.error:
        raise _foreign(source) from None
    if not unpacker.eof or unpacker.unused_data:
        raise _foreign(source)


def _rows(packed: bytes, source: Path) -> Iterator[bytes]:
    """The rows of a sheet, one by one; what stands before and after them must be ours."""
    rest, head, end = b"", _HEAD.encode(), _ROW_END.encode()
    for piece in _unpacked(packed, source):
        rest += piece
        if head:
            if len(rest) < len(head):
                continue
            if not rest.startswith(head):
                raise _foreign(source)
            rest, head = rest[len(head) :], b""
        whole = rest.rfind(end)
        if whole >= 0:
            yield from (row + end for row in rest[:whole].split(end))
            rest = rest[whole + len(end) :]
        if len(rest) > _LONGEST_ROW:
            raise _foreign(source)
    if head or rest != _TAIL.encode():
        raise _foreign(source)
