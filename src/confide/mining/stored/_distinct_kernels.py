"""Different rows, and how often each stands there: arrays in, arrays out.

A hash table has slots with the number of a row, or -1; the rows lie end to end, ascending within each.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["CountedRows", "add_rows", "place_rows"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class CountedRows(NamedTuple):
    """Rows end to end, row r being rows[starts[r]:starts[r + 1]], and how often each stands there."""

    starts: Longs
    rows: Ints
    counts: Longs


SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _first_slot(rows: Ints, begin: int, end: int, n_slots: int) -> Any:
    bits = 0
    while (1 << bits) < n_slots:
        bits += 1
    mixed = np.uint64(end - begin + 1) * SPREAD
    for p in range(begin, end):
        mixed = (mixed ^ np.uint64(rows[p] + 1)) * SPREAD
        mixed ^= mixed >> np.uint64(29)
    return np.int64((mixed * SPREAD) >> np.uint64(64 - bits))


@kernel
def place_rows(starts: Longs, rows: Ints, used: int, slots: Ints) -> None:
    """Fill empty slots with the first `used` rows, which all differ."""
    wrap = len(slots) - 1
    for r in range(used):
        slot = _first_slot(rows, starts[r], starts[r + 1], len(slots))
        while slots[slot] >= 0:
            slot = (slot + 1) & wrap
        slots[slot] = r


@kernel
def add_rows(new: CountedRows, begin: int, slots: Ints, known: CountedRows, used: int) -> Any:
    """Count the new rows from number `begin` on among those known; give (the number it stopped at, rows used).

    It stops when half of the slots, or all room for rows, is used: the caller makes more and calls again.
    """
    new_starts, new_rows, new_counts = new
    starts, rows, counts = known
    wrap = len(slots) - 1
    for r in range(begin, len(new_starts) - 1):
        low, high = new_starts[r], new_starts[r + 1]
        slot = _first_slot(new_rows, low, high, len(slots))
        while True:
            other = slots[slot]
            if other < 0:
                end = starts[used] + high - low
                if 2 * used >= len(slots) or used + 1 >= len(starts) or end > len(rows):
                    return r, used
                for p in range(low, high):
                    rows[starts[used] + p - low] = new_rows[p]
                slots[slot], counts[used] = used, new_counts[r]
                used += 1
                starts[used] = end
                break
            same = starts[other + 1] - starts[other] == high - low
            at = starts[other]
            p = low
            while same and p < high:
                same = rows[at + p - low] == new_rows[p]
                p += 1
            if same:
                counts[other] += new_counts[r]
                break
            slot = (slot + 1) & wrap
    return len(new_starts) - 1, used
