"""Closed frequent itemsets of a database of at most 64 items: those no superset of which has the same support.

The search is that for all itemsets, except that perfect extensions join the set at once, and that a branch whose
rows all hold an item tried before it (a *killer*) is cut: every closed set in it holds the killer, so it was found
in the killer's own branch. No store of found sets is needed, so branches can be searched in any order, or at once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount
from confide.mining.itemsets._all_kernels import sort_level
from confide.mining.itemsets._bitmap_kernels import ONE, and_count, inside, lowest
from confide.mining.itemsets._queue_kernels import stopped
from confide.mining.itemsets._record_kernels import note

__all__ = ["mine_closed"]


@kernel
def mine_closed(
    arena: NDArray[np.uint64],
    shifts: NDArray[np.uint64],
    width: int,
    levels: NDArray[np.int64],
    candidates: np.uint64,
    killers: np.uint64,
    fixed: np.uint64,
    item_supports: NDArray[np.int64],
    min_support: int,
    max_length: int,
    keep: bool,
    table: NDArray[np.int64],
    records: NDArray[np.uint64],
    n: int,
    stop: NDArray[np.int64],
) -> Any:
    """Note every closed set of at most `max_length` items that extends `fixed` by `candidates` and no killer.

    Arguments as in `mine_all`; columns of the killers must be in the arena too. `table[length, 0]` counts.
    """
    ids, supports, places = levels[0], levels[1], levels[2]
    counts = np.zeros(66, np.int64)
    at = np.zeros(66, np.int64)
    free = np.zeros(66, np.int64)
    fixed_at = np.zeros(66, np.uint64)
    killers_at = np.zeros(66, np.uint64)
    left = candidates
    size = 0
    while left:
        b = lowest(left)
        left &= left - ONE
        ids[0, size], supports[0, size], places[0, size] = b, item_supports[b], b * width
        size += 1
    sort_level(ids[0], supports[0], places[0], size)
    counts[0], free[0], fixed_at[0], killers_at[0] = size, 64 * width, fixed, killers
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
            if inside(arena, place, lowest(left) * width, width):
                break
            left &= left - ONE
        if left:
            continue
        fixed = fixed_at[level] | (ONE << np.uint64(ids[level, i]))
        size = 0
        out = free[level]
        for j in range(i + 1, counts[level]):
            both = and_count(arena, place, places[level, j], out, width, shifts)
            if both == support:
                fixed |= ONE << np.uint64(ids[level, j])
            elif both >= min_support:
                ids[level + 1, size], supports[level + 1, size] = ids[level, j], both
                places[level + 1, size] = out
                size += 1
                out += width
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
            sort_level(ids[level], supports[level], places[level], size)
            counts[level], at[level], free[level] = size, 0, out
            fixed_at[level], killers_at[level] = fixed, killers
    return records, n
