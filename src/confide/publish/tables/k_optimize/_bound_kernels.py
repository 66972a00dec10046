"""Kernels of K-Optimize: what a set of cuts costs, and what all sets between two of them cost at least.

Cells, cuts and groups are as in `_segment_kernels`.
"""

from typing import Any, NamedTuple

import numpy as np

from confide.core.runtime.array_kernels import add_into
from confide.core.runtime.jit import kernel
from confide.publish.tables.cells.grouping_kernels import add_counts
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.k_optimize._part_kernels import finest_cost, part_bound
from confide.publish.tables.k_optimize._segment_kernels import I32, I64, Flags, found, group_by_segments, segments


class PlacedCells(NamedTuple):
    """`at[i, j]` is the place of cell i in column j; `counts[i]` are its rows by class, `held[i]` by sensitive value
    (no values if only sizes are asked for)."""

    at: I32
    counts: I64
    held: I64


class Cuts(NamedTuple):
    """Cut t parts column `column[t]` before place `before[t]`; column j has `places[j]` places."""

    places: I64
    column: I64
    before: I64


class Goal(NamedTuple):
    """`discern`: discernibility, else the classification metric; `strict`: no row may be suppressed; `same`: the
    classes are the first sensitive values."""

    discern: bool
    strict: bool
    same: bool


@kernel
def cut_bounds(
    cells: PlacedCells, cuts: Cuts, head: Flags, allowed: Flags, rules: Rules, fewest: int, goal: Goal
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
    at, (places, column, before) = cells.at, cuts
    discern, strict, same = goal
    n, d = at.shape
    m = len(column)
    classes, width = cells.counts.shape[1], cells.held.shape[1]
    longest = places.max()
    fine, coarse = np.empty((d, longest), np.int64), np.empty((d, longest), np.int64)
    strides, wide = np.empty(d, np.int64), np.empty(d, np.int64)
    segments(places, column, before, allowed, fine, strides)
    segments(places, column, before, head, coarse, wide)
    parts, of, first, keys, slots = group_by_segments(at, np.arange(n).astype(np.int32), fine, strides)

    size = np.zeros(parts, np.int64)
    by_class = np.zeros((parts, classes), np.int64)
    by_value = np.zeros((parts, width), np.int64)
    for i in range(n):
        for c in range(classes):
            by_class[of[i], c] += cells.counts[i, c]
            size[of[i]] += cells.counts[i, c]
        for v in range(width):
            by_value[of[i], v] += cells.held[i, v]
    least = np.empty(parts, np.int64)
    total = np.int64(0)
    for g in range(parts):
        least[g] = finest_cost(size[g], by_class[g].max(), fewest, discern)
        total += size[g]

    # the groups of the head, each with its parts
    groups, group, _, _, _ = group_by_segments(at, first[:parts], coarse, wide)
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
        own, own_lost = part_bound(rows, sum_least, hist, rules, discern, total, strict, same)
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
                    add_into(value_at[p], by_value[g])
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
                one, one_lost = part_bound(left, left_least, left_hist, rules, discern, total, strict, same)
                two, two_lost = part_bound(
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
                other = found(keys[first[g]] + strides[j], keys, slots, first)
                if other >= 0:
                    majority = np.int64(0)
                    for c in range(classes):
                        majority = max(majority, by_class[g, c] + by_class[other, c])
                    joined = finest_cost(size[g] + size[other], majority, fewest, discern)
                    without[t] += joined - least[g] - least[other]
    return cost, lost, bound, lost_bound, with_bound, with_lost, without


@kernel
def cut_cost(cells: PlacedCells, cuts: Cuts, head: Flags, rules: Rules, discern: bool) -> Any:
    """What a set of cuts costs, and how many rows it suppresses."""
    at, (places, column, before) = cells.at, cuts
    n, d = at.shape
    segment, strides = np.empty((d, places.max()), np.int64), np.empty(d, np.int64)
    segments(places, column, before, head, segment, strides)
    groups, of, _, _, _ = group_by_segments(at, np.arange(n).astype(np.int32), segment, strides)
    by_class, by_value = add_counts(of, cells.counts, groups), add_counts(of, cells.held, groups)
    total = cells.counts.sum()
    cost = lost = np.int64(0)
    for g in range(groups):
        rows = by_class[g].sum()
        if group_ok(rules, rows, by_value[g]):
            cost += rows * rows if discern else rows - by_class[g].max()
        else:
            cost += rows * total if discern else rows
            lost += rows
    return cost, lost
