"""Parquet files, checked: what Arrow reads from a damaged file may still hold text that is none."""

from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_parquet"]


def read_parquet(data: bytes | bytearray, source: Path) -> "pa.Table":
    """The table in these bytes, or an InputError in one line."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from confide.core.tables.frames import arrow_owned

    try:
        table = pq.read_table(pa.BufferReader(arrow_owned(data)))
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        raise InputError(
            f"no sound Parquet file ({(str(error) or 'too large').splitlines()[0]})", source=source
        ) from None
    for name, column in zip(names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except (pa.ArrowException, UnicodeDecodeError):  # the message may quote the value
            what = "no sound Parquet file (a value is none of its column's type)"
            raise InputError(what, source=source, column=name) from None
    if len(set(names)) < len(names):
        raise InputError("two columns have the same name", source=source)
    return table
