"""`StoredTransactions`: baskets that stay in their Parquet files, of any size.

They are read as often as somebody asks something of them, in batches of integer codes, and never held as a whole.
`Transactions` is the same in memory: labels, their order and codes, supports, and what a record holds do not differ.

    a list column (`items`, or the only one)      a record a row
    long (`id`, `item`), in ascending order of ids    a record for each id

The labels are found by the first pass, which counts items and records too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.long_rows import Edges, find_edges, whole_records
from confide.core.datasets.parts import Parts, unreadable
from confide.core.datasets.protocol import GroupPass, Pass, RecordEngine
from confide.core.datasets.stream_engine import StreamEngine
from confide.core.errors import InputError
from confide.core.transactions.container import Transactions
from confide.core.transactions.labels import label_order, labels_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BATCH_ROWS", "Dictionary", "RawBatch", "StoredTransactions", "lists_of", "read_lists"]

BATCH_ROWS = 1 << 15
"""Records a batch: their codes stay in the cache while they are counted."""

S = TypeVar("S")
R = TypeVar("R")


class RawBatch(NamedTuple):
    """Rows as places in a list of labels; see `coding_kernels`."""

    offsets: NDArray[np.int32]
    places: NDArray[np.int32]
    labels: "pa.Array"


@dataclass(frozen=True)
class Dictionary:
    """What the first pass finds: labels in their order, the records that hold each, and sizes."""

    labels: tuple[str, ...]
    supports: NDArray[np.int64]
    records: int
    entries: int
    longest: int

    @cached_property
    def codes(self) -> dict[str, int]:
        """The code of each label."""
        return {label: code for code, label in enumerate(self.labels)}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StoredTransactions:
    """Transactions in Parquet files; see this module.

    Functions that take transactions take these too, where they can work without holding them. `batch_rows` are the
    records, or rows of a long file, read at a time; any number gives the same results. `engine` runs the passes.
    """

    artefact_kind: ClassVar[Literal["transactions"]] = "transactions"
    in_memory: ClassVar[Literal[False]] = False
    parts: Parts
    items: str | None = None
    id: str | None = None
    item: str | None = None
    batch_rows: int = BATCH_ROWS
    engine: RecordEngine = field(default_factory=StreamEngine)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        id: str | None = None,
        item: str | None = None,
        batch_rows: int = BATCH_ROWS,
        engine: RecordEngine | None = None,
    ) -> "StoredTransactions":
        """Transactions in a Parquet file, or in all Parquet files of a folder; nothing but their ends is read yet."""
        parts = Parts.find(Path(path))
        how: dict[str, Any] = {"batch_rows": batch_rows, "engine": engine or StreamEngine()}
        names = parts.schema.names
        asked = id is not None or item is not None
        lists = [name for name in names if _is_list(parts.schema.field(name).type)]
        if not asked and "items" in names:
            if "items" not in lists:
                raise InputError(
                    f"must hold lists of items, not {parts.schema.field('items').type}", source=path, column="items"
                )
            found = cls(parts=parts, items="items", **how)
        elif {id or "id", item or "item"} <= set(names):
            found = cls(parts=parts, id=id or "id", item=item or "item", **how)
        elif len(lists) == 1 and not asked:
            found = cls(parts=parts, items=lists[0], **how)
        else:
            wanted = f"columns {id or 'id'!r} and {item or 'item'!r}" + ("" if asked else ", or one column of lists")
            advice = "name them with id= and item=, or say format=one-hot if each item has a column"
            raise InputError(f"has no {wanted}; columns are: {', '.join(names) or 'none'}; {advice}", source=path)
        found._check_types()
        return found

    # -- what `Transactions` has too ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.parts.rows if self.items is not None else self.dictionary.records

    def __repr__(self) -> str:
        return f"<StoredTransactions {self.parts.rows:,} rows in {len(self.parts.files):,} files>"

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in code order."""
        return self.dictionary.labels

    @property
    def n_items(self) -> int:
        """Number of labels."""
        return len(self.dictionary.labels)

    @property
    def codes(self) -> dict[str, int]:
        """The code of each label."""
        return self.dictionary.codes

    @property
    def entries(self) -> int:
        """Number of items of all records together."""
        return self.dictionary.entries

    @property
    def longest(self) -> int:
        """Number of items of the longest record."""
        return self.dictionary.longest

    def supports(self) -> NDArray[np.int64]:
        """For each item, the number of records that hold it."""
        return self.dictionary.supports.copy()

    @cached_property
    def dictionary(self) -> Dictionary:
        """Labels and supports: the first pass over the files."""
        return self.engine.fold(_Raw(self), _CountLabels(), label="counting items").finished()

    def to_transactions(self) -> Transactions:
        """All records in memory, in their order."""
        rows = self.each(_collected, label="reading records")
        lengths = [np.diff(part.indptr) for batches in rows for part in batches]
        indices = [part.indices for batches in rows for part in batches]
        indptr = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))]).astype(np.int64)
        return Transactions(indptr, np.concatenate([np.zeros(0, np.int32), *indices]), self.labels)

    # -- passes -------------------------------------------------------------------------------------------------------

    def fold(self, job: Pass[Transactions, S], *, label: str) -> S:
        """The state of all records (see `protocol`); batches are `Transactions` with the labels of the whole."""
        _ = self.dictionary  # what is sent to other processes has it along
        return self.engine.fold(self, job, label=label)

    def groups(self, job: GroupPass[Transactions, S], solve: "Callable[[pa.Table], R]", *, label: str) -> list[R]:
        """What `solve` makes of whole groups."""
        _ = self.dictionary
        return self.engine.groups(self, job, solve, label=label)

    def each(self, work: Callable[[int, Iterator[Transactions]], R], *, label: str) -> list[R]:
        """One result for each shard."""
        _ = self.dictionary
        return self.engine.each(self, work, label=label)

    @cached_property
    def shards(self) -> tuple[int, ...]:
        """Numbers of the row groups that have rows."""
        return tuple(range(len(self.parts.shards)))

    def read(self, shard: int) -> Iterator[Transactions]:
        """The batches of a shard."""
        from confide.core.datasets.coding_kernels import code_rows

        known = self.dictionary
        named: pa.Array | None = None
        lookup = np.zeros(0, dtype=np.int32)
        for raw in self.read_raw(shard):
            if named is None or not named.equals(raw.labels):
                named = raw.labels
                found = [known.codes.get(label, -1) for label in labels_of(named, self._source(shard))]
                lookup = np.array([*found, -1], dtype=np.int32)
            indptr = np.zeros(len(raw.offsets), dtype=np.int64)
            indices = np.empty(int(raw.offsets[-1] - raw.offsets[0]), dtype=np.int32)
            end = code_rows(raw.offsets, raw.places, lookup, indptr, indices)
            yield Transactions(indptr, indices[:end], known.labels)

    def read_raw(self, shard: int) -> Iterator[RawBatch]:
        """The batches of a shard before its labels are known."""
        if self.items is not None:
            for raw, _ in read_lists(self.parts, self.parts.shards[shard], self.items, self.batch_rows):
                yield raw
            return
        assert self.id is not None
        assert self.item is not None
        rows = whole_records(self.parts, shard, self.edges, id=self.id, item=self.item, batch_rows=self.batch_rows)
        for offsets, items in rows:
            yield _raw(offsets, items, self._source(shard))

    @cached_property
    def edges(self) -> Edges:
        """Where records of a long file begin and end."""
        assert self.id is not None
        return find_edges(self.parts, self.id, self.engine, batch_rows=self.batch_rows)

    def _source(self, shard: int) -> Path:
        return self.parts.files[self.parts.shards[shard][0]].path

    def _check_types(self) -> None:
        import pyarrow as pa

        column = self.items if self.items is not None else self.item
        kind = self.parts.schema.field(column).type
        if self.items is not None:
            kind = kind.value_type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
            raise InputError(
                f"items must be text or whole numbers, not {kind}", source=self.parts.source, column=column
            )


