"""Kernels that group cells by cuts. Cells are the rows of `at`: the place of a cell in each column. Cut t parts column
`column[t]` before place `before[t]`; a group is what lies between neighbouring cuts in every column."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import interpreted_as, kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(20)


@kernel
def segments(places: I64, column: I64, before: I64, chosen: Flags, segment: I64, strides: I64) -> None:
    """For each place of each column (one row of `segment` per column) the segment it is in; and strides for keys."""
    segment[:] = 0
    for t in range(len(column)):
        if chosen[t]:
            segment[column[t], before[t]] = 1
    stride = np.int64(1)
    for j in range(len(places)):
        for p in range(1, places[j]):
            segment[j, p] += segment[j, p - 1]
        strides[j] = stride
        stride *= segment[j, places[j] - 1] + 1


@kernel
def numbered(keys: I64, slots: I32, of: I32, first: I32) -> int:
    """Number equal keys; `slots` is a power of two, twice as long. Leaves the hash table in `slots` and `first`."""
    slots[:] = -1
    mask = np.int64(len(slots) - 1)
    groups = 0
    for i in range(len(keys)):
        place = np.int64((np.uint64(keys[i]) * _MIX) >> _SHIFT) & mask
        while True:
            g = slots[place]
            if g < 0:
                g = groups
                slots[place] = g
                first[g] = i
                groups += 1
                break
            if keys[first[g]] == keys[i]:
                break
            place = (place + 1) & mask
        of[i] = g
    return groups


def _found(key: int, keys: I64, slots: I32, first: I32) -> int:
    place = int(np.searchsorted(keys[first], key, sorter=slots))
    return int(slots[place]) if place < len(slots) and keys[first[slots[place]]] == key else -1


@interpreted_as(_found)
def found(key: int, keys: I64, slots: I32, first: I32) -> int:
    """The number of the group with this key, or -1."""
    mask = np.int64(len(slots) - 1)
    place = np.int64((np.uint64(key) * _MIX) >> _SHIFT) & mask
    while True:
        g = slots[place]
        if g < 0 or keys[first[g]] == key:
            return g
        place = (place + 1) & mask


def _group_by_segments(at: I32, which: I32, segment: I64, strides: I64) -> tuple[int, I32, I32, I64, I32]:
    keys = (segment[np.arange(at.shape[1]), at[which]] * strides).sum(axis=1)
    known, begins, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(begins)
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    slots = np.argsort(known[order]).astype(np.int32)  # the groups by their keys, for `_found`
    return len(order), number[group.reshape(-1)], begins[order].astype(np.int32), keys, slots


@interpreted_as(_group_by_segments)
def group_by_segments(at: I32, which: I32, segment: I64, strides: I64) -> tuple[int, I32, I32, I64, I32]:
    """Group the cells `which`: (how many groups, the group of each, their first cells, keys, the slots of `found`)."""
    n = len(which)
    room = 4
    while room < 2 * n:
        room *= 2
    slots = np.empty(room, np.int32)
    keys = np.empty(n, np.int64)
    for i in range(n):
        key = np.int64(0)
        for j in range(at.shape[1]):
            key += segment[j, at[which[i], j]] * strides[j]
        keys[i] = key
    of, first = np.empty(n, np.int32), np.empty(n, np.int32)
    groups = numbered(keys, slots, of, first)
    return groups, of, first, keys, slots
