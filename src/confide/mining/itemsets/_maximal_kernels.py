"""Maximal frequent itemsets of a database of at most 64 items: those no superset of which is frequent.

A set that no later item can join is maximal exactly if no item tried before (a *killer*) can join it either, which
the columns tell: the answer does not depend on what was found before. What was found before only saves work. A
branch is cut when

    all it could reach, P with all items that may join, lies inside a maximal set already found;
    all its rows hold a killer, so that every set in it can be extended;
    P with all items that may join is frequent: that one set is all there is to see.

So threads may look into each other's lists of found sets, at any moment, and still give the same result.

With a `max_length` the sets wanted are those maximal among the frequent sets of at most that length. The cuts above
would lose some of them, so they are left out, and a set that has the full length is one without further question.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount, stopped
from confide.mining.databases.task import Task
from confide.mining.itemsets._node_kernels import Branch, Notes, first_level, join, sort_level
from confide.mining.itemsets._record_kernels import note
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO, Bitmaps, and_count, common_count, lowest
from confide.mining.itemsets.found import Seen

__all__ = ["mine_maximal"]


@kernel
def _covered(found: NDArray[np.uint64], n_found: NDArray[np.int64], reach: np.uint64) -> Any:
    """Whether `reach` lies inside a set found by any thread. A set half written reads as empty: no harm."""
    for t in range(len(found)):
        row = found[t]
        r = n_found[t] - 1
        while r >= 0:
            if reach & ~row[r] == ZERO:
                return True
            r -= 1
    return False


@kernel
def _extendable(bitmaps: Bitmaps, place: int, killers: np.uint64, min_support: int) -> Any:
    """Whether a killer can join the set whose rows are the column at `place`."""
    while killers:
        if common_count(bitmaps, place, lowest(killers) * bitmaps.width) >= min_support:
            return True
        killers &= killers - ONE
    return False


@kernel
def mine_maximal(
    bitmaps: Bitmaps,
    levels: NDArray[np.int64],
    branch: Branch,
    item_supports: NDArray[np.int64],
    task: Task,
    seen: Seen,
    notes: Notes,
    stop: NDArray[np.int64],
) -> Any:
    """Note every maximal set that extends a branch by candidates and no killer.

    Arguments as in `mine_closed`. Shortcuts are taken unless a `max_length` is to be kept to.
    """
    keep, table, records, n = notes
    found, n_found, thread = seen
    width, min_support, max_length, shortcuts = bitmaps.width, task.min_support, task.max_length, task.shortcuts
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
        fixed = fixed_at[level] | (ONE << np.uint64(ids[level, i]))
        full = np.int64(popcount(fixed)) == max_length
        perfect, size, out = ZERO, 0, free[level]
        if not full:
            perfect, size, out = join(bitmaps, levels, level, i, counts[level], out, min_support, shortcuts)
        fixed |= perfect
        reach = fixed
        for j in range(size):
            reach |= ONE << np.uint64(ids[level + 1, j])
        if shortcuts and _covered(found, n_found, reach):
            continue
        if shortcuts and size:
            both, joint = support, place
            for j in range(size):
                both = and_count(bitmaps, joint, places[level + 1, j], out)
                joint = out
                if both < min_support:
                    break
            if both >= min_support:
                fixed, support, place, size = reach, both, joint, 0
        if size == 0:
            if full or not _extendable(bitmaps, place, killers, min_support):
                if keep:
                    records = note(records, n, fixed, ZERO, support)
                    n += 1
                else:
                    table[np.int64(popcount(fixed)), 0] += 1
                if n_found[thread] < found.shape[1]:
                    found[thread, n_found[thread]] = fixed
                    n_found[thread] += 1
            continue
        left = killers
        dead = False
        while left:
            b = lowest(left)
            left &= left - ONE
            both = common_count(bitmaps, place, b * width)
            if both < min_support:
                killers ^= ONE << np.uint64(b)
            elif shortcuts and both == support:
                dead = True
                break
        if dead:
            continue
        level += 1
        sort_level(levels, level, size)
        counts[level], at[level], free[level] = size, 0, out
        fixed_at[level], killers_at[level] = fixed, killers
    return records, n
