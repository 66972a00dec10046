"""Counting answers that name a hash function: arrays in, arrays out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["count_hashed"]


@kernel
def count_hashed(rows: NDArray[np.int64], prime: int, buckets: int, size: int) -> Any:
    """For each value below `size`, how many rows [a, b, bucket] have (a value + b mod prime) mod buckets = bucket."""
    found = np.zeros(size, dtype=np.int64)
    modulus = np.uint32(buckets)
    for i in range(len(rows)):
        step, hashed, bucket = np.uint32(rows[i, 0]), np.uint32(rows[i, 1]), np.uint32(rows[i, 2])
        for value in range(size):
            if hashed % modulus == bucket:
                found[value] += 1
            # both are below 2^31, so their sum fits
            hashed = np.uint32(hashed + step)
            if hashed >= prime:
                hashed = np.uint32(hashed - np.uint32(prime))
    return found
