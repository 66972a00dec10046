"""Kernels on bitmaps in 64-bit words: how many bits are set in several at once, and where the next one is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount, trailing_zeros

U64 = NDArray[np.uint64]


@kernel
def and_count(a: U64, b: U64, words: int) -> Any:
    """Bits set in both, over the first `words` words."""
    total = np.uint64(0)
    for w in range(words):
        total += popcount(a[w] & b[w])
    return np.int64(total)


@kernel
def and3_count(a: U64, b: U64, c: U64, start: int, stop: int) -> Any:
    """Bits set in all three, over the words from `start` to `stop` - 1."""
    total = np.uint64(0)
    for w in range(start, stop):
        total += popcount(a[w] & b[w] & c[w])
    return np.int64(total)


@kernel
def has_bit(row: U64, place: int) -> Any:
    """Whether this bit is set."""
    return row[place >> 6] >> np.uint64(place & 63) & np.uint64(1) != 0


@kernel
def next_bit(row: U64, place: int, stop: int) -> Any:
    """The first bit set at `place` or after it; `stop` when there is none before."""
    while place < stop:
        rest = row[place >> 6] >> np.uint64(place & 63)
        if rest:
            return min(place + np.int64(trailing_zeros(rest)), stop)
        place = ((place >> 6) + 1) << 6
    return stop
