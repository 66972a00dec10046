"""The kernel that makes rules: arrays in, arrays out. Sets are found by the hash table of `_subset_kernels`."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount
from confide.mining.rules._subset_kernels import item_hash

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

MISSING = -1


@kernel
def find_part(
    table: I64, offsets: I64, items: I32, key: np.uint64, at: int, length: int, chosen: int, side: int
) -> int:
    """Position of the part of the set items[at:at+length] whose bit in `chosen` is `side`, or MISSING."""
    size = np.int64(popcount(np.uint64(chosen)))
    if side == 0:
        size = length - size
    mask = len(table) - 1
    slot = int(key) & mask
    while table[slot] > 0:
        t = table[slot] - 1
        if offsets[t + 1] - offsets[t] == size:
            k = offsets[t]
            for j in range(length):
                if (chosen >> j) & 1 == side:
                    if items[at + j] != items[k]:
                        break
                    k += 1
            if k == offsets[t] + size:
                return t
        slot = (slot + 1) & mask
    return MISSING


@kernel
def make_rules(
    table: I64, offsets: I64, items: I32, supports: I64, first: int, last: int, min_confidence: float
) -> tuple[I32, int]:
    """Rules from sets first..last-1, as triples (whole, antecedent, consequent) of positions, end to end; and the
    first set one of whose parts is missing, or MISSING.

    Moving an item from the antecedent to the consequent never raises the confidence, so a consequent is extended
    only while its rule holds.
    """
    rules = np.empty(3 * 1024, dtype=np.int32)
    count = 0
    hashes = np.empty(64, dtype=np.uint64)
    # A frame is a consequent: its bits over the set's positions, its size, its hash, the next position to add.
    chosen_at = np.zeros(65, dtype=np.int64)
    key_at = np.zeros(65, dtype=np.uint64)
    next_at = np.zeros(65, dtype=np.int64)
    for i in range(first, last):
        at, length = offsets[i], offsets[i + 1] - offsets[i]
        if length < 2:
            continue
        total = np.uint64(0)
        for j in range(length):
            hashes[j] = item_hash(items[at + j])
            total += hashes[j]
        size = 0
        next_at[0] = 0
        while size >= 0:
            j = next_at[size]
            if j == length or size == length - 1:
                size -= 1
                continue
            next_at[size] = j + 1
            chosen = chosen_at[size] | (1 << j)
            key = key_at[size] + hashes[j]
            antecedent = find_part(table, offsets, items, total - key, at, length, chosen, 0)
            if antecedent == MISSING:
                return rules[: 3 * count], i
            if supports[i] / supports[antecedent] < min_confidence:
                continue
            consequent = find_part(table, offsets, items, key, at, length, chosen, 1)
            if consequent == MISSING:
                return rules[: 3 * count], i
            if 3 * count == len(rules):
                larger = np.empty(2 * len(rules), dtype=np.int32)
                for k in range(len(rules)):
                    larger[k] = rules[k]
                rules = larger
            rules[3 * count], rules[3 * count + 1], rules[3 * count + 2] = i, antecedent, consequent
            count += 1
            size += 1
            chosen_at[size], key_at[size], next_at[size] = chosen, key, j + 1
    return rules[: 3 * count], MISSING
