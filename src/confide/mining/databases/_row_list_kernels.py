"""Records of some items as lists of ranks: arrays in, arrays out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["laid_out", "occurrences_of", "rows_with"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def rows_with(indptr: Longs, indices: Ints, rank: Ints, wanted: NDArray[np.bool_]) -> Any:
    """The records that hold a wanted rank and another, as rows of ranks, ascending."""
    starts = np.empty(len(indptr), np.int64)
    rows = np.empty(indptr[-1] - indptr[0] + 1, np.int32)
    starts[0] = 0
    n, end = 0, 0
    for r in range(len(indptr) - 1):
        begin = end
        held = False
        for p in range(indptr[r], indptr[r + 1]):
            at = rank[indices[p]]
            if at >= 0:
                rows[end] = at
                end += 1
                held = held or wanted[at]
        if not held or end - begin < 2:
            end = begin
            continue
        for i in range(begin + 1, end):  # records are short: insertion
            at = rows[i]
            j = i - 1
            while j >= begin and rows[j] > at:
                rows[j + 1] = rows[j]
                j -= 1
            rows[j + 1] = at
        n += 1
        starts[n] = end
    return starts[: n + 1].copy(), rows[:end].copy()


@kernel
def laid_out(starts: Longs, rows: Ints, entries: Ints, end: int) -> int:
    """Write rows with a -1 behind each from entries[end] on; give the new end."""
    for r in range(len(starts) - 1):
        for p in range(starts[r], starts[r + 1]):
            entries[end] = rows[p]
            end += 1
        entries[end] = -1
        end += 1
    return end


@kernel
def occurrences_of(entries: Ints, wanted: NDArray[np.bool_], fill: Longs, places: Ints) -> None:
    """Where each wanted rank stands: the positions behind it, from places[fill[rank]] on."""
    for p in range(len(entries)):
        at = entries[p]
        if at >= 0 and wanted[at]:
            places[fill[at]] = p + 1
            fill[at] += 1
