"""Kernels of K-Optimize: what a set of cuts costs, and what all sets between two of them cost at least.

Cells are the rows of `at`: the place of a cell in each column. Cut t parts column `column[t]` before place `before[t]`.
A group is what lies between neighbouring cuts in every column. `counts[i]` are the rows of cell i by class, `held[i]`
by sensitive value (no values if only sizes are asked for).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests._rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(20)


@kernel
def _segments(places: I64, column: I64, before: I64, chosen: Flags, segment: I64, strides: I64) -> None:
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
def _numbered(keys: I64, slots: I32, of: I32, first: I32) -> int:
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


@kernel
def _found(key: int, keys: I64, slots: I32, first: I32) -> int:
    """The number of the group with this key, or -1."""
    mask = np.int64(len(slots) - 1)
    place = np.int64((np.uint64(key) * _MIX) >> _SHIFT) & mask
    while True:
        g = slots[place]
        if g < 0 or keys[first[g]] == key:
            return g
        place = (place + 1) & mask


@kernel
def most_kept(size: int, hist: I64, rules: Rules) -> Any:
    """No more of these rows can be in groups that pass, however they are divided.

    The rows that are kept pass as one group too, since passing groups do when joined; so they are no more than the
    largest part of the rows that passes. By rule: no value may exceed its share of the part (shrink until none does);
    the commonest value may not exceed what the tail allows (cap every value until it does not).
    """
    kept = np.int64(size)
    for r in range(len(rules.kind)):
        kind = rules.kind[r]
        if kind == 0 or rules.known[r] >= 0:
            continue
        counts = hist[rules.first[r] : rules.last[r]]
        if kind == 1:
            part = np.int64(size)
            while part > 0:
                most = rules.most[rules.at[r] + part]
                possible = np.int64(0)
                for v in range(len(counts)):
                    possible += min(counts[v], most)
                if possible >= part:
                    break
                part = possible
            kept = min(kept, part)
        elif kind == 2:
            found = 0
            for v in range(len(counts)):
                found += counts[v] > 0
            if found < rules.number[r]:
                return 0
        elif kind == 4:
            falling = np.sort(counts)[::-1]
            cap = falling[0]
            while cap > 0:
                tail = np.int64(0)
                for v in range(rules.number[r] - 1, len(falling)):
                    tail += min(falling[v], cap)
                allowed = rules.most[rules.at[r] + tail]
                if cap <= allowed:
                    break
                cap = max(allowed, 0)
            part = np.int64(0)
            for v in range(len(falling)):
                part += min(falling[v], cap)
            kept = min(kept, part)
    for r in range(len(rules.kind)):
        if rules.kind[r] == 0 and kept < rules.number[r]:
            return 0
    return kept


@kernel
def most_alike(kept: int, rules: Rules) -> Any:
    """No more of these rows can be of the commonest first sensitive value of their group, if all groups pass.

    What a rule allows in each group adds up to no more than it allows in all of them as one.
    """
    alike = np.int64(kept)
    for r in range(len(rules.kind)):
        if rules.first[r] > 0 or rules.known[r] >= 0:
            continue
        if rules.kind[r] == 1:
            alike = min(alike, rules.most[rules.at[r] + kept])
        elif rules.kind[r] == 4:
            low, high = np.int64(0), alike  # the largest count that the rest of the rows, as its tail, allows
            while low < high:
                middle = (low + high + 1) // 2
                if middle <= rules.most[rules.at[r] + kept - middle]:
                    low = middle
                else:
                    high = middle - 1
            alike = low
    return alike


@kernel
def _part_bound(
    size: int, least: int, hist: I64, rules: Rules, discern: bool, total: int, strict: bool, same: bool
) -> Any:
    """What rows cost at least and how many are lost at least, however they are divided.

    `least` is what their finest parts cost together if none of them is lost. With `strict` nothing may be lost: rows
    that fail together have a part that fails, however they are divided. With `same` the classes are the first
    sensitive values.
    """
    if strict:
        kept = np.int64(size) if group_ok(rules, size, hist) else np.int64(0)
    else:
        kept = np.int64(most_kept(size, hist, rules))
    lost = size - kept
    if discern:
        return max(least, lost * total), lost
    if same:
        return max(least, size - most_alike(kept, rules)), lost
    return max(least, lost), lost


@kernel
def _finest_cost(size: int, majority: int, fewest: int, discern: bool) -> int:
    """What rows that stay together cost at least, if they are kept."""
    return size * max(size, fewest) if discern else size - majority


@kernel
def cut_bounds(
    at: I32,
    counts: I64,
    held: I64,
    places: I64,
    column: I64,
    before: I64,
    head: Flags,
    allowed: Flags,
    rules: Rules,
    fewest: int,
    discern: bool,
    strict: bool,
    same: bool,
) -> Any:
    """Look at the sets of cuts that hold all of `head` and none outside `allowed`.

    Returns what `head` itself costs and loses (rows suppressed); what every set costs and loses at least; the same for
    the sets with one more cut in the head, cut by cut; and what sets without one more cut cost at least.
    Cuts must be sorted by column, then by place.

        rows -> parts      which rows no allowed set of cuts can tell apart (`fine`): their size, classes, values
        parts -> groups    which parts the head alone leaves together (`coarse`); order[start[e]:start[e + 1]] are the
                           parts of group e
        each group         cost, lost          as the head leaves it
                           bound, lost_bound   if it may be cut further (`_part_bound`)
                           with_bound[u]       cut at u: its parts left of u and those right of it, swept from left to
                                               right once a column, as the sums of parts at each place
        each part          without[t]          never cut at t: it and its neighbour across t are one part
    """
    n, d = at.shape
    m = len(column)
    classes, width = counts.shape[1], held.shape[1]
    longest = places.max()
    fine, coarse = np.empty((d, longest), np.int64), np.empty((d, longest), np.int64)
    strides, wide = np.empty(d, np.int64), np.empty(d, np.int64)
    _segments(places, column, before, allowed, fine, strides)
    _segments(places, column, before, head, coarse, wide)
    room = 4
    while room < 2 * n:
        room *= 2
    slots = np.empty(room, np.int32)
    keys = np.empty(n, np.int64)
    for i in range(n):
        key = np.int64(0)
        for j in range(d):
            key += fine[j, at[i, j]] * strides[j]
        keys[i] = key
    of, first = np.empty(n, np.int32), np.empty(n, np.int32)
    parts = _numbered(keys, slots, of, first)

    size = np.zeros(parts, np.int64)
    by_class = np.zeros((parts, classes), np.int64)
    by_value = np.zeros((parts, width), np.int64)
    for i in range(n):
        for c in range(classes):
            by_class[of[i], c] += counts[i, c]
            size[of[i]] += counts[i, c]
        for v in range(width):
            by_value[of[i], v] += held[i, v]
    least = np.empty(parts, np.int64)
    total = np.int64(0)
    for g in range(parts):
        least[g] = _finest_cost(size[g], by_class[g].max(), fewest, discern)
        total += size[g]

    # the groups of the head, each with its parts
    wide_keys = np.empty(parts, np.int64)
    for g in range(parts):
        key = np.int64(0)
        for j in range(d):
            key += coarse[j, at[first[g], j]] * wide[j]
        wide_keys[g] = key
    group, opening = np.empty(parts, np.int32), np.empty(parts, np.int32)
    wide_slots = np.empty(room, np.int32)
    groups = _numbered(wide_keys, wide_slots, group, opening)
    start = np.zeros(groups + 1, np.int64)
    for g in range(parts):
        start[group[g] + 1] += 1
    for e in range(groups):
        start[e + 1] += start[e]
    order, next_ = np.empty(parts, np.int32), start[:-1].copy()
    for g in range(parts):
        order[next_[group[g]]] = g
        next_[group[g]] += 1

    cost = lost = bound = lost_bound = np.int64(0)
    with_lost, with_bound = np.zeros(m, np.int64), np.zeros(m, np.int64)
    growing = np.zeros(groups, np.bool_)  # whether a dearer part makes the bound of the group dearer
    size_at, least_at = np.empty(longest, np.int64), np.empty(longest, np.int64)
    value_at = np.empty((longest, width), np.int64)
    hist, left_hist = np.empty(width, np.int64), np.empty(width, np.int64)
    class_hist = np.empty(classes, np.int64)
    for e in range(groups):
        rows = sum_least = np.int64(0)
        hist[:] = 0
        class_hist[:] = 0
        for x in range(start[e], start[e + 1]):
            g = order[x]
            rows += size[g]
            sum_least += least[g]
            hist += by_value[g]
            class_hist += by_class[g]
        if group_ok(rules, rows, hist):
            cost += rows * rows if discern else rows - class_hist.max()
        else:
            cost += rows * total if discern else rows
            lost += rows
        own, own_lost = _part_bound(rows, sum_least, hist, rules, discern, total, strict, same)
        bound += own
        lost_bound += own_lost
        if own_lost == rows:
            continue
        growing[e] = own == sum_least
        t = 0
        for j in range(d):
            if t == m or column[t] != j:
                continue
            some = False
            last = t
            while last < m and column[last] == j:
                some |= allowed[last] and not head[last]
                last += 1
            if not some:
                t = last
                continue
            low, high = longest, np.int64(0)
            for x in range(start[e], start[e + 1]):
                p = np.int64(at[first[order[x]], j])
                low, high = min(low, p), max(high, p)
            size_at[low : high + 1] = 0
            least_at[low : high + 1] = 0
            if width:
                value_at[low : high + 1] = 0
            for x in range(start[e], start[e + 1]):
                g = order[x]
                p = at[first[g], j]
                size_at[p] += size[g]
                least_at[p] += least[g]
                if width:
                    value_at[p] += by_value[g]
            place = low
            left = left_least = np.int64(0)
            left_hist[:] = 0
            for u in range(t, last):
                if head[u] or not allowed[u] or before[u] <= low or before[u] > high:
                    continue
                while place < before[u]:
                    left += size_at[place]
                    left_least += least_at[place]
                    if width:
                        left_hist += value_at[place]
                    place += 1
                one, one_lost = _part_bound(left, left_least, left_hist, rules, discern, total, strict, same)
                two, two_lost = _part_bound(
                    rows - left, sum_least - left_least, hist - left_hist, rules, discern, total, strict, same
                )
                with_bound[u] += one + two - own
                with_lost[u] += one_lost + two_lost - own_lost
            t = last

    # without a cut, the parts on both of its sides are one
    without = np.zeros(m, np.int64)
    above = np.full((d, longest), -1, np.int64)
    for t in range(m):
        if allowed[t] and not head[t]:
            above[column[t], fine[column[t], before[t]] - 1] = t
    for g in range(parts):
        if not growing[group[g]]:
            continue
        for j in range(d):
            t = above[j, fine[j, at[first[g], j]]]
            if t >= 0:
                other = _found(keys[first[g]] + strides[j], keys, slots, first)
                if other >= 0:
                    majority = np.int64(0)
                    for c in range(classes):
                        majority = max(majority, by_class[g, c] + by_class[other, c])
                    joined = _finest_cost(size[g] + size[other], majority, fewest, discern)
                    without[t] += joined - least[g] - least[other]
    return cost, lost, bound, lost_bound, with_bound, with_lost, without


@kernel
def cut_cost(
    at: I32,
    counts: I64,
    held: I64,
    places: I64,
    column: I64,
    before: I64,
    head: Flags,
    rules: Rules,
    discern: bool,
) -> Any:
    """What a set of cuts costs, and how many rows it suppresses."""
    n, d = at.shape
    classes, width = counts.shape[1], held.shape[1]
    segment, strides = np.empty((d, places.max()), np.int64), np.empty(d, np.int64)
    _segments(places, column, before, head, segment, strides)
    room = 4
    while room < 2 * n:
        room *= 2
    slots = np.empty(room, np.int32)
    keys = np.empty(n, np.int64)
    for i in range(n):
        key = np.int64(0)
        for j in range(d):
            key += segment[j, at[i, j]] * strides[j]
        keys[i] = key
    of, first = np.empty(n, np.int32), np.empty(n, np.int32)
    groups = _numbered(keys, slots, of, first)
    by_class, by_value = np.zeros((groups, classes), np.int64), np.zeros((groups, width), np.int64)
    for i in range(n):
        for c in range(classes):
            by_class[of[i], c] += counts[i, c]
        for v in range(width):
            by_value[of[i], v] += held[i, v]
    total = counts.sum()
    cost = lost = np.int64(0)
    for g in range(groups):
        rows = by_class[g].sum()
        if group_ok(rules, rows, by_value[g]):
            cost += rows * rows if discern else rows - by_class[g].max()
        else:
            cost += rows * total if discern else rows
            lost += rows
    return cost, lost
