"""What the columns of a CSV file are: as declared, or as their cells read.

A file says nothing about types, and both mistakes are silent: a number taken as text becomes a category of its own for
every value, and a postcode taken as a number loses its zero. So a column is only read as numbers where every cell is
one, written as a program writes it. Cells with leading zeros or more than fifteen digits are codes, and stay text.
"""

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from confide.core.errors import InputError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TYPES", "reads_as", "with_types"]

TYPES = ("text", "integer", "number", "date")
"""What a column of a CSV file may be declared as."""

_WHOLE = r"^-?(0|[1-9][0-9]{0,14})$"
_NUMBER = r"^-?(0|[1-9][0-9]{0,14})?(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$"
_DIGIT_FIRST = r"^-?\.?[0-9]"


def with_types(
    table: "pa.Table", types: Mapping[str, str], *, inferred: Container[str] = (), source: object = None
) -> "pa.Table":
    """A table of text with its columns as `types` declares them, and those of `inferred` as their cells read.

    An empty cell is NULL. A declared column in which a cell does not fit is refused with the line.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, kind in types.items():
        if name not in table.column_names:
            raise InputError(f"no column {name!r}; columns are: {', '.join(table.column_names)}", source=source)
        if kind not in TYPES:
            raise UsageError(f"{name} = {kind!r} is not a type; types are: {', '.join(TYPES)}")
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
        kind = types.get(name, "text")
        if name not in types and name in inferred:
            kind = reads_as(column)
            column = column if kind == "text" else pc.utf8_trim_whitespace(column)
        table = table.set_column(place, name, column if kind == "text" else _cast(column, kind, name, source))
    return table


def reads_as(column: "pa.ChunkedArray") -> str:
    """The type of a column of text by its cells: "integer" or "number" if each that is not empty is one, else "text".

    >>> import pyarrow as pa
    >>> [reads_as(pa.chunked_array([cells])) for cells in (["7", None, "-12"], ["0.5", " 3"], ["01234", "99999"], [""])]
    ['integer', 'number', 'text', 'text']
    """
    import pyarrow.compute as pc

    cells = pc.utf8_trim_whitespace(column)
    if cells.null_count == len(cells):
        return "text"
    if pc.all(pc.match_substring_regex(cells, _WHOLE)).as_py():
        return "integer"
    plain = pc.and_(pc.match_substring_regex(cells, _NUMBER), pc.match_substring_regex(cells, _DIGIT_FIRST))
    return "number" if pc.all(plain).as_py() else "text"


def _cast(column: "pa.ChunkedArray", kind: str, name: str, source: object) -> "pa.ChunkedArray":
    import pyarrow as pa

    made = {"integer": pa.int64(), "number": pa.float64(), "date": pa.date32()}[kind]
    try:
        return column.cast(made)
    except pa.ArrowInvalid:
        raise InputError(f"line {_culprit(column, made)}: not of type {kind}", source=source, column=name) from None


def _culprit(column: "pa.ChunkedArray", kind: "pa.DataType") -> int:
    """The line of the first value that is not of this kind, by halving (a record per line)."""
    import pyarrow as pa

    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            column.slice(low, middle - low).cast(kind)
            low = middle
        except pa.ArrowInvalid:
            high = middle
    return low + 2
