"""Kernels on a cohort, the records that hold one item: its counts, and its items as bitmaps over its records."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]


@kernel
def tally(cohort: I32, ptr: I64, entries: I32, above: int, counts: I64, touched: I32) -> int:
    """Count the entries above `above` in the cohort's rows; returns how many different ones were `touched`."""
    n = 0
    for t in cohort:
        for u in _beyond(ptr, entries, t, above):
            counts[u] += 1
            if counts[u] == 1:
                touched[n] = u
                n += 1
    return n


@kernel
def _beyond(ptr: I64, entries: I32, t: int, above: int) -> I32:
    """The entries of row t that are larger than `above`; entries ascend within a row."""
    row = entries[ptr[t] : ptr[t + 1]]
    first = len(row)
    while first > 0 and row[first - 1] > above:
        first -= 1
    return row[first:]


@kernel
def bitmaps(cohort: I32, ptr: I64, entries: I32, above: int, slot: I64, n_slots: int) -> U64:
    """Columns over the cohort, one for each entry above `above` that has a slot (slot[u] >= 0)."""
    columns = np.zeros((n_slots, (len(cohort) + 63) >> 6), np.uint64)
    for b, t in enumerate(cohort):
        for u in _beyond(ptr, entries, t, above):
            if slot[u] >= 0:
                columns[slot[u], b >> 6] |= np.uint64(1) << np.uint64(b & 63)
    return columns


@kernel
def give_slots(counts: I64, touched: I32, n_touched: int, chosen: I32) -> None:
    """Turn counts into places of columns: a chosen entry's own, -1 for the others of the cohort."""
    for x in range(n_touched):
        counts[touched[x]] = -1
    for x in range(len(chosen)):
        counts[chosen[x]] = x


@kernel
def clear(counts: I64, touched: I32, n_touched: int) -> None:
    """Zeros again."""
    for x in range(n_touched):
        counts[touched[x]] = 0