@dataclass(frozen=True)
class _Raw:
    """The same records before their labels are known, as a source."""

    stored: StoredTransactions

    @property
    def shards(self) -> tuple[int, ...]:
        if self.stored.items is None:
            _ = self.stored.edges  # found before anything is sent elsewhere
        return self.stored.shards

    def read(self, shard: int) -> Iterator[tuple[RawBatch, Path]]:
        for raw in self.stored.read_raw(shard):
            yield raw, self.stored._source(shard)


def _collected(_: int, batches: Iterator[Transactions]) -> list[Transactions]:
    return list(batches)


# -- labels -----------------------------------------------------------------------------------------------------------


class _Counted:
    """Labels in the order in which they came, and their counts."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.counts = np.zeros(64, dtype=np.int64)
        self.seen = np.full(64, -1, dtype=np.int64)
        self.records = self.entries = self.longest = 0
        self._named: Any = None
        self._lookup = np.zeros(0, dtype=np.int32)

    def place(self, label: str) -> int:
        return self.places.setdefault(label, len(self.places))

    def lookup(self, labels: "pa.Array", source: Path) -> NDArray[np.int32]:
        """The place of each label of a batch; mostly those of the batch before."""
        if self._named is None or not self._named.equals(labels):
            found = [self.place(label) if label else -1 for label in labels_of(labels, source)]
            self._named, self._lookup = labels, np.array([*found, -1], dtype=np.int32)
            self._grow()
        return self._lookup

    def _grow(self) -> None:
        missing = len(self.places) - len(self.counts)
        if missing > 0:
            missing = max(missing, len(self.counts))
            self.counts = np.concatenate([self.counts, np.zeros(missing, dtype=np.int64)])
            self.seen = np.concatenate([self.seen, np.full(missing, -1, dtype=np.int64)])

    def with_other(self, other: "_Counted") -> "_Counted":
        moved = np.array([self.place(label) for label in other.places], dtype=np.int64)
        self._grow()
        np.add.at(self.counts, moved, other.counts[: len(moved)])
        self.records += other.records
        self.entries += other.entries
        self.longest = max(self.longest, other.longest)
        return self

    def finished(self) -> Dictionary:
        names = list(self.places)
        held = np.flatnonzero(self.counts[: len(names)]).tolist()  # a file may name labels that no record holds
        order = sorted(held, key=lambda i: label_order(names[i]))
        supports = self.counts[order] if order else np.zeros(0, dtype=np.int64)
        labels = tuple(names[i] for i in order)
        return Dictionary(labels, supports, self.records, self.entries, self.longest)


@dataclass(frozen=True)
class _CountLabels:
    """The pass that finds the labels."""

    shared: bool = False

    def begin(self) -> _Counted:
        return _Counted()

    def add(self, state: _Counted, batch: tuple[RawBatch, Path]) -> _Counted:
        from confide.core.datasets.coding_kernels import count_rows

        raw, source = batch
        lookup = state.lookup(raw.labels, source)
        entries, longest = count_rows(raw.offsets, raw.places, lookup, state.records, state.seen, state.counts)
        state.records += len(raw.offsets) - 1
        state.entries += entries
        state.longest = max(state.longest, longest)
        return state

    def merge(self, one: _Counted, other: _Counted) -> _Counted:
        return one.with_other(other)


# -- Arrow ------------------------------------------------------------------------------------------------------------


def _is_list(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def read_lists(parts: Parts, shard: tuple[int, int], column: str, batch_rows: int) -> Iterator[tuple[RawBatch, int]]:
    """The rows of a list column, and how many of them are null; see `lists_of`."""
    return lists_of(parts.opened(shard[0]), parts.files[shard[0]].path, shard[1], column, batch_rows)


def lists_of(
    opened: "Path | pa.BufferReader", source: Path, group: int, column: str, batch_rows: int, *, as_text: bool = True
) -> Iterator[tuple[RawBatch, int]]:
    """The rows of a list column in a row group of a file, and how many of them are null.

    Text is read as places in the list of different texts that Parquet keeps, which is several times faster; where Arrow
    cannot, because that list was given up half-way, as text; unless that may not be (`as_text`).
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    done = 0
    for coded in (True, False):
        try:
            with pq.ParquetFile(opened) as first:
                leaves = [first.schema.column(i) for i in range(len(first.schema))]
                texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"] if coded else []
            with pq.ParquetFile(opened, read_dictionary=texts, buffer_size=1 << 20) as file:
                options = {"batch_size": batch_rows, "row_groups": [group], "columns": [column]}
                seen = 0
                for batch in file.iter_batches(use_threads=False, **options):
                    seen += len(batch)
                    if seen > done:
                        lists = batch.column(0).slice(max(0, done - seen + len(batch)))
                        done = seen
                        yield _raw(lists.offsets.to_numpy(), lists.values, source), lists.null_count
            return
        except pa.ArrowNotImplementedError as error:
            if not coded:
                raise unreadable(source, error) from None
            if not as_text:
                raise InputError(
                    "its labels, written out, may take more memory than there may be", source=source
                ) from None
        except (pa.ArrowException, OSError) as error:
            raise unreadable(source, error) from None


def _raw(offsets: NDArray[Any], items: "pa.Array", source: Path) -> RawBatch:
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = items if pa.types.is_dictionary(items.type) else pc.dictionary_encode(items)
    places = encoded.indices
    if places.null_count:
        places = pc.fill_null(places, -1)
    codes = places.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    if len(codes) and not -1 <= int(codes.min()) <= int(codes.max()) < len(encoded.dictionary):
        raise InputError("is not a sound Parquet file (a value does not fit its column's type)", source=source)
    return RawBatch(offsets.astype(np.int32, copy=False), codes, encoded.dictionary)
