"""Released records of items, read in batches: each is written again and compared, and kept as codes if there is room.

    text      blocks of whole records, as our writer writes them after those before
    Parquet   batches of lists, as places in the list of texts that the file keeps; items ascend, labels are trimmed

A record takes a few bytes of text and hundreds as Python's objects, so never more than a batch of those is there. All
records are kept as codes, as far as the memory that the file may take has room for them and for checking them; beyond
that they are read again, as often as somebody asks (`ReleasedRecords`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.artefacts.exact import check_structure, lines_alike
from confide.core.artefacts.packing import unpacked, unpacked_blocks
from confide.core.artefacts.passes import whole_rows
from confide.core.datasets.protocol import Pass
from confide.core.datasets.stored_transactions import Dictionary, RawBatch, lists_of
from confide.core.errors import InputError
from confide.core.files import MAX_BYTES, compression_of
from confide.core.runtime.memory import MemoryBudget
from confide.core.tables.formats.csv_text import mark_between
from confide.core.transactions.basket_files import format_of, read_block, text_blocks, written_format
from confide.core.transactions.container import Transactions
from confide.core.transactions.guesses import looks_like_table
from confide.core.transactions.labels import label_order, labels_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ReleasedRecords", "open_lists", "open_records"]

S = TypeVar("S")
_ELSE = "is not as Confide writes it: something else stands there"
_BATCH_ROWS = 1 << 15
_OPENING = 1000  # lines of baskets that decide together whether they look like a table
# Bytes that keeping and checking takes: codes both ways and their copies, ends of rows, labels with their places.
_AN_ENTRY, _A_RECORD, _A_LABEL, _ELSEWHERE = 24, 48, 400, 64 << 20
_A_LISTED = 12  # an item of a record that is read from Parquet


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedRecords:
    """Records that stay in the bytes of their file; `read` gives their batches, each with labels of its own."""

    artefact_kind = "transactions"
    in_memory: ClassVar[Literal[False]] = False
    dictionary: Dictionary
    budget: MemoryBudget
    read: Callable[[], Iterator[Transactions]]

    def __len__(self) -> int:
        return self.dictionary.records

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in code order."""
        return self.dictionary.labels

    @property
    def n_items(self) -> int:
        """Number of labels."""
        return len(self.dictionary.labels)

    def supports(self) -> NDArray[np.int64]:
        """For each item, the number of records that hold it."""
        return self.dictionary.supports.copy()

    def fold(self, job: Pass[Transactions, S], *, label: str) -> S:
        """The state of all records, in their order (as `StoredTransactions.fold` gives it)."""
        state = job.begin()
        for batch in self.read():
            lookup = np.array([self.dictionary.codes[name] for name in batch.labels], dtype=np.int32)
            state = job.add(state, Transactions(batch.indptr, lookup[batch.indices], self.labels))
        return state


