"""A global recoding applied to the rows of the files: equal values become equal, so a batch can be recoded by itself.

While rows are shuffled a quasi-identifier is a number; the values stand in once a part is written. Rows are left out by
the group they fall into, or since a quasi-identifier is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_table import StoredColumns, StoredTable
from confide.core.errors import InputError
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.stored.distinct import encoded
from confide.publish.tables.table_release import plain_column, quasi_column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Rewritten", "Rewriting"]

_UNKNOWN = -2  # a value that was not there when rows were counted
_MISSING = -1  # whose row is dropped


@dataclass(frozen=True, eq=False)
class _Column:
    """A quasi-identifier: for each of its `values` the code of what it becomes, and which of `released` that is."""

    name: str
    values: "pa.Array"
    codes: NDArray[np.int32]
    place: NDArray[np.int32]
    released: "pa.Array"

    @classmethod
    def of(cls, recoding: Recoding, number: int) -> "_Column":
        import pyarrow as pa
        import pyarrow.compute as pc

        table, rows = recoding.table, recoding.rows
        name = table.quasi[number].name
        original, values = encoded(table.table.column(name).combine_chunks(), name)
        codes = np.full(len(values), _MISSING, dtype=np.int32)
        codes[original[table.rows]] = recoding.codes[number]
        made = quasi_column(recoding, number, rows)
        one = np.full(len(values), -1, dtype=np.int64)
        one[original[table.rows[rows]]] = np.arange(len(rows))
        used = np.flatnonzero(one >= 0)
        different = pc.dictionary_encode(made.take(pa.array(one[used])), null_encoding="encode")
        place = np.full(len(values), -1, dtype=np.int32)  # rows of other values are all left out
        place[used] = different.indices.to_numpy(zero_copy_only=False)
        return cls(name, values, codes, place, different.dictionary)

    def found(self, column: "pa.Array") -> NDArray[np.int32]:
        """For each row which of `values` it has."""
        import pyarrow.compute as pc

        places, own = encoded(column, self.name)
        here = pc.fill_null(pc.index_in(own, value_set=self.values), _UNKNOWN).to_numpy(zero_copy_only=False)
        found: NDArray[np.int32] = here.astype(np.int32)[places]
        if len(found) and int(found.min()) == _UNKNOWN:
            raise InputError("the files were changed while they were read", column=self.name)
        return found


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Groups that are suppressed: which rows of codes are among them, column by column, so that no key grows long."""

    steps: tuple[tuple[int, NDArray[np.int64]], ...]

    @classmethod
    def of(cls, groups: NDArray[np.int32]) -> "_LeftOut":
        steps = []
        at = np.zeros(len(groups), dtype=np.int64)
        for column in groups.T:
            width = int(column.max(initial=0)) + 1
            known, at = np.unique(at * width + column, return_inverse=True)
            steps.append((width, known))
        return cls(tuple(steps))

    def holds(self, codes: Sequence[NDArray[np.int32]]) -> NDArray[np.bool_]:
        """For each row whether it is in such a group."""
        inside = np.ones(len(codes[0]), dtype=np.bool_)
        at = np.zeros(len(codes[0]), dtype=np.int64)
        for column, (width, known) in zip(codes, self.steps, strict=True):
            if not len(known):
                return np.zeros(len(inside), dtype=np.bool_)
            key = at * width + column
            at = np.minimum(np.searchsorted(known, key), len(known) - 1)
            inside &= (column < width) & (known[at] == key)
        return inside


@dataclass(frozen=True, eq=False)
class Rewriting:
    """What becomes of a batch: `names` are the columns released, in their order; `sensitive` are among them."""

    names: tuple[str, ...]
    sensitive: tuple[str, ...]
    columns: tuple[_Column, ...]
    left_out: _LeftOut

    @classmethod
    def of(cls, recoding: Recoding, names: Sequence[str]) -> "Rewriting":
        """The rewriting of a recoding of distinct rows, for a table with these columns."""
        gone = set(recoding.table.schema.named("identifier"))
        columns = tuple(_Column.of(recoding, number) for number in range(len(recoding.codes)))
        suppressed = np.stack([codes[~recoding.kept] for codes in recoding.codes], axis=1)
        return cls(
            tuple(name for name in names if name not in gone),
            recoding.table.schema.named("sensitive"),
            columns,
            _LeftOut.of(np.unique(suppressed, axis=0)),
        )

    def read_from(self, stored: StoredTable) -> StoredColumns:
        """The columns that are needed, as a source."""
        return StoredColumns(stored, self.names, tuple(column.name for column in self.columns))

    def __call__(self, numbered: "tuple[int, pa.RecordBatch]") -> "pa.Table":
        """The rows of a batch that are released, quasi-identifiers as numbers."""
        import pyarrow as pa

        batch = numbered[1]
        rows = pa.Table.from_batches([batch])
        found = {column.name: column.found(batch.column(column.name)) for column in self.columns}
        codes = [column.codes[found[column.name]] for column in self.columns]
        kept = ~self.left_out.holds(codes)
        for of_column in codes:
            kept &= of_column >= 0
        made = {
            name: plain_column(rows.column(name), one_missing=name in self.sensitive)
            for name in self.names
            if name not in found
        }
        for column in self.columns:
            made[column.name] = pa.chunked_array([pa.array(column.place[found[column.name]])])
        table = pa.table({name: made[name] for name in self.names})
        return table if kept.all() else table.filter(pa.array(kept))

    def becomes(self) -> "dict[str, tuple[pa.Array, NDArray[np.int32], pa.Array]]":
        """For each quasi-identifier its values, those of dropped rows left out, and what each becomes (-1: nothing)."""
        import pyarrow as pa

        found = {}
        for column in self.columns:
            there = np.flatnonzero(column.codes >= 0)
            found[column.name] = (column.values.take(pa.array(there)), column.place[there], column.released)
        return found

    def finished(self) -> "Rewritten":
        """What stands in for the numbers."""
        return Rewritten({column.name: column.released for column in self.columns})


@dataclass(frozen=True, eq=False)
class Rewritten:
    """Rows of a part as they are released."""

    values: "dict[str, pa.Array]"

    def __call__(self, rows: "pa.Table") -> "pa.Table":
        """The same rows with a value for each number."""
        import pyarrow as pa

        columns = {name: rows.column(name) for name in rows.column_names}
        for name, values in self.values.items():
            columns[name] = values.take(columns[name].combine_chunks())
        return pa.table(columns)
