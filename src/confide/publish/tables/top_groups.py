"""The groups that the highest levels of the schema keep apart, whatever an algorithm does: mostly one, all rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.publish.tables.coding import CodedTable, QuasiIdentifier
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.recoding import numbered

__all__ = ["TopGroups"]


@dataclass(frozen=True, eq=False)
class TopGroups:
    """Rows that agree at the highest levels allowed. Groups that fail are left out, if there are few enough.

    `order` are the rows that stay, group by group (within each, by person), `bounds` where a group begins and ends in
    it. `test` has these rows as its reference.
    """

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]
    kept: NDArray[np.bool_]
    test: GroupTest

    @classmethod
    def of(cls, table: CodedTable, test: GroupTest, columns: Sequence[QuasiIdentifier], *, budget: int) -> "TopGroups":
        """The groups by these columns; raises if more than `budget` rows would be left out."""
        tops = [(column.maps[column.highest][column.codes], len(column.labels[column.highest])) for column in columns]
        group, count = numbered(tops, len(table))
        ok = test.passes(group, count)
        kept = ok[group]
        out = len(table) - int(kept.sum())
        while 0 < out <= budget and kept.any():  # without those rows the reference of the others is another
            test = test.with_released(kept)
            rows = np.flatnonzero(kept)
            ok &= test.passes(group[rows], count, rows=rows)
            if ok[group[rows]].all():
                break
            kept = ok[group]
            out = len(table) - int(kept.sum())
        if out > budget or not kept.any():
            raise _cannot_begin(test, count, out, len(table))
        order = np.flatnonzero(kept)
        if count > 1 or table.persons is not None:
            keys = (group[order],) if table.persons is None else (table.persons[order], group[order])
            order = order[np.lexsort(keys)]
        starts = np.searchsorted(group[order], np.unique(group[order]))
        ends = np.append(starts[1:], len(order))
        return cls(order, np.stack([starts, ends], axis=1).astype(np.int64), kept, test)


def _cannot_begin(test: GroupTest, groups: int, out: int, rows: int) -> CannotMeetError:
    assert test.requirement is not None
    if groups == 1:
        return CannotMeetError(f"even the whole table as one group fails {test.requirement.kind}")
    return CannotMeetError(
        f"the highest levels that the schema allows leave {out / rows:.2%} of the rows in groups that fail",
    )
