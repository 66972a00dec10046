"""Parquet files, checked: before and while decoding for their size, afterwards for what stands in them.

A small file can decode to many gigabytes: one value repeated a billion times takes a few bytes, in as many rows or in a
single one that is a list. So values are counted before (see `parquet_pages`), and text is decoded as codes into the
list of different texts, whose length is known before they are written out; text in lists is bounded by the longest of
them. What Arrow reads from a damaged file may hold text that is not text, so every column is validated.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError
from confide.core.runtime.memory import MemoryBudget
from confide.core.tables.formats.parquet_pages import Damaged, Pages, walked

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "LARGEST_DECODED",
    "arrow_owned",
    "check_lists",
    "check_passes",
    "check_size",
    "parquet_batches",
    "read_parquet",
    "refuse_unsound",
    "write_parquet",
]

LARGEST_DECODED = 4 << 30
"""Bytes a file may decode to."""

_ROWS = 4096
_CODES = 1 << 20
_MOST_ROWS = 1 << 18
_MOST_VALUES = 1 << 28
_BYTES_A_COLUMN = 16 << 10


@contextmanager
def refuse_unsound(source: Path) -> Iterator[None]:
    """Turn what Arrow and our own walk over the pages raise on a damaged file into an InputError of one line."""
    import pyarrow as pa

    try:
        yield
    except Damaged as error:
        raise InputError(f"not a sound Parquet file ({error})", source=source) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        reason = (str(error) or "too large").splitlines()[0]
        raise InputError(f"not a sound Parquet file ({reason})", source=source) from None


def read_parquet(data: bytes | bytearray, source: Path, *, largest: int = LARGEST_DECODED) -> "pa.Table":
    """The table in these bytes, or an InputError in one line.

    Never more than `largest` bytes are decoded, at 16 bytes a value or the length of its text.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with refuse_unsound(source):
        _check_pages(walked(data), source, largest)
        owned = arrow_owned(data)
        first = pq.ParquetFile(pa.BufferReader(owned))
        texts = [column.path for column in map(first.schema.column, range(len(first.schema))) if _is_text(column)]
        file = pq.ParquetFile(pa.BufferReader(owned), read_dictionary=texts)
        plain = pa.schema([_plain(column) for column in file.schema_arrow], metadata=file.schema_arrow.metadata)
        batches, size = [], 0
        for batch in file.iter_batches(batch_size=_ROWS):
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                _check_values(name, column, source)  # a code outside its dictionary would take the program down
                size += _decoded_size(column)
                _check_size(size, source, largest)
            batches.append(batch.cast(plain))
        table = pa.Table.from_batches(batches, schema=plain)
        names = table.column_names
    if len(set(names)) < len(names):
        raise InputError("two columns have the same name", source=source)
    return table.combine_chunks()


