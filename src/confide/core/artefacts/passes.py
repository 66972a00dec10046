"""A released table that is read in passes: its form is checked and its rows are counted without ever holding it whole.

    CSV       blocks of whole rows, each read, written again and compared; and so the rows of a workbook
    Parquet   batches of rows; text comes as places in the list of texts that the file keeps

A few kilobytes can stand for millions of rows. How many are read at a time follows from the memory that the file may
take (`MemoryBudget`); nothing here grows with the number of rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from confide.core.artefacts.exact import check_structure, lines_alike, open_workbook, released_mark
from confide.core.artefacts.packing import unpacked_blocks
from confide.core.datasets.protocol import Pass
from confide.core.errors import InputError
from confide.core.files import MAX_BYTES, compression_of
from confide.core.runtime.memory import MemoryBudget, most_unpacked

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ReleasedTable", "check_batches", "open_table", "whole_rows"]

S = TypeVar("S")
_BYTES_A_COLUMN = 4 << 10
_ELSE = "is not as Confide writes it: something else stands there"


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedTable:
    """A table in the bytes of its file. `read` gives the batches of some columns, from the first row, as often as
    asked; `rows` is how many there are."""

    artefact_kind = "table"
    in_memory: ClassVar[Literal[False]] = False
    column_names: list[str]
    rows: int
    budget: MemoryBudget
    read: "Callable[[Sequence[str]], Iterator[pa.RecordBatch]]"

    def __len__(self) -> int:
        return self.rows

    def fold(self, job: "Pass[pa.RecordBatch, S]", *, label: str) -> S:
        """The state of all rows, in their order (as `StoredTable.fold` gives it)."""
        state = job.begin()
        for batch in self.read(self.column_names):
            state = job.add(state, batch)
        return state


def open_table(data: bytes, source: Path, *, budget: MemoryBudget, spelled: bool = True) -> ReleasedTable:
    """The table in a released file, if it is as we write it; else an InputError in one line.

    With `spelled`, no number may be NaN or -0.0: our writers put null and 0.0, and the bits of a NaN could carry words.
    """
    from confide.core.tables.frames import format_of

    kind = format_of(source)
    if not data:
        raise InputError("is empty", source=source)
    if kind == "parquet":
        return _open_parquet(data, source, budget, spelled=spelled)
    if kind == "xlsx":
        book = open_workbook(data, source, most=most_unpacked(len(data)))
        budget.require(_BYTES_A_COLUMN * len(book.names), f"reading {len(book.names):,} columns", source=source)
        return ReleasedTable(
            column_names=book.names,
            rows=book.rows,
            budget=budget,
            read=lambda columns: (batch.select(list(columns)) for batch in book.batches()),
        )
    return _open_csv(data, source, budget)


# -- Parquet ----------------------------------------------------------------------------------------------------------


def _open_parquet(data: bytes, source: Path, budget: MemoryBudget, *, spelled: bool) -> ReleasedTable:
    from confide.core.tables.formats.parquet import arrow_owned

    if compression_of(source) is not None:
        raise InputError("a Parquet file is packed inside, and not released as .gz or .zst", source=source)
    rows = check_batches(data, source, budget, spelled=spelled)
    owned = arrow_owned(data)

    def read(columns: Sequence[str]) -> "Iterator[pa.RecordBatch]":
        from confide.core.tables.formats.parquet import parquet_batches

        return parquet_batches(owned, source, rows=rows[1], columns=columns)

    return ReleasedTable(column_names=rows[2], rows=rows[0], budget=budget, read=read)


def check_batches(data: bytes, source: Path, budget: MemoryBudget, *, spelled: bool) -> tuple[int, int, list[str]]:
    """See that a Parquet file holds its columns and nothing else, batch by batch: its rows, rows a batch, and names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from confide.core.tables.formats.parquet import arrow_owned, check_passes, parquet_batches, refuse_unsound

    at_a_time = check_passes(data, source, budget)
    owned = arrow_owned(data)
    with refuse_unsound(source):
        schema = pq.read_schema(pa.BufferReader(owned))
    if schema.metadata:
        raise InputError("holds metadata beside its columns", source=source)
    check_structure(data, source)
    count = 0
    for batch in parquet_batches(owned, source, rows=at_a_time):
        count += len(batch)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if spelled and _is_misspelled(column):
                what = "is not as Confide writes it: a number is NaN or -0.0, not null or 0.0"
                raise InputError(what, source=source, column=name)
    return count, at_a_time, list(schema.names)


