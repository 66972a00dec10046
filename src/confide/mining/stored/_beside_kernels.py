"""Given pairs counted with each of some anchors: arrays in, arrays out.

Pairs i < j of numbers lie in lexicographic order: those that begin with i are places starts[i] .. starts[i + 1] - 1,
and seconds[place] is the other one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["add_beside", "may_exceed", "place_of"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def place_of(starts: Longs, seconds: Ints, i: int, j: int) -> int:
    """The place of the pair i < j, or -1."""
    low, high = starts[i], starts[i + 1]
    while low < high:
        middle = (low + high) >> 1
        if seconds[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low if low < starts[i + 1] and seconds[low] == j else -1


@kernel
def add_beside(
    anchor_starts: Longs, anchors: Ints, row_starts: Longs, rows: Ints, first: int, last: int,
    starts: Longs, seconds: Ints, lookup: Ints, base: int, table: Ints,
) -> None:  # fmt: skip
    """Count, in table[place - base, anchor], the records that hold an anchor and a pair.

    Pairs begin with a number from `first` to `last` - 1; rows and anchors of a record ascend. lookup[i, j], unless
    it is empty, is the place of a pair, or -1.
    """
    for r in range(len(row_starts) - 1):
        if anchor_starts[r] == anchor_starts[r + 1]:
            continue
        end = row_starts[r + 1]
        for a in range(row_starts[r], end - 1):
            i = rows[a]
            if i < first:
                continue
            if i >= last:
                break
            if len(lookup) > 0:
                for b in range(a + 1, end):
                    place = lookup[i, rows[b]]
                    if place >= 0:
                        for p in range(anchor_starts[r], anchor_starts[r + 1]):
                            table[place - base, anchors[p]] += 1
                continue
            low, high = starts[i], starts[i + 1]
            for b in range(a + 1, end):
                j = rows[b]
                stop = high
                while low < stop:
                    middle = (low + stop) >> 1
                    if seconds[middle] < j:
                        low = middle + 1
                    else:
                        stop = middle
                if low == high:
                    break
                if seconds[low] == j:
                    for p in range(anchor_starts[r], anchor_starts[r + 1]):
                        table[low - base, anchors[p]] += 1


@kernel
def may_exceed(
    sets: Ints, most: Longs, begin: int, room: int, starts: Longs, seconds: Ints, table: NDArray[np.uint8]
) -> Any:
    """(set, anchor) from set number `begin` on, no pair of which stands with the anchor `most` times or fewer.

    Counts in `table` end at 255. Ends when `room` are found, behind all of one set; gives (sets, anchors, the number of
    the set to go on with). All pairs of the sets must be among those given.
    """
    n, length = sets.shape
    n_anchors = table.shape[1]
    which = np.empty(room + n_anchors, np.int64)
    beside = np.empty(room + n_anchors, np.int64)
    places = np.empty(length * (length - 1) // 2, np.int64)
    found = 0
    at = begin
    while at < n and found < room:
        p = 0
        for c in range(length):
            for d in range(c + 1, length):
                places[p] = place_of(starts, seconds, sets[at, c], sets[at, d])
                p += 1
        for s in range(n_anchors):
            least: Any = 255
            for q in range(p):
                least = min(least, table[places[q], s])
            if least > most[at] or least == 255:
                which[found] = at
                beside[found] = s
                found += 1
        at += 1
    return which[:found].copy(), beside[:found].copy(), at
