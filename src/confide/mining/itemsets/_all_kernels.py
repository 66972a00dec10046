"""All frequent itemsets of a database of at most 64 items (Eclat on bitmaps, with perfect extensions).

A node of the search is a set P with the items that may still join it, each with the column of the rows that hold P
and the item. Its child for item i intersects the columns of i and of each later item j:

    weight of the rows < min_support   j is dropped, from the whole subtree
    equal to the support of P + i      j is a *perfect extension*: every row with P + i holds j. It joins no branch;
                                       the record says that it may be added to any set of the subtree
    otherwise                          j may join

Items with the smallest support go first, which leaves the fewest items to the largest subtrees.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount, stopped
from confide.mining.databases.task import Task
from confide.mining.itemsets._node_kernels import Branch, Notes, first_level, join, sort_level
from confide.mining.itemsets._record_kernels import note
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO, Bitmaps

__all__ = ["mine_all"]


@kernel
def mine_all(
    bitmaps: Bitmaps,
    levels: NDArray[np.int64],
    branch: Branch,
    item_supports: NDArray[np.int64],
    task: Task,
    notes: Notes,
    stop: NDArray[np.int64],
) -> Any:
    """Note every frequent set that extends a branch by one or more candidates; give (records, their number).

    `item_supports[b]` is the support of the branch's fixed items with item b. Without shortcuts perfect extensions are
    tried like other items, so that every set has its own record. `levels` is scratch, 3 x 66 x 64. Once `stop` is set
    it returns soon, with whatever it has.
    """
    keep, table, records, n = notes
    min_support, max_length, shortcuts = task.min_support, task.max_length, task.shortcuts
    ids, supports = levels[0], levels[1]
    counts = np.zeros(66, np.int64)
    at = np.zeros(66, np.int64)
    free = np.zeros(66, np.int64)  # where the arena is unused from this level on
    fixed_at = np.zeros(66, np.uint64)
    optional_at = np.zeros(66, np.uint64)
    counts[0] = first_level(levels, branch, item_supports, bitmaps.width)
    free[0], fixed_at[0], optional_at[0] = 64 * bitmaps.width, branch.fixed, branch.optional
    level = 0
    while level >= 0 and not stopped(stop):
        i = at[level]
        if i == counts[level]:
            level -= 1
            continue
        at[level] += 1
        support = supports[level, i]
        fixed = fixed_at[level] | (ONE << np.uint64(ids[level, i]))
        length = np.int64(popcount(fixed))
        perfect, size, out = ZERO, 0, free[level]
        if length < max_length:
            perfect, size, out = join(bitmaps, levels, level, i, counts[level], out, min_support, shortcuts)
        optional = optional_at[level] | perfect
        if keep:
            records = note(records, n, fixed, optional, support)
            n += 1
        else:
            table[length, np.int64(popcount(optional))] += 1
        if size:
            level += 1
            sort_level(levels, level, size)
            counts[level], at[level], free[level] = size, 0, out
            fixed_at[level], optional_at[level] = fixed, optional
    return records, n
