"""The graph of frequent pairs: arrays in, arrays out.

Items are numbered by rank. The pairs of an item i are a run of two arrays, its neighbours ascending by code and
the records that hold i and each of them:

    starts   0      2      3 ...
    items    2  5 | 4    |              0 is frequent with 2 and 5, 1 with 4
    counts   9  7 | 8    |

In a search for all itemsets an item looks at those behind it only, and has only these in its run; in the others, all.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["deal_masks", "frequent_cells", "mask_cells", "neighbours", "triangles"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def frequent_cells(tables: NDArray[np.int32], first: int, min_support: int, lines: tuple[int, int]) -> Any:
    """The pairs above the diagonal whose counts, added over all tables, reach `min_support`: rows (i, j, count).

    Line i of a table is item first + i. The given lines, (begin, end), are looked through; the first table keeps sums.
    """
    found, n = np.empty((1024, 3), np.int32), 0
    for i in range(lines[0], lines[1]):
        line = tables[0, i]
        for t in range(1, len(tables)):
            other = tables[t, i]
            for j in range(first + i + 1, len(line)):
                line[j] += other[j]
        here = np.int32(0)  # as narrow as the cells, so that eight of them are compared at once
        for j in range(first + i + 1, len(line)):
            here += np.int32(line[j] >= min_support)
        if here == 0:
            continue
        if n + here > len(found):
            larger = np.empty((2 * (n + here), 3), np.int32)
            for p in range(n):
                larger[p, 0], larger[p, 1], larger[p, 2] = found[p, 0], found[p, 1], found[p, 2]
            found = larger
        for j in range(first + i + 1, len(line)):
            if line[j] >= min_support:
                found[n, 0], found[n, 1], found[n, 2] = first + i, j, line[j]
                n += 1
    return found[:n]


@kernel
def neighbours(pairs: Ints, rank: Ints, n_items: int, both_ways: bool) -> Any:
    """The graph of these pairs (i, j, count), items renamed by `rank`; give (starts, items, counts).

    Pairs are in lexicographic order, so each item meets its neighbours in ascending order: those before it while they
    come first in a pair, then those behind it.
    """
    starts = np.zeros(n_items + 2, np.int64)
    for p in range(len(pairs)):
        a, b = rank[pairs[p, 0]], rank[pairs[p, 1]]
        starts[min(a, b) + 2] += 1
        if both_ways:
            starts[max(a, b) + 2] += 1
    for i in range(n_items):
        starts[i + 2] += starts[i + 1]
    items, counts = np.empty(starts[n_items + 1], np.int32), np.empty(starts[n_items + 1], np.int32)
    for p in range(len(pairs)):
        a, b = rank[pairs[p, 0]], rank[pairs[p, 1]]
        low, high = min(a, b), max(a, b)
        items[starts[low + 1]], counts[starts[low + 1]] = high, pairs[p, 2]
        starts[low + 1] += 1
        if both_ways:
            items[starts[high + 1]], counts[starts[high + 1]] = low, pairs[p, 2]
            starts[high + 1] += 1
    return starts[: n_items + 1], items, counts


@kernel
def triangles(starts: Longs, items: Ints) -> Any:
    """Which pairs and which items are in three frequent pairs of three items; give (pairs, items), true or false.

    Runs hold the neighbours behind an item only. A pair counts by its first item: it is true if the triangle's third
    item is behind the first, too.
    """
    n_items = len(starts) - 1
    in_pair, in_item = np.zeros(len(items), np.bool_), np.zeros(n_items, np.bool_)
    seen_from, seen_at = np.full(n_items, -1, np.int32), np.empty(n_items, np.int64)
    for i in range(n_items):
        for e in range(starts[i], starts[i + 1]):
            seen_from[items[e]], seen_at[items[e]] = i, e
        for e in range(starts[i], starts[i + 1]):
            j = items[e]
            for f in range(starts[j], starts[j + 1]):
                k = items[f]
                if seen_from[k] == i:
                    in_pair[e], in_pair[seen_at[k]] = True, True
                    in_item[i], in_item[j], in_item[k] = True, True, True
    return in_pair, in_item


@kernel
def mask_cells(
    starts: Longs, items: Ints, wanted: NDArray[np.bool_], number: Ints, n_numbers: int, capacity: int
) -> Any:
    """For each two numbered items, x before y, where they stand in each other's words, as one cell of 16 bits.

    The word of an item has a bit for itself and for each of its neighbours, in the order of their codes, which is that
    of their numbers. The lower byte of cell [x, y] is 1 + the bit of y in the words of x, the upper byte 1 + the bit of
    x in the words of y; each is 0 if the pair is not `wanted` or the words would need more than `capacity` bits.
    """
    cells = np.zeros((n_numbers, n_numbers), np.uint16)
    for i in range(len(starts) - 1):
        if starts[i + 1] - starts[i] >= capacity:
            continue
        for e in range(starts[i], starts[i + 1]):
            if wanted[e]:
                own, other = number[i], number[items[e]]
                if own < other:
                    cells[own, other] |= np.uint16(e - starts[i] + 2)
                else:
                    cells[other, own] |= np.uint16((e - starts[i] + 1) << 8)
    return cells


@kernel
def deal_masks(
    starts: Longs, rows: Ints, cells: NDArray[np.uint16], begins: Longs, least: int, dealt: NDArray[np.uint64]
) -> Any:
    """Turn rows (of numbers, ascending) into the words of each of their items; those of x go to dealt[begins[x]:].

    Rows are read once, one after another, and no branch is taken for a pair or for a word: that is what makes it fast.
    Words of fewer than `least` bits, 1 or 2, are left out (written, and written over). An item's place must have room
    for as many words as it has entries. Gives where the words of each item end.
    """
    word_of = np.zeros(256, np.uint64)
    for bit in range(64):
        word_of[bit + 1] = np.uint64(1) << np.uint64(bit)
    longest = 0
    for r in range(len(starts) - 1):
        longest = max(longest, starts[r + 1] - starts[r])
    words = np.zeros(longest, np.uint64)
    ends = begins.copy()
    drop = np.uint64(least - 1)
    for r in range(len(starts) - 1):
        row = rows[starts[r] : starts[r + 1]]
        size = np.uint64(len(row))  # unsigned, as all places below: no check for negative ones
        for a in range(size):
            words[a] = np.uint64(0)
        for a in range(size):
            line = cells[np.uint32(row[a])]
            word = words[a]
            for b in range(a + np.uint64(1), size):
                cell = line[np.uint32(row[b])]
                word |= word_of[cell & np.uint16(255)]
                words[b] |= word_of[cell >> np.uint16(8)]
            words[a] = word
        for a in range(size):
            word, item = words[a], np.uint32(row[a])
            dealt[ends[item]] = word
            ends[item] += word & (word - drop) != 0
    return ends
