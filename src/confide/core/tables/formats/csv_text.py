"""CSV as we read and write it, for tables and baskets alike.

Reading: the mark between cells is a comma, or the semicolon or tab that spreadsheets write instead. Only marks
outside quotes count, and the whole file is looked at: where two of them compete, nobody can tell a cell from a label
that holds the mark, so the file is refused until the caller says which it is. A wrong guess would make one public
item out of a whole record.

Writing: always commas; a cell is quoted if it holds any mark a reader might take for another one, or begins with
U+FEFF, which readers pass over at the start of a file.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from confide.core.errors import InputError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "BOM",
    "LONGEST_RECORD",
    "MARKS",
    "NOT_UTF8",
    "check_length",
    "csv_rows",
    "decoded",
    "delimiter_of",
    "mark_between",
    "header_of",
    "line_of",
    "quoted",
    "ragged",
    "recoded",
    "without_mark",
]

BOM = b"\xef\xbb\xbf"
MARKS = {",": "comma", ";": "semicolon", "\t": "tab"}
NOT_UTF8 = "not UTF-8; save the file as UTF-8, or say its encoding= (such as latin-1)"
LONGEST_RECORD = 16 << 20
"""Characters in the longest record we read from text: Python takes up to twenty times as much memory for its parts."""

_QUOTED_CELL = re.compile(rb'"[^"]*"')
_NEEDS_QUOTES = frozenset(',;\t"\r\n')
UNSAFE = r'[,;\t"\r\n]|^\x{FEFF}'
"""The same as a pattern, for Arrow."""


def without_mark(data: bytes | bytearray, source: object) -> bytes:
    """The bytes without the byte-order mark that some spreadsheets put first; a second one is refused."""
    plain = bytes(data[3:] if data[:3] == BOM else data)
    if plain[:3] == BOM:
        raise InputError("begins with two byte-order marks; save it as plain UTF-8", source=source, line=1)
    if b"\0" in plain:
        raise InputError("holds zero bytes; it is not a text file", source=source)
    return plain


def decoded(data: bytes | bytearray, source: object) -> str:
    """The text of UTF-8 bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(NOT_UTF8, source=source, line=line) from None


def check_length(text: str, source: object, line: int) -> None:
    """Refuse a record that is absurdly long."""
    if len(text) > LONGEST_RECORD:
        raise InputError(f"a record of more than {LONGEST_RECORD:,} characters", source=source, line=line)


def csv_rows(text: str, source: object, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of each record of a CSV file whose cells may be quoted; none may be absurdly long."""
    held = 0

    def lines() -> Iterator[str]:
        nonlocal held
        for number, line in enumerate(io.StringIO(text, newline=""), start=1):
            held += len(line)
            if held > LONGEST_RECORD:
                raise InputError(f"a record of more than {LONGEST_RECORD:,} characters", source=source, line=number)
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            held = 0
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"not well-formed CSV ({error})", source=source, line=reader.line_num) from None


def recoded(data: bytes | bytearray, encoding: str, source: object) -> bytes:
    """UTF-8 bytes out of text in another encoding."""
    try:
        return data.decode(encoding).encode()
    except LookupError:
        raise UsageError(f"no encoding is called {encoding!r}; common ones: utf-8, latin-1, cp1252, utf-16") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"is not {encoding}; try another encoding", source=source, line=line) from None


def ragged(cells: int, width: int) -> str:
    """What is wrong with a row of so many cells.

    >>> ragged(1, 2), ragged(3, 2)
    ('1 cell where the header has 2', '3 cells where the header has 2')
    """
    return f"{cells} cell{'s' * (cells != 1)} where the header has {width}"


def delimiter_of(data: bytes, source: object, *, given: str | None = None, named: bool = False) -> str:
    """The mark between cells: the one `given`, the only one there is outside quotes, or a comma where there is none.

    With `named` the first line names the columns, and a mark that stands there alone is the one: in a spreadsheet of a
    country that writes 1,5 for one and a half, cells are divided by semicolons. Rows that do not fit are refused later.
    """
    if given is not None:
        if given not in MARKS:
            raise UsageError(f"cells are divided by a {', '.join(MARKS.values())}; {given!r} is none of them")
        return given
    bare = _bare(data)
    found = [mark for mark in MARKS if mark.encode() in bare]
    if named and len(found) > 1:
        header = bare.partition(b"\n")[0]
        found = [mark for mark in found if mark.encode() in header] or found
    if len(found) > 1:
        first = {mark: line_of(bare, bare.find(mark.encode())) for mark in found}
        names = " and ".join(f"a {MARKS[mark]} (first in line {first[mark]})" for mark in found)
        raise InputError(
            f"{names} stand between words; say which one divides cells: delimiter=, one of {', '.join(MARKS.values())}",
            source=source,
            line=max(first.values()),
        )
    return found[0] if found else ","


def mark_between(data: bytes) -> str | None:
    """What divides the cells of rows that we wrote; None where each has one cell."""
    bare = _bare(data)
    return next((mark for mark in MARKS if mark.encode() in bare), None)


def _bare(data: bytes) -> bytes:
    """The text outside quotes."""
    return _QUOTED_CELL.sub(b"", data) if b'"' in data else data


def line_of(data: bytes | bytearray, position: int) -> int:
    """The number of the line a byte stands in."""
    return data.count(b"\n", 0, position) + 1


def header_of(data: bytes, delimiter: str, source: object) -> tuple[list[str], int]:
    """The names in the first line, and where the second line begins. A name may not hold a line break."""
    end = data.find(b"\n")
    first = data if end < 0 else data[:end]
    text = decoded(first, source).removesuffix("\r")
    if "\r" in text or text.count('"') % 2:
        raise InputError("a name in the header holds a line break; name columns in one line", source=source, line=1)
    try:
        names = next(csv.reader(io.StringIO(text), delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise InputError(f"the header is not well-formed ({error})", source=source, line=1) from None
    if not any(name.strip() for name in names):
        raise InputError("the first line must name the columns", source=source, line=1)
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(f"two columns are named {twice[0]!r}", source=source, line=1)
    return names, len(data) if end < 0 else end + 1


def quoted(cell: str) -> str:
    """A cell as we write it.

    >>> print(quoted("tea"), quoted("1,5"), quoted('4" nail'))
    tea "1,5" "4"" nail"
    """
    unsafe = cell.startswith("\ufeff") or not _NEEDS_QUOTES.isdisjoint(cell)
    return '"' + cell.replace('"', '""') + '"' if unsafe else cell


def quoted_column(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """The cells of a column as we write them: as text, nulls empty, one spelling a number, quoted where needed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from confide.core.tables.spelling import one_spelling

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        text = pc.fill_null(one_spelling(column).cast(pa.large_string()), "")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError("holds values that CSV cannot carry; write .parquet instead") from None
    unsafe = pc.match_substring_regex(text, UNSAFE)
    if not pc.any(unsafe).as_py():
        return text
    doubled = pc.replace_substring(text, '"', '""')
    mark, nothing = (pa.scalar(value, pa.large_string()) for value in ('"', ""))
    return pc.if_else(unsafe, pc.binary_join_element_wise(mark, doubled, mark, nothing), text)
