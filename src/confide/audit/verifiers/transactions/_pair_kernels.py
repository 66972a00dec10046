"""Pairs of a release counted in one table, for the auditor: arrays in, arrays out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["gather_cohorts", "tally_pairs"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def tally_pairs(indptr: I64, indices: I32, table: NDArray[np.uint32]) -> None:
    """Add to table[a, b] the records that hold the items a < b."""
    for r in range(len(indptr) - 1):
        for p in range(indptr[r], indptr[r + 1]):
            for q in range(p + 1, indptr[r + 1]):
                table[indices[p], indices[q]] += np.uint32(1)


@kernel
def gather_cohorts(indptr: I64, indices: I32, wanted: NDArray[np.bool_]) -> Any:
    """The records that hold a wanted item, as compressed rows."""
    ends = np.empty(len(indptr), np.int64)
    rows = np.empty(indptr[-1] - indptr[0] + 1, np.int32)
    ends[0] = 0
    n, end = 0, 0
    for r in range(len(indptr) - 1):
        held = False
        for p in range(indptr[r], indptr[r + 1]):
            held = held or wanted[indices[p]]
        if held:
            for p in range(indptr[r], indptr[r + 1]):
                rows[end] = indices[p]
                end += 1
            n += 1
            ends[n] = end
    return ends[: n + 1].copy(), rows[:end].copy()
