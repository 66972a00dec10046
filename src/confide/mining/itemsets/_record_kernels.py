"""Findings of a search, kept small, and turned into the columns of `Itemsets` at the end.

A search notes a *record* of three words for each set it visits:

    fixed      the items of the set                            (bits)
    optional   items that every row with `fixed` also holds    (bits)
    support

and means by it `fixed` joined with every subset of `optional`: all of them have that support. Where items go
together (mushroom, connect) a record stands for thousands of itemsets, so the records are far smaller than the
result, its exact size is known before it is allocated, and threads fill it without talking to each other.

Bits refer to a *universe*, a list of at most 64 item codes, ascending, so that reading the bits upwards gives the
items in order. A run of records with one universe is a *group*: (task, first record, first code, number of codes).
A record with no bits at all means the whole universe; it alone may be longer than 64.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import claim, kernel, popcount, stopped
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO, lowest
from confide.mining.itemsets.found import Found

__all__ = ["add_group", "expand", "note", "sizes"]

Records = NDArray[np.uint64]
Groups = NDArray[np.int64]
Codes = NDArray[np.int32]


@kernel
def note(records: Records, n: int, fixed: np.uint64, optional: np.uint64, support: int) -> Any:
    """Append a record as number `n`; give the array, which is a larger copy when it was full."""
    if n == len(records):
        larger = np.empty((2 * n, 3), np.uint64)
        # Here and elsewhere: a loop, since numba compiles an assignment of slices for a second or more.
        for i in range(n):
            larger[i, 0], larger[i, 1], larger[i, 2] = records[i, 0], records[i, 1], records[i, 2]
        records = larger
    records[n, 0] = fixed
    records[n, 1] = optional
    records[n, 2] = np.uint64(support)
    return records


@kernel
def add_group(
    groups: Groups, n_groups: int, universes: Codes, n_codes: int, task: int, first: int, codes: Codes, size: int
) -> Any:
    """Open a group whose universe is the first `size` of `codes`; give (groups, universes), grown when needed."""
    if n_groups == len(groups):
        larger = np.empty((2 * n_groups, 4), np.int64)
        for i in range(n_groups):
            for j in range(4):
                larger[i, j] = groups[i, j]
        groups = larger
    if n_codes + size > len(universes):
        longer = np.empty(2 * (n_codes + size), np.int32)
        for i in range(n_codes):
            longer[i] = universes[i]
        universes = longer
    for i in range(size):
        universes[n_codes + i] = codes[i]
    groups[n_groups, 0] = task
    groups[n_groups, 1] = first
    groups[n_groups, 2] = n_codes
    groups[n_groups, 3] = size
    return groups, universes


@kernel
def sizes(groups: Groups, ends: NDArray[np.int64], records: Records) -> Any:
    """For each group, the number of itemsets its records stand for, and of items in them.

    As floats: exact for all results that fit into a memory, no overflow for those that do not.
    """
    found = np.zeros((len(groups), 2), np.float64)
    for g in range(len(groups)):
        for r in range(groups[g, 1], ends[g]):
            fixed, optional = np.int64(popcount(records[r, 0])), np.int64(popcount(records[r, 1]))
            if fixed + optional == 0:
                found[g, 0] += 1
                found[g, 1] += groups[g, 3]
                continue
            subsets = 2.0**optional
            found[g, 0] += subsets
            found[g, 1] += subsets * (fixed + 0.5 * optional)
    return found


@kernel
def expand(
    queue: NDArray[np.int64],
    stop: NDArray[np.int64],
    found: Found,
    starts: NDArray[np.int64],
    offsets: NDArray[Any],
    items: NDArray[Any],
    supports: NDArray[np.int32],
) -> None:
    """Write the itemsets of each group claimed from `queue` from set and item number `starts[group]` on.

    `offsets[i + 1]` is written as the end of set i, so the caller sets `offsets[0]`. The arrays written are of the
    types that `Itemsets` stores; of the versions that numba can compile for them, a process rarely needs two.
    """
    records, groups, universes, ends = found.records, found.groups, found.universes, found.ends
    while True:
        g = claim(queue)
        if g >= len(groups):
            return
        at, end = starts[g, 0], starts[g, 1]
        codes = universes[groups[g, 2] : groups[g, 2] + groups[g, 3]]
        for r in range(groups[g, 1], ends[g]):
            if stopped(stop):
                return
            fixed, optional, support = records[r, 0], records[r, 1], np.int64(records[r, 2])
            if fixed | optional == ZERO:
                for code in codes:
                    items[end] = code
                    end += 1
                offsets[at + 1] = end
                supports[at] = support
                at += 1
                continue
            chosen = optional
            while True:
                left = fixed | chosen
                while left:
                    items[end] = codes[lowest(left)]
                    left &= left - ONE
                    end += 1
                offsets[at + 1] = end
                supports[at] = support
                at += 1
                if chosen == ZERO or stopped(stop):  # one record may stand for millions of sets
                    break
                chosen = (chosen - ONE) & optional
