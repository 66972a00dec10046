"""Closed frequent itemsets of a database of at most 64 items: those no superset of which has the same support.

The search is that for all itemsets, except that perfect extensions join the set at once, and that a branch whose
rows all hold an item tried before it (a *killer*) is cut: every closed set in it holds the killer, so it was found
in the killer's own branch. No store of found sets is needed, so branches can be searched in any order, or at once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount, stopped
from confide.mining.databases.task import Task
from confide.mining.itemsets._node_kernels import Branch, Notes, first_level, join, sort_level
from confide.mining.itemsets._record_kernels import note
from confide.mining.itemsets.bitmap_kernels import ONE, Bitmaps, inside, lowest

__all__ = ["mine_closed"]


@kernel
def mine_closed(
    bitmaps: Bitmaps,
    levels: NDArray[np.int64],
    branch: Branch,
    item_supports: NDArray[np.int64],
    task: Task,
    notes: Notes,
    stop: NDArray[np.int64],
) -> Any:
    """Note every closed set of at most `max_length` items that extends a branch by candidates and no killer.

    Arguments as in `mine_all`; columns of the killers must be in the arena too.
    """
    keep, table, records, n = notes
    width, min_support, max_length = bitmaps.width, task.min_support, task.max_length
    ids, supports, places = levels[0], levels[1], levels[2]
    counts = np.zeros(66, np.int64)
    at = np.zeros(66, np.int64)
    free = np.zeros(66, np.int64)
    fixed_at = np.zeros(66, np.uint64)
    killers_at = np.zeros(66, np.uint64)
    counts[0] = first_level(levels, branch, item_supports, width)
    free[0], fixed_at[0], killers_at[0] = 64 * width, branch.fixed, branch.killers
    level = 0
    while level >= 0 and not stopped(stop):
        i = at[level]
        if i == counts[level]:
            level -= 1
            continue
        at[level] += 1
        support, place = supports[level, i], places[level, i]
        killers = killers_at[level]
        killers_at[level] |= ONE << np.uint64(ids[level, i])
        left = killers
        while left:
            if inside(bitmaps, place, lowest(left) * width):
                break
            left &= left - ONE
        if left:
            continue
        perfect, size, out = join(bitmaps, levels, level, i, counts[level], free[level], min_support, True)
        fixed = fixed_at[level] | (ONE << np.uint64(ids[level, i])) | perfect
        length = np.int64(popcount(fixed))
        if length > max_length:  # and so is every set below
            continue
        if keep:
            records = note(records, n, fixed, np.uint64(0), support)
            n += 1
        else:
            table[length, 0] += 1
        if size and length < max_length:
            level += 1
            sort_level(levels, level, size)
            counts[level], at[level], free[level] = size, 0, out
            fixed_at[level], killers_at[level] = fixed, killers
    return records, n
