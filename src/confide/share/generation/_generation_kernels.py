"""Kernels of pseudo-data generation: rows in random order, and values drawn from what each row may have.

Row i has a list of choices, number `kind[i]`; list c is the entries first[c] .. first[c] + size[c] - 1. Word i of a
stream depends on the stream's key and on i alone (SplitMix64, as in `core.samples._draws`), so blocks of rows can be
drawn in any order by any number of threads. Pseudo-data protects nobody, so it needs no more than that.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.core.samples import _draws

__all__ = ["END", "MIDDLE", "UNIFORM", "Intervals", "pick_codes", "pick_numbers", "pick_weighted", "shuffle"]

UNIFORM, MIDDLE, END = 0, 1, 2

# numba turns a mix of signed and unsigned 64-bit integers into floats, so every constant is unsigned.
_GOLDEN = np.uint64(_draws.GOLDEN)
_MIX_1 = np.uint64(_draws.MIX_1)
_MIX_2 = np.uint64(_draws.MIX_2)
_11, _27, _30, _31, _32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_TO_UNIT = _draws.TO_UNIT


class Intervals(NamedTuple):
    """Lists of intervals (low, high]: list c is the `size[c]` ones from `first[c]` on."""

    first: NDArray[np.int64]
    size: NDArray[np.int64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]


@kernel
def _word(key: np.uint64, i: int) -> np.uint64:
    z = key + np.uint64(i + 1) * _GOLDEN
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


@kernel
def shuffle(values: NDArray[np.int32], key: np.uint64) -> None:
    """Put `values` into random order, in place (Fisher and Yates)."""
    for i in range(len(values) - 1, 0, -1):
        j = int((_word(key, i) >> _32) * np.uint64(i + 1) >> _32)
        values[i], values[j] = values[j], values[i]


@kernel
def pick_codes(
    key: np.uint64,
    start: int,
    kind: NDArray[np.int32],
    first: NDArray[np.int64],
    size: NDArray[np.int64],
    entries: NDArray[np.int32],
    out: NDArray[np.int32],
) -> None:
    """Write to out[i] an entry of the row's list, each with the same chance; `start` is the number of row 0."""
    for i in range(len(out)):
        c = kind[i]
        place = (_word(key, start + i) >> _32) * np.uint64(size[c]) >> _32
        out[i] = entries[first[c] + np.int64(place)]


@kernel
def pick_numbers(
    key: np.uint64,
    start: int,
    kind: NDArray[np.int32],
    intervals: Intervals,
    how: int,
    out: NDArray[np.float64],
) -> None:
    """Write to out[i] a number of one of the row's intervals (low, high]: anywhere in it, its middle or its end."""
    first, size, lows, highs = intervals
    for i in range(len(out)):
        c = kind[i]
        word = _word(key, start + i)
        place = first[c] + np.int64((word >> _32) * np.uint64(size[c]) >> _32)
        low, high = lows[place], highs[place]
        if how == END:
            out[i] = high
        elif how == MIDDLE:
            out[i] = low + (high - low) / 2
        else:
            # A word of its own: the one above already chose the interval.
            unit = float(_word(key ^ _GOLDEN, start + i) >> _11) * _TO_UNIT
            out[i] = high - unit * (high - low)


@kernel
def pick_weighted(
    key: np.uint64,
    start: int,
    kind: NDArray[np.int32],
    first: NDArray[np.int64],
    size: NDArray[np.int64],
    bounds: NDArray[np.float64],
    out: NDArray[np.int32],
) -> None:
    """Write to out[i] a place 0 .. size - 1 in the row's list; `bounds` are its weights summed up, ending at 1."""
    for i in range(len(out)):
        c = kind[i]
        unit = float(_word(key, start + i) >> _11) * _TO_UNIT
        low, high = 0, size[c] - 1
        while low < high:
            middle = (low + high) // 2
            if unit < bounds[first[c] + middle]:
                high = middle
            else:
                low = middle + 1
        out[i] = low
