"""Parquet files, checked: before decoding for their size, afterwards for what stands in them.

A small file can decode to many gigabytes (one value repeated a billion times takes a few bytes), so its metadata is
read first. What Arrow reads from a damaged file may hold text that is not text, so every column is validated.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LARGEST_DECODED", "arrow_owned", "read_parquet", "write_parquet"]

LARGEST_DECODED = 4 << 30
"""Bytes a file may decode to, as its metadata says."""


def read_parquet(data: bytes | bytearray, source: Path, *, largest: int = LARGEST_DECODED) -> "pa.Table":
    """The table in these bytes, or an InputError in one line."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        buffer = arrow_owned(data)
        metadata = pq.read_metadata(pa.BufferReader(buffer))
        _check_size(metadata, source, largest)
        # Text stays a dictionary until we know how much it is: a long value may be repeated at no cost to the file.
        leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        table = _plain(pq.ParquetFile(pa.BufferReader(buffer), read_dictionary=texts).read(), source, largest)
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        reason = (str(error) or "too large").splitlines()[0]
        raise InputError(f"not a sound Parquet file ({reason})", source=source) from None
    for name, column in zip(names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except (pa.ArrowException, UnicodeDecodeError):  # the message may quote the value
            what = "not a sound Parquet file (a value does not fit its column's type)"
            raise InputError(what, source=source, column=name) from None
    if len(set(names)) < len(names):
        raise InputError("two columns have the same name", source=source)
    return table


def _check_size(metadata: Any, source: Path, largest: int) -> None:
    """Refuse what would fill the memory: 16 bytes for each value, beside what the pages unpack to."""
    decoded = 0
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            decoded += 16 * max(chunk.num_values, 0) + max(chunk.total_uncompressed_size, 0)
    if decoded > largest:
        raise _too_large(decoded, source, largest)


def _too_large(decoded: int, source: Path, largest: int) -> InputError:
    return InputError(f"would decode to {decoded >> 20:,} MB; at most {largest >> 20:,} MB are read", source=source)


def _plain(table: "pa.Table", source: Path, largest: int) -> "pa.Table":
    """Columns of text as text, once it is known that they fit; lists keep their dictionary."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if not pa.types.is_dictionary(column.type):
            continue
        size = 0
        for chunk in column.chunks:
            lengths = pc.fill_null(pc.binary_length(chunk.dictionary), 0).to_numpy(zero_copy_only=False)
            codes = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
            size += int(np.bincount(codes, minlength=len(lengths)) @ lengths.astype(np.int64)) if len(lengths) else 0
        if size > largest:
            raise _too_large(size, source, largest)
        table = table.set_column(place, name, column.cast(column.type.value_type))
    return table


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
