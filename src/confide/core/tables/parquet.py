"""Parquet files, checked: while decoding for their size, afterwards for what stands in them.

A small file can decode to many gigabytes: one value repeated a billion times takes a few bytes. What Arrow reads from a
damaged file may hold text that is not text, so every column is validated.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LARGEST_DECODED", "arrow_owned", "read_parquet", "write_parquet"]

LARGEST_DECODED = 4 << 30
"""Bytes a file may decode to."""

_ROWS = 4096


def read_parquet(data: bytes | bytearray, source: Path, *, largest: int = LARGEST_DECODED) -> "pa.Table":
    """The table in these bytes, or an InputError in one line.

    It is decoded a few thousand rows at a time, and given up once it has grown too large. (Metadata of single columns
    would say more beforehand, but asking a damaged file for it takes the program down.)
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(arrow_owned(data)))
        metadata = file.metadata
        _check_size(16 * max(metadata.num_rows, 0) * max(len(file.schema_arrow), 1), source, largest)
        batches, size = [], 0
        plain = pa.schema([_plain(column) for column in file.schema_arrow], metadata=file.schema_arrow.metadata)
        for batch in file.iter_batches(batch_size=_ROWS):
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                _check_values(name, column, source)  # a code outside its dictionary would take the program down
            batches.append(batch.cast(plain))
            size += batches[-1].nbytes
            _check_size(size, source, largest)
        table = pa.Table.from_batches(batches, schema=plain)
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        reason = (str(error) or "too large").splitlines()[0]
        raise InputError(f"not a sound Parquet file ({reason})", source=source) from None
    if len(set(names)) < len(names):
        raise InputError("two columns have the same name", source=source)
    return table.combine_chunks()


def _check_values(name: str, column: Any, source: Path) -> None:
    import pyarrow as pa

    try:
        column.validate(full=True)
    except (pa.ArrowException, UnicodeDecodeError):  # the message may quote the value
        what = "not a sound Parquet file (a value does not fit its column's type)"
        raise InputError(what, source=source, column=name) from None


def _plain(column: "pa.Field") -> "pa.Field":
    """A column of categories as one of text: a value of its dictionary could be repeated at no cost to the file."""
    import pyarrow as pa

    return column.with_type(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _check_size(decoded: int, source: Path, largest: int) -> None:
    if decoded > largest:
        raise InputError(f"would decode to more than {largest >> 20:,} MB", source=source)


def write_parquet(table: "pa.Table", file: Any) -> None:
    """Write a table without anything beside it: no statistics, no metadata of the caller's.

    Statistics repeat values, and metadata may hold what a frame brought along; a release is its columns alone. Arrow's
    own schema is left out too, so categories come back as plain text.
    """
    import pyarrow.parquet as pq

    pq.write_table(
        table.replace_schema_metadata(None), file, compression="zstd", write_statistics=False, store_schema=False
    )


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