def _is_misspelled(column: Any) -> bool:
    """Whether a NaN or a -0.0 stands in a column, in lists and records as well."""
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _is_misspelled(column.dictionary)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _is_misspelled(column.flatten())
    if pa.types.is_struct(kind):
        return any(_is_misspelled(part) for part in column.flatten())
    if not pa.types.is_floating(kind):
        return False
    numbers = column.drop_null().to_numpy(zero_copy_only=False)
    return bool((np.isnan(numbers) | ((numbers == 0) & np.signbit(numbers))).any())


# -- CSV --------------------------------------------------------------------------------------------------------------


def _open_csv(data: bytes, source: Path, budget: MemoryBudget) -> ReleasedTable:
    compression = compression_of(source)

    def read(columns: Sequence[str] | None) -> "Iterator[pa.RecordBatch]":
        blocks = unpacked_blocks(data, compression, source, most=MAX_BYTES)
        for table in _compared(whole_rows(blocks, source, budget.total // 32), source, budget):
            yield from (table if columns is None else table.select(list(columns))).to_batches()

    names: list[str] = []
    count = 0
    for batch in read(None):
        names = names or list(batch.schema.names)
        count += len(batch)
    if not names:
        raise InputError("is empty", source=source)
    return ReleasedTable(column_names=names, rows=count, budget=budget, read=read)


def whole_rows(blocks: Iterable[bytes], source: Path, longest: int, *, quotes: bool = True) -> Iterator[bytes]:
    """The same bytes in blocks that end where a row ends: at a line end outside quotes, where quotes mean something."""
    rest = bytearray()
    for block in blocks:
        rest += block
        end = _last_row_end(rest) if quotes else rest.rfind(b"\n") + 1
        if end:
            yield bytes(rest[:end])
            del rest[:end]
        elif len(rest) > longest:
            raise InputError(f"a row is longer than {longest >> 20:,} MB", source=source)
    if rest:
        yield bytes(rest)


def _last_row_end(text: bytearray) -> int:
    odd = text.count(b'"') % 2
    end = len(text)
    while (at := text.rfind(b"\n", 0, end)) >= 0:
        odd ^= text.count(b'"', at, end) % 2
        if not odd:
            return at + 1
        end = at
    return 0


def _compared(blocks: Iterable[bytes], source: Path, budget: MemoryBudget) -> "Iterator[pa.Table]":
    """A table for each block of rows; raises unless it is, written again, the block."""
    import pyarrow as pa

    from confide.core.tables.formats.csv_text import BOM, header_of
    from confide.core.tables.frames import csv_blocks, rows_from_csv

    names: list[str] = []
    mark, line = ",", 1
    for block in blocks:
        if b"\0" in block:
            raise InputError("holds zero bytes; it is not a text file", source=source)
        rows = block
        if not names:
            mark = released_mark(block, source)
            names, start = header_of(block, mark, source)
            budget.require(_BYTES_A_COLUMN * len(names), f"reading {len(names):,} columns", source=source)
            header, rows = block[:start], block[start:]
            empty = pa.table({name: pa.array([], pa.string()) for name in names})
            if header != b"".join(csv_blocks(empty, delimiter=mark)):
                raise InputError(_ELSE, source=source, line=1)
            line += header.count(b"\n")
            yield empty
            if not rows:
                continue
        if rows[:3] == BOM:  # Arrow would skip it in silence
            raise InputError("a byte-order mark stands before a row", source=source, line=line)
        try:
            table = rows_from_csv(rows, names, mark)
        except (pa.ArrowException, OSError):  # whose message quotes the line, and people's values with it
            raise InputError(_ELSE, source=source, line=line) from None
        again = b"".join(list(csv_blocks(table, delimiter=mark))[1:])
        if again != rows:
            raise InputError(_ELSE, source=source, line=line + lines_alike(rows, again))
        line += rows.count(b"\n")
        yield table
