"""The best cut of a group in one column: along the hierarchy, or in two ranges.

Along the hierarchy a group at a node divides into the node's children. Children that keep the rules by themselves are
set *apart*; the rows of the others stay together at the node, as the *rest*. A rest that fails takes back the smallest
child that was set apart, until it passes or nothing is left. *Relaxed*, it first borrows single rows of the largest
child; and a range may be cut within the rows of one value.

Counting persons relies on one thing: the rows of a person stand next to each other in every group, since groups are
divided without changing the order of their rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests._rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.mondrian._region_kernels import region_loss
from confide.publish.tables.mondrian.columns import Columns

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

_FEW = 64  # rows that are sorted by comparing, not by counting
_MOST_TRIES = 16  # cuts of a range that are tried where persons must be counted anew for each


class Rows(NamedTuple):
    """The rows in the order of their groups: leaves, sensitive values (as places in a histogram), person, number."""

    leaves: I32
    values: I32
    persons: I32
    ids: I64


class Room(NamedTuple):
    """Room to work in. By node: its slot. By slot: the child, its rows and size, whether it is apart, its histogram.

    `moved` says of a row that it is with the rest although its child is apart; `order` is room to sort rows in.
    """

    slot_of: I32
    child: I32
    rows: I64
    sizes: I64
    apart: Flags
    hists: I64
    seen: I64
    seen_value: I64
    hist: I64
    other: I64
    cells: I64
    moved: Flags
    order: I64


@kernel
def _clear(counts: I64) -> None:
    for v in range(len(counts)):
        counts[v] = 0


@kernel
def _forget_persons(seen: I64) -> None:
    for v in range(len(seen)):
        seen[v] = -1


@kernel
def set_apart(
    columns: Columns, rules: Rules, rows: Rows, room: Room, start: int, stop: int, region: I32, j: int, relaxed: bool
) -> tuple[float, int]:
    """Decide which children of the region's node are set apart: (loss saved, children met).

    Fills `room` by slot; call `forget` afterwards. Where the loss saved is 0, nothing can be set apart.
    """
    level = columns.below[columns.node_at[j, region[j, 0]] + region[j, 1]]
    count = _count_children(columns, rules, rows, room, start, stop, j, level)
    for i in range(start, stop):
        room.moved[i] = False
    left = 0
    for s in range(count):
        room.apart[s] = group_ok(rules, room.sizes[s], room.hists[s])
        if not room.apart[s]:
            left += room.rows[s]
    short = 0 < left < stop - start and not _rest_ok(columns, rules, rows, room, start, stop, j, level)
    if short and not (relaxed and _lend(columns, rules, rows, room, start, stop, j, level, count)):
        _take_back(columns, rules, rows, room, start, stop, j, level, count)
    here = region_loss(columns, region, j)
    saved = 0.0
    for s in range(count):
        if room.apart[s]:
            saved += room.rows[s] * (here - columns.loss[columns.node_at[j, level] + room.child[s]])
    return saved, count


@kernel
def _take_back(
    columns: Columns, rules: Rules, rows: Rows, room: Room, start: int, stop: int, j: int, level: int, count: int
) -> None:
    """Let the rest have the smallest child that is apart, and the next, until it keeps the rules."""
    while True:
        smallest = -1
        for s in range(count):
            if room.apart[s] and (smallest < 0 or room.rows[s] < room.rows[smallest]):
                smallest = s
        if smallest < 0:
            return
        room.apart[smallest] = False
        if _rest_ok(columns, rules, rows, room, start, stop, j, level):
            return


@kernel
def _lend(
    columns: Columns, rules: Rules, rows: Rows, room: Room, start: int, stop: int, j: int, level: int, count: int
) -> bool:
    """Move rows of the largest child to the rest, as few as make it keep the rules; whether that worked.

    `room.hist` holds the rest. No persons are counted here.
    """
    at = columns.level_at[j, level]
    size = np.int64(0)
    donor = -1
    for s in range(count):
        if not room.apart[s]:
            size += room.rows[s]
        elif donor < 0 or room.rows[s] > room.rows[donor]:
            donor = s
    for i in range(stop - 1, start - 1, -1):
        if columns.nodes[at + rows.leaves[i, j]] != room.child[donor]:
            continue
        room.moved[i] = True
        room.rows[donor] -= 1
        room.sizes[donor] -= 1
        size += 1
        if rules.histogram:
            for c in range(rows.values.shape[1]):
                room.hists[donor, rows.values[i, c]] -= 1
                room.hist[rows.values[i, c]] += 1
        if not group_ok(rules, room.sizes[donor], room.hists[donor]) or room.rows[donor] == 0:
            break
        if group_ok(rules, size, room.hist):
            return True
    for i in range(start, stop):  # it did not work: all as it was
        if room.moved[i]:
            room.moved[i] = False
            room.rows[donor] += 1
            room.sizes[donor] += 1
            if rules.histogram:
                for c in range(rows.values.shape[1]):
                    room.hists[donor, rows.values[i, c]] += 1
    return False


@kernel
def forget(room: Room, count: int) -> None:
    """Make `room` ready for the next group."""
    for s in range(count):
        room.slot_of[room.child[s]] = -1


@kernel
def _count_children(
    columns: Columns, rules: Rules, rows: Rows, room: Room, start: int, stop: int, j: int, level: int
) -> int:
    at = columns.level_at[j, level]
    count = 0
    persons = len(rows.persons) > 0
    for i in range(start, stop):
        node = columns.nodes[at + rows.leaves[i, j]]
        s = room.slot_of[node]
        if s < 0:
            s = count
            room.slot_of[node] = s
            room.child[s] = node
            room.rows[s] = 0
            room.sizes[s] = 0
            if rules.histogram:
                _clear(room.hists[s])
            if persons:
                room.seen[s] = -1
                _forget_persons(room.seen_value[s])
            count += 1
        room.rows[s] += 1
        if not persons:
            room.sizes[s] += 1
        elif room.seen[s] != rows.persons[i]:
            room.seen[s] = rows.persons[i]
            room.sizes[s] += 1
        if rules.histogram:
            for c in range(rows.values.shape[1]):
                value = rows.values[i, c]
                if persons:
                    if room.seen_value[s, value] == rows.persons[i]:
                        continue
                    room.seen_value[s, value] = rows.persons[i]
                room.hists[s, value] += 1
    return count


@kernel
def _rest_ok(columns: Columns, rules: Rules, rows: Rows, room: Room, start: int, stop: int, j: int, level: int) -> bool:
    """Whether the rows of all children that are not set apart keep the rules together."""
    at = columns.level_at[j, level]
    _clear(room.hist)
    size = np.int64(0)
    last = np.int64(-1)
    persons = len(rows.persons) > 0
    if persons:
        _forget_persons(room.seen_value[0])
    for i in range(start, stop):
        if room.apart[room.slot_of[columns.nodes[at + rows.leaves[i, j]]]] and not room.moved[i]:
            continue
        if not persons:
            size += 1
        elif rows.persons[i] != last:
            last = np.int64(rows.persons[i])
            size += 1
        if rules.histogram:
            for c in range(rows.values.shape[1]):
                value = rows.values[i, c]
                if persons:
                    if room.seen_value[0, value] == rows.persons[i]:
                        continue
                    room.seen_value[0, value] = rows.persons[i]
                room.hist[value] += 1
    return group_ok(rules, size, room.hist)


@kernel
def best_range(
    columns: Columns,
    rules: Rules,
    rows: Rows,
    room: Room,
    start: int,
    stop: int,
    region: I32,
    j: int,
    least: float,
    fewest: int,
    median: bool,
    relaxed: bool,
) -> tuple[float, int, int]:
    """The cut of a range that saves most, if that is more than `least`: (loss saved, last cell on the left, how many).

    Between two neighbouring values the cut is in the middle. Relaxed, it may fall within the rows of one value; then
    that many of these go left, else -1. With `median` the cut nearest the median is taken.
    """
    n = stop - start
    persons = len(rows.persons) > 0
    low, high = region[j, 0], region[j, 1]
    if low < 0:  # everything: the values and what is missing part first
        return _cut_missing(columns, rules, rows, room, start, stop, j, least)
    order = _by_value(rows, room, start, stop, region, j)
    _clear(room.hist)
    _clear(room.other)
    if rules.histogram and not persons:
        for i in range(start, stop):
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
            ok = _sides_ok(rules, rows, room, start, stop, j, cut)
        else:
            ok = group_ok(rules, left, room.hist) and group_ok(rules, n - left, room.other)
        if ok:
            best, where, apart = saved, cut, abs(2 * left - n)
            quota = run if within else -1
    return best, where, quota


@kernel
def _by_value(rows: Rows, room: Room, start: int, stop: int, region: I32, j: int) -> I64:
    """The rows of a group in the order of their values in column j; ties in place."""
    n = stop - start
    low = max(np.int64(region[j, 0]), np.int64(0))
    width = np.int64(region[j, 1]) - low + 1
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
    columns: Columns, rules: Rules, rows: Rows, room: Room, start: int, stop: int, j: int, least: float
) -> tuple[float, int, int]:
    """Part the values from what is missing, if both sides keep the rules."""
    cells = columns.cells[j]
    present = 0
    for i in range(start, stop):
        present += rows.leaves[i, j] < cells
    saved = columns.span[j] * (present + (stop - start - present) * cells)
    if saved > least and _sides_ok(rules, rows, room, start, stop, j, cells - 1):
        return saved, cells - 1, -1
    return least, -1, -1


@kernel
def _sides_ok(rules: Rules, rows: Rows, room: Room, start: int, stop: int, j: int, cut: int) -> bool:
    """Whether the rows up to the cell `cut` keep the rules, and those above it."""
    persons = len(rows.persons) > 0
    for side in range(2):
        _clear(room.hist)
        if persons:
            _forget_persons(room.seen_value[0])
        size = np.int64(0)
        last = np.int64(-1)
        for i in range(start, stop):
            if (rows.leaves[i, j] > cut) != (side == 1):
                continue
            if not persons:
                size += 1
            elif rows.persons[i] != last:
                last = np.int64(rows.persons[i])
                size += 1
            if rules.histogram:
                for c in range(rows.values.shape[1]):
                    value = rows.values[i, c]
                    if persons:
                        if room.seen_value[0, value] == rows.persons[i]:
                            continue
                        room.seen_value[0, value] = rows.persons[i]
                    room.hist[value] += 1
        if not group_ok(rules, size, room.hist):
            return False
    return True
