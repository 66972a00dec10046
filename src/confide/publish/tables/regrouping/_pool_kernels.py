"""Rows that were taken out of a few groups, and put together anew.

A group is begun by a row drawn at random, and takes in the row that makes it dearest least, until it passes. Rows that
are left then go where they cost least: into new groups, or back to full ones, which gave only what they could spare.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.regrouping._span_kernels import Spans, span_cost, spans_cost

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]

ENDLESS = 1e300


class Movable(NamedTuple):
    """What is regrouped: one entry per row, or per rows of one person that look alike.

    `leaves[i]` are the leaves of row i in their order, `weight[i]` how many rows it stands for; its sensitive values,
    as places in a histogram of `width`, are `values[begins[i] : begins[i + 1]]`. `persons` are empty where rows count.
    A group that passes has at least `fewest` rows, or persons.
    """

    leaves: I32
    weight: I64
    begins: I64
    values: I32
    persons: I32
    width: int
    fewest: int


class Pool(NamedTuple):
    """Rows, and the groups they are put `into`; the first of these are what is `left` of those they were `taken` from.

    `cost` is what all rows of a group cost together; `size` counts rows.
    """

    row: I64
    leaves: I32
    into: I64
    taken: I64
    left: I64
    low: I32
    high: I32
    size: I64
    cost: F64
    hist: I64


@kernel
def draw(state: U64, below: int) -> Any:
    """A whole number from 0 on: Marsaglia's xorshift, whose high bits are good."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.int64(x >> np.uint64(33)) % below


@kernel
def count_in(block: Movable, hist: I64, i: int, times: int) -> None:
    """Count the values of a row in a histogram, so many times."""
    for v in range(block.begins[i], block.begins[i + 1]):
        hist[block.values[v]] += times


@kernel
def count_persons(block: Movable, hist: I64, row: I64, into: I64, group: int) -> int:
    """How many persons have rows in a group; the histogram gets each value once for each person who has it."""
    hist[:] = 0
    persons = 0
    for r in range(len(into)):
        if into[r] != group:
            continue
        again = False
        for s in range(r):
            again = again or (into[s] == group and block.persons[row[s]] == block.persons[row[r]])
        persons += not again
        for v in range(block.begins[row[r]], block.begins[row[r] + 1]):
            if not again or not _had(block, row, into, r, block.values[v]):
                hist[block.values[v]] += 1
    return persons


@kernel
def _had(block: Movable, row: I64, into: I64, r: int, value: int) -> bool:
    """Whether an earlier row of the same person in the same group has a value."""
    for s in range(r):
        if into[s] == into[r] and block.persons[row[s]] == block.persons[row[r]]:
            for v in range(block.begins[row[s]], block.begins[row[s] + 1]):
                if block.values[v] == value:
                    return True
    return False


@kernel
def _passes(rules: Rules, block: Movable, pool: Pool, m: int, p: int) -> bool:
    """Whether a new group of the pool, whose values stand in the histogram, passes."""
    if len(block.persons):
        return group_ok(rules, count_persons(block, pool.hist, pool.row, pool.into[:m], p), pool.hist)
    return pool.size[p] >= block.fewest and (not rules.histogram or group_ok(rules, pool.size[p], pool.hist))


@kernel
def _put(block: Movable, pool: Pool, p: int, r: int, each: float) -> None:
    """Put row r of the pool into its group p, whose rows then cost `each`."""
    for j in range(pool.leaves.shape[1]):
        leaf = pool.leaves[r, j]
        pool.low[p, j] = min(pool.low[p, j], leaf)
        pool.high[p, j] = max(pool.high[p, j], leaf)
    pool.size[p] += block.weight[pool.row[r]]
    pool.cost[p] = pool.size[p] * each
    pool.into[r] = p
    count_in(block, pool.hist, pool.row[r], 1)


@kernel
def _nth_free(pool: Pool, n: int) -> int:
    """The n-th row that is in no group yet."""
    r = 0
    while True:
        if pool.into[r] < 0:
            if n == 0:
                return r
            n -= 1
        r += 1


@kernel
def _nearest_row(spans: Spans, pool: Pool, m: int, p: int) -> tuple[int, float]:
    """The free row that costs the group p least, and what each row then costs; -1 if there is none."""
    # Loops over columns are written out: a call for each would take twenty times as long.
    costs, at, leaves, kind = spans.costs, spans.at, spans.leaves, spans.kind
    low, high, own = pool.low, pool.high, pool.leaves
    best, least = -1, ENDLESS
    for r in range(m):
        if pool.into[r] >= 0:
            continue
        each = 0.0
        for j in range(len(kind)):
            first, last = min(low[p, j], own[r, j]), max(high[p, j], own[r, j])
            if kind[j] == 0:
                each += costs[at[j] + first * leaves[j] + last]
            else:
                each += span_cost(spans, j, first, last)
            if each >= least:
                break
        if each < least:
            best, least = r, each
    return best, least


@kernel
def _cheapest_group(spans: Spans, pool: Pool, n: int, r: int, weight: int) -> tuple[int, float]:
    """The group of the first n that takes row r at least cost, and what each of its rows then costs."""
    costs, at, leaves, kind = spans.costs, spans.at, spans.leaves, spans.kind
    low, high, own = pool.low, pool.high, pool.leaves
    best, least, found = -1, ENDLESS, 0.0
    for p in range(n):
        limit = (least + pool.cost[p]) / (pool.size[p] + weight)
        each = 0.0
        for j in range(len(kind)):
            first, last = min(low[p, j], own[r, j]), max(high[p, j], own[r, j])
            if kind[j] == 0:
                each += costs[at[j] + first * leaves[j] + last]
            else:
                each += span_cost(spans, j, first, last)
            if each >= limit:
                break
        if each < limit:
            best, least, found = p, each * (pool.size[p] + weight) - pool.cost[p], each
    return best, found


@kernel
def put_together(
    spans: Spans, rules: Rules, block: Movable, pool: Pool, state: U64, m: int, kept: int, most: float
) -> int:
    """Put the m rows of the pool into groups, of which there are `kept` already: how many there are then.

    0 if they would cost `most` or more, or if some row has no place.
    """
    n, total, left = kept, 0.0, m
    for p in range(kept):
        total += pool.cost[p]
    pool.into[:m] = -1
    while left > 0 and (left >= block.fewest or len(block.persons) > 0):
        r = _nth_free(pool, draw(state, left))
        pool.low[n] = pool.leaves[r]
        pool.high[n] = pool.leaves[r]
        pool.size[n] = 0
        pool.hist[:] = 0
        each = spans_cost(spans, pool.low[n], pool.high[n])
        while r >= 0:
            _put(block, pool, n, r, each)
            left -= 1
            if _passes(rules, block, pool, m, n):
                break
            r, each = _nearest_row(spans, pool, m, n)
        if r < 0:
            for i in range(m):
                if pool.into[i] == n:
                    pool.into[i] = -1
            break
        total += pool.cost[n]
        n += 1
        if total >= most:
            return 0
    for r in range(m):
        if pool.into[r] < 0:
            best, each = _cheapest_group(spans, pool, n, r, block.weight[pool.row[r]])
            if best < 0:
                return 0
            total -= pool.cost[best]
            _put(block, pool, best, r, each)
            total += pool.cost[best]
            if total >= most:
                return 0
    return n
