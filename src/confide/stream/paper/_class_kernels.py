"""One release in two passes over the itemsets: into classes of equal support, then out with their values.

Memory is a table with one row for each support: its published value, and in which release it was last there. So
looking up a class costs an index, and a release costs its itemsets, however much was published before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.jit import kernel

__all__ = ["ClassSets", "Published", "Remembered", "comes_first", "merge_sort", "put_out", "sort_out"]

Ints = NDArray[np.int64]


class Remembered(NamedTuple):
    """The memory, a row for each support t.

    `when[t]` is the release that had t last, 0 for none; `table[t]` is the published value and the shift; `place` is
    scratch, zeros before and after.
    """

    when: Ints
    table: Ints
    place: Ints


class ClassSets(NamedTuple):
    """Itemsets as compressed rows: set i holds `items[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints
    items: Ints


class Published(NamedTuple):
    """Room for what is published: compressed rows with a value each; `rows` are the numbers that the sets had.

    `used` has a place for each label, zeros; its first ones become the codes of those that occur.
    """

    offsets: Ints
    items: Ints
    values: Ints
    rows: Ints
    used: Ints


@kernel
def sort_out(
    supports: Ints, least: int, memory: Remembered, oldest: int, noise: Ints, member: Ints, classes: Ints
) -> int:
    """Find the classes; -1 if the memory has too few rows, else how many, plus 2^32 times how many are new.

    `member[i]` becomes the class of set i, or -1; rows of `classes` become support (ascending), value, shift, size, and
    whether it is new. What the memory had before release `oldest` is forgotten. New classes have shift 0 here, and
    their support and a draw from `noise` as value.
    """
    when, table, place = memory
    n = len(supports)
    for i in range(n):
        if supports[i] >= len(when):
            return -1
    count = 0
    for i in range(n):
        t = np.int64(supports[i])
        if t >= least:
            if place[t] == 0:
                classes[0, count] = t
                count += 1
            place[t] += 1
    classes[0, :count].sort()
    new = 0
    for c in range(count):
        t = classes[0, c]
        classes[3, c] = place[t]
        place[t] = c
        known = when[t] > 0 and when[t] >= oldest
        if known:
            classes[1, c], classes[2, c], classes[4, c] = table[t, 0], table[t, 1], 0
        else:
            classes[1, c], classes[2, c], classes[4, c] = t + noise[new], 0, 1
            new += 1
    for i in range(n):
        t = np.int64(supports[i])
        member[i] = place[t] if t >= least else -1
    for c in range(count):
        place[classes[0, c]] = 0
    return count | new << 32


@kernel
def comes_first(offsets: Ints, items: Ints, i: int, j: int) -> bool:
    """Whether set i stands before set j: the shorter first, then by codes."""
    a, b = np.int64(offsets[i]), np.int64(offsets[j])
    length, other = np.int64(offsets[i + 1]) - a, np.int64(offsets[j + 1]) - b
    if length != other:
        return bool(length < other)
    for k in range(length):
        if items[a + k] != items[b + k]:
            return bool(items[a + k] < items[b + k])
    return False


@kernel
def merge_sort(offsets: Ints, items: Ints, rows: Ints) -> Ints:
    """The rows in canonical order. Their first codes, packed into one word, decide nearly every comparison."""
    n = len(rows)
    bits = np.uint64(8 * items.itemsize)
    fit = 8 // items.itemsize
    words = np.zeros(n, np.uint64)
    lengths = np.empty(n, np.int64)
    for r in range(n):
        start, stop = np.int64(offsets[rows[r]]), np.int64(offsets[rows[r] + 1])
        lengths[r] = stop - start
        for k in range(fit):
            words[r] = words[r] << bits
            if start + k < stop:
                words[r] |= np.uint64(items[start + k])
    old, new = np.arange(n), np.empty(n, np.int64)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            i, j = low, min(low + width, n)
            middle, high = j, min(low + 2 * width, n)
            for at in range(low, high):
                left = j >= high
                if not left and i < middle:
                    a, b = old[i], old[j]
                    if lengths[a] != lengths[b]:
                        left = bool(lengths[a] < lengths[b])
                    elif words[a] != words[b]:
                        left = bool(words[a] < words[b])
                    else:
                        left = bool(lengths[a] <= fit) or not comes_first(offsets, items, rows[b], rows[a])
                if left:
                    new[at] = old[i]
                    i += 1
                else:
                    new[at] = old[j]
                    j += 1
        old, new = new, old
        width *= 2
    return rows[old]


@kernel
def put_out(
    sets: ClassSets, member: Ints, classes: Ints, threshold: int, memory: Remembered, number: int, out: Published
) -> tuple[int, int, int, bool]:
    """(sets published, their items, their labels, whether codes ascend in each); the rest is written into `out`.

    Sets stand by length, then by codes, which are numbered anew. Writes the values of release `number` into the memory.
    """
    offsets, items = sets
    rows, used = out.rows, out.used
    n, kept = len(member), 0
    ascending, ordered = True, True
    for i in range(n):
        c = member[i]
        if c < 0 or classes[1, c] < threshold:
            continue
        start, stop = np.int64(offsets[i]), np.int64(offsets[i + 1])
        for k in range(start, stop):
            used[items[k]] = 1
            ascending = ascending and (k == start or items[k - 1] < items[k])
        ordered = ordered and (kept == 0 or comes_first(offsets, items, rows[kept - 1], i))
        rows[kept] = i
        kept += 1
    if not ordered:
        copy_into(rows, merge_sort(offsets, items, rows[:kept].copy()))
    new_code = np.empty(len(used), np.int64)
    count = 0
    for code in range(len(used)):
        if used[code]:
            new_code[code] = count
            used[count] = code
            count += 1
    at = 0
    out.offsets[0] = 0
    for r in range(kept):
        i = rows[r]
        for k in range(offsets[i], offsets[i + 1]):
            out.items[at] = new_code[items[k]]
            at += 1
        out.values[r] = classes[1, member[i]]
        out.offsets[r + 1] = at
    for c in range(classes.shape[1]):
        t = classes[0, c]
        memory.when[t], memory.table[t, 0], memory.table[t, 1] = number, classes[1, c], classes[2, c]
    return kept, at, count, ascending
