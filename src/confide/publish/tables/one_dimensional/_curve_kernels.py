"""Places on the Hilbert curve, and distances to reference points."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


@kernel
def hilbert(places: I64, bits: int) -> U64:
    """The place of each row on the Hilbert curve through a cube of 2**bits cells to a side (Skilling 2004).

    `places[row, column]` is below 2**bits; columns x bits is at most 64.
    """
    n, m = places.shape
    out = np.empty(n, np.uint64)
    x = np.empty(m, np.int64)
    for row in range(n):
        for c in range(m):
            x[c] = places[row, c]
        q = np.int64(1) << (bits - 1)
        while q > 1:
            p = q - 1
            for c in range(m):
                if x[c] & q:
                    x[0] ^= p
                else:
                    t = (x[0] ^ x[c]) & p
                    x[0] ^= t
                    x[c] ^= t
            q >>= 1
        for c in range(1, m):
            x[c] ^= x[c - 1]
        t = np.int64(0)
        q = np.int64(1) << (bits - 1)
        while q > 1:
            if x[m - 1] & q:
                t ^= q - 1
            q >>= 1
        place = np.uint64(0)
        for bit in range(bits - 1, -1, -1):
            for c in range(m):
                place = (place << np.uint64(1)) | np.uint64(((x[c] ^ t) >> bit) & 1)
        out[row] = place
    return out


@kernel
def nearest(points: F64, references: F64) -> tuple[I64, F64]:
    """For each point the nearest of the reference points, and how far away it is; ties go to the first."""
    n, m = points.shape
    which, far = np.empty(n, np.int64), np.empty(n, np.float64)
    for row in range(n):
        best, where = np.inf, 0
        for r in range(len(references)):
            total = 0.0
            for c in range(m):
                total += (points[row, c] - references[r, c]) ** 2
            if total < best:
                best, where = total, r
        which[row], far[row] = where, sqrt(best)
    return which, far
