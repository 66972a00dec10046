"""Records in parts, in uniformly random order, however many there are.

    every record draws one of as many buckets as there will be parts       runs: files of records sorted by bucket
    every bucket is brought together, shuffled, and written as a part

A record's place is thus decided by a random key, of which the bucket is the beginning, so that all orders are equally
likely. What is drawn comes from the system, in the process that draws it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.manifest import PartEntry, digest
from confide.core.datasets.protocol import RecordEngine, Source
from confide.core.files import atomic_write
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.core.transactions.frames import to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PART_RECORDS", "WithLabels", "code_lists", "write_parts"]

PART_RECORDS = 1 << 20
"""Records of a part, about."""

Convert = Callable[[Any], "pa.Table"]
Finish = Callable[["pa.Table"], "pa.Table"]


def write_parts(
    source: Source[Any],
    engine: RecordEngine,
    folder: Path,
    *,
    rows: int,
    convert: Convert,
    finish: Finish,
    shuffle: bool = True,
) -> tuple[PartEntry, ...]:
    """Write what `convert` makes of each batch as parts in `folder`, in random order unless `shuffle` is False.

    `finish` turns the rows of a part, which are together for the first time then, into what is written.
    """
    if not shuffle:
        made = engine.each(source, _InOrder(folder, convert, finish), label="writing parts")
        return tuple(part for parts in made for part in parts)
    buckets = max(1, -(-rows // PART_RECORDS))
    runs = engine.each(source, _WriteRuns(folder, convert, buckets), label="shuffling")
    names = tuple(name for some in runs for name in some)
    parts = engine.each(_Buckets(folder, names, buckets), _WritePart(folder, finish), label="writing parts")
    for name in names:
        (folder / name).unlink()
    return tuple(part for part in parts if part is not None)


def _portions(batches: Iterator[Any], convert: Convert) -> "Iterator[pa.Table]":
    """The rows of a shard, so many at a time as make a part; the last portion may be smaller, none is empty."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    for batch in batches:
        waiting.append(convert(batch))
        if sum(part.num_rows for part in waiting) >= PART_RECORDS:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting.clear()
    if sum(part.num_rows for part in waiting):
        yield pa.concat_tables(waiting).combine_chunks()


@dataclass(frozen=True)
class _WriteRuns:
    """Sorts the records of a shard by bucket, some at a time, into files."""

    folder: Path
    convert: Convert
    buckets: int

    def __call__(self, shard: int, batches: Iterator[Any]) -> list[str]:
        import pyarrow as pa

        draws = Randomness.system()
        names: list[str] = []
        for rows in _portions(batches, self.convert):
            bucket = draws.integers(self.buckets, rows.num_rows)
            order = np.argsort(bucket, kind="stable")
            sorted_rows = rows.take(pa.array(order)).combine_chunks()
            ends = np.searchsorted(bucket[order], np.arange(self.buckets + 1))
            names.append(f".run-{shard:06d}-{len(names):04d}.arrow")
            with pa.ipc.new_file(str(self.folder / names[-1]), sorted_rows.schema) as file:
                for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
                    file.write_batch(_batch(sorted_rows.slice(begin, end - begin)))
        return names


def _batch(rows: "pa.Table") -> "pa.RecordBatch":
    import pyarrow as pa

    found = rows.to_batches()
    return found[0] if found else pa.RecordBatch.from_pylist([], schema=rows.schema)


@dataclass(frozen=True)
class _Buckets:
    """The buckets of all runs, as a source."""

    folder: Path
    runs: tuple[str, ...]
    buckets: int

    @property
    def shards(self) -> tuple[int, ...]:
        return tuple(range(self.buckets))

    def read(self, bucket: int) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        for name in self.runs:
            with pa.OSFile(str(self.folder / name)) as raw:
                yield pa.ipc.open_file(raw).get_batch(bucket)


@dataclass(frozen=True)
class _WritePart:
    """Shuffles a bucket, and writes it."""

    folder: Path
    finish: Finish

    def __call__(self, number: int, batches: "Iterator[pa.RecordBatch]") -> PartEntry | None:
        import pyarrow as pa

        held = [batch for batch in batches if len(batch)]
        if not held:
            return None
        rows = pa.Table.from_batches(held).combine_chunks()
        order = Randomness.system().permutation(rows.num_rows)
        return written(self.finish(rows.take(pa.array(order))), self.folder, f"part-{number:05d}.parquet")


@dataclass(frozen=True)
class _InOrder:
    """Writes the records of a shard as they come."""

    folder: Path
    convert: Convert
    finish: Finish

    def __call__(self, shard: int, batches: Iterator[Any]) -> list[PartEntry]:
        made: list[PartEntry] = []
        for rows in _portions(batches, self.convert):
            made.append(written(self.finish(rows), self.folder, f"part-{shard:05d}-{len(made):04d}.parquet"))
        return made


def code_lists(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> "pa.Table":
    """Rows of codes as they are shuffled."""
    import pyarrow as pa

    return pa.table({"items": pa.ListArray.from_arrays(pa.array(indptr.astype(np.int32)), pa.array(indices))})


@dataclass(frozen=True)
class WithLabels:
    """Rows of codes as they are released."""

    labels: tuple[str, ...]

    def __call__(self, rows: "pa.Table") -> "pa.Table":
        """The same rows with a label for each code."""
        lists = rows.column("items").combine_chunks()
        offsets = lists.offsets.to_numpy().astype(np.int64)
        values = lists.values.to_numpy()[offsets[0] : offsets[-1]]
        return to_arrow(Transactions(offsets - offsets[0], values, self.labels))


def written(rows: "pa.Table", folder: Path, name: str) -> PartEntry:
    """Write one part; give its line of the manifest."""
    from confide.core.tables.formats.parquet import write_parquet

    buffer = BytesIO()
    write_parquet(rows, buffer)
    data = buffer.getbuffer()
    with atomic_write(folder / name) as file:
        file.write(data)
    return PartEntry(name, digest(data), len(data), rows.num_rows)
