"""A released table in parts, without all its rows in memory: its different rows, and how often each is there.

Rows are the same here only if they are to the last bit, in all columns that are looked at; what is to count as the same
beyond that is decided afterwards, as for any table. The counting is the auditor's own, by Arrow's grouping.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.long_rows import row_batches
from confide.core.datasets.tables import StoredTable
from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["different_rows"]

_FEW = 1 << 16  # rows that may wait to be counted together, beside as many as are known


def different_rows(
    stored: StoredTable, roles: Mapping[str, str], *, sensitive: bool
) -> "tuple[pa.Table, NDArray[np.int64] | None]":
    """The columns that a look needs: different rows and how often each is there; or all rows, None for once each.

    Persons are numbered by first appearance, and pseudonyms may not come twice: that is seen in all rows only.
    """
    asked = [roles[name] for name in stored.column_names]
    if "person" in asked or "identifier" in asked:
        return stored.to_table(), None
    wanted = ("quasi-identifier", "sensitive") if sensitive else ("quasi-identifier",)
    names = tuple(name for name in stored.column_names if roles[name] in wanted)
    found = stored.engine.fold(_Looked(stored, names), _CountAlike(), label="counting rows, for the auditor").whole()
    assert found is not None
    return found.select(list(range(len(names)))).rename_columns(list(names)), found.column("times").to_numpy()


@dataclass(frozen=True)
class _Looked:
    """Some columns of the table, as a source; named by their numbers, so that no name stands in the way."""

    stored: StoredTable
    names: tuple[str, ...]

    @property
    def shards(self) -> tuple[Any, ...]:
        return self.stored.shards

    def read(self, shard: Any) -> "Iterator[pa.Table]":
        import pyarrow as pa

        names = list(self.names)
        for batch in row_batches(self.stored.parts, shard, names, self.stored.batch_rows, coded=names):
            ordered = pa.Table.from_batches([batch]).select(names)
            yield ordered.rename_columns([str(number) for number in range(len(self.names))])


@dataclass
class _Alike:
    """Tables of rows and times; those that wait may hold rows that are known."""

    tables: "list[pa.Table]" = field(default_factory=list)
    waiting: int = 0

    def add(self, table: "pa.Table") -> None:
        self.tables.append(table)
        self.waiting += table.num_rows
        if self.waiting > _FEW + 2 * self.tables[0].num_rows:
            self.whole()

    def whole(self) -> "pa.Table | None":
        """All of it in one table, every row once."""
        import pyarrow as pa

        if len(self.tables) > 1:
            everything = pa.concat_tables(self.tables)
            keys = [name for name in everything.column_names if name != "times"]
            summed = everything.group_by(keys, use_threads=False).aggregate([("times", "sum")])
            self.tables = [summed.rename_columns({"times_sum": "times"}).select([*keys, "times"])]
        self.waiting = 0
        return self.tables[0] if self.tables else None


@dataclass(frozen=True)
class _CountAlike:
    """The pass that counts rows that are the same."""

    shared: bool = False

    def begin(self) -> _Alike:
        return _Alike()

    def add(self, state: _Alike, batch: "pa.Table") -> _Alike:
        import pyarrow as pa

        keys = batch.column_names
        try:
            counted = batch.group_by(keys, use_threads=False).aggregate([([], "count_all")])
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise InputError("values of this type cannot be compared") from None
        for number, column in enumerate(counted.columns):
            if pa.types.is_dictionary(column.type):  # those of two batches need not be the same
                plain = column.cast(column.type.value_type)
                counted = counted.set_column(number, counted.field(number).with_type(plain.type), plain)
        state.add(counted.rename_columns({"count_all": "times"}).select([*keys, "times"]))
        return state

    def merge(self, one: _Alike, other: _Alike) -> _Alike:
        found = other.whole()
        if found is not None:
            one.add(found)
        return one
