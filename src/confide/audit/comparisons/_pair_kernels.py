"""Which pairs of a value and a label there are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["mark_pairs", "number_texts"]


@kernel
def mark_pairs(
    before: NDArray[np.int32], places: NDArray[np.int64], after: NDArray[np.int32], width: int, seen: NDArray[Any]
) -> None:
    """Mark the pair of each row i: value before[places[i]], label after[i]."""
    for i in range(len(places)):
        seen[np.int64(before[places[i]]) * width + after[i]] = True


@kernel
def number_texts(
    ends: NDArray[Any],
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    codes: NDArray[np.int32],
    slots: NDArray[np.int32],
    first: NDArray[Any],
) -> int:
    """Number equal texts alike, in the order they come: codes[i] is that of row i, first[code] the first row with it.

    The bytes of row i are data[ends[i] : ends[i + 1]], and words[b] is the eight from b on. Texts are found by their
    length and three of their bytes, and then compared in full, eight bytes at a time: the last eight overlap those
    before; of what is shorter the bytes beyond are shifted out. Returns how many differ; -1 where that is more than
    `first` has room for, or where too many agree in those bytes. `slots`, all -1, are a power of two.
    """
    different, spare, mask = 0, 4 * len(codes), len(slots) - 1
    for i in range(len(codes)):
        begin, end = np.int64(ends[i]), np.int64(ends[i + 1])
        place = end - begin
        if end > begin:
            place += 7 * np.int64(data[begin]) + 61 * np.int64(data[(begin + end) >> 1]) + 509 * np.int64(data[end - 1])
        place &= mask
        while True:
            code = slots[place]
            if code < 0:
                if different == len(first):
                    return -1
                slots[place] = code = np.int32(different)
                first[different] = i
                different += 1
                break
            other = np.int64(ends[first[code]])
            same = np.int64(ends[first[code] + 1]) - other == end - begin
            if 0 < end - begin < 8 and max(begin, other) < len(words):
                beyond = np.uint64(8 * (8 - end + begin))
                same = same and (words[begin] ^ words[other]) << beyond == 0
            elif end - begin < 8:
                for byte in range(end - begin):
                    same = same and data[begin + byte] == data[other + byte]
            elif same:
                last = end - begin - 8
                same = words[begin + last] == words[other + last]
                at = np.int64(0)
                while same and at < last:
                    same = words[begin + at] == words[other + at]
                    at += 8
            if same:
                break
            place = (place + 1) & mask
            spare -= 1
            if spare < 0:
                return -1
        codes[i] = code
    return different
