"""A released table without all its rows in memory: its different rows, and how often each is there; in parts, where
these are more than there is memory for.

Rows are the same here only if they are to the last bit, in all columns that are looked at; what is to count as the same
beyond that is decided afterwards, as for any table. The counting is the auditor's own.

Values are kept once, and rows as their places: a long text that comes in a million rows takes its own length and four
bytes a row. Rows stay in the order in which they first appear, so persons can be followed within their groups.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.grouping import NumberedColumn, number_sensitive
from confide.core.artefacts.passes import ReleasedTable
from confide.core.datasets.long_rows import row_batches
from confide.core.datasets.stored_table import StoredTable
from confide.core.errors import InputError
from confide.core.runtime.memory import MemoryBudget

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CodedRows", "PartedRows", "are_pseudonyms", "different_rows"]

_FEW = 1 << 16  # rows that may wait to be counted together, beside as many as are known
_BYTES_A_ROW = 64  # that sorting and numbering take for each different row
_BYTES_A_VALUE = 120  # that looking up a value takes, in the column that has most
_MOST_PARTS = 32  # each is a pass over the file
_PSEUDONYM = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True)
class CodedRows:
    """Different rows: `codes[name][row]` is the place of a value in `values[name]`; row i is there `times[i]` times."""

    codes: "Mapping[str, NDArray[np.int32]]"
    values: "Mapping[str, pa.Array]"
    times: NDArray[np.int64]

    @property
    def num_rows(self) -> int:
        """How many different rows there are."""
        return len(self.times)

    def number_values(self, name: str) -> NumberedColumn:
        """A column numbered as a quasi-identifier."""
        return NumberedColumn(self.codes[name].astype(np.int64), max(1, len(self.values[name])), self.values[name])

    def number_sensitive(self, name: str) -> NumberedColumn:
        """A column numbered as a sensitive one."""
        import pyarrow as pa

        inner = number_sensitive(pa.chunked_array([self.values[name]]), name=name)
        return NumberedColumn(inner.codes[self.codes[name]], inner.n, inner.values)


@dataclass(frozen=True)
class PartedRows:
    """Different rows that do not fit into memory together: in `number` parts, each read from the file when it is asked
    for, with all rows of the groups that are in it. Values have the same places in all parts."""

    names: list[str]
    quasi: list[int]
    number: int
    budget: MemoryBudget
    read: "Callable[[], Iterator[pa.RecordBatch]]"
    values: "list[_Values]"

    def parts(self) -> Iterator[CodedRows]:
        """Every part that has rows."""
        for part in range(self.number):
            state = _Alike(self.names, self.budget, values=self.values)
            for batch in self.read():
                codes = [known.places(column) for known, column in zip(self.values, batch.columns, strict=True)]
                here = self._part_of(codes, len(batch)) == part
                state.add_codes([column[here] for column in codes])
                if state.full:  # with the values of all columns, which no part makes fewer
                    self.budget.require(2 * self.budget.total, _COUNTING)
            rows = state.finished()
            if rows.num_rows:
                yield rows

    def _part_of(self, codes: "list[NDArray[np.int32]]", rows: int) -> NDArray[np.uint64]:
        """The part of each row, by its quasi-identifiers alone: multiply and add, then take the upper bits."""
        mixed = np.zeros(rows, dtype=np.uint64)
        for column in self.quasi:
            mixed = (mixed + codes[column].astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        return (mixed >> np.uint64(32)) % np.uint64(self.number)


_COUNTING = "counting its different rows"


def different_rows(
    table: StoredTable | ReleasedTable, roles: Mapping[str, str], *, sensitive: bool, more: Collection[str] = ()
) -> CodedRows | PartedRows:
    """The columns that a look needs (and `more`), in different rows; where all are needed for their order, these do:
    whether persons are numbered by first appearance, and whether a pseudonym comes twice, shows in them too.
    """
    wanted = {"quasi-identifier", "person", "identifier", *(["sensitive"] if sensitive else [])}
    names = [name for name in table.column_names if roles[name] in wanted or name in more]
    read, budget = _reader(table, names)
    state = _Alike(names, budget)
    if isinstance(table, StoredTable) and not any(roles[name] == "person" for name in names):
        columns = _Looked(table, tuple(names), _rows_at_a_time(table, budget))
        state = table.engine.fold(columns, _CountAlike(tuple(names), budget), label="counting rows, for the auditor")
    else:
        for batch in read():
            state.add(batch)
    return state.finished() if not state.full else _in_parts(table, names, roles)


def are_pseudonyms(table: "pa.Table | CodedRows | StoredTable | ReleasedTable", name: str) -> bool:
    """Whether a column holds 32 hexadecimal digits in each row, and none twice; 16 bytes a row are kept."""
    if isinstance(table, CodedRows):
        if len(table.values[name]) != table.num_rows or (table.times != 1).any():
            return False
        columns: Iterator[pa.Array] = iter([table.values[name]])
    elif isinstance(table, StoredTable | ReleasedTable):
        columns = (batch.column(0) for batch in _reader(table, [name])[0]())
    else:
        columns = iter(table.column(name).chunks)
    kept: list[bytes] = []
    for column in columns:
        values = column.to_pylist()
        if not all(isinstance(value, str) and _PSEUDONYM.fullmatch(value) for value in values):
            return False
        kept.append(bytes.fromhex("".join(values)))
    numbers = np.frombuffer(b"".join(kept), dtype=[("high", np.uint64), ("low", np.uint64)])
    numbers = numbers[np.lexsort((numbers["low"], numbers["high"]))]
    return not (numbers[1:] == numbers[:-1]).any()


def _in_parts(table: StoredTable | ReleasedTable, names: list[str], roles: Mapping[str, str]) -> PartedRows:
    """As many parts as leave half of the memory for the values of the columns."""
    names = [name for name in names if roles[name] != "identifier"]
    read, budget = _reader(table, names)
    number = -(-2 * _bytes_of(len(table), len(names)) // budget.total)
    if number > _MOST_PARTS:
        budget.require(_bytes_of(len(table), len(names)), _COUNTING)
    quasi = [at for at, name in enumerate(names) if roles[name] == "quasi-identifier"]
    return PartedRows(names, quasi, max(2, number), budget, read, [_Values(name) for name in names])


def _reader(
    table: StoredTable | ReleasedTable, names: list[str]
) -> "tuple[Callable[[], Iterator[pa.RecordBatch]], MemoryBudget]":
    """What gives the batches of some columns, as often as asked, and the memory that there is."""
    if isinstance(table, ReleasedTable):
        return lambda: table.read(names), table.budget
    budget = MemoryBudget.for_file(sum(part.size for part in table.parts.files))
    columns = _Looked(table, tuple(names), _rows_at_a_time(table, budget))
    return lambda: (batch for shard in columns.shards for batch in columns.read(shard)), budget


def _bytes_of(different: int, columns: int) -> int:
    """What so many different rows take while they are counted and looked at."""
    return different * (3 * (4 * columns + 8) + _BYTES_A_ROW) * 4 // 3


def _rows_at_a_time(table: StoredTable, budget: MemoryBudget) -> int:
    return min(table.batch_rows, budget.total // 8 // (16 * max(1, len(table.column_names))) + 1)


@dataclass(frozen=True)
class _Looked:
    """Some columns of a table in parts, as a source."""

    stored: StoredTable
    names: tuple[str, ...]
    rows: int

    @property
    def shards(self) -> tuple[Any, ...]:
        return self.stored.shards

    def read(self, shard: Any) -> "Iterator[pa.RecordBatch]":
        names = list(self.names)
        for batch in row_batches(self.stored.parts, shard, names, self.rows, coded=names):
            yield batch.select(names)


@dataclass
class _Values:
    """The different values of a column so far; numbers with a point by their bits, so that NaN and -0.0 are told."""

    name: str
    known: "pa.Array | None" = None
    kind: "pa.DataType | None" = None
    texts: "pa.Array | None" = None
    lookup: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def size(self) -> int:
        """How many there are."""
        return 0 if self.known is None else len(self.known)

    def places(self, column: "pa.Array") -> NDArray[np.int32]:
        """For each row the place of its value among those known; new ones are added."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = _stored(column)
        try:
            if pa.types.is_dictionary(column.type):
                return self._places_by_code(column)
            whole = pc.dictionary_encode(_bits(column), null_encoding="encode")
            values = whole.dictionary.view(column.type)
            places: NDArray[np.int32] = self.places_of(values)[whole.indices.to_numpy(zero_copy_only=False)]
            return places
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise InputError(f"values of type {column.type} cannot be compared", column=self.name) from None

    def _places_by_code(self, column: "pa.DictionaryArray") -> NDArray[np.int32]:
        """Of the texts that the file lists, only those that a row holds count as values."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.texts is None or not self.texts.equals(column.dictionary):
            self.texts = column.dictionary
            self.lookup = np.full(len(self.texts) + 1, -1, dtype=np.int32)  # the last is that of null
        codes = pc.fill_null(column.indices.cast(pa.int32()), -1).to_numpy(zero_copy_only=False)
        places: NDArray[np.int32] = self.lookup[codes]
        if (places < 0).any():
            new = np.unique(codes[places < 0])
            self.lookup[new] = self.places_of(self.texts.take(pa.array(new, mask=new < 0)))
            places = self.lookup[codes]
        return places

    def places_of(self, values: "pa.Array") -> NDArray[np.int32]:
        """The same for a few values."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_string(values.type):
            values = values.cast(pa.large_string())
        self.kind = values.type
        few = pc.dictionary_encode(_bits(values), null_encoding="encode")
        if self.known is None:
            self.known = few.dictionary.slice(0, 0)
        found = pc.index_in(few.dictionary, value_set=self.known)
        new = few.dictionary.filter(pc.is_null(found))
        places = found.to_numpy(zero_copy_only=False).astype(np.float64)
        places[np.isnan(places)] = len(self.known) + np.arange(len(new))
        self.known = pa.concat_arrays([self.known, new])
        whole: NDArray[np.int32] = places.astype(np.int32)[few.indices.to_numpy(zero_copy_only=False)]
        return whole

    def finished(self) -> "pa.Array":
        """All of them, by their places."""
        import pyarrow as pa

        return pa.array([], pa.null()) if self.known is None else self.known.view(self.kind)


