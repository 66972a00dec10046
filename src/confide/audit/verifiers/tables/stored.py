"""A released table without all its rows in memory: its different rows, and how often each is there.

Rows are the same here only if they are to the last bit, in all columns that are looked at; what is to count as the same
beyond that is decided afterwards, as for any table. The counting is the auditor's own, by Arrow's grouping.

Values are kept once, and rows as their places: a long text that comes in a million rows takes its own length and four
bytes a row. Rows stay in the order in which they first appear, so persons can be followed within their groups.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.grouping import Numbered, number_sensitive
from confide.core.artefacts.passes import ReleasedTable
from confide.core.datasets.long_rows import row_batches
from confide.core.datasets.tables import StoredTable
from confide.core.errors import InputError
from confide.core.runtime.memory import MemoryBudget

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CodedRows", "different_rows"]

_FEW = 1 << 16  # rows that may wait to be counted together, beside as many as are known
_COPIES = 8  # of the different rows, while they are counted, grouped and judged


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

    def number_values(self, name: str) -> Numbered:
        """A column numbered as a quasi-identifier."""
        return Numbered(self.codes[name].astype(np.int64), max(1, len(self.values[name])), self.values[name])

    def number_sensitive(self, name: str) -> Numbered:
        """A column numbered as a sensitive one."""
        import pyarrow as pa

        inner = number_sensitive(pa.chunked_array([self.values[name]]), name=name)
        return Numbered(inner.codes[self.codes[name]], inner.n, inner.values)


def different_rows(table: StoredTable | ReleasedTable, roles: Mapping[str, str], *, sensitive: bool) -> CodedRows:
    """The columns that a look needs, in different rows; where all rows are needed for their order, these are enough:
    whether persons are numbered by first appearance, and whether a pseudonym comes twice, shows in them too.
    """
    wanted = {"quasi-identifier", "person", "identifier", *(["sensitive"] if sensitive else [])}
    names = [name for name in table.column_names if roles[name] in wanted]
    ordered = any(roles[name] == "person" for name in names)
    if isinstance(table, ReleasedTable):
        state = _Alike(names, table.budget)
        for batch in table.read(names):
            state.add(batch)
        return state.finished()
    budget = MemoryBudget.for_file(sum(part.size for part in table.parts.files))
    columns = _Looked(table, tuple(names), _rows_at_a_time(table, budget))
    if not ordered:
        job = _CountAlike(tuple(names), budget)
        return table.engine.fold(columns, job, label="counting rows, for the auditor").finished()
    state = _Alike(names, budget)
    for shard in table.shards:
        for batch in columns.read(shard):
            state.add(batch)
    return state.finished()


def _rows_at_a_time(table: StoredTable, budget: MemoryBudget) -> int:
    return min(table.batch_rows, budget.total // 64 // (16 * max(1, len(table.column_names))) + 1)


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

    def places(self, column: "pa.Array") -> NDArray[np.int32]:
        """For each row the place of its value among those known; new ones are added."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = _stored(column)
        try:
            if pa.types.is_dictionary(column.type):
                codes = pc.fill_null(column.indices.cast(pa.int32()), -1).to_numpy(zero_copy_only=False)
                used, codes = np.unique(codes, return_inverse=True)
                values = column.dictionary.take(pa.array(used, mask=used < 0))
            else:
                whole = pc.dictionary_encode(_bits(column), null_encoding="encode")
                codes, values = whole.indices.to_numpy(zero_copy_only=False), whole.dictionary.view(column.type)
            return self.places_of(values)[codes]
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise InputError(f"values of type {column.type} cannot be compared", column=self.name) from None

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
        return places.astype(np.int32)[few.indices.to_numpy(zero_copy_only=False)]

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
    """Different rows so far; those that wait may hold rows that are known."""

    def __init__(self, names: Sequence[str], budget: MemoryBudget) -> None:
        self.names, self.budget = list(names), budget
        self.values = [_Values(name) for name in names]
        self.tables: list[pa.Table] = []
        self.waiting = 0

    def add(self, batch: "pa.RecordBatch") -> None:
        """Count the rows of a batch."""
        import pyarrow as pa

        codes = [known.places(column) for known, column in zip(self.values, batch.columns, strict=True)]
        self._add(pa.table([*codes, np.ones(len(batch), dtype=np.int64)], names=self._columns))

    def merge(self, other: "_Alike") -> "_Alike":
        """The rows of both."""
        import pyarrow as pa

        rows = other.whole()
        if rows is not None:
            columns = rows.columns
            for place, (mine, theirs) in enumerate(zip(self.values, other.values, strict=True)):
                columns[place] = pa.array(mine.places_of(theirs.finished())[columns[place].to_numpy()])
            self._add(pa.table(columns, names=self._columns))
        return self

    def whole(self) -> "pa.Table | None":
        """All of it in one table, every row once."""
        import pyarrow as pa

        if self.waiting:
            everything = pa.concat_tables(self.tables)
            self.tables = [_summed(everything, self._columns)]
        self.waiting = 0
        return self.tables[0] if self.tables else None

    def finished(self) -> CodedRows:
        """The different rows, in the order in which each first came."""
        rows = self.whole()
        values = {known.name: known.finished() for known in self.values}
        if rows is None:
            nothing = {name: np.zeros(0, dtype=np.int32) for name in self.names}
            return CodedRows(nothing, values, np.zeros(0, dtype=np.int64))
        codes = {name: rows.column(place).to_numpy() for place, name in enumerate(self.names)}
        return CodedRows(codes, values, rows.column("times").to_numpy())

    @property
    def _columns(self) -> list[str]:
        """Numbers, so that no name stands in the way."""
        return [*map(str, range(len(self.names))), "times"]

    def _add(self, rows: "pa.Table") -> None:
        counted = _summed(rows, self._columns)
        self.tables.append(counted)
        self.waiting += counted.num_rows
        if self.waiting > _FEW + self.tables[0].num_rows:
            self.whole()
        held = sum(known.known.nbytes for known in self.values if known.known is not None)
        rows_held = sum(table.nbytes for table in self.tables)
        self.budget.require(_COPIES * rows_held + 4 * held, "counting its different rows")


def _summed(rows: "pa.Table", columns: list[str]) -> "pa.Table":
    """Every row once, in the order of first appearance, with the sum of its times."""
    keys = columns[:-1]
    if not keys:
        return rows
    summed = rows.group_by(keys, use_threads=False).aggregate([("times", "sum")])
    return summed.rename_columns({"times_sum": "times"}).select(columns)


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
