"""Groups of rows that are near each other: cut the table where squared error falls most, then move rows.

A cut of n rows with sum s into parts of n1 and n2 rows with sums s1 and s2 saves |s1|^2 / n1 + |s2|^2 / n2 - |s|^2 / n.
Rows stand in one order for each column; a cut keeps all of them sorted, as a decision tree does, so a level of cuts
costs rows x columns^2. Moving a row at distance d from the centre of its group of n to one of m at distance e saves
d^2 n / (n - 1) - e^2 m / (m + 1).
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

_NOTHING = 1e-12


@kernel
def cut_groups(points: F64, orders: I32, fewest: int) -> tuple[I32, int]:
    """Cut until no group of `fewest` or more rows could be made of a part: the group of each row, and how many.

    `orders[j]` are the rows sorted by column j; they are sorted by group, too, afterwards.
    """
    columns, n = orders.shape
    waiting = np.empty((n // fewest + 2, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, n
    top = 1
    left = np.zeros(n, np.bool_)
    room = np.empty(n, np.int32)
    group = np.empty(n, np.int32)
    groups = 0
    while top > 0:
        top -= 1
        start, stop = waiting[top, 0], waiting[top, 1]
        column, cut = _best_cut(points, orders, start, stop, fewest)
        if column < 0:
            for i in range(start, stop):
                group[orders[0, i]] = groups
            groups += 1
            continue
        for i in range(start, stop):
            left[orders[column, i]] = i < cut
        for j in range(columns):
            _part(orders[j], left, room, start, stop)
        waiting[top, 0], waiting[top, 1] = cut, stop
        waiting[top + 1, 0], waiting[top + 1, 1] = start, cut
        top += 2
    return group, groups


@kernel
def _best_cut(points: F64, orders: I32, start: int, stop: int, fewest: int) -> tuple[int, int]:
    """The column and the place of the cut that saves most; -1 for the column if none saves anything."""
    columns = points.shape[1]
    n = stop - start
    best, column, cut = _NOTHING, -1, -1
    if n < 2 * fewest:
        return column, cut
    whole = np.zeros(columns, np.float64)
    for i in range(start, stop):
        for c in range(columns):
            whole[c] += points[orders[0, i], c]
    before = np.sum(whole * whole) / n
    part = np.empty(columns, np.float64)
    for j in range(columns):
        part[:] = 0.0
        for i in range(start, stop - fewest):
            row = orders[j, i]
            for c in range(columns):
                part[c] += points[row, c]
            size = i + 1 - start
            if size < fewest:
                continue
            here, rest = 0.0, 0.0
            for c in range(columns):
                here += part[c] * part[c]
                rest += (whole[c] - part[c]) * (whole[c] - part[c])
            saved = here / size + rest / (n - size) - before
            if saved > best:
                best, column, cut = saved, j, i + 1
    return column, cut


@kernel
def _part(order: I32, left: NDArray[np.bool_], room: I32, start: int, stop: int) -> None:
    """Put the rows that go left before the others, each in the order they have."""
    place, rest = start, 0
    for i in range(start, stop):
        row = order[i]
        if left[row]:
            order[place] = row
            place += 1
        else:
            room[rest] = row
            rest += 1
    for i in range(rest):
        order[place + i] = room[i]


@kernel
def move_rows(points: F64, order: I32, group: I32, centres: F64, sizes: I64, near: I64, fewest: int) -> int:
    """Move each row, in this `order`, to the one of the groups `near` its own where that saves most squared error.

    No group falls below `fewest` rows. `group`, `centres` and `sizes` change with each move; gives how many there were.
    """
    columns = points.shape[1]
    moves = 0
    for i in order:
        own = group[i]
        if sizes[own] <= fewest:
            continue
        away = 0.0
        for c in range(columns):
            away += (points[i, c] - centres[own, c]) ** 2
        best, target = away * sizes[own] / (sizes[own] - 1) - _NOTHING, np.int64(-1)
        for other in near[own]:
            if other == own:
                continue
            away = 0.0
            for c in range(columns):
                away += (points[i, c] - centres[other, c]) ** 2
            cost = away * sizes[other] / (sizes[other] + 1)
            if cost < best:
                best, target = cost, other
        if target >= 0:
            for c in range(columns):
                centres[own, c] = (centres[own, c] * sizes[own] - points[i, c]) / (sizes[own] - 1)
                centres[target, c] = (centres[target, c] * sizes[target] + points[i, c]) / (sizes[target] + 1)
            sizes[own] -= 1
            sizes[target] += 1
            group[i] = target
            moves += 1
    return moves
