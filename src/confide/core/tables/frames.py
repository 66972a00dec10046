"""Tables: any frame in, an Arrow table inside, the caller's own type out; CSV, Parquet and .xlsx files both ways."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, UsageError
from confide.core.files import atomic_write, compression_of, read_bytes
from confide.core.runtime.lazy import call
from confide.core.tables.formats.csv_text import (
    BOM,
    NOT_UTF8,
    delimiter_of,
    header_of,
    quoted,
    quoted_column,
    ragged,
    recoded,
    without_mark,
)
from confide.core.tables.formats.parquet import arrow_owned, write_parquet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "arrow_owned",
    "csv_blocks",
    "format_of",
    "like",
    "mark_of",
    "read_table",
    "rows_from_csv",
    "table_from_csv",
    "to_table",
    "write_table",
]

_ROWS_A_BLOCK = 1 << 16


def to_table(frame: Any) -> "pa.Table":
    """An Arrow table from pandas, polars, Arrow, or anything else that speaks the Arrow interface; no copy if Arrow.

    Text that comes as views (as from polars, categories too) becomes plain text: Arrow cannot take rows of views, nor
    compare them. Two columns of one name are refused: nobody could say which one a role is of.
    """
    import pyarrow as pa

    if type(frame).__name__ == "Series" or isinstance(frame, pa.Array | pa.ChunkedArray):
        raise InputError(f"a table must be a frame of columns, not one column ({type(frame).__name__})")
    if isinstance(frame, pa.Table):
        table = frame
    elif isinstance(frame, pa.RecordBatch):
        table = pa.Table.from_batches([frame])
    elif _is_pandas(frame):
        table = _from_pandas(frame)
    elif hasattr(frame, "__arrow_c_stream__"):
        table = pa.table(frame)
    else:
        raise InputError(f"a table must be a pandas, polars or Arrow frame, not {type(frame).__name__}")
    _check_names(table.column_names)
    return _without_views(table)


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas"


def _from_pandas(frame: Any) -> "pa.Table":
    import pyarrow as pa

    _check_names([str(name) for name in frame.columns])  # Arrow's own error is not one of ours
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # whose message quotes the value
        raise InputError("a column holds values of several kinds; make them all text or all numbers") from None


def _check_names(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"two columns are named {name!r}; rename or drop one of them")
        seen.add(name)


def _without_views(table: "pa.Table") -> "pa.Table":
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        plain = _without_view(field.type)
        if plain == field.type:
            continue
        column = table.column(i)
        if pa.types.is_dictionary(plain):  # Arrow does not cast from one dictionary to another
            texts = plain.value_type
            chunks = [pa.DictionaryArray.from_arrays(x.indices, x.dictionary.cast(texts)) for x in column.chunks]
            column = pa.chunked_array(chunks, pa.dictionary(plain.index_type, texts))
        else:
            column = column.cast(plain)
        table = table.set_column(i, field.with_type(column.type), column)
    return table


def _without_view(kind: "pa.DataType") -> "pa.DataType":
    """The type as it is without views."""
    import pyarrow as pa

    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _without_view(kind.value_type), kind.ordered)
    return kind


def like(table: "pa.Table", frame: Any) -> Any:
    """The table in the type of `frame`: pandas stays pandas, polars polars, Arrow Arrow, and columns keep their types
    where their values fit them; see `guest_types`."""
    home = type(frame).__module__.partition(".")[0]
    if home not in ("pandas", "polars"):
        return table
    from confide.core.tables import guest_types

    return guest_types.to_pandas(table, frame) if home == "pandas" else guest_types.to_polars(table, frame)


def format_of(path: Path) -> str:
    """`csv`, `tsv`, `parquet` or `xlsx`, by the name."""
    plain = path.with_suffix("") if compression_of(path) else path
    suffix = plain.suffix.lower()
    if suffix not in (".csv", ".tsv", ".parquet", ".xlsx"):
        raise UsageError(f"{path.name}: a table is .csv, .tsv, .parquet or .xlsx (.gz or .zst may follow)")
    return suffix[1:]


def read_table(
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> "pa.Table":
    """Read a CSV (header first; every column as text), Parquet or .xlsx file, or a folder of Parquet files.

    CSV columns stay text: a postcode 01234 must not become a number. Convert with the schema where numbers are meant.
    `delimiter` says what divides cells where the file leaves a choice, `encoding` how text is coded if not in UTF-8,
    `sheet` which sheet of a workbook (the first); its cells are read as the text that saving it as CSV would give.
    """
    from confide.core.tables.formats.parquet import read_parquet
    from confide.core.tables.formats.workbook import sheet_asked_for

    source = Path(path)
    if source.is_dir():
        whole: pa.Table = call("confide.core.datasets.stored_table:StoredTable.open", source).to_table()
        return whole
    kind = format_of(source)
    data = read_bytes(source)
    if kind == "parquet":
        return read_parquet(data, source)
    if kind == "xlsx":
        asked = sheet_asked_for(data, source, sheet=sheet, delimiter=delimiter, encoding=encoding)
        return table_from_csv(asked.to_csv(padded=True), source, delimiter=",")
    if encoding is not None:
        data = recoded(data, encoding, source)
    return table_from_csv(data, source, delimiter="\t" if kind == "tsv" and delimiter is None else delimiter)


def table_from_csv(data: bytes | bytearray, source: Path, *, delimiter: str | None = None) -> "pa.Table":
    """The table in these bytes. We find the names and hand them to Arrow, so that no two readers can differ on them."""
    import pyarrow as pa

    plain = without_mark(data, source)
    mark = delimiter_of(plain, source, given=delimiter, named=True)
    names, start = header_of(plain, mark, source)
    rows = plain[start:]
    if not rows:
        return pa.table({name: pa.array([], pa.string()) for name in names})
    if rows[:3] == BOM:  # Arrow would skip it in silence
        raise InputError("a byte-order mark stands before the first row", source=source, line=2)
    try:
        return rows_from_csv(rows, names, mark)
    except (pa.ArrowException, OSError):  # whose message quotes the line, and people's values with it
        raise _csv_fault(plain, source, mark, len(names)) from None


def rows_from_csv(rows: bytes, names: list[str], delimiter: str) -> "pa.Table":
    """Rows of CSV without their header, as text; what is no CSV is an error of Arrow's."""
    import pyarrow as pa
    import pyarrow.csv as pc

    return pc.read_csv(
        pa.BufferReader(arrow_owned(rows)),
        read_options=pc.ReadOptions(column_names=names),
        parse_options=pc.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=b'"' in rows,
            ignore_empty_lines=len(names) > 1,  # in a table of one column an empty line is an empty value
        ),
        convert_options=pc.ConvertOptions(
            column_types={name: pa.string() for name in names}, strings_can_be_null=False, check_utf8=True
        ),
    )


