"""The cut of a group along the hierarchy of one column: a group at a node divides into the node's children.

Children that keep the rules by themselves are set *apart*; the rows of the others stay together at the node, as the
*rest*. A rest that fails takes back the smallest child that was set apart, until it passes or nothing is left.
*Relaxed*, it first borrows single rows of the largest child.
"""

import numpy as np

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.mondrian._region_kernels import region_loss
from confide.publish.tables.mondrian._tally_kernels import (
    I32,
    Room,
    RowGroup,
    Rows,
    begin_tally,
    clear,
    forget_persons,
    person_of,
    tally,
)
from confide.publish.tables.mondrian.columns import Columns


@kernel
def set_apart(
    columns: Columns, rules: Rules, rows: Rows, room: Room, group: RowGroup, region: I32, j: int, relaxed: bool
) -> tuple[float, int]:
    """Decide which children of the region's node are set apart: (loss saved, children met).

    Fills `room` by slot; call `forget` afterwards. Where the loss saved is 0, nothing can be set apart.
    """
    level = columns.below[columns.node_at[j, region[j, 0]] + region[j, 1]]
    count = _count_children(columns, rules, rows, room, group, j, level)
    for i in range(group.start, group.stop):
        room.moved[i] = False
    left = 0
    for s in range(count):
        room.apart[s] = group_ok(rules, room.sizes[s], room.hists[s])
        if not room.apart[s]:
            left += room.rows[s]
    short = 0 < left < group.stop - group.start and not _rest_ok(columns, rules, rows, room, group, j, level)
    if short and not (relaxed and _lend(columns, rules, rows, room, group, j, level, count)):
        _take_back(columns, rules, rows, room, group, j, level, count)
    here = region_loss(columns, region, j)
    saved = 0.0
    for s in range(count):
        if room.apart[s]:
            saved += room.rows[s] * (here - columns.loss[columns.node_at[j, level] + room.child[s]])
    return saved, count


@kernel
def _take_back(
    columns: Columns, rules: Rules, rows: Rows, room: Room, group: RowGroup, j: int, level: int, count: int
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
        if _rest_ok(columns, rules, rows, room, group, j, level):
            return


@kernel
def _lend(
    columns: Columns, rules: Rules, rows: Rows, room: Room, group: RowGroup, j: int, level: int, count: int
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
    for i in range(group.stop - 1, group.start - 1, -1):
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
    for i in range(group.start, group.stop):  # it did not work: all as it was
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
def _count_children(columns: Columns, rules: Rules, rows: Rows, room: Room, group: RowGroup, j: int, level: int) -> int:
    at = columns.level_at[j, level]
    count = 0
    persons = len(rows.persons) > 0
    for i in range(group.start, group.stop):
        node = columns.nodes[at + rows.leaves[i, j]]
        s = room.slot_of[node]
        if s < 0:
            s = count
            room.slot_of[node] = s
            room.child[s] = node
            room.rows[s] = 0
            room.sizes[s] = 0
            if rules.histogram:
                clear(room.hists[s])
            if persons:
                room.seen[s] = -1
                forget_persons(room.seen_value[s])
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
def _rest_ok(columns: Columns, rules: Rules, rows: Rows, room: Room, group: RowGroup, j: int, level: int) -> bool:
    """Whether the rows of all children that are not set apart keep the rules together."""
    at = columns.level_at[j, level]
    begin_tally(rows, room)
    size = np.int64(0)
    last = np.int64(-1)
    for i in range(group.start, group.stop):
        if not room.apart[room.slot_of[columns.nodes[at + rows.leaves[i, j]]]] or room.moved[i]:
            size += tally(rules, rows, room, i, last)
            last = person_of(rows, i)
    return group_ok(rules, size, room.hist)
