"""The distinct rows of a table that stays in its files, and how many rows each stands for.

A global recoding cannot tell equal rows apart, so this is all that its search needs; and there are few of them where
columns have few values. They stand in the order in which they come first in the files, so that whatever goes by the
order of values goes by the same order as for the whole table in memory.

    batch --> a code for each value, by column --> distinct rows of codes, first place, times --> joined two by two
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_table import StoredColumns, StoredTable
from confide.core.errors import InputError
from confide.core.runtime.memory import free_memory
from confide.core.tables.spelling import one_spelling
from confide.publish.tables.recoding import numbered

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["distinct_rows", "encoded"]

_FEW = 1 << 16  # rows that may wait to be joined, beside as many as are known
_BYTES_A_ROW = 64  # that searching takes, beside a few for each column


def distinct_rows(stored: StoredTable, columns: Sequence[str]) -> "tuple[pa.Table, NDArray[np.int64]]":
    """The distinct rows of these columns, and how many rows each stands for."""
    names = tuple(columns)
    found = stored.engine.fold(StoredColumns(stored, names, names), _CountRows(names), label="counting rows")
    return found.finished(columns)


def encoded(column: "pa.Array", name: str) -> "tuple[NDArray[np.int32], pa.Array]":
    """A column as places in an array of its different values; nulls are one of these."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    column = one_spelling(column)
    if not pa.types.is_dictionary(column.type):
        try:
            column = pc.dictionary_encode(column)
        except pa.ArrowNotImplementedError:
            raise InputError(f"values of type {column.type} cannot be published", column=name) from None
    values, places = column.dictionary, column.indices
    if places.null_count:
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
        places = pc.fill_null(places, len(values) - 1)
    codes = places.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(values):
        raise InputError("a value does not fit its column's type; write the file again", column=name)
    return codes, values


@dataclass
class _Values:
    """The different values of a column, in the order in which they came."""

    values: "pa.Array | None" = None
    _last: "tuple[pa.Array, NDArray[np.int32]] | None" = None

    def codes_of(self, values: "pa.Array") -> NDArray[np.int32]:
        """The place of each of these values, which are added where they are new; mostly those of the batch before."""
        if self._last is None or not self._last[0].equals(values):
            self._last = values, self._placed(values)
        return self._last[1]

    def _placed(self, values: "pa.Array") -> NDArray[np.int32]:
        import pyarrow as pa
        import pyarrow.compute as pc

        known = values.slice(0, 0) if self.values is None else self.values
        new = pc.is_null(pc.index_in(values, value_set=known))
        known = pa.concat_arrays([known, pc.unique(values.filter(new))])
        self.values = known
        found: NDArray[np.int32] = pc.index_in(values, value_set=known).to_numpy(zero_copy_only=False).astype(np.int32)
        return found


_Rows = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]
"""Rows of codes, the place where each comes first, and how many there are."""


@dataclass
class _Distinct:
    """Distinct rows so far: some joined already, others that wait."""

    columns: list[_Values] = field(default_factory=list)
    rows: list[_Rows] = field(default_factory=list)
    waiting: int = 0

    def add(self, rows: _Rows) -> None:
        self.rows.append(rows)
        self.waiting += len(rows[0])
        if self.waiting > _FEW + 2 * len(self.rows[0][0]):
            self.join()

    def join(self) -> None:
        """Let equal rows be one."""
        codes = np.concatenate([codes for codes, _, _ in self.rows])
        place = np.concatenate([place for _, place, _ in self.rows])
        times = np.concatenate([times for _, _, times in self.rows])
        widths = [1 if column.values is None else max(1, len(column.values)) for column in self.columns]
        self.rows = [_joined(codes, place, times, widths)]
        self.waiting = 0
        self._check_room(len(self.rows[0][0]))

    def _check_room(self, rows: int) -> None:
        free = free_memory()
        if free is not None and rows * (_BYTES_A_ROW + 32 * len(self.columns)) > free // 2:
            raise InputError(
                f"more than {rows:,} different combinations of the columns that matter do not fit into memory; make "
                "columns coarser before, or ask for nothing of a sensitive column with so many values"
            )

    def with_other(self, other: "_Distinct") -> "_Distinct":
        if not self.columns:
            return other
        if other.columns:
            other.join()
            moved = [
                one.codes_of(column.values)
                for one, column in zip(self.columns, other.columns, strict=True)
                if column.values is not None
            ]
            codes, place, times = other.rows[0]
            same = [lookup[codes[:, j]] for j, lookup in enumerate(moved)]
            self.add((np.stack(same, axis=1), place, times))
        return self

    def finished(self, names: Sequence[str]) -> "tuple[pa.Table, NDArray[np.int64]]":
        import pyarrow as pa

        self.join()
        codes, place, times = self.rows[0]
        order = np.argsort(place)
        columns = {}
        for j, name in enumerate(names):
            values = self.columns[j].values
            assert values is not None
            columns[name] = values.take(pa.array(codes[order, j]))
        return pa.table(columns), times[order]


@dataclass(frozen=True)
class _CountRows:
    """The pass that finds the distinct rows."""

    columns: tuple[str, ...]

    shared = False

    def begin(self) -> _Distinct:
        return _Distinct()

    def add(self, state: _Distinct, batch: "tuple[int, pa.RecordBatch]") -> _Distinct:
        start, rows = batch
        if not state.columns:
            state.columns = [_Values() for _ in self.columns]
        codes = np.empty((len(rows), len(self.columns)), dtype=np.int32)
        widths = []
        for j, name in enumerate(self.columns):
            places, values = encoded(rows.column(j), name)
            codes[:, j] = state.columns[j].codes_of(values)[places]
            known = state.columns[j].values
            assert known is not None
            widths.append(len(known))
        place = np.arange(start, start + len(rows), dtype=np.int64)
        state.add(_joined(codes, place, np.ones(len(rows), dtype=np.int64), widths))
        return state

    def merge(self, one: _Distinct, other: _Distinct) -> _Distinct:
        return one.with_other(other)


def _joined(
    codes: NDArray[np.int32], place: NDArray[np.int64], times: NDArray[np.int64], widths: Sequence[int]
) -> _Rows:
    """Equal rows as one: the smallest place, and all times together."""
    number, count = numbered([(codes[:, j], width) for j, width in enumerate(widths)], len(codes))
    order = np.argsort(-place, kind="stable") if len(place) and (np.diff(place) < 0).any() else slice(None, None, -1)
    first = np.zeros(count if len(codes) else 0, dtype=np.int64)
    first[number[order]] = np.arange(len(codes))[order]  # of several, the last one written stays
    found = np.bincount(number, weights=times, minlength=len(first)).astype(np.int64)
    return codes[first], place[first], found