def _stored(column: "pa.Array") -> "pa.Array":
    """The column without what only concerns its storage: extension types, run lengths."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    return pc.run_end_decode(column) if pa.types.is_run_end_encoded(column.type) else column


def _bits(values: "pa.Array") -> "pa.Array":
    import pyarrow as pa

    if not pa.types.is_floating(values.type):
        return values
    return values.view({16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}[values.type.bit_width])


class _Alike:
    """Different rows so far, as codes by column and times; those that wait may hold rows that are known. Once there are
    too many for the memory it is `full`, and holds none."""

    def __init__(self, names: Sequence[str], budget: MemoryBudget, *, values: "list[_Values] | None" = None) -> None:
        self.names, self.budget = list(names), budget
        self.values = [_Values(name) for name in names] if values is None else values
        self.blocks: list[_Rows] = []
        self.waiting = 0
        self.full = False

    def add(self, batch: "pa.RecordBatch") -> None:
        """Count the rows of a batch."""
        if not self.full:
            self.add_codes([known.places(column) for known, column in zip(self.values, batch.columns, strict=True)])

    def add_codes(self, codes: list[NDArray[np.int32]]) -> None:
        """Count rows by the places of their values."""
        self._add((codes, np.ones(len(codes[0]), dtype=np.int64)))

    def merge(self, other: "_Alike") -> "_Alike":
        """The rows of both."""
        if other.full:
            self._give_up()
            return self
        codes, times = other.whole()
        if len(times):
            pairs = zip(self.values, other.values, codes, strict=True)
            self._add(([mine.places_of(theirs.finished())[places] for mine, theirs, places in pairs], times))
        return self

    def whole(self) -> "_Rows":
        """All of it, every row once, in the order in which each first came."""
        if not self.blocks:
            return [np.zeros(0, dtype=np.int32) for _ in self.names], np.zeros(0, dtype=np.int64)
        if self.waiting:
            columns = zip(*(codes for codes, _ in self.blocks), strict=True)
            codes = [np.concatenate(column) for column in columns]
            self.blocks = [self._summed((codes, np.concatenate([times for _, times in self.blocks])))]
        self.waiting = 0
        return self.blocks[0]

    def finished(self) -> CodedRows:
        """The different rows."""
        codes, times = self.whole()
        values = {known.name: known.finished() for known in self.values}
        return CodedRows(dict(zip(self.names, codes, strict=True)), values, times)

    def _add(self, rows: "_Rows") -> None:
        if self.full:
            return
        counted = self._summed(rows)
        self.blocks.append(counted)
        self.waiting += len(counted[1])
        held = sum(known.known.nbytes for known in self.values if known.known is not None)
        different = sum(len(times) for _, times in self.blocks)
        looked_up = _BYTES_A_VALUE * max((known.size for known in self.values), default=0)
        if _bytes_of(different, len(self.names)) + (4 * held + looked_up) * 4 // 3 > self.budget.total:
            self._give_up()
        elif self.waiting > _FEW + len(self.blocks[0][1]):
            self.whole()

    def _give_up(self) -> None:
        self.full, self.blocks, self.waiting = True, [], 0

    def _summed(self, rows: "_Rows") -> "_Rows":
        """Every row once, in the order of first appearance, with the sum of its times."""
        codes, times = rows
        keys = np.zeros(len(times), dtype=np.int64)
        span = 1
        for column, known in zip(codes, self.values, strict=True):
            n = max(1, known.size)
            if span * n >= 2**62:
                keys = np.unique(keys, return_inverse=True)[1]
                span = len(keys) + 1
            if n > 1:
                keys = keys * n + column
                span *= n
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        sums = np.bincount(place, weights=times, minlength=len(first)).astype(np.int64)  # exact below 2**53
        order = np.argsort(first)
        return [column[first[order]] for column in codes], sums[order]


_Rows = tuple[list[NDArray[np.int32]], NDArray[np.int64]]


@dataclass(frozen=True)
class _CountAlike:
    """The pass that counts rows that are the same; the threads that share it share the memory."""

    names: tuple[str, ...]
    budget: MemoryBudget
    shared: bool = field(default=False)

    def begin(self) -> _Alike:
        return _Alike(self.names, self.budget)

    def add(self, state: _Alike, batch: "pa.RecordBatch") -> _Alike:
        state.add(batch)
        return state

    def merge(self, one: _Alike, other: _Alike) -> _Alike:
        return one.merge(other)