def _csv_fault(data: bytes | bytearray, source: Path, delimiter: str, width: int) -> InputError:
    """What is wrong with a file that Arrow would not read, and on which line; never what stands there."""
    import csv
    import io

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return InputError(NOT_UTF8, source=source, line=line)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in rows:
            if row and len(row) != width:
                return InputError(ragged(len(row), width), source=source, line=line)
            line = rows.line_num + 1
    except csv.Error as error:
        return InputError(f"not well-formed CSV ({error})", source=source, line=line)
    return InputError("cannot be read as CSV", source=source)


def mark_of(path: str | PathLike[str], *, delimiter: str | None = None, encoding: str | None = None) -> str:
    """What divides the cells of a CSV file, as `read_table` reads it with these words; a comma for other files."""
    source = Path(path)
    if source.is_dir() or format_of(source) not in ("csv", "tsv"):
        return ","
    if delimiter is not None:
        return delimiter
    data = read_bytes(source) if encoding is None else recoded(read_bytes(source), encoding, source)
    return "\t" if format_of(source) == "tsv" else delimiter_of(without_mark(data, source), source, named=True)


def write_table(
    table: "pa.Table",
    path: str | PathLike[str],
    *,
    delimiter: str = ",",
    replace: bool = False,
    private: bool = False,
) -> None:
    """Write a table as CSV, Parquet or .xlsx, by the name, atomically. A `private` file can be read by its owner only.

    `delimiter` divides the cells of a .csv file; those of a .tsv file are always divided by tabs.
    """
    target = Path(path)
    kind = format_of(target)
    if kind == "xlsx" and compression_of(target):
        raise UsageError(f"{target.name}: a workbook is packed inside; write it as .xlsx")
    with atomic_write(target, replace=replace, private=private) as file:
        if kind == "parquet":
            write_parquet(table, file)
        elif kind == "xlsx":
            from confide.core.tables.formats.new_workbook import workbook_of

            file.write(workbook_of(table))
        else:
            for block in csv_blocks(table, delimiter="\t" if kind == "tsv" else delimiter):
                file.write(block)


def csv_blocks(table: "pa.Table", *, delimiter: str = ",") -> "Iterator[bytes]":
    """A table as CSV, in blocks. The same table gives the same bytes, whatever the version of Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [quoted_column(column) for column in table.columns]
    yield (delimiter.join(map(quoted, table.column_names)) + "\n").encode()
    if len(columns) == 1:  # an empty line would be passed over by many readers; an empty cell in quotes is not
        columns = [pc.if_else(pc.equal(columns[0], ""), pa.scalar('""', pa.large_string()), columns[0])]
    for start in range(0, table.num_rows, _ROWS_A_BLOCK):
        cells = [column.slice(start, _ROWS_A_BLOCK) for column in columns]
        lines = pc.binary_join_element_wise(*cells, pa.scalar(delimiter, pa.large_string()))
        yield ("\n".join(lines.to_pylist()) + "\n").encode()
