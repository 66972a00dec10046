"""Candidates counted record by record: arrays in, arrays out.

The candidates, rows of ascending numbers in lexicographic order, are a tree: node x has the item `items[x]`, and the
children children[x] .. children[x + 1] - 1, which are of the next depth. Depths lie end to end, that of d (0 is the
first item) from `base[d]` on; the nodes of the last depth are the candidates.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.mining.counting.level_kernels import find_row

__all__ = ["add_sets", "in_order", "join_block", "tree_of"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def in_order(sets: Ints) -> bool:
    """Whether candidates are in lexicographic order, each once."""
    for s in range(1, len(sets)):
        k = 0
        while k < sets.shape[1] and sets[s - 1, k] == sets[s, k]:
            k += 1
        if k == sets.shape[1] or sets[s - 1, k] > sets[s, k]:
            return False
    return True


@kernel
def tree_of(sets: Ints) -> Any:
    """The tree of these candidates: (items, children, base)."""
    n, length = sets.shape
    sizes = np.zeros(length, np.int64)
    for s in range(n):
        same = 0
        if s > 0:
            while same < length and sets[s, same] == sets[s - 1, same]:
                same += 1
        for d in range(same, length):
            sizes[d] += 1
    base = np.zeros(length + 1, np.int64)
    for d in range(length):
        base[d + 1] = base[d] + sizes[d]
    items = np.empty(base[length], np.int32)
    children = np.empty(base[length - 1] + 1, np.int64)  # where the children of each node begin, but for the last depth
    at = base[:-1].copy()
    for s in range(n):
        same = 0
        if s > 0:
            while same < length and sets[s, same] == sets[s - 1, same]:
                same += 1
        for d in range(same, length):
            items[at[d]] = sets[s, d]
            if d < length - 1:
                children[at[d]] = at[d + 1]
            at[d] += 1
    children[base[length - 1]] = base[length]
    return items, children, base


@kernel
def _find(items: Ints, low: int, high: int, wanted: int) -> Any:
    """Where `wanted` stands among items[low:high], ascending; -1 if nowhere."""
    if low >= high or wanted < items[low] or wanted > items[high - 1]:
        return np.int64(-1)
    # No item stands further from the first than their numbers differ; where most follow each other, that is the place.
    high = min(high, low + (wanted - items[low]) + 1)
    if items[high - 1] == wanted:
        return np.int64(high - 1)
    while low < high:
        middle = (low + high) >> 1
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return np.int64(low) if items[low] == wanted else np.int64(-1)


@kernel
def add_sets(starts: Longs, rows: Ints, items: Ints, children: Longs, base: Longs, counts: Ints) -> None:
    """Add to `counts` the rows (ascending numbers) that hold each candidate."""
    length = len(base) - 1
    places = np.zeros(length, np.int64)  # where in the row the walk looks next, by depth
    nodes = np.zeros(length + 1, np.int64)
    for r in range(len(starts) - 1):
        begin, end = starts[r], starts[r + 1]
        if end - begin < length:
            continue
        d = 0
        places[0] = begin
        while d >= 0:
            e = places[d]
            if e > end - (length - d):
                d -= 1
                continue
            places[d] = e + 1
            if d == 0:
                low, high = base[0], base[1]
            else:
                low, high = children[nodes[d]], children[nodes[d] + 1]
            node = _find(items, low, high, rows[e])
            if node < 0:
                continue
            if d == length - 1:
                counts[node - base[length - 1]] += 1
            else:
                nodes[d + 1] = node
                d += 1
                places[d] = e + 1


@kernel
def join_block(sets: Ints, first: int, most: int) -> Any:
    """Candidates one item longer, all of whose parts are among the sets, that begin with sets number `first` and on.

    Ends when `most` are made, behind all of one set; gives (candidates, the number of the set to go on with).
    """
    m, n = sets.shape
    made = np.empty((1024, n + 1), np.int32)
    wanted = np.empty(n, np.int32)
    count = 0
    a = first
    while a < m and count < most:
        for b in range(a + 1, m):
            k = 0
            while k < n - 1 and sets[a, k] == sets[b, k]:
                k += 1
            if k < n - 1:
                break
            if count == len(made):
                larger = np.empty((2 * count, n + 1), np.int32)
                for c in range(count):
                    for k in range(n + 1):
                        larger[c, k] = made[c, k]
                made = larger
            for k in range(n):
                made[count, k] = sets[a, k]
            made[count, n] = sets[b, n - 1]
            whole = True
            for skip in range(n - 1):
                for k in range(n):
                    wanted[k] = made[count, k if k < skip else k + 1]
                if find_row(sets, wanted) < 0:
                    whole = False
                    break
            if whole:
                count += 1
        a += 1
    return made[:count].copy(), a
