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

from confide.core.runtime.jit import kernel, popcount
from confide.mining.itemsets._bitmap_kernels import ONE, and_count, lowest
from confide.mining.itemsets._queue_kernels import stopped
from confide.mining.itemsets._record_kernels import note

__all__ = ["mine_all", "sort_level"]


@kernel
def sort_level(ids: NDArray[np.int64], supports: NDArray[np.int64], places: NDArray[np.int64], n: int) -> None:
    """Sort the first `n` items of a level by ascending support, stably. Levels are short: insertion."""
    for i in range(1, n):
        b, support, place = ids[i], supports[i], places[i]
        j = i - 1
        while j >= 0 and supports[j] > support:
            ids[j + 1], supports[j + 1], places[j + 1] = ids[j], supports[j], places[j]
            j -= 1
        ids[j + 1], supports[j + 1], places[j + 1] = b, support, place


@kernel
def mine_all(
    arena: NDArray[np.uint64],
    shifts: NDArray[np.uint64],
    width: int,
    levels: NDArray[np.int64],
    candidates: np.uint64,
    fixed: np.uint64,
    optional: np.uint64,
    item_supports: NDArray[np.int64],
    min_support: int,
    max_length: int,
    shortcuts: bool,
    keep: bool,
    table: NDArray[np.int64],
    records: NDArray[np.uint64],
    n: int,
    stop: NDArray[np.int64],
) -> Any:
    """Note every frequent set that extends `fixed` by one or more `candidates`; give (records, their number).

    `item_supports[b]` is the support of `fixed` with item b. Without `shortcuts` perfect extensions are tried like
    other items, so that every set has its own record. When `keep` is false nothing is noted, only
    `table[length of fixed part, number of optional items]` counts. `levels` is scratch, 3 x 66 x 64. Once `stop`
    is set it returns soon, with whatever it has.
    """
    ids, supports, places = levels[0], levels[1], levels[2]
    counts = np.zeros(66, np.int64)
    at = np.zeros(66, np.int64)
    free = np.zeros(66, np.int64)  # where the arena is unused from this level on
    fixed_at = np.zeros(66, np.uint64)
    optional_at = np.zeros(66, np.uint64)
    left = candidates
    size = 0
    while left:
        b = lowest(left)
        left &= left - ONE
        ids[0, size], supports[0, size], places[0, size] = b, item_supports[b], b * width
        size += 1
    sort_level(ids[0], supports[0], places[0], size)
    counts[0], free[0], fixed_at[0], optional_at[0] = size, 64 * width, fixed, optional
    level = 0
    while level >= 0 and not stopped(stop):
        i = at[level]
        if i == counts[level]:
            level -= 1
            continue
        at[level] += 1
        support, place = supports[level, i], places[level, i]
        fixed = fixed_at[level] | (ONE << np.uint64(ids[level, i]))
        optional = optional_at[level]
        length = np.int64(popcount(fixed))
        size = 0
        out = free[level]
        if length < max_length:
            for j in range(i + 1, counts[level]):
                both = and_count(arena, place, places[level, j], out, width, shifts)
                if shortcuts and both == support:
                    optional |= ONE << np.uint64(ids[level, j])
                elif both >= min_support:
                    ids[level + 1, size], supports[level + 1, size] = ids[level, j], both
                    places[level + 1, size] = out
                    size += 1
                    out += width
        if keep:
            records = note(records, n, fixed, optional, support)
            n += 1
        else:
            table[length, np.int64(popcount(optional))] += 1
        if size:
            level += 1
            sort_level(ids[level], supports[level], places[level], size)
            counts[level], at[level], free[level] = size, 0, out
            fixed_at[level], optional_at[level] = fixed, optional
    return records, n
