"""The cut of a group in one column in two ranges. *Relaxed*, it may fall within the rows of one value."""

from typing import NamedTuple

import numpy as np

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.mondrian._tally_kernels import (
    I32,
    I64,
    Cutting,
    Room,
    RowGroup,
    Rows,
    begin_tally,
    clear,
    person_of,
    tally,
)
from confide.publish.tables.mondrian.columns import Columns

_FEW = 64  # rows that are sorted by comparing, not by counting
_MOST_TRIES = 16  # cuts of a range that are tried where persons must be counted anew for each


class Axis(NamedTuple):
    """A column of ranges, and the first and last cell of the group's range in it (-1 for everything)."""

    column: int
    low: int
    high: int


@kernel
def best_range(
    columns: Columns,
    rules: Rules,
    rows: Rows,
    room: Room,
    group: RowGroup,
    axis: Axis,
    least: float,
    cutting: Cutting,
) -> tuple[float, int, int]:
    """The cut of a range that saves most, if that is more than `least`: (loss saved, last cell on the left, how many).

    Between two neighbouring values the cut is in the middle. Relaxed, it may fall within the rows of one value; then
    that many of these go left, else -1. With `median` the cut nearest the median is taken.
    """
    j, low, high = axis
    n = group.stop - group.start
    fewest, median, relaxed = cutting.fewest, cutting.median, cutting.relaxed
    persons = len(rows.persons) > 0
    if low < 0:  # everything: the values and what is missing part first
        return _cut_missing(columns, rules, rows, room, group, j, least)
    order = _by_value(rows, room, group, axis)
    clear(room.hist)
    clear(room.other)
    if rules.histogram and not persons:
        for i in range(group.start, group.stop):
            for c in range(rows.values.shape[1]):
                room.other[rows.values[i, c]] += 1
    best, where, quota = least, -1, -1
    stride = 1
    if persons:  # only some of the cuts, evenly among them
        for place in range(n - 1):
            stride += rows.leaves[order[place], j] != rows.leaves[order[place + 1], j]
        stride = (stride + _MOST_TRIES - 1) // _MOST_TRIES
    tries = 0
    apart = n
    run = 0
    for place in range(n - 1):
        i = order[place]
        if rules.histogram and not persons:
            for c in range(rows.values.shape[1]):
                room.hist[rows.values[i, c]] += 1
                room.other[rows.values[i, c]] -= 1
        value, following = rows.leaves[i, j], rows.leaves[order[place + 1], j]
        run = run + 1 if place > 0 and rows.leaves[order[place - 1], j] == value else 1
        left = place + 1
        within = value == following
        tries += not within
        if left < fewest or n - left < fewest or (tries + stride // 2) % stride != 0:
            continue
        if within:
            # what is saved grows or falls along the rows of a value, so only the outermost cuts can be best
            if not (relaxed and (left == fewest or n - left == fewest or (median and left == n // 2))):
                continue
            cut = value
            saved = columns.span[j] * (left * (high - value) + (n - left) * (value - low))
        else:
            cut = (value + following - 1) // 2
            saved = columns.span[j] * (left * (high - cut) + (n - left) * (cut + 1 - low))
        if saved <= (0.0 if median else best) or (median and abs(2 * left - n) >= apart):
            continue
        if persons:
            ok = _sides_ok(rules, rows, room, group, j, cut)
        else:
            ok = group_ok(rules, left, room.hist) and group_ok(rules, n - left, room.other)
        if ok:
            best, where, apart = saved, cut, abs(2 * left - n)
            quota = run if within else -1
    return best, where, quota


@kernel
def _by_value(rows: Rows, room: Room, group: RowGroup, axis: Axis) -> I64:
    """The rows of a group in the order of their values in column j; ties in place."""
    j, start, stop = axis.column, group.start, group.stop
    n = stop - start
    low = max(np.int64(axis.low), np.int64(0))
    width = np.int64(axis.high) - low + 1
    order = room.order[start:stop]
    if n <= _FEW or width > 16 * n:
        _sort_by_value(rows.leaves, j, start, order)
        return order
    for cell in range(width + 1):
        room.cells[cell] = 0
    for i in range(start, stop):
        room.cells[rows.leaves[i, j] - low + 1] += 1
    for cell in range(width):
        room.cells[cell + 1] += room.cells[cell]
    for i in range(start, stop):
        cell = rows.leaves[i, j] - low
        order[room.cells[cell]] = i
        room.cells[cell] += 1
    return order


@kernel
def _sort_by_value(leaves: I32, j: int, start: int, order: I64) -> None:
    """Fill `order` with the rows from `start` on, by value and then by place (Shell's sort)."""
    n = len(order)
    for place in range(n):
        order[place] = start + place
    gap = 1
    while gap < n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for begin in range(gap, n):
            row = order[begin]
            value = leaves[row, j]
            place = begin
            while place >= gap:
                other = order[place - gap]
                if leaves[other, j] < value or (leaves[other, j] == value and other < row):
                    break
                order[place] = other
                place -= gap
            order[place] = row
        gap //= 3


@kernel
def _cut_missing(
    columns: Columns, rules: Rules, rows: Rows, room: Room, group: RowGroup, j: int, least: float
) -> tuple[float, int, int]:
    """Part the values from what is missing, if both sides keep the rules."""
    cells = columns.cells[j]
    present = 0
    for i in range(group.start, group.stop):
        present += rows.leaves[i, j] < cells
    saved = columns.span[j] * (present + (group.stop - group.start - present) * cells)
    if saved > least and _sides_ok(rules, rows, room, group, j, cells - 1):
        return saved, cells - 1, -1
    return least, -1, -1


@kernel
def _sides_ok(rules: Rules, rows: Rows, room: Room, group: RowGroup, j: int, cut: int) -> bool:
    """Whether the rows up to the cell `cut` keep the rules, and those above it."""
    for side in range(2):
        begin_tally(rows, room)
        size = np.int64(0)
        last = np.int64(-1)
        for i in range(group.start, group.stop):
            if (rows.leaves[i, j] > cut) == (side == 1):
                size += tally(rules, rows, room, i, last)
                last = person_of(rows, i)
        if not group_ok(rules, size, room.hist):
            return False
    return True
