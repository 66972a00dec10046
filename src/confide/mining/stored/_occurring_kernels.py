"""Triples that occur, counted in a hash table: arrays in, arrays out.

Pairs are as in `_beside_kernels`. A triple i < j < k is the word (place of the pair i, j) << 32 | k; a slot with count
0 is empty.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.mining.stored._beside_kernels import place_of

__all__ = ["add_occurring", "moved_triples"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]

SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _count(word: Any, more: int, down: Any, words: Words, counts: Ints) -> int:
    """Add to the count of a word; 1 if it is new there."""
    wrap = len(counts) - 1
    slot = np.int64(((word ^ (word >> np.uint64(31))) * SPREAD) >> down)
    while counts[slot] != 0:
        if words[slot] == word:
            counts[slot] += more
            return 0
        slot = (slot + 1) & wrap
    words[slot], counts[slot] = word, more
    return 1


@kernel
def add_occurring(
    row_starts: Longs, rows: Ints, begin: int, first: int, last: int, starts: Longs, seconds: Ints,
    words: Words, counts: Ints, used: int, most: int,
) -> Any:  # fmt: skip
    """Count the triples of rows from number `begin` on whose pairs are all given.

    Their first items are in first .. last - 1. It stops before a row that might use more than `most` slots: gives (the
    number it stopped at, slots used).
    """
    bits = 0
    while (1 << bits) < len(counts):
        bits += 1
    down = np.uint64(64 - bits)
    longest = 0
    for r in range(len(row_starts) - 1):
        longest = max(longest, row_starts[r + 1] - row_starts[r])
    near = np.empty(longest, np.int32)  # the items behind one that make a given pair with it, and where those stand
    places = np.empty(longest, np.int64)
    for r in range(begin, len(row_starts) - 1):
        end = row_starts[r + 1]
        n = end - row_starts[r]
        if used + n * (n - 1) * (n - 2) // 6 > most:
            return r, used
        for a in range(row_starts[r], end - 2):
            if rows[a] < first:
                continue
            if rows[a] >= last:
                break
            m = 0
            for b in range(a + 1, end):
                place = place_of(starts, seconds, rows[a], rows[b])
                if place >= 0:
                    near[m], places[m] = rows[b], place
                    m += 1
            for b in range(m - 1):
                for c in range(b + 1, m):
                    if place_of(starts, seconds, near[b], near[c]) >= 0:
                        word = (np.uint64(places[b]) << np.uint64(32)) | np.uint64(near[c])
                        used += _count(word, 1, down, words, counts)
    return len(row_starts) - 1, used


@kernel
def moved_triples(old_words: Words, old_counts: Ints, words: Words, counts: Ints) -> int:
    """Add all of one table to another, which has room; give how many slots became used."""
    bits = 0
    while (1 << bits) < len(counts):
        bits += 1
    down = np.uint64(64 - bits)
    added = 0
    for s in range(len(old_counts)):
        if old_counts[s] != 0:
            added += _count(old_words[s], old_counts[s], down, words, counts)
    return added
