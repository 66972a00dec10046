"""Weighted bitmaps: how a database of at most 64 items is held while its itemsets are searched.

A row is one 64-bit word, bit b standing for item b. Equal rows are merged and carry a weight. For counting, the
rows are turned into columns, one bit per row, so that the rows that hold both of two items are found by AND and
counted by population count. Weights would break that, so a row of weight 13 = 8 + 4 + 1 enters three *planes*,
those of 8, 4 and 1: a column is cut into words, every word belongs to one plane, and

    support  =  sum over words w of  popcount(column[w]) << shift[w]

Rows of connect at 70 % support shrink in this way from 67,557 to 267 distinct ones, which take 1,010 bits.

All columns of a database and all intersections made while searching it live in one flat array, the *arena*: column
of item b first, at b * width, for b = 0..63; a column elsewhere is known by its offset.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import interpreted_as, kernel, popcount, trailing_zeros

__all__ = ["Bitmaps", "and_count", "common_count", "inside", "lay_out", "lowest", "merge_equal", "transpose"]

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]

ONE = np.uint64(1)
ZERO = np.uint64(0)


class Bitmaps(NamedTuple):
    """The columns of a database: the arena they lie in, the plane of each word (`shifts`), words a column."""

    arena: NDArray[np.uint64]
    shifts: NDArray[np.uint64]
    width: int


SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: multiplying spreads near words over the table


@kernel
def lowest(word: np.uint64) -> Any:
    """Position of the lowest set bit (64 when there is none)."""
    return np.int64(trailing_zeros(word))


@kernel
def and_count(bitmaps: Bitmaps, a: int, b: int, out: int) -> Any:
    """Write the AND of the columns at `a` and `b` to `out`; give the weight of its rows."""
    arena, shifts, width = bitmaps
    left, right, both = arena[a : a + width], arena[b : b + width], arena[out : out + width]
    total = ZERO
    for w in range(width):
        word = left[w] & right[w]
        both[w] = word
        total += popcount(word) << shifts[w]
    return np.int64(total)


@kernel
def common_count(bitmaps: Bitmaps, a: int, b: int) -> Any:
    """Give the weight of the rows in both columns, without keeping them."""
    arena, shifts, width = bitmaps
    left, right = arena[a : a + width], arena[b : b + width]
    total = ZERO
    for w in range(width):
        total += popcount(left[w] & right[w]) << shifts[w]
    return np.int64(total)


@kernel
def inside(bitmaps: Bitmaps, a: int, b: int) -> Any:
    """Whether all rows of the column at `a` are in that at `b`. Mostly answered by the first word."""
    arena, width = bitmaps.arena, bitmaps.width
    left, right = arena[a : a + width], arena[b : b + width]
    for w in range(width):  # noqa: SIM110 - numba compiles the loop, not the generator
        if left[w] & ~right[w]:
            return False
    return True


@kernel
def merge_equal(masks: Words, weights: Counts, n: int, table: NDArray[np.int32]) -> Any:
    """Merge equal rows among the first `n`, adding their weights, in place; give how many are left.

    `table` is scratch of at least 2 n slots. Rows keep the order in which they first occur.
    """
    bits = 1
    while (1 << bits) < 2 * n:
        bits += 1
    for empty in range(1 << bits):
        table[empty] = -1
    wrap = (1 << bits) - 1
    down = np.uint64(64 - bits)
    kept = 0
    for r in range(n):
        mask = masks[r]
        slot = np.int64((mask * SPREAD) >> down)
        while True:
            other = table[slot]
            if other < 0:
                table[slot] = kept
                masks[kept] = mask
                weights[kept] = weights[r]
                kept += 1
                break
            if masks[other] == mask:
                weights[other] += weights[r]
                break
            slot = (slot + 1) & wrap
    return kept


def _transpose(block: Words) -> None:
    bits = np.unpackbits(block.view(np.uint8).reshape(64, 8), axis=1, bitorder="little")
    block[:] = np.packbits(bits.T, axis=1, bitorder="little").reshape(-1).view(np.uint64)


@interpreted_as(_transpose)
def transpose(block: Words) -> None:
    """Swap rows and columns of 64 by 64 bits: bit b of word r goes to bit r of word b."""
    # Swap quarters of side 32, within each those of side 16, and so on.
    side = 32
    keep = np.uint64(0xFFFFFFFF)
    while side:
        shift = np.uint64(side)
        for start in range(0, 64, 2 * side):
            for r in range(start, start + side):
                swap = ((block[r] >> shift) ^ block[r + side]) & keep
                block[r] ^= swap << shift
                block[r + side] ^= swap
        side >>= 1
        keep ^= keep << np.uint64(side)


@kernel
def _write_word(block: Words, n: int, used: np.uint64, arena: Words, width: int, w: int) -> None:
    """Turn up to 64 rows into word `w` of the columns of the items in `used`."""
    left = used
    if np.int64(popcount(used)) * n < 512:
        while left:
            b = lowest(left)
            left &= left - ONE
            word = ZERO
            for r in range(n):
                word |= ((block[r] >> np.uint64(b)) & ONE) << np.uint64(r)
            arena[b * width + w] = word
        return
    for r in range(n, 64):
        block[r] = ZERO
    transpose(block)
    while left:
        b = lowest(left)
        left &= left - ONE
        arena[b * width + w] = block[b]


@kernel
def lay_out(masks: Words, weights: Counts, n: int, used: np.uint64, blocks: Words, room: Bitmaps) -> Any:
    """Lay out the first `n` rows as columns of the items in `used`; give the `Bitmaps`.

    Their arena has room for a whole search: an intersection for each item at each of `items` levels. It is that of
    `room`, unless that is too small. `blocks` is scratch, 64 x 64 words.
    """
    arena, shifts = room.arena, room.shifts
    sizes = np.zeros(64, np.int64)
    for r in range(n):
        weight = np.uint64(weights[r])
        while weight:
            sizes[lowest(weight)] += 1
            weight &= weight - ONE
    next_word = np.zeros(64, np.int64)
    width = 0
    for plane in range(64):
        next_word[plane] = width
        width += (sizes[plane] + 63) >> 6
    items = np.int64(popcount(used))
    needed = (64 + items * (items + 1) // 2) * width
    if len(arena) < needed:
        arena = np.empty(needed, np.uint64)
    if len(shifts) < width:
        shifts = np.empty(width, np.uint64)
    filled = np.zeros(64, np.int64)
    for r in range(n):
        weight = np.uint64(weights[r])
        while weight:
            plane = lowest(weight)
            weight &= weight - ONE
            blocks[plane, filled[plane]] = masks[r]
            filled[plane] += 1
            if filled[plane] == 64:
                shifts[next_word[plane]] = np.uint64(plane)
                _write_word(blocks[plane], 64, used, arena, width, next_word[plane])
                next_word[plane] += 1
                filled[plane] = 0
    for plane in range(64):
        if filled[plane]:
            shifts[next_word[plane]] = np.uint64(plane)
            _write_word(blocks[plane], filled[plane], used, arena, width, next_word[plane])
    return Bitmaps(arena, shifts, width)
