"""Tables: any frame in, an Arrow table inside, the caller's own type out; CSV and Parquet files both ways."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, UsageError
from confide.core.files import atomic_write, compression_of, read_bytes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["arrow_owned", "like", "read_table", "to_table", "write_table"]


def to_table(frame: Any) -> "pa.Table":
    """An Arrow table from pandas, polars, Arrow, or anything else that speaks the Arrow interface; no copy if Arrow."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if type(frame).__module__.partition(".")[0] == "pandas":
        try:
            return pa.Table.from_pandas(frame, preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # whose message quotes the value
            raise InputError("a column holds values of several kinds; make them all text or all numbers") from None
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    raise InputError(f"a table must be a pandas, polars or Arrow frame, not {type(frame).__name__}")


def like(table: "pa.Table", frame: Any) -> Any:
    """The table in the type of `frame`: pandas stays pandas, polars polars, Arrow Arrow."""
    home = type(frame).__module__.partition(".")[0]
    if home == "pandas":
        return table.to_pandas()
    if home == "polars":
        import polars

        return polars.from_arrow(table)
    return table


def _format_of(path: Path) -> str:
    plain = path.with_suffix("") if compression_of(path) else path
    suffix = plain.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise UsageError(f"{path.name}: a table is .csv or .parquet (.gz or .zst may follow)")
    return suffix[1:]


def read_table(path: str | PathLike[str]) -> "pa.Table":
    """Read a CSV (header first; every column as text) or Parquet file.

    CSV columns stay text: a postcode 01234 must not become a number. Convert with the schema where numbers are meant.
    """
    import pyarrow as pa
    import pyarrow.csv as pc

    from confide.core.tables.parquet import read_parquet

    source = Path(path)
    kind = _format_of(source)
    data = read_bytes(source)
    if kind == "parquet":
        return read_parquet(data, source)
    if bytes(data[:3]) == b"\xef\xbb\xbf":
        data = data[3:]
    names, delimiter = _header(data, source)
    try:
        return pc.read_csv(
            pa.BufferReader(arrow_owned(data)),
            parse_options=pc.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=b'"' in data,
                ignore_empty_lines=len(names) > 1,  # in a table of one column an empty line is an empty value
            ),
            convert_options=pc.ConvertOptions(
                column_types={name: pa.string() for name in names}, strings_can_be_null=False, check_utf8=True
            ),
        )
    except (pa.ArrowException, OSError):  # whose message quotes the line, and people's values with it
        raise _csv_fault(data, source, delimiter, len(names)) from None


def arrow_owned(data: bytes | bytearray) -> "pa.Buffer":
    """The bytes in memory of Arrow's own.

    Its threads let go of their input a moment after the result is there. Memory of Python's they can free only under
    the interpreter's lock, and one that waits for it while the program ends takes the program down (status 134).
    """
    import pyarrow as pa

    owned = pa.allocate_buffer(len(data))
    if data:
        memoryview(owned).cast("B")[:] = data
    return owned


def _csv_fault(data: bytes | bytearray, source: Path, delimiter: str, width: int) -> InputError:
    """What is wrong with a file that Arrow would not read, and on which line; never what stands there."""
    import csv
    import io

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return InputError("not UTF-8; save the file as UTF-8", source=source, line=line)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in rows:
            if row and len(row) != width:
                return InputError(f"{len(row)} cells where the header has {width}", source=source, line=line)
            line = rows.line_num + 1
    except csv.Error as error:
        return InputError(f"no well-formed CSV ({error})", source=source, line=line)
    return InputError("cannot be read as CSV", source=source)


def _header(data: bytes | bytearray, source: Path) -> tuple[list[str], str]:
    import csv
    import io

    first = bytes(data[: data.find(b"\n") if b"\n" in data else len(data)])
    try:
        text = first.decode()
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save the file as UTF-8", source=source, line=1) from None
    delimiter = max(",;\t", key=lambda mark: (text.count(mark), mark == ","))
    try:
        names = next(csv.reader(io.StringIO(text), delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"no well-formed header ({error})", source=source, line=1) from None
    if not any(name.strip() for name in names):
        raise InputError("the first line must name the columns", source=source, line=1)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"two columns are named {sorted(twice)[0]!r}", source=source, line=1)
    return names, delimiter


def write_table(table: "pa.Table", path: str | PathLike[str], *, replace: bool = False) -> None:
    """Write a table as CSV or Parquet, by the name, atomically."""
    import pyarrow.parquet as pq

    target = Path(path)
    kind = _format_of(target)
    with atomic_write(target, replace=replace) as file:
        if kind == "parquet":
            pq.write_table(table, file, compression="zstd")
        else:
            file.write(_csv_bytes(table))


def _csv_bytes(table: "pa.Table") -> "pa.Buffer":
    """CSV as a person would write it: Arrow can only quote every text or none, so none where none needs it."""
    import pyarrow as pa
    import pyarrow.csv as pc

    for style in ("none", "needed"):
        sink = pa.BufferOutputStream()
        try:
            pc.write_csv(table, sink, pc.WriteOptions(quoting_style=style, quoting_header=style))
        except pa.ArrowInvalid:
            continue
        return sink.getvalue()
    raise InputError("the table holds values that CSV cannot carry; write .parquet instead")
