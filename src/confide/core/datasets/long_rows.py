"""Records that are rows of a long table (`id`, `item`), put together while the table is read once.

Rows of one id must stand together, in ascending order of ids, as a database or Spark writes them when asked to sort; a
record may begin in one row group, or file, and end in the next:

    shard 1   1 1 2 3 3      reads on into shard 2, to the end of record 3
    shard 2   3 3 4 4 5      leaves out its first two rows, which belong to a record of shard 1
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.datasets.parts import Parts, unreadable
from confide.core.datasets.protocol import RecordEngine
from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Edges", "find_edges", "whole_records"]


@dataclass(frozen=True)
class Edges:
    """The first and the last id of each shard."""

    first: tuple[Any, ...]
    last: tuple[Any, ...]


@dataclass(frozen=True)
class _Ids:
    """The ids alone, as a source."""

    parts: Parts
    id: str
    batch_rows: int

    @property
    def shards(self) -> tuple[tuple[int, int], ...]:
        return self.parts.shards

    def read(self, shard: tuple[int, int]) -> "Iterator[pa.Array]":
        for batch in row_batches(self.parts, shard, [self.id], self.batch_rows):
            yield batch.column(0)


def find_edges(parts: Parts, id: str, engine: RecordEngine, *, batch_rows: int) -> Edges:
    """Read the ids once: are they in order, and where do shards begin and end?"""
    ids = _Ids(parts, id, batch_rows)
    found = engine.each(ids, _ends_of, label="looking at ids")
    before = None
    for (file, _), ends in zip(parts.shards, found, strict=True):
        source = parts.files[file].path
        if ends == "null":
            raise InputError("a record's id is null", source=source, column=id)
        if ends is None or (before is not None and ends[0] < before):
            raise InputError(
                "ids are not in ascending order, so records cannot be put together while the file is read once; sort "
                "it by this column, or read it into memory (engine memory)",
                source=source,
                column=id,
            )
        before = ends[1]
    pairs = [ends for ends in found if isinstance(ends, tuple)]
    return Edges(tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))


def _ends_of(_: int, columns: "Iterator[pa.Array]") -> "tuple[Any, Any] | str | None":
    """The first and the last id; None if they are not in order, "null" if one is missing."""
    import pyarrow.compute as pc

    first = last = None
    for ids in columns:
        if ids.null_count:
            return "null"
        if not len(ids):
            continue
        if len(ids) > 1 and not pc.all(pc.greater_equal(ids.slice(1), ids.slice(0, len(ids) - 1))).as_py():
            return None
        start = ids[0].as_py()
        if last is not None and start < last:
            return None
        first, last = start if first is None else first, ids[len(ids) - 1].as_py()
    return first, last


def row_batches(
    parts: Parts, shard: tuple[int, int], columns: list[str], batch_rows: int, *, coded: Collection[str] = ()
) -> "Iterator[pa.RecordBatch]":
    """The rows of a shard with these columns, some at a time.

    Text of the columns `coded` comes as places in the list of different texts that Parquet keeps: several times faster
    where values come again and again.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    part = parts.files[shard[0]]
    texts = [name for name in coded if _is_text(parts.schema.field(name).type)]
    try:
        with pq.ParquetFile(parts.opened(shard[0]), read_dictionary=texts, buffer_size=1 << 20) as file:
            yield from file.iter_batches(
                batch_size=batch_rows, row_groups=[shard[1]], columns=columns, use_threads=False
            )
    except (pa.ArrowException, OSError) as error:
        raise unreadable(part.path, error) from None


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def whole_records(
    parts: Parts, number: int, edges: Edges, *, id: str, item: str, batch_rows: int
) -> "Iterator[tuple[np.ndarray[Any, Any], pa.Array]]":
    """The records that begin in a shard, some at a time, as (offsets, items)."""
    import pyarrow as pa

    shards = parts.shards
    skip = edges.last[number - 1] if number and edges.last[number - 1] == edges.first[number] else None
    left: pa.Table | None = None
    for batch in row_batches(parts, shards[number], [id, item], batch_rows):
        rows = pa.Table.from_batches([batch]).select([id, item])
        if skip is not None:
            same = _leading(rows.column(0), skip)
            rows = rows.slice(same)
            if not rows.num_rows:
                continue
            skip = None
        rows = rows if left is None else pa.concat_tables([left, rows])
        offsets = _offsets(rows.column(0))
        left = rows.slice(int(offsets[-2]))
        if len(offsets) > 2:
            yield offsets[:-1], _one(rows.column(1).slice(0, int(offsets[-2])))
    if left is None:
        return
    # the last record may go on in the shards that follow
    last, after = edges.last[number], number + 1
    while after < len(shards) and edges.first[after] == last:
        for batch in row_batches(parts, shards[after], [id, item], batch_rows):
            rows = pa.Table.from_batches([batch]).select([id, item])
            same = _leading(rows.column(0), last)
            left = pa.concat_tables([left, rows.slice(0, same)])
            if same < rows.num_rows:
                break
        after += 1 if edges.last[after] == last else len(shards)
    yield np.array([0, left.num_rows], dtype=np.int32), _one(left.column(1))


def _leading(ids: "pa.ChunkedArray", wanted: Any) -> int:
    """How many of the first rows have this id."""
    import pyarrow.compute as pc

    other = pc.index(pc.not_equal(ids, wanted), True).as_py()
    return len(ids) if other < 0 else int(other)


def _offsets(ids: "pa.ChunkedArray") -> "np.ndarray[Any, Any]":
    """Where records begin, and where the last one ends."""
    import pyarrow.compute as pc

    changes = pc.not_equal(_one(ids.slice(1)), _one(ids.slice(0, len(ids) - 1))).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.flatnonzero(changes) + 1, [len(ids)]]).astype(np.int32)


def _one(column: "pa.ChunkedArray") -> "pa.Array":
    import pyarrow as pa

    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], type=column.type)