def open_records(data: bytes, source: Path, *, budget: MemoryBudget) -> tuple[Transactions | ReleasedRecords, str]:
    """The records in a released file, if it is as we write it, and its format; else an InputError in one line."""
    if not data:
        raise InputError("is empty", source=source)
    kind = format_of(source, None)
    if ".tsv" in (suffix.lower() for suffix in source.suffixes):
        raise InputError("a release is not written as .tsv", source=source)
    if kind == "parquet":
        read = open_lists(unpacked(data, compression_of(source), source, most=budget.total // 4), source, budget)
    else:
        first = next(_blocks(data, source, budget), b"")
        kind = written_format(first, source)

        def read() -> Iterator[Transactions]:
            return _compared(_blocks(data, source, budget), source, kind, budget)

    kept = _Kept(budget, source)
    for batch in read():
        kept.add(batch)
    found = kept.finished()
    return (
        found if isinstance(found, Transactions) else ReleasedRecords(dictionary=found, budget=budget, read=read)
    ), kind


class _Kept:
    """Batches put together: labels in the order in which they came, and codes as long as there is room for them."""

    def __init__(self, budget: MemoryBudget, source: Path) -> None:
        self.budget, self.source = budget, source
        self.places: dict[str, int] = {}
        self.counts = np.zeros(64, dtype=np.int64)
        self.records = self.entries = self.longest = 0
        self.rows: list[tuple[NDArray[np.int32], NDArray[np.int32]]] | None = []

    def add(self, batch: Transactions) -> None:
        """Count these records, and keep them while there is room."""
        lookup = np.array([self.places.setdefault(name, len(self.places)) for name in batch.labels], dtype=np.int32)
        self.budget.require(_A_LABEL * len(self.places), f"reading {len(self.places):,} labels", source=self.source)
        missing = len(self.places) - len(self.counts)
        if missing > 0:
            self.counts = np.concatenate([self.counts, np.zeros(max(missing, len(self.counts)), dtype=np.int64)])
        self.counts[lookup] += batch.supports()
        self.records += len(batch)
        self.entries += len(batch.indices)
        lengths = batch.lengths.astype(np.int32)
        self.longest = max(self.longest, int(lengths.max(initial=0)))
        if self.rows is not None:
            self.rows.append((lengths, lookup[batch.indices]))
            needed = _AN_ENTRY * self.entries + _A_RECORD * self.records + _A_LABEL * len(self.places) + _ELSEWHERE
            if needed > self.budget.total:
                self.rows = None

    def finished(self) -> Transactions | Dictionary:
        """All records, or what is known of them where they had no room."""
        names = list(self.places)
        order = sorted(range(len(names)), key=lambda i: label_order(names[i]))
        labels = tuple(names[i] for i in order)
        if self.rows is None:
            return Dictionary(labels, self.counts[order], self.records, self.entries, self.longest)
        rank = np.empty(len(names), dtype=np.int32)
        rank[order] = np.arange(len(names), dtype=np.int32)
        indptr = np.zeros(self.records + 1, dtype=np.int64)
        indices = np.empty(self.entries, dtype=np.int32)
        record = entry = 0
        for number, (lengths, codes) in enumerate(self.rows):
            self.rows[number] = (lengths[:0], codes[:0])  # let go of, so that they are not there twice
            indptr[record + 1 : record + len(lengths) + 1] = lengths
            indices[entry : entry + len(codes)] = rank[codes]
            record, entry = record + len(lengths), entry + len(codes)
        np.cumsum(indptr, out=indptr)
        return Transactions(indptr, indices, labels)


# -- text -------------------------------------------------------------------------------------------------------------


def _blocks(data: bytes, source: Path, budget: MemoryBudget) -> Iterator[bytes]:
    """The file in blocks of whole lines; the first of baskets has as many as decide whether they look like a table."""
    plain = unpacked_blocks(data, compression_of(source), source, most=MAX_BYTES)
    if format_of(source, None) != "basket":
        return whole_rows(plain, source, budget.total // 32, quotes=False)
    return _opened_together(whole_rows(plain, source, budget.total // 32), budget.total // 32)


def _opened_together(blocks: Iterator[bytes], most: int) -> Iterator[bytes]:
    first = b""
    for block in blocks:
        first += block
        if len(first) > most or first.count(b"\n") > _OPENING:
            break
    if first:
        yield first
        yield from blocks


def _compared(blocks: Iterable[bytes], source: Path, kind: str, budget: MemoryBudget) -> Iterator[Transactions]:
    """The records of each block; raises unless they are, written again, the block."""
    reading = _Reading(source, kind)
    rest = b""
    for block in blocks:
        if kind == "long":  # the last record of a block may go on in the next
            if len(rest) > budget.total // 32:
                raise InputError(f"a record is longer than {budget.total >> 25:,} MB", source=source, line=reading.line)
            batch, rest = reading.all_but_last(rest + block)
            yield batch
        else:
            yield reading.whole(block)
    if rest:
        yield reading.whole(rest)
    reading.finish()


class _Reading:
    """Where in a text file we are: the number of the next record, and of its line."""

    def __init__(self, source: Path, kind: str) -> None:
        self.source, self.kind = source, kind
        self.record = self.line = 1
        self.opening: Transactions | None = None
        self.marked = False
        self.delimiter: str | None = None  # of baskets; known once one stands between items
        self.elsewhere: set[str] = set()

    def whole(self, block: bytes) -> Transactions:
        """The records in this block, which is theirs to the last byte."""
        found = self._read(block)
        if self.record == 1 and self.kind == "basket":
            self.opening = found
            self.marked = looks_like_table(found) and not self._is_written(block, found, marked=False)
        elif self.opening is not None:
            self.elsewhere.update(found.labels if looks_like_table(self.opening, elsewhere=self.elsewhere) else ())
        again = self._written(found, marked=self.marked and self.record == 1)
        if again != block:
            raise InputError(_ELSE, source=self.source, line=self.line + lines_alike(block, again))
        self._pass(block, found)
        return found

    def all_but_last(self, block: bytes) -> tuple[Transactions, bytes]:
        """The records in this block without its last one, and the bytes from there on."""
        found = self._read(block)
        found = found.take(np.arange(len(found) - 1)).without_unused()
        again = self._written(found, marked=False)
        if not block.startswith(again):
            raise InputError(_ELSE, source=self.source, line=self.line + lines_alike(block, again))
        if len(found):
            self._pass(again, found)
            return found, block[len(again) :]
        return found, block

    def finish(self) -> None:
        """See that the empty cell after the first of the baskets stands there exactly if it belongs there."""
        if self.opening is not None and self.marked != looks_like_table(self.opening, elsewhere=self.elsewhere):
            raise InputError(_ELSE, source=self.source, line=1)

    def _read(self, block: bytes) -> Transactions:
        if b"\0" in block:
            raise InputError("holds zero bytes; it is not a text file", source=self.source)
        if self.kind == "basket" and self.delimiter is None:
            self.delimiter = mark_between(block)
        try:
            return read_block(block, self.source, self.kind, delimiter=self.delimiter or ",")
        except InputError as error:
            line = None if error.line is None else self.line + error.line - 1
            raise InputError(error.what, source=self.source, line=line, column=error.column) from None

    def _written(self, found: Transactions, *, marked: bool) -> bytes:
        return b"".join(
            text_blocks(found, self.kind, first=self.record, marked=marked, delimiter=self.delimiter or ",")
        )

    def _is_written(self, block: bytes, found: Transactions, *, marked: bool) -> bool:
        return self._written(found, marked=marked) == block

    def _pass(self, block: bytes, found: Transactions) -> None:
        self.record += len(found)
        self.line += block.count(b"\n")


# -- Parquet ----------------------------------------------------------------------------------------------------------


def open_lists(data: bytes, source: Path, budget: MemoryBudget) -> Callable[[], Iterator[Transactions]]:
    """A function that gives the records of a Parquet file, from the first, whenever it is called.

    Raises InputError, before anything is decoded, where the file holds more than one column of lists, or a row group
    of it may take more than the budget.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from confide.core.tables.formats.parquet import arrow_owned, check_lists, refuse_unsound

    as_text = check_lists(data, source, budget)
    check_structure(data, source)
    owned = arrow_owned(data)
    with refuse_unsound(source), pq.ParquetFile(pa.BufferReader(owned)) as file:
        schema, metadata = file.schema_arrow, file.metadata
    if schema.metadata:
        raise InputError("holds metadata beside its columns", source=source)
    if schema.names != ["items"] or not _is_list(schema.field(0).type) or metadata.num_columns != 1:
        raise InputError("is not as Confide writes it: its only column is items, of lists", source=source)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    sizes = [(group.column(0).num_values, group.num_rows) for group in groups]
    for values, rows in sizes:  # all but one of the records may be empty
        budget.require(_A_LISTED * (values - rows), "its longest record", source=source)

    def read() -> Iterator[Transactions]:
        for number, (values, rows) in enumerate(sizes):
            if rows:
                at_a_time = max(1, min(_BATCH_ROWS, (1 << 20) * rows // max(1, values)))
                lists = lists_of(pa.BufferReader(owned), source, number, "items", at_a_time, as_text=as_text)
                yield from _check_lists(lists, source)

    return read


def _is_list(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _check_lists(batches: Iterable[tuple[RawBatch, int]], source: Path) -> Iterator[Transactions]:
    """The records of these batches; raises unless items ascend in the order of labels, and labels are trimmed text."""
    from confide.core.datasets.coding_kernels import code_rows, rows_ascend

    known: pa.Array | None = None
    lookup = np.zeros(0, dtype=np.int32)
    labels: tuple[str, ...] = ()
    for raw, nulls in batches:
        if nulls:
            raise InputError("is not as Confide writes it: a record is null", source=source)
        if known is None or not known.equals(raw.labels):
            known = raw.labels
            names = labels_of(known, source)
            if names != known.to_pylist() or "" in names or len(set(names)) < len(names):
                raise InputError(
                    "is not as Confide writes it: a label has blanks around it, or is there twice", source=source
                )
            order = sorted(range(len(names)), key=lambda i: label_order(names[i]))
            labels = tuple(names[i] for i in order)
            lookup = np.full(len(names) + 1, -1, dtype=np.int32)
            lookup[order] = np.arange(len(names), dtype=np.int32)
        if not rows_ascend(raw.offsets, raw.places, lookup):
            raise InputError("is not as Confide writes it: items out of order, or twice", source=source)
        indptr = np.zeros(len(raw.offsets), dtype=np.int64)
        indices = np.empty(int(raw.offsets[-1] - raw.offsets[0]), dtype=np.int32)
        code_rows(raw.offsets, raw.places, lookup, indptr, indices)
        yield Transactions(indptr, indices, labels).without_unused()