def check_passes(data: bytes, source: Path, budget: MemoryBudget) -> int:
    """See, before anything is decoded, that a file can be read in batches within a budget; how many rows at a time."""
    with refuse_unsound(source):
        pages = walked(data)
    _refuse_prefixed(pages, source)
    if pages.values > max(_MOST_VALUES, 100 * len(data)):  # each takes time, if no memory
        raise InputError(f"holds {pages.values:,} values in {len(data):,} bytes; no table does", source=source)
    budget.require(4 * pages.held, "the largest pages of its columns", source=source)
    budget.require(4 * pages.nested, "a list in it", source=source)
    budget.require(_BYTES_A_COLUMN * pages.columns, f"reading {pages.columns:,} columns", source=source)
    row = max(16, pages.widest) * max(1, pages.columns)
    budget.require(64 * row, "a few rows of it", source=source)
    return min(_MOST_ROWS, budget.total // 8 // row + 1)


def check_lists(data: bytes, source: Path, budget: MemoryBudget) -> bool:
    """The same for a column of lists of text, which is read as codes; whether it may be read as text."""
    with refuse_unsound(source):
        pages = walked(data)
    _refuse_prefixed(pages, source)
    budget.require(4 * pages.held, "the largest pages of its column", source=source)
    return 2 * pages.in_lists <= budget.total


def parquet_batches(
    owned: "pa.Buffer", source: Path, *, rows: int, columns: Sequence[str] | None = None
) -> "Iterator[pa.RecordBatch]":
    """The rows of a file in Arrow's memory, so many at a time; text comes as places in a list of texts.

    Values are validated: a code outside its dictionary would take the program down.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with refuse_unsound(source):
        with pq.ParquetFile(pa.BufferReader(owned)) as first:
            texts = [column.path for column in map(first.schema.column, range(len(first.schema))) if _is_text(column)]
        with pq.ParquetFile(pa.BufferReader(owned), read_dictionary=texts) as file:
            names = file.schema_arrow.names
            if len(set(names)) < len(names):
                raise InputError("two columns have the same name", source=source)
            wanted = list(names if columns is None else columns)
            for batch in file.iter_batches(
                batch_size=rows, columns=None if columns is None else wanted, use_threads=False
            ):
                for name in wanted:
                    _check_values(name, batch.column(name), source)
                yield batch.select(wanted)


def check_size(data: bytes, source: Path, *, largest: int = LARGEST_DECODED) -> None:
    """Refuse bytes that would decode to more than `largest`, or are no Parquet file."""
    with refuse_unsound(source):
        _check_pages(walked(data), source, largest)


def _check_values(name: str, column: Any, source: Path) -> None:
    import pyarrow as pa

    try:
        column.validate(full=True)
    except (pa.ArrowException, UnicodeDecodeError):  # the message may quote the value
        what = "not a sound Parquet file (a value does not fit its column's type)"
        raise InputError(what, source=source, column=name) from None


def _check_pages(pages: Pages, source: Path, largest: int) -> None:
    _refuse_prefixed(pages, source)
    _check_size(max(pages.values * max(16, pages.widest), pages.unpacked, pages.in_lists), source, largest)


def _refuse_prefixed(pages: Pages, source: Path) -> None:
    if pages.prefixed:
        what = "has a column coded as DELTA_BYTE_ARRAY, whose size cannot be seen beforehand; write it in another way"
        raise InputError(what, source=source)


def _is_text(column: Any) -> bool:
    """Whether values of this column can be as long as they like. Lists are left out: Arrow cannot read theirs as codes
    across row groups, so their text is bounded beforehand (`Pages.in_lists`)."""
    return bool(
        column.name == column.path and column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL"
    )


def _plain(column: "pa.Field") -> "pa.Field":
    """The column with text in place of codes, in a list as well."""
    return column.with_type(_written_out(column.type))


def _written_out(kind: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_written_out(kind.value_type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_written_out(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([part.with_type(_written_out(part.type)) for part in kind])
    return kind


def _decoded_size(column: "pa.Array") -> int:
    """Bytes a column takes once its codes are written out as text."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return 8 * len(column) + _decoded_size(column.flatten())
    if pa.types.is_struct(kind):
        return sum(_decoded_size(part) for part in column.flatten())
    if not pa.types.is_dictionary(kind):
        return int(column.nbytes)
    texts = column.dictionary
    if not (pa.types.is_string(texts.type) or pa.types.is_binary(texts.type)):
        return 16 * len(column)
    lengths = pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    codes = column.indices.drop_null()
    slices = (codes.slice(start, _CODES).to_numpy() for start in range(0, len(codes), _CODES))
    return 4 * len(column) + sum(int(lengths[part].sum()) for part in slices)


def _check_size(decoded: int, source: Path, largest: int) -> None:
    if decoded > largest:
        raise InputError(f"would decode to more than {largest >> 20:,} MB", source=source)


def write_parquet(table: "pa.Table", file: Any) -> None:
    """Write a table without anything beside it: no statistics, no metadata of the caller's.

    Statistics repeat values, and metadata may hold what a frame brought along; a release is its columns alone. Arrow's
    own schema is left out too, so categories come back as plain text. They are written as such: of a column of
    categories Parquet would list also those that no row has. Numbers have one spelling.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from confide.core.tables.spelling import spell_table

    for place, column in enumerate(table.schema):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(place, _plain(column), table.column(place).cast(column.type.value_type))
    pq.write_table(
        spell_table(table).replace_schema_metadata(None),
        file,
        compression="zstd",
        write_statistics=False,
        store_schema=False,
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
