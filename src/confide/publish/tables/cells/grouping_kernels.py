"""Kernels that number, group and merge combinations of quasi-identifier values."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import interpreted_as, kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(20)


class NodeChoices(NamedTuple):
    """What cells become: value v of column j is `nodes[base[j] + v]`, which counts `strides[j]` times in the key."""

    nodes: I64
    base: I64
    strides: I64


class GroupRoom(NamedTuple):
    """Room to group cells in: a key for each, a power of two of slots, at least twice as many; and what is filled, the
    rows and the first cell of each group."""

    keys: I64
    slots: I32
    sizes: I64
    first: I32


class Levels(NamedTuple):
    """The levels of a column: `maps[level]` maps its values, `along[level]` is where the costs of the level begin."""

    column: int
    maps: I32
    along: I64


class RowCosts(NamedTuple):
    """What a row costs in column j is `costs[base[j] + value]`; a row that is suppressed costs `gone`."""

    costs: F64
    base: I64
    gone: float


def _group_cells(codes: I32, choices: NodeChoices, before: I32, rows: I64, room: GroupRoom) -> tuple[int, I32]:
    keys, _, sizes, first = room
    keys[: len(codes)] = before + (choices.nodes[choices.base + codes] * choices.strides).sum(axis=1)
    _, found, group = np.unique(keys[: len(codes)], return_index=True, return_inverse=True)
    order = np.argsort(found)
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    of: I32 = number[group.reshape(-1)]
    first[: len(order)], sizes[: len(order)] = found[order], 0
    np.add.at(sizes, of, rows)
    return len(order), of


def _add_counts(of: I32, counts: I64, n_groups: int) -> I64:
    total = np.zeros((n_groups, counts.shape[1]), np.int64)
    np.add.at(total, of, counts)
    return total


@interpreted_as(_group_cells)
def group_cells(codes: I32, choices: NodeChoices, before: I32, rows: I64, room: GroupRoom) -> tuple[int, I32]:
    """Group the cells that look alike; returns how many groups there are, and the group of each cell.

    The key of a cell is `before[i]` plus the sum of its nodes times their strides; equal keys are one group. Keys
    below the number of slots are looked up directly, others by hashing. Fills the sizes and first cells of the room;
    groups are numbered in the order of their first cells.
    """
    nodes, base, strides = choices
    keys, slots, sizes, first = room
    n, m = codes.shape
    of = np.empty(n, np.int32)
    largest = np.int64(0)
    for i in range(n):
        key = np.int64(before[i])
        for j in range(m):
            key += nodes[base[j] + codes[i, j]] * strides[j]
        keys[i] = key
        largest = max(largest, key)
    slots[:] = -1
    groups = 0
    direct = largest < len(slots)
    mask = np.int64(len(slots) - 1)
    for i in range(n):
        key = keys[i]
        place = key if direct else np.int64((np.uint64(key) * _MIX) >> _SHIFT) & mask
        while True:
            g = slots[place]
            if g < 0:
                g = groups
                slots[place] = g
                sizes[g] = 0
                first[g] = i
                groups += 1
                break
            if keys[first[g]] == key:
                break
            place = (place + 1) & mask
        of[i] = g
        sizes[g] += rows[i]
    return groups, of


@kernel
def by_group(of: I32, n_groups: int) -> tuple[I64, I32]:
    """Cells in the order of their groups: (where each group begins, the cells)."""
    start = np.zeros(n_groups + 1, np.int64)
    for i in range(len(of)):
        start[of[i] + 1] += 1
    for g in range(n_groups):
        start[g + 1] += start[g]
    room = start[:-1].copy()
    order = np.empty(len(of), np.int32)
    for i in range(len(of)):
        order[room[of[i]]] = i
        room[of[i]] += 1
    return start, order


@kernel
def runs(start: I64, order: I32, codes: I32, map_: I32, rows: I64) -> tuple[I64, I32, I64, I32]:
    """Divide groups by one more column: (where each part begins, the part of each cell, its rows, its first cell).

    Group g is the cells `order[start[g] : start[g + 1]]`; those of one value `map_[codes[cell]]` stand side by side.
    """
    n = len(order)
    begins = np.empty(n + 1, np.int64)
    of = np.empty(n, np.int32)
    sizes = np.empty(n, np.int64)
    first = np.empty(n, np.int32)
    parts = 0
    for g in range(len(start) - 1):
        last = np.int32(-1)
        for c in range(start[g], start[g + 1]):
            cell = order[c]
            value = map_[codes[cell]]
            if value != last:
                last = value
                begins[parts] = c
                sizes[parts] = 0
                first[parts] = cell
                parts += 1
            of[cell] = parts - 1
            sizes[parts - 1] += rows[cell]
    begins[parts] = n
    return begins[: parts + 1], of, sizes[:parts], first[:parts]


@kernel
def merge_tokens(start: I64, order: I32, ptr: I64, tokens: I32, counts: I64, n_tokens: int) -> tuple[I64, I32, I64]:
    """The tokens of each group of cells, each once, with their counts added: (where a group begins, tokens, counts)."""
    n_groups = len(start) - 1
    seen = np.full(n_tokens, -1, np.int64)
    place = np.empty(n_tokens, np.int64)
    new_ptr = np.zeros(n_groups + 1, np.int64)
    new_tokens = np.empty(len(tokens), np.int32)
    new_counts = np.empty(len(tokens), np.int64)
    used = 0
    for g in range(n_groups):
        for c in range(start[g], start[g + 1]):
            cell = order[c]
            for e in range(ptr[cell], ptr[cell + 1]):
                token = tokens[e]
                if seen[token] != g:
                    seen[token] = g
                    place[token] = used
                    new_tokens[used] = token
                    new_counts[used] = 0
                    used += 1
                new_counts[place[token]] += counts[e]
        new_ptr[g + 1] = used
    return new_ptr, new_tokens[:used].copy(), new_counts[:used].copy()


@interpreted_as(_add_counts)
def add_counts(of: I32, counts: I64, n_groups: int) -> I64:
    """The rows of `counts` added up by group."""
    total = np.zeros((n_groups, counts.shape[1]), np.int64)
    for i in range(len(of)):
        for c in range(counts.shape[1]):
            total[of[i], c] += counts[i, c]
    return total


@kernel
def suppression_cost(codes: I32, first: I32, sizes: I64, ok: Flags, costs: F64, base: I64, gone: float) -> float:
    """What suppressing the groups that fail adds to the loss: `gone` a row, less what the row costs as it is.

    `costs[base[j] + leaf]` is what a row costs in column j; `first[g]` is a cell of group g.
    """
    added = 0.0
    for g in range(len(sizes)):
        if not ok[g]:
            each = gone
            for j in range(codes.shape[1]):
                each -= costs[base[j] + codes[first[g], j]]
            added += sizes[g] * each
    return added


@kernel
def costs_along(
    start: I64, order: I32, codes: I32, rows: I64, choices: Levels, each_row: RowCosts, fewest: int
) -> tuple[I64, F64]:
    """For each map of a column, what `runs` and `suppression_cost` tell together, where groups fail by size alone.

    Groups are as in `runs`. Returns the rows of groups below `fewest`, and what suppressing them adds to the loss.
    """
    column, maps, along = choices
    costs, base, gone = each_row
    levels = len(maps)
    gone_rows, added = np.zeros(levels, np.int64), np.zeros(levels)
    for g in range(len(start) - 1):
        each = gone
        for j in range(codes.shape[1]):
            if j != column:
                each -= costs[base[j] + codes[order[start[g]], j]]
        for level in range(levels):
            c = start[g]
            while c < start[g + 1]:
                leaf = codes[order[c], column]
                value = maps[level, leaf]
                size = rows[order[c]]
                c += 1
                while c < start[g + 1] and maps[level, codes[order[c], column]] == value:
                    size += rows[order[c]]
                    c += 1
                if size < fewest:
                    gone_rows[level] += size
                    added[level] += size * (each - costs[along[level] + leaf])
    return gone_rows, added
