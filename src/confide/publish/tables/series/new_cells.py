"""Cells by Mondrian: of newcomers who take nobody's place, and finer ones inside those that are there."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.columns import by_range
from confide.publish.tables.mondrian.mondrian import cut_groups, top_regions
from confide.publish.tables.recoding import numbered
from confide.publish.tables.top_groups import TopGroups

__all__ = ["cut_groups_of", "cut_newcomers"]


def cut_newcomers(
    table: CodedTable, test: GroupTest, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The new cell of each of these rows, -1 where the highest levels keep it with too few; and the cells' regions."""
    tops = [
        (column.maps[column.highest][column.codes[rows]], len(column.labels[column.highest]))
        for column in table.quasi
        if not by_range(column)
    ]
    group, count = numbered(tops, len(rows)) if tops else (np.zeros(len(rows), dtype=np.int32), 1)
    ok = test.passes(group, count, rows=rows)[group] if len(rows) else np.zeros(0, dtype=np.bool_)
    return cut_groups_of(table, test, rows, np.where(ok, group, -1), None)


def cut_groups_of(
    table: CodedTable,
    test: GroupTest,
    rows: NDArray[np.int64],
    group: NDArray[np.integer],
    regions: NDArray[np.int32] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Cut groups of rows, -1 for rows that stay out: the new group of each row, and the region of each new group.

    Group g has the region `regions[g]`; without regions all begin with everything.
    """
    if not (group >= 0).any():
        return np.full(len(rows), -1, dtype=np.int64), np.zeros((0, len(table.quasi), 2), dtype=np.int32)
    kept = np.zeros(len(table), dtype=np.bool_)
    kept[rows[group >= 0]] = True
    order = rows[np.argsort(group, kind="stable")]
    sorted_group = np.sort(group, kind="stable")
    order, sorted_group = order[sorted_group >= 0], sorted_group[sorted_group >= 0]
    used = np.unique(sorted_group)
    starts = np.searchsorted(sorted_group, used)
    bounds = np.stack([starts, np.append(starts[1:], len(order))], axis=1).astype(np.int64)
    plain = replace(table, persons=None)  # one row a person, so that counting rows counts people
    tops = TopGroups(order, bounds, kept, replace(test, table=plain))
    begin = top_regions(plain, tops) if regions is None else np.ascontiguousarray(regions[used])
    found, made = cut_groups(plain, tops, begin)
    return found[rows].astype(np.int64), made
