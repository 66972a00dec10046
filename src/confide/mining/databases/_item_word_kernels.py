"""Words of each item's records, and equal ones counted: arrays in, arrays out.

A hash table of (item, word) has three arrays of a power of two slots: words, items (-1: empty) and counts.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["Slots", "add_slots", "gather", "insert", "make_words", "whole_words"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]


class Slots(NamedTuple):
    """The hash table of (item, word)."""

    words: Words
    items: Ints
    counts: Ints


SPREAD = np.uint64(0x9E3779B97F4A7C15)
OTHER = np.uint64(0xC2B2AE3D27D4EB4F)


@kernel
def make_words(starts: Longs, rows: Ints, cells: NDArray[np.uint16], least: int, words: Words) -> None:
    """The word of each entry of each row (numbers, ascending), as `_pair_kernels.mask_cells` lays bits out.

    Words of fewer than `least` bits, 1 or 2, are 0.
    """
    word_of = np.zeros(256, np.uint64)
    for bit in range(64):
        word_of[bit + 1] = np.uint64(1) << np.uint64(bit)
    drop = np.uint64(least - 1)
    for r in range(len(starts) - 1):
        begin, end = starts[r], starts[r + 1]
        for a in range(begin, end):
            words[a] = np.uint64(0)
        for a in range(begin, end):
            line = cells[rows[a]]
            word = words[a]
            for b in range(a + 1, end):
                cell = line[np.uint32(rows[b])]
                word |= word_of[cell & np.uint16(255)]
                words[b] |= word_of[cell >> np.uint16(8)]
            words[a] = word
        for a in range(begin, end):
            if not words[a] & (words[a] - drop):
                words[a] = np.uint64(0)


@kernel
def whole_words(indptr: Longs, indices: Ints, bits: Words, words: Words) -> None:
    """Every record as one word: the OR of the `bits` of its items."""
    for r in range(len(indptr) - 1):
        word = np.uint64(0)
        for p in range(indptr[r], indptr[r + 1]):
            word |= bits[indices[p]]
        words[r] = word


@kernel
def insert(
    rows: Ints, words: Words, begin: int, lane_of: Ints, lane: int, item_of: Ints, slots: Slots, room: int
) -> Any:
    """Count the words of entries from `begin` on whose number is in this lane; give (where it stopped, slots taken).

    It stops when `room` slots are taken: the caller makes the table larger and calls again.
    """
    kept_words, kept_items, counts = slots
    taken = 0
    bits = 0
    while (1 << bits) < len(counts):
        bits += 1
    down, wrap = np.uint64(64 - bits), len(counts) - 1
    for e in range(begin, len(rows)):
        word = words[e]
        if word == np.uint64(0) or lane_of[rows[e]] != lane:
            continue
        item = item_of[rows[e]]
        slot = np.int64(((word * SPREAD) ^ (np.uint64(item + 1) * OTHER)) * SPREAD >> down)
        while True:
            if kept_items[slot] < 0:
                if taken >= room:
                    return e, taken
                kept_words[slot], kept_items[slot], counts[slot] = word, item, 1
                taken += 1
                break
            if kept_words[slot] == word and kept_items[slot] == item:
                counts[slot] += 1
                break
            slot = (slot + 1) & wrap
    return len(rows), taken


@kernel
def add_slots(old: Slots, new: Slots) -> int:
    """Add all of one table to another, which has room; give how many slots of that became used."""
    old_words, old_items, old_counts = old
    words, items, counts = new
    bits = 0
    while (1 << bits) < len(counts):
        bits += 1
    down, wrap = np.uint64(64 - bits), len(counts) - 1
    added = 0
    for s in range(len(old_items)):
        item = old_items[s]
        if item < 0:
            continue
        word = old_words[s]
        slot = np.int64(((word * SPREAD) ^ (np.uint64(item + 1) * OTHER)) * SPREAD >> down)
        while True:
            if items[slot] < 0:
                words[slot], items[slot], counts[slot] = word, item, old_counts[s]
                added += 1
                break
            if words[slot] == word and items[slot] == item:
                counts[slot] += old_counts[s]
                break
            slot = (slot + 1) & wrap
    return added


@kernel
def gather(slots: Slots, fill: Longs, out_words: Words, out_counts: Ints) -> None:
    """Write what a table holds from fill[item] on, for each item."""
    words, items, counts = slots
    for s in range(len(items)):
        item = items[s]
        if item >= 0:
            out_words[fill[item]], out_counts[fill[item]] = words[s], counts[s]
            fill[item] += 1
