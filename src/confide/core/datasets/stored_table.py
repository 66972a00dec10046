"""`StoredTable`: a table that stays in its Parquet files, of any size, read in batches of rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from confide.core.datasets.long_rows import row_batches
from confide.core.datasets.parts import Parts
from confide.core.datasets.protocol import GroupPass, Pass, RecordEngine
from confide.core.datasets.stream_engine import StreamEngine
from confide.core.errors import InputError
from confide.core.runtime.memory import free_memory

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["StoredColumns", "StoredTable"]

BATCH_ROWS = 1 << 16

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StoredTable:
    """A table in Parquet files: a file, or all files of a folder.

    Functions that take tables take these too, where they can work without holding them. `batch_rows` are the rows read
    at a time; any number gives the same results. `engine` runs the passes; batches are Arrow's.
    """

    artefact_kind: ClassVar[Literal["table"]] = "table"
    in_memory: ClassVar[Literal[False]] = False
    parts: Parts
    batch_rows: int = BATCH_ROWS
    engine: RecordEngine = field(default_factory=StreamEngine)

    @classmethod
    def open(
        cls, path: str | PathLike[str], *, batch_rows: int = BATCH_ROWS, engine: RecordEngine | None = None
    ) -> "StoredTable":
        """A table in a Parquet file, or in all Parquet files of a folder; nothing but their ends is read yet."""
        return cls(parts=Parts.find(Path(path)), batch_rows=batch_rows, engine=engine or StreamEngine())

    def __len__(self) -> int:
        return self.parts.rows

    def __repr__(self) -> str:
        return f"<StoredTable {len(self):,} rows, {len(self.column_names)} columns in {len(self.parts.files):,} files>"

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self.parts.schema.names)

    @property
    def schema(self) -> "pa.Schema":
        """Names and types of the columns."""
        return self.parts.schema

    def fold(self, job: "Pass[pa.RecordBatch, S]", *, label: str) -> S:
        """The state of all rows (see `protocol`)."""
        return self.engine.fold(self, job, label=label)

    def groups(self, job: "GroupPass[pa.RecordBatch, S]", solve: "Callable[[pa.Table], R]", *, label: str) -> list[R]:
        """What `solve` makes of whole groups."""
        return self.engine.groups(self, job, solve, label=label)

    def each(self, work: "Callable[[int, Iterator[pa.RecordBatch]], R]", *, label: str) -> list[R]:
        """One result for each shard."""
        return self.engine.each(self, work, label=label)

    @property
    def shards(self) -> tuple[Any, ...]:
        """(file, row group) of all that have rows."""
        return self.parts.shards

    def read(self, shard: tuple[int, int]) -> "Iterator[pa.RecordBatch]":
        """The batches of a shard."""
        for batch in row_batches(self.parts, shard, self.column_names, self.batch_rows):
            yield batch.select(self.column_names)

    def select(self, names: Sequence[str]) -> "StoredTable":
        """The same table with these columns only, in this order."""
        import pyarrow as pa

        schema = pa.schema([self.parts.schema.field(name) for name in names])
        return replace(self, parts=replace(self.parts, schema=schema))

    def to_table(self) -> "pa.Table":
        """All rows in memory, in their order."""
        import pyarrow as pa

        free = free_memory()
        if free is not None and self.parts.memory > free:
            raise InputError(
                f"{len(self):,} rows take more memory than is free, and what is asked needs all of them at once",
                source=self.parts.source,
            )
        batches = [batch for part in self.each(_collected, label="reading rows") for batch in part]
        return pa.Table.from_batches(batches, schema=self.parts.schema).combine_chunks()


@dataclass(frozen=True)
class StoredColumns:
    """Some columns of a table in files, as a source: batches, each with the number of its first row, from 0.

    Text of the columns `coded` may come as places in a list of texts.
    """

    stored: StoredTable
    columns: tuple[str, ...]
    coded: tuple[str, ...] = ()

    @property
    def shards(self) -> tuple[Any, ...]:
        """Those of the table."""
        return self.stored.shards

    def read(self, shard: tuple[int, int]) -> "Iterator[tuple[int, pa.RecordBatch]]":
        """The batches of a shard."""
        place = self._starts[shard]
        parts, rows = self.stored.parts, self.stored.batch_rows
        for batch in row_batches(parts, shard, list(self.columns), rows, coded=self.coded):
            yield place, batch.select(list(self.columns))
            place += len(batch)

    @cached_property
    def _starts(self) -> dict[tuple[int, int], int]:
        sizes = [self.stored.parts.files[file].groups[group] for file, group in self.shards]
        ends = list(accumulate(sizes, initial=0))
        return dict(zip(self.shards, ends, strict=False))


def _collected(_: int, batches: "Iterator[pa.RecordBatch]") -> "list[pa.RecordBatch]":
    return list(batches)
