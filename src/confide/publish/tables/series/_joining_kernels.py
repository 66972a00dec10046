"""Kernels that join cells: which other group loses least together with one that fails."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.series._matching_kernels import NEVER, Reach

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Flags = NDArray[np.bool_]


@kernel
def join_regions(reach: Reach, region: I32, other: I32) -> float:
    """Let a region grow to cover another; return what a row of it loses then, NEVER where none covers both."""
    columns = reach.columns
    for j in range(len(region)):
        first, second, low, high = region[j, 0], region[j, 1], other[j, 0], other[j, 1]
        if columns.cells[j] > 0:
            gap = columns.missing[j]
            if first < 0 or low < 0 or (gap >= 0 and (first == gap) != (low == gap)):
                region[j, 0], region[j, 1] = (-1, columns.cells[j]) if gap >= 0 else (0, columns.cells[j] - 1)
            else:
                region[j, 0], region[j, 1] = min(first, low), max(second, high)
            continue
        own = reach.leaf_of[columns.node_at[j, first] + second]
        its = reach.leaf_of[columns.node_at[j, low] + high]
        level = max(first, low)
        while level <= reach.highest[j]:
            node = columns.nodes[columns.level_at[j, level] + own]
            if columns.nodes[columns.level_at[j, level] + its] == node:
                region[j, 0], region[j, 1] = level, node
                break
            level += 1
        if level > reach.highest[j]:
            return NEVER
    return whole_loss(reach, region)


@kernel
def whole_loss(reach: Reach, region: I32) -> float:
    """What a row loses in all columns by being in this region."""
    columns = reach.columns
    total = 0.0
    for j in range(len(region)):
        first, second = region[j, 0], region[j, 1]
        if columns.cells[j] == 0:
            total += columns.loss[columns.node_at[j, first] + second]
        elif first < 0:
            total += columns.cells[j] * columns.span[j]
        else:
            total += (second - first) * columns.span[j]
    return total


@kernel
def list_losses(reach: Reach, regions: I32) -> F64:
    """What a row loses in each region."""
    found = np.empty(len(regions))
    for g in range(len(regions)):
        found[g] = whole_loss(reach, regions[g])
    return found


@kernel
def find_partners(reach: Reach, regions: I32, rows: I64, chosen: I64, barred: Flags) -> tuple[I64, F64]:
    """For each of the `chosen` groups the one that both lose least with, and how much that is, in rows; -1 for none.

    Those that are `barred` (joined already) are no partners.
    """
    count, m = len(regions), regions.shape[1]
    own = list_losses(reach, regions) * rows
    partner, cost = np.full(len(chosen), -1, np.int64), np.full(len(chosen), NEVER)
    union = np.empty((m, 2), np.int32)
    for i in range(len(chosen)):
        g = chosen[i]
        for other in range(count):
            if other == g or barred[other]:
                continue
            for j in range(m):
                union[j, 0], union[j, 1] = regions[g, j, 0], regions[g, j, 1]
            lost = join_regions(reach, union, regions[other])
            if lost < NEVER:
                lost = lost * (rows[g] + rows[other]) - own[g] - own[other]
                if lost < cost[i]:
                    partner[i], cost[i] = other, lost
    return partner, cost
