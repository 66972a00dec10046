"""Cuts until none is left: groups wait on a stack, each is narrowed, cut where that saves most, or finished."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.mondrian._child_kernels import forget, set_apart
from confide.publish.tables.mondrian._range_kernels import Axis, best_range
from confide.publish.tables.mondrian._region_kernels import narrow, region_loss
from confide.publish.tables.mondrian._tally_kernels import Cutting, Room, RowGroup, Rows
from confide.publish.tables.mondrian.columns import Columns

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def partition(
    columns: Columns,
    rules: Rules,
    rows: Rows,
    spare: Rows,
    room: Room,
    bounds: I64,
    first_regions: I32,
    cutting: Cutting,
) -> tuple[I64, I32]:
    """Cut groups as far as the rules and `cutting` allow; returns (bounds, regions).

    The rows of group g stand together, from `bounds[g, 0]` to `bounds[g, 1]`, in the region `first_regions[g]`; so do
    those of the groups that result. `spare` is room for as many rows.
    """
    m, fewest, largest = rows.leaves.shape[1], cutting.fewest, cutting.largest
    most = 1
    for g in range(len(bounds)):
        most += (bounds[g, 1] - bounds[g, 0]) // fewest + 1
    found = np.empty((most, 2), np.int64)
    regions = np.empty((most, m, 2), np.int32)
    finished = 0
    begin, end = np.empty(most, np.int64), np.empty(most, np.int64)
    waiting = np.empty((most, m, 2), np.int32)
    height = 0
    for g in range(len(bounds)):
        begin[height], end[height] = bounds[g, 0], bounds[g, 1]
        _keep(waiting, height, first_regions[g])
        height += 1
    region = np.empty((m, 2), np.int32)
    while height > 0:
        height -= 1
        start, stop = begin[height], end[height]
        for j in range(m):
            region[j, 0], region[j, 1] = waiting[height, j, 0], waiting[height, j, 1]
        column, cut, quota = -1, -1, -1
        if stop - start > largest:
            narrow(columns, rows.leaves, start, stop, region)
        if stop - start >= max(2 * fewest, largest + 1):
            column, cut, quota = _choose(columns, rules, rows, room, RowGroup(start, stop), region, cutting)
        if column < 0:
            found[finished, 0], found[finished, 1] = start, stop
            _keep(regions, finished, region)
            finished += 1
        elif columns.cells[column] > 0:
            middle = _divide_range(rows, spare, start, stop, column, cut, quota)
            for side in range(2):
                begin[height], end[height] = (start, middle) if side == 0 else (middle, stop)
                _keep(waiting, height, region)
                _cut_region(columns, waiting[height], column, cut, quota >= 0, side)
                height += 1
        else:
            _, count = set_apart(columns, rules, rows, room, RowGroup(start, stop), region, column, cutting.relaxed)
            level = columns.below[columns.node_at[column, region[column, 0]] + region[column, 1]]
            _divide_children(columns, rows, spare, room, RowGroup(start, stop), column, level, count)
            place = start
            for s in range(count):
                if room.apart[s]:
                    begin[height], end[height] = place, place + room.rows[s]
                    _keep(waiting, height, region)
                    waiting[height, column, 0], waiting[height, column, 1] = level, room.child[s]
                    height += 1
                    place += room.rows[s]
            forget(room, count)
            if place < stop:
                begin[height], end[height] = place, stop
                _keep(waiting, height, region)
                height += 1
    return found[:finished].copy(), regions[:finished].copy()


@kernel
def _keep(regions: I32, g: int, region: I32) -> None:
    """Write a region down as that of group g. (Loops: numba takes seconds to compile what slices would do.)"""
    for j in range(len(region)):
        regions[g, j, 0], regions[g, j, 1] = region[j, 0], region[j, 1]


@kernel
def _choose(
    columns: Columns,
    rules: Rules,
    rows: Rows,
    room: Room,
    group: RowGroup,
    region: I32,
    cutting: Cutting,
) -> tuple[int, int, int]:
    """The column to cut, and (for a range) where and how many rows of that value go left; -1 if no cut is allowed.

    The cut that saves most; with `median`, any cut of the column that loses most, and of others only if it has none.
    """
    m, median = len(columns.cells), cutting.median
    best, column, cut, quota = 0.0, -1, -1, -1
    for j in range(m):
        here = region_loss(columns, region, j)
        if here == 0.0 or (median and column >= 0 and here <= best):
            continue
        if columns.cells[j] > 0:
            if region[j, 0] == region[j, 1]:
                continue
            axis = Axis(j, region[j, 0], region[j, 1])
            saved, where, some = best_range(columns, rules, rows, room, group, axis, 0.0 if median else best, cutting)
            if where >= 0:
                best, column, cut, quota = (here if median else saved), j, where, some
        else:
            if columns.below[columns.node_at[j, region[j, 0]] + region[j, 1]] < 0:
                continue
            saved, count = set_apart(columns, rules, rows, room, group, region, j, cutting.relaxed)
            forget(room, count)
            if saved > (0.0 if median else best):
                best, column = (here if median else saved), j
    return column, cut, quota


@kernel
def _cut_region(columns: Columns, region: I32, j: int, cut: int, shared: bool, side: int) -> None:
    if region[j, 0] < 0:
        region[j, 0] = columns.cells[j] if side else 0
        region[j, 1] = columns.cells[j] - 1 + side
    elif side == 0:
        region[j, 1] = cut
    else:
        region[j, 0] = cut if shared else cut + 1


@kernel
def _move(rows: Rows, i: int, spare: Rows, to: int) -> None:
    for c in range(rows.leaves.shape[1]):
        spare.leaves[to, c] = rows.leaves[i, c]
    for c in range(rows.values.shape[1]):
        spare.values[to, c] = rows.values[i, c]
    if len(rows.persons):
        spare.persons[to] = rows.persons[i]
    spare.ids[to] = rows.ids[i]


@kernel
def _put_back(rows: Rows, spare: Rows, start: int, stop: int) -> None:
    for i in range(start, stop):
        _move(spare, i, rows, i)


@kernel
def _divide_range(rows: Rows, spare: Rows, start: int, stop: int, j: int, cut: int, quota: int) -> int:
    """Put the rows up to the cell `cut` first (of that cell `quota`, unless -1); returns where the others begin."""
    middle = start
    for i in range(start, stop):
        middle += rows.leaves[i, j] < cut or (rows.leaves[i, j] == cut and quota < 0)
    middle += max(quota, 0)
    left, right = start, middle
    for i in range(start, stop):
        first = rows.leaves[i, j] < cut
        if rows.leaves[i, j] == cut and quota != 0:
            first = True
            quota -= quota > 0
        if first:
            _move(rows, i, spare, left)
            left += 1
        else:
            _move(rows, i, spare, right)
            right += 1
    _put_back(rows, spare, start, stop)
    return middle


@kernel
def _divide_children(
    columns: Columns, rows: Rows, spare: Rows, room: Room, group: RowGroup, j: int, level: int, count: int
) -> None:
    """Put the rows of each child that is set apart together, in the order of slots, and the rest after them."""
    at = columns.level_at[j, level]
    place = np.empty(count + 1, np.int64)
    position = group.start
    for s in range(count):
        place[s] = position
        if room.apart[s]:
            position += room.rows[s]
    place[count] = position
    for i in range(group.start, group.stop):
        s = room.slot_of[columns.nodes[at + rows.leaves[i, j]]]
        if not room.apart[s] or room.moved[i]:
            s = count
        _move(rows, i, spare, place[s])
        place[s] += 1
    _put_back(rows, spare, group.start, group.stop)
