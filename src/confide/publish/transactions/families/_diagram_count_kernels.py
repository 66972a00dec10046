"""Around the diagrams of `_zdd_kernels`: putting sets in order before, and counting on a finished one.

A finished diagram is three arrays, `level`, `lo` and `hi`, children before parents, and the number of its root.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel


@kernel
def in_levels(
    starts: NDArray[np.int64], items: NDArray[np.int32], level_of: NDArray[np.int32], n_levels: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The sets with each item replaced by its level, ascending; items of level -1 are left out."""
    n = len(starts) - 1
    new_starts = np.zeros(n + 1, dtype=np.int64)
    column = np.zeros(n_levels + 1, dtype=np.int64)
    for i in range(n):
        kept = 0
        for at in range(starts[i], starts[i + 1]):
            level = int(level_of[items[at]])
            if level >= 0:
                kept += 1
                column[level + 1] += 1
        new_starts[i + 1] = new_starts[i] + kept
    for level in range(n_levels):
        column[level + 1] += column[level]
    # Transposed twice: sets by level, then levels by set, which come out ascending.
    holders = np.empty(new_starts[n], dtype=np.int64)
    place = column[:-1].copy()
    for i in range(n):
        for at in range(starts[i], starts[i + 1]):
            level = int(level_of[items[at]])
            if level >= 0:
                holders[place[level]] = i
                place[level] += 1
    levels = np.empty(new_starts[n], dtype=np.int32)
    place = new_starts[:-1].copy()
    for level in range(n_levels):
        for at in range(column[level], column[level + 1]):
            levels[place[holders[at]]] = level
            place[holders[at]] += 1
    return new_starts, levels


@kernel
def in_order(starts: NDArray[np.int64], levels: NDArray[np.int32], n_levels: int) -> NDArray[np.int64]:
    """The sets in lexicographic order, each once, a set after all those it begins (its end counts as a last level).

    Counting sort by the last position first; sets too short for a position go behind."""
    n = len(starts) - 1
    longest = 0
    for i in range(n):
        longest = max(longest, starts[i + 1] - starts[i])
    order, other = np.arange(n), np.empty(n, dtype=np.int64)
    for position in range(longest - 1, -1, -1):
        place = np.zeros(n_levels + 2, dtype=np.int64)
        for which in order:
            at = starts[which] + position
            place[(levels[at] if at < starts[which + 1] else n_levels) + 1] += 1
        for level in range(n_levels + 1):
            place[level + 1] += place[level]
        for which in order:
            at = starts[which] + position
            level = int(levels[at]) if at < starts[which + 1] else n_levels
            other[place[level]] = which
            place[level] += 1
        order, other = other, order
    kept = 0
    for at in range(n):
        i = order[at]
        length = starts[i + 1] - starts[i]
        same = at > 0
        if same:
            before = order[kept - 1]
            same = starts[before + 1] - starts[before] == length
            for d in range(length):
                if not same:
                    break
                same = levels[starts[before] + d] == levels[starts[i] + d]
        if not same:
            order[kept] = i
            kept += 1
    return order[:kept]


@kernel
def without_levels(
    level: NDArray[np.int32], lo: NDArray[np.int32], hi: NDArray[np.int32], root: int, gone: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
    """The sets of node `root` that hold no level marked in `gone`, as (level, lo, hi, root) with no node unused.

    Two of the nodes may be equal, since no hash table is kept; every set is still in it exactly once.
    """
    wanted = np.zeros(root + 1, dtype=np.bool_)
    wanted[root] = True
    for i in range(root, 1, -1):
        if wanted[i]:
            wanted[lo[i]] = True
            if not gone[level[i]]:
                wanted[hi[i]] = True
    number = np.zeros(root + 1, dtype=np.int32)
    number[1:2] = 1
    size = 2
    for i in range(2, root + 1):
        if wanted[i]:
            if gone[level[i]] or number[hi[i]] == 0:
                number[i] = number[lo[i]]
            else:
                number[i] = size
                size += 1
    new_level, new_lo, new_hi = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros(size, np.int32)
    for i in range(2, root + 1):
        if wanted[i] and not gone[level[i]] and number[hi[i]] != 0:
            j = number[i]
            new_level[j], new_lo[j], new_hi[j] = level[i], number[lo[i]], number[hi[i]]
    return new_level, new_lo, new_hi, int(number[root])


@kernel
def held_alone(
    level: NDArray[np.int32], lo: NDArray[np.int32], hi: NDArray[np.int32], root: int, gone: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which levels marked in `gone` are the only such level of some set of node `root`."""
    free = np.zeros(root + 1, dtype=np.bool_)  # has a set without any of them
    free[1:2] = True
    for i in range(2, root + 1):
        free[i] = free[lo[i]] or (free[hi[i]] and not gone[level[i]])
    reached = np.zeros(root + 1, dtype=np.bool_)  # by a path from the root that takes none of them
    reached[root] = True
    found = np.zeros(len(gone), dtype=np.bool_)
    for i in range(root, 1, -1):
        if reached[i]:
            reached[lo[i]] = True
            if not gone[level[i]]:
                reached[hi[i]] = True
            elif free[hi[i]]:
                found[level[i]] = True
    return found


@kernel
def log2_size(lo: NDArray[np.int32], hi: NDArray[np.int32], root: int) -> float:
    """The binary logarithm of the number of sets, to about ten digits; cannot overflow."""
    logs = np.empty(root + 1)
    logs[0] = -np.inf
    logs[1:2] = 0.0
    for i in range(2, root + 1):
        a, b = logs[lo[i]], logs[hi[i]]
        logs[i] = max(a, b) + np.log2(1.0 + np.exp2(min(a, b) - max(a, b)))
    return float(logs[root])


@kernel
def counts(
    level: NDArray[np.int32], lo: NDArray[np.int32], hi: NDArray[np.int32], root: int, n_levels: int,
    longest: int, modulus: int,
) -> NDArray[np.int64]:  # fmt: skip
    """How many sets of at most `longest` levels (0: of any size) hold each level; the last entry counts all of them.

    A set that holds v is a path from the root to a node of level v, its hi, and a set below it. With a `modulus`
    (below 2**31) the answer is modulo that; with 0 it is exact as long as the number of all sets is below 2**63,
    since every number on the way counts some of the sets.
    """
    width = longest + 1 if longest else 1
    shift = 1 if longest else 0
    below = np.zeros((root + 1, width), dtype=np.int64)  # sets of at most j levels below node i
    above = np.zeros((root + 1, width), dtype=np.int64)  # ways from the root to node i that take j levels
    if root > 0:
        below[1] = 1
    for i in range(2, root + 1):
        for j in range(width):
            below[i, j] = below[lo[i], j]
            if j >= shift:
                below[i, j] += below[hi[i], j - shift]
                if modulus and below[i, j] >= modulus:
                    below[i, j] -= modulus
    found = np.zeros(n_levels + 1, dtype=np.int64)
    found[n_levels] = below[root, width - 1]
    above[root, 0] = 1
    for i in range(root, 1, -1):
        with_level = 0
        for j in range(width - shift):
            ways = above[i, j]
            if ways == 0:
                continue
            above[lo[i], j] += ways
            above[hi[i], j + shift] += ways
            if modulus:
                above[lo[i], j] %= modulus
                above[hi[i], j + shift] %= modulus
                with_level = (with_level + ways * below[hi[i], width - 1 - j - shift]) % modulus
            else:
                with_level += ways * below[hi[i], width - 1 - j - shift]
        found[level[i]] += with_level
    if modulus:
        for v in range(n_levels):
            found[v] %= modulus
    return found
