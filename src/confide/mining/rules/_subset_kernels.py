"""Kernels that look sets up by hash, or make their subsets: arrays in, arrays out.

The hash of a set is the sum of its items' hashes, so taking an item out is one subtraction. A match is always
confirmed item by item: the hash finds, it does not decide.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def item_hash(code: int) -> np.uint64:
    """Spread a code over 64 bits (the finaliser of splitmix64)."""
    x = np.uint64(code + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def same_without(codes: I32, at: int, length: int, skip: int, other: I32, other_at: int) -> bool:
    """Whether codes[at:at+length] without position `skip` (none when negative) equals other[other_at:...]."""
    k = other_at
    for j in range(length):
        if j != skip:
            if codes[at + j] != other[k]:
                return False
            k += 1
    return True


@kernel
def find_slot(table: I64, offsets: I64, codes: I32, wanted: I32, at: int, length: int) -> int:
    """Where in the table the set wanted[at:at+length] is, or the free slot where it would go."""
    total = np.uint64(0)
    for j in range(at, at + length):
        total += item_hash(wanted[j])
    mask = len(table) - 1
    slot = int(total) & mask
    while table[slot] > 0:
        t = table[slot] - 1
        if offsets[t + 1] - offsets[t] == length and same_without(wanted, at, length, -1, codes, offsets[t]):
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def build_table(offsets: I64, codes: I32) -> I64:
    """Open-addressing table of the sets' numbers, counted from 1; 0 is free. Of equal sets the first is kept."""
    sets = len(offsets) - 1
    size = 4
    while size < 2 * sets:
        size *= 2
    table = np.zeros(size, dtype=np.int64)
    for i in range(sets):
        slot = find_slot(table, offsets, codes, codes, offsets[i], offsets[i + 1] - offsets[i])
        if table[slot] == 0:
            table[slot] = i + 1
    return table


@kernel
def look_up(table: I64, offsets: I64, codes: I32, wanted_offsets: I64, wanted: I32) -> I64:
    """Position of each wanted set among those of the table, or -1."""
    found = np.empty(len(wanted_offsets) - 1, dtype=np.int64)
    for i in range(len(found)):
        at = wanted_offsets[i]
        found[i] = table[find_slot(table, offsets, codes, wanted, at, wanted_offsets[i + 1] - at)] - 1
    return found


@kernel
def shorter_by_one(n: int, rows: I32, values: I64, given: I32, given_values: I64) -> tuple[I32, I64]:
    """The distinct sets of `given` and of `rows` with one item out, each with the largest value that leads to it.

    `rows` holds sets of n items end to end, `given` sets of n - 1; so does the result.
    """
    width = n - 1
    capacity = 16
    while capacity < 2 * (len(values) + len(given_values)):
        capacity *= 2
    made = np.empty(capacity // 2 * width, dtype=np.int32)
    best = np.empty(capacity // 2, dtype=np.int64)
    sums = np.empty(capacity // 2, dtype=np.uint64)
    table = np.zeros(capacity, dtype=np.int64)  # numbers of the sets made, from 1; 0 is free
    count = 0
    for i in range(len(given_values) + len(values)):
        whole = i < len(given_values)  # this set is taken as it is; of the others every item is left out in turn
        r = i if whole else i - len(given_values)
        source = given if whole else rows
        length = width if whole else n
        value = given_values[r] if whole else values[r]
        total = np.uint64(0)
        for j in range(length):
            total += item_hash(source[r * length + j])
        skip = -1 if whole else length
        while skip != 0:
            skip -= 0 if whole else 1
            key = total if whole else total - item_hash(source[r * length + skip])
            slot = np.int64(key) & (capacity - 1)
            while table[slot] > 0:
                t = table[slot] - 1
                if sums[t] == key and same_without(source, r * length, length, skip, made, t * width):
                    break
                slot = (slot + 1) & (capacity - 1)
            if table[slot] > 0:
                best[table[slot] - 1] = max(best[table[slot] - 1], value)
            else:
                k = count * width
                for j in range(length):
                    if j != skip:
                        made[k] = source[r * length + j]
                        k += 1
                best[count], sums[count] = value, key
                count += 1
                table[slot] = count
                if 2 * count == capacity:
                    capacity *= 2
                    old_made, old_best, old_sums = made, best, sums
                    made = np.empty(capacity // 2 * width, dtype=np.int32)
                    best = np.empty(capacity // 2, dtype=np.int64)
                    sums = np.empty(capacity // 2, dtype=np.uint64)
                    table = np.zeros(capacity, dtype=np.int64)
                    for j in range(count * width):
                        made[j] = old_made[j]
                    for t in range(count):
                        best[t], sums[t] = old_best[t], old_sums[t]
                        slot = np.int64(sums[t]) & (capacity - 1)
                        while table[slot] > 0:
                            slot = (slot + 1) & (capacity - 1)
                        table[slot] = t + 1
            if whole:
                break
    return made[: count * width], best[:count]
