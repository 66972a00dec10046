"""Given pairs counted with each of some anchors, and triples all of whose pairs are given: arrays in, arrays out.

Pairs i < j of numbers lie in lexicographic order: those that begin with i are places starts[i] .. starts[i + 1] - 1,
and seconds[place] is the other one. Triples that occur are counted in a hash table: i < j < k is the word
(place of the pair i, j) << 32 | k, and a slot with count 0 is empty.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["Pairs", "RankedRows", "TripleSlots", "add_beside", "add_occurring", "may_exceed", "moved_triples"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]


class RankedRows(NamedTuple):
    """Rows of numbers, ascending: row r is rows[starts[r]:starts[r + 1]]."""

    starts: Longs
    rows: Ints


class Pairs(NamedTuple):
    """The given pairs, as drawn above."""

    starts: Longs
    seconds: Ints


class TripleSlots(NamedTuple):
    """A hash table of triples."""

    words: Words
    counts: Ints


SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _place_of(starts: Longs, seconds: Ints, i: int, j: int) -> int:
    """The place of the pair i < j, or -1."""
    low, high = starts[i], starts[i + 1]
    while low < high:
        middle = (low + high) >> 1
        if seconds[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low if low < starts[i + 1] and seconds[low] == j else -1


@kernel
def add_beside(
    anchors_of: RankedRows,
    rows_of: RankedRows,
    first: int,
    last: int,
    pairs: Pairs,
    lookup: Ints,
    base: int,
    table: Ints,
) -> None:
    """Count, in table[place - base, anchor], the records that hold an anchor and a pair.

    Pairs begin with a number from `first` to `last` - 1. lookup[i, j], unless it is empty, is the place of a pair,
    or -1.
    """
    anchor_starts, anchors = anchors_of
    row_starts, rows = rows_of
    starts, seconds = pairs
    for r in range(len(row_starts) - 1):
        if anchor_starts[r] == anchor_starts[r + 1]:
            continue
        end = row_starts[r + 1]
        for a in range(row_starts[r], end - 1):
            i = rows[a]
            if i < first:
                continue
            if i >= last:
                break
            if len(lookup) > 0:
                for b in range(a + 1, end):
                    place = lookup[i, rows[b]]
                    if place >= 0:
                        for p in range(anchor_starts[r], anchor_starts[r + 1]):
                            table[place - base, anchors[p]] += 1
                continue
            low, high = starts[i], starts[i + 1]
            for b in range(a + 1, end):
                j = rows[b]
                stop = high
                while low < stop:
                    middle = (low + stop) >> 1
                    if seconds[middle] < j:
                        low = middle + 1
                    else:
                        stop = middle
                if low == high:
                    break
                if seconds[low] == j:
                    for p in range(anchor_starts[r], anchor_starts[r + 1]):
                        table[low - base, anchors[p]] += 1


@kernel
def may_exceed(
    sets: Ints, most: Longs, begin: int, room: int, starts: Longs, seconds: Ints, table: NDArray[np.uint8]
) -> Any:
    """(set, anchor) from set number `begin` on, no pair of which stands with the anchor `most` times or fewer.

    Counts in `table` end at 255. Ends when `room` are found, behind all of one set; gives (sets, anchors, the number of
    the set to go on with). All pairs of the sets must be among those given.
    """
    n, length = sets.shape
    n_anchors = table.shape[1]
    which = np.empty(room + n_anchors, np.int64)
    beside = np.empty(room + n_anchors, np.int64)
    places = np.empty(length * (length - 1) // 2, np.int64)
    found = 0
    at = begin
    while at < n and found < room:
        p = 0
        for c in range(length):
            for d in range(c + 1, length):
                places[p] = _place_of(starts, seconds, sets[at, c], sets[at, d])
                p += 1
        for s in range(n_anchors):
            least: Any = 255
            for q in range(p):
                least = min(least, table[places[q], s])
            if least > most[at] or least == 255:
                which[found] = at
                beside[found] = s
                found += 1
        at += 1
    return which[:found].copy(), beside[:found].copy(), at


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
    rows_of: RankedRows, begin: int, first: int, last: int, pairs: Pairs, slots: TripleSlots, used: int, most: int
) -> Any:
    """Count the triples of rows from number `begin` on whose pairs are all given.

    Their first items are in first .. last - 1. It stops before a row that might use more than `most` slots: gives (the
    number it stopped at, slots used).
    """
    row_starts, rows = rows_of
    starts, seconds = pairs
    words, counts = slots
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
                place = _place_of(starts, seconds, rows[a], rows[b])
                if place >= 0:
                    near[m], places[m] = rows[b], place
                    m += 1
            for b in range(m - 1):
                for c in range(b + 1, m):
                    if _place_of(starts, seconds, near[b], near[c]) >= 0:
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
