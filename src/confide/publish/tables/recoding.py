"""What an algorithm decides: what every quasi-identifier of every row becomes, and which rows are left out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.figures import Diagram
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.mapping import GlobalMapping

__all__ = ["LeafMap", "Recoding", "numbered"]

LeafMap = tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.float64]]
"""What each leaf of a column becomes: a code, the labels of the codes, and the NCP of each."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Recoding:
    """`labels[j][codes[j][row]]` is what column j of a row becomes; `losses[j][code]` the NCP of that label.

    `kept` is false for rows that are suppressed. `mapping` is there if equal values become equal everywhere (a global
    recoding). `cells`, if given, numbers rows such that those of one number become the same in all columns: fewer to
    look at. `notes` are parameters of the run worth telling in the passport; nothing about people. `numbered` says that
    columns of numbers hold numbers by now. `diagrams`, by title, make what the owner may see of the choice. Where it is
    built on earlier releases, `carried` rows are shown again from those, and `after` is what its passport says of them.
    """

    table: CodedTable
    codes: tuple[NDArray[np.int32], ...]
    labels: tuple[tuple[str, ...], ...]
    losses: tuple[NDArray[np.float64], ...]
    kept: NDArray[np.bool_]
    mapping: GlobalMapping | None = None
    cells: NDArray[np.int32] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    numbered: bool = False
    diagrams: Mapping[str, Callable[[], Diagram]] = field(default_factory=dict)
    carried: int | None = None
    after: Mapping[str, Any] | None = None

    @classmethod
    def at_levels(
        cls,
        table: CodedTable,
        levels: Sequence[int],
        *,
        kept: NDArray[np.bool_] | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> "Recoding":
        """Full-domain generalisation: every value of a column at one level."""
        chosen = zip(table.quasi, levels, strict=True)
        return cls.by_leaf(
            table,
            [(column.maps[level], column.labels[level], column.losses[level]) for column, level in chosen],
            kept=kept,
            notes={"levels": dict(zip((c.name for c in table.quasi), map(int, levels), strict=True)), **(notes or {})},
        )

    @classmethod
    def by_leaf(
        cls,
        table: CodedTable,
        maps: Sequence[LeafMap],
        *,
        kept: NDArray[np.bool_] | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> "Recoding":
        """A global recoding: what each leaf of each column becomes."""
        return cls(
            table=table,
            codes=tuple(map_[column.codes] for column, (map_, _, _) in zip(table.quasi, maps, strict=True)),
            labels=tuple(labels for _, labels, _ in maps),
            losses=tuple(losses for _, _, losses in maps),
            kept=np.ones(len(table), dtype=np.bool_) if kept is None else kept,
            mapping=GlobalMapping.of(table, [(map_, labels) for map_, labels, _ in maps]),
            notes=notes or {},
        )

    @property
    def suppressed(self) -> int:
        """How many rows are left out so that the others keep the requirement."""
        return self.table.total - self.released

    @property
    def left_out(self) -> int:
        """How many rows of the original are not released, those with missing values included."""
        return self.suppressed + self.table.dropped

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the coded table that are released."""
        return np.flatnonzero(self.kept)

    @cached_property
    def released(self) -> int:
        """How many rows of the original are released."""
        return self.table.counted(self.kept)

    @cached_property
    def groups(self) -> tuple[NDArray[np.int32], int]:
        """The group of each released row (in the order of `rows`), and how many groups there are."""
        cells = None if self.cells is None else self.cells[self.rows]
        first = self.rows
        if cells is not None:  # one row for each cell, whichever
            first = np.zeros(int(cells.max(initial=0)) + 1, dtype=np.int64)
            first[cells] = self.rows
        columns = []
        for codes, labels in zip(self.codes, self.labels, strict=True):
            place = {label: i for i, label in enumerate(dict.fromkeys(labels))}
            same = np.array([place[label] for label in labels], dtype=np.int32)  # two codes may be called the same
            columns.append((same[codes[first]] if len(place) < len(labels) else codes[first], len(place)))
        if cells is None:
            return numbered(columns, len(first))
        used = np.unique(cells)
        group, count = numbered([(codes[used], values) for codes, values in columns], len(used))
        of_cell = np.zeros(len(first), dtype=np.int32)
        of_cell[used] = group
        return of_cell[cells], count

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows each group has."""
        group, count = self.groups
        return self.table.tally(group, count, self.rows)

    @cached_property
    def column_losses(self) -> NDArray[np.float64]:
        """For each quasi-identifier, the mean NCP of the released rows."""
        if not len(self.rows):
            return np.zeros(len(self.codes))
        counted = (
            self.table.tally(codes[self.rows], len(losses), self.rows) @ losses
            for codes, losses in zip(self.codes, self.losses, strict=True)
        )
        return np.array([total / self.released for total in counted])

    def ncp(self, *, left_out: int | None = None) -> float:
        """The general loss: the mean over all rows and columns, weighted by column; a row that is left out costs 1.

        `left_out` may say another number of such rows than there are.
        """
        out = self.left_out if left_out is None else left_out
        kept = self.released
        return (float(self.column_losses @ self.table.weights) * kept + out) / (kept + out)


def numbered(columns: Sequence[tuple[NDArray[np.int32], int]], rows: int) -> tuple[NDArray[np.int32], int]:
    """Number the different rows of these columns (codes, how many there can be); equal rows get equal numbers."""
    import pyarrow as pa

    def compact(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
        encoded = pa.array(keys).dictionary_encode()
        return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), max(1, len(encoded.dictionary))

    keys, count = np.zeros(rows, dtype=np.int64), 1
    for codes, values in columns:
        if count * values >= 1 << 62:
            keys, count = compact(keys)
        keys, count = keys * values + codes, count * values
    keys, count = compact(keys)
    return keys.astype(np.int32), count
