"""Kernels of places and newcomers: what a region loses when it grows, who is nearest to a place, who takes which.

A region is two numbers for each column, as in `mondrian.columns`: a level and a node, or the first and the last cell.
"""

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.jit import kernel
from confide.publish.tables.mondrian.columns import Columns

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

NEVER = 1e18
"""What it costs a region to cover what it may not."""
ROUNDS = 8  # lists of nearest candidates for one place, each without those that were taken meanwhile


class Reach(NamedTuple):
    """Columns; of each node (at `columns.node_at`) a leaf; of each column the highest level that may be released."""

    columns: Columns
    leaf_of: I32
    highest: I64


class MatchPool(NamedTuple):
    """Candidates in blocks of near rows with one value: those with value v are in blocks `start[v]` to `start[v + 1]`,
    and block b is `rows[bounds[b, 0]:bounds[b, 1]]`, in the region `regions[b]`. `home[r]` is the place that row r had,
    -1 for a newcomer."""

    start: I64
    bounds: I64
    regions: I32
    rows: I64
    leaves: I32
    home: I64


class Vacancies(NamedTuple):
    """Places that nobody holds: the place, its cell, its value; how many rows each cell has."""

    place: I64
    cell: I64
    value: I64
    cell_rows: I64


class Free(NamedTuple):
    """Places by cell: those of cell c are `place[start[c]:start[c + 1]]`. By place: its cell, its value, whether it is
    linked with another."""

    start: I64
    place: I64
    cell: I64
    value: I64
    linked: Flags


class TakingLimits(NamedTuple):
    """How many values must stay possible where places are linked; how many places may stay vacant to lose less, and
    from what loss in all rows of a cell on they do."""

    values: int
    vacant: int
    worth: float


@kernel
def column_growth(reach: Reach, j: int, first: int, second: int, leaf: int) -> float:
    """What one row loses more in column j when a region there grows to cover a leaf."""
    columns = reach.columns
    if columns.cells[j] > 0:
        if first < 0:
            return 0.0
        gap = columns.missing[j]
        alone = gap >= 0 and first == gap
        if leaf == gap or alone:
            if leaf == gap and alone:
                return 0.0
            return (columns.cells[j] - (second - first)) * columns.span[j]
        return (max(0, first - leaf) + max(0, leaf - second)) * columns.span[j]
    own = reach.leaf_of[columns.node_at[j, first] + second]
    for level in range(first, reach.highest[j] + 1):
        node = columns.nodes[columns.level_at[j, level] + leaf]
        if columns.nodes[columns.level_at[j, level] + own] == node:
            if level == first:
                return 0.0
            return columns.loss[columns.node_at[j, level] + node] - columns.loss[columns.node_at[j, first] + second]
    return NEVER


@kernel
def growth(reach: Reach, region: I32, leaves: I32, most: float) -> float:
    """What one row loses more when a region grows to cover these leaves; anything above `most` once it is more."""
    total = 0.0
    for j in range(len(leaves)):
        total += column_growth(reach, j, region[j, 0], region[j, 1], leaves[j])
        if total > most:
            return total
    return total


@kernel
def grow(reach: Reach, region: I32, leaves: I32) -> None:
    """Let a region grow to cover these leaves."""
    columns = reach.columns
    for j in range(len(leaves)):
        first, second, leaf = region[j, 0], region[j, 1], leaves[j]
        if columns.cells[j] > 0:
            gap = columns.missing[j]
            if first < 0:
                continue
            if (leaf == gap) != (gap >= 0 and first == gap):
                region[j, 0], region[j, 1] = -1, columns.cells[j]
            elif leaf != gap:
                region[j, 0], region[j, 1] = min(first, leaf), max(second, leaf)
            continue
        own = reach.leaf_of[columns.node_at[j, first] + second]
        for level in range(first, reach.highest[j] + 1):
            node = columns.nodes[columns.level_at[j, level] + leaf]
            if columns.nodes[columns.level_at[j, level] + own] == node:
                region[j, 0], region[j, 1] = level, node
                break


@kernel
def find_outside(reach: Reach, regions: I32, cell: I64, leaves: I32) -> Flags:
    """For each row whether it is outside the region of its cell; of rows with cell -1 false."""
    found = np.zeros(len(cell), np.bool_)
    for i in range(len(cell)):
        if cell[i] >= 0:
            found[i] = growth(reach, regions[cell[i]], leaves[i], 0.0) > 0.0
    return found


