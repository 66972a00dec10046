"""The rows of a group, room to work in, and how their members are counted.

Counting persons relies on one thing: the rows of a person stand next to each other in every group, since groups are
divided without changing the order of their rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rules import Rules

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


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


class RowGroup(NamedTuple):
    """A group of rows that stand together, from `start` to before `stop`."""

    start: int
    stop: int


class Cutting(NamedTuple):
    """How groups are cut: into parts of `fewest` rows or more, until they have at most `largest`; with `median` at the
    cut nearest the median; `relaxed`: equal rows may be parted."""

    fewest: int
    largest: int
    median: bool
    relaxed: bool


@kernel
def clear(counts: I64) -> None:
    """Make counts 0."""
    for v in range(len(counts)):
        counts[v] = 0


@kernel
def forget_persons(seen: I64) -> None:
    """Nobody has been met yet."""
    for v in range(len(seen)):
        seen[v] = -1


@kernel
def begin_tally(rows: Rows, room: Room) -> None:
    """Make `room.hist` ready for `tally`."""
    clear(room.hist)
    if len(rows.persons) > 0:
        forget_persons(room.seen_value[0])


@kernel
def tally(rules: Rules, rows: Rows, room: Room, i: int, last: int) -> int:
    """Count row i in `room.hist`. Returns its members: 1, or 0 if it is another row of the person counted `last`."""
    persons = len(rows.persons) > 0
    if rules.histogram:
        for c in range(rows.values.shape[1]):
            value = rows.values[i, c]
            if persons:
                if room.seen_value[0, value] == rows.persons[i]:
                    continue
                room.seen_value[0, value] = rows.persons[i]
            room.hist[value] += 1
    return 0 if persons and rows.persons[i] == last else 1


@kernel
def person_of(rows: Rows, i: int) -> int:
    """Whose row it is; -1 where nobody is counted twice."""
    return int(rows.persons[i]) if len(rows.persons) > 0 else -1