@kernel
def list_nearest(
    reach: Reach, regions: I32, vacant: Vacancies, pool: MatchPool, chosen: I64, taken: Flags, most: int
) -> tuple[I64, F64]:
    """For each of the `chosen` vacancies up to `most` candidates, the nearest first, -1 where there are no more; and
    what all rows of the cell lose more if that one takes the place."""
    rows = np.full((len(chosen), most), -1, np.int64)
    costs = np.full((len(chosen), most), NEVER)
    for i in range(len(chosen)):
        v = chosen[i]
        region = regions[vacant.cell[v]]
        size = vacant.cell_rows[vacant.cell[v]]
        first, last = pool.start[vacant.value[v]], pool.start[vacant.value[v] + 1]
        bounds = np.empty(last - first)
        for b in range(first, last):
            bounds[b - first] = least_growth(reach, region, pool.regions[b])
        for nearest in np.argsort(bounds):
            if bounds[nearest] * size >= costs[i, most - 1]:
                break
            for at in range(pool.bounds[first + nearest, 0], pool.bounds[first + nearest, 1]):
                row = pool.rows[at]
                if taken[row]:
                    continue
                cost = growth(reach, region, pool.leaves[row], costs[i, most - 1] / size) * size
                if cost < costs[i, most - 1]:
                    slot = most - 1
                    while slot > 0 and costs[i, slot - 1] > cost:
                        rows[i, slot], costs[i, slot] = rows[i, slot - 1], costs[i, slot - 1]
                        slot -= 1
                    rows[i, slot], costs[i, slot] = row, cost
    return rows, costs


@kernel
def least_growth(reach: Reach, region: I32, block: I32) -> float:
    """What a row loses more, at least, when a region grows to cover any row of a block."""
    columns = reach.columns
    total = 0.0
    for j in range(len(region)):
        first, second, low, high = region[j, 0], region[j, 1], block[j, 0], block[j, 1]
        if columns.cells[j] > 0:
            if first >= 0 and low >= 0:
                total += (max(0, first - high) + max(0, low - second)) * columns.span[j]
            continue
        # All rows of the block have the same nodes from level `low` on: what is above holds for each of them.
        cost = column_growth(reach, j, first, second, reach.leaf_of[columns.node_at[j, low] + high])
        if cost > 0.0 and low <= first:
            total += cost
        elif cost > 0.0:
            own = reach.leaf_of[columns.node_at[j, first] + second]
            its = reach.leaf_of[columns.node_at[j, low] + high]
            if columns.nodes[columns.level_at[j, low] + own] != columns.nodes[columns.level_at[j, low] + its]:
                total += cost
    return total


@kernel
def may_link(free: Free, home: int, place: int, needed: int) -> bool:
    """Whether who held `home` may take `place`: enough values stand in unlinked places of both their cells, and stay so
    in either without these two."""
    here, there = free.cell[place], free.cell[home]
    if here == there:
        return False
    both, own, other = 1, 0, 0  # both may have the value that they have
    for a in range(free.start[here], free.start[here + 1]):
        first = free.place[a]
        if first == place or free.linked[first] or _stood_before(free, free.start[here], a, place):
            continue
        own += 1
        for b in range(free.start[there], free.start[there + 1]):
            second = free.place[b]
            if second != home and not free.linked[second] and free.value[second] == free.value[first]:
                both += free.value[first] != free.value[place]
                break
    for b in range(free.start[there], free.start[there + 1]):
        second = free.place[b]
        if second != home and not free.linked[second] and not _stood_before(free, free.start[there], b, home):
            other += 1
    return both >= needed and own >= needed and other >= needed


@kernel
def _stood_before(free: Free, start: int, at: int, without: int) -> bool:
    """Whether the value of an unlinked place stands in an earlier one of its cell."""
    value = free.value[free.place[at]]
    for a in range(start, at):
        place = free.place[a]
        if place != without and not free.linked[place] and free.value[place] == value:
            return True
    return False


@kernel
def take_places(
    reach: Reach,
    regions: I32,
    vacant: Vacancies,
    pool: MatchPool,
    nearest: tuple[I64, F64],
    free: Free,
    limits: TakingLimits,
) -> I64:
    """The row that takes each vacancy, -1 where it is carried on; `regions` grow with who comes.

    The cheapest go first. `nearest` are candidates of each vacancy, and what its cell loses for them.
    """
    rows, costs = nearest
    count, most = rows.shape
    found = np.full(count, -1, np.int64)
    taken = np.zeros(len(pool.leaves), np.bool_)
    at, rounds = np.zeros(count, np.int64), np.zeros(count, np.int64)
    heap = [(NEVER, -1)]
    left = count
    for v in range(count):
        if rows[v, 0] >= 0:
            heap.append((costs[v, 0], v))
    heapq.heapify(heap)
    one = np.zeros(1, np.int64)
    while len(heap) > 0:
        cost, v = heapq.heappop(heap)
        if v < 0 or (left <= limits.vacant and cost > limits.worth):
            break
        row = rows[v, at[v]]
        home = pool.home[row]
        allowed = not taken[row]
        if allowed and home >= 0 and home != vacant.place[v]:
            allowed = may_link(free, home, vacant.place[v], limits.values)
        if allowed:
            found[v] = row
            taken[row] = True
            left -= 1
            grow(reach, regions[vacant.cell[v]], pool.leaves[row])
            if home >= 0 and home != vacant.place[v]:
                free.linked[home] = True
                free.linked[vacant.place[v]] = True
            continue
        at[v] += 1
        if at[v] == most and rounds[v] < ROUNDS:  # all that were listed went elsewhere, or may not be linked
            one[0] = v
            again, new = list_nearest(reach, regions, vacant, pool, one, taken, most)
            copy_into(rows[v], again[0])
            copy_into(costs[v], new[0])
            at[v] = 0
            rounds[v] += 1
        if at[v] < most and rows[v, at[v]] >= 0:
            heapq.heappush(heap, (costs[v, at[v]], v))
    return found
