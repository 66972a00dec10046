"""One block of groups: again and again a costly group and those near it are taken apart and put together anew."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.regrouping._pool_kernels import (
    ENDLESS,
    Movable,
    Pool,
    count_in,
    count_persons,
    draw,
    put_together,
)
from confide.publish.tables.regrouping._span_kernels import Spans, span_cost, spans_cost

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]
Flags = NDArray[np.bool_]

ROOM = 160  # rows of a pool
NEAR = 8  # groups at most that are taken apart with one
SEEDINGS = 4  # times that a pool is put together, unless it is cheaper before
GAIN = 1e-9  # less than this is no gain


class GroupRows(NamedTuple):
    """The rows of each group, as lists: its first one is `head`, the `follower` of each the next, -1 the end.

    `cost` is what all rows of a group cost together; `size` counts rows, 0 where there is no group.
    """

    head: I64
    follower: I64
    size: I64
    low: I32
    high: I32
    cost: F64


@kernel
def _measure(spans: Spans, block: Movable, groups: GroupRows, g: int) -> None:
    """Reckon size, span and cost of a group from its rows."""
    i = groups.head[g]
    copy_into(groups.low[g], block.leaves[i])
    copy_into(groups.high[g], block.leaves[i])
    size = 0
    while i >= 0:
        size += block.weight[i]
        for j in range(block.leaves.shape[1]):
            groups.low[g, j] = min(groups.low[g, j], block.leaves[i, j])
            groups.high[g, j] = max(groups.high[g, j], block.leaves[i, j])
        i = groups.follower[i]
    groups.size[g] = size
    groups.cost[g] = size * spans_cost(spans, groups.low[g], groups.high[g])


@kernel
def _spare(block: Movable, size: int) -> int:
    """How many rows a group gives at most: all, or what a full one can spare. Persons are not told apart."""
    if len(block.persons) or size <= block.fewest:
        return size
    return min(size - block.fewest, block.fewest)


@kernel
def _find_near(spans: Spans, block: Movable, groups: GroupRows, g: int, most: int, near: I64, away: F64) -> int:
    """Up to so many groups whose rows, as many as they give, cost least to join with the group g; how many."""
    costs, at, leaves, kind = spans.costs, spans.at, spans.leaves, spans.kind
    low, high = groups.low, groups.high
    found = 0
    for h in range(len(groups.size)):
        size = groups.size[h]
        if size == 0 or h == g:
            continue
        given = _spare(block, size)
        apart = groups.cost[g] + given * (groups.cost[h] / size)
        both = groups.size[g] + given
        limit = ENDLESS if found < most else (away[found - 1] + apart) / both
        each = 0.0
        for j in range(len(kind)):
            first, last = min(low[g, j], low[h, j]), max(high[g, j], high[h, j])
            if kind[j] == 0:
                each += costs[at[j] + first * leaves[j] + last]
            else:
                each += span_cost(spans, j, first, last)
            if each >= limit:
                break
        if each >= limit:
            continue
        place = found if found < most else most - 1
        found = min(found + 1, most)
        while place > 0 and away[place - 1] > each * both - apart:
            away[place], near[place] = away[place - 1], near[place - 1]
            place -= 1
        away[place], near[place] = each * both - apart, h
    return found


@kernel
def _take(
    block: Movable, groups: GroupRows, pool: Pool, state: U64, g: int, given: int, at: tuple[int, int]
) -> tuple[int, int]:
    """Take so many rows of a group into the pool, which has `at` rows and groups by now; gives these numbers after."""
    m, taken = at
    left = groups.size[g] - given
    i = groups.head[g]
    if left > 0:
        for _ in range(draw(state, left + 1)):
            i = groups.follower[i]
    while i >= 0 and given > 0:
        if m == len(pool.row):
            return at
        pool.row[m] = i
        copy_into(pool.leaves[m], block.leaves[i])
        given -= block.weight[i]
        m += 1
        i = groups.follower[i]
    pool.taken[taken] = g
    pool.left[taken] = left
    return m, taken + 1


@kernel
def _keep_rest(groups: GroupRows, pool: Pool, taken: int) -> int:
    """Make what is left of full groups the first groups of the pool; how many."""
    kept = 0
    for t in range(taken):
        if pool.left[t] > 0:
            g = pool.taken[t]
            pool.low[kept] = groups.low[g]
            pool.high[kept] = groups.high[g]
            pool.size[kept] = pool.left[t]
            pool.cost[kept] = groups.cost[g] / groups.size[g] * pool.left[t]
            kept += 1
    return kept


@kernel
def _all_pass(rules: Rules, block: Movable, groups: GroupRows, pool: Pool, m: int, taken: int, n: int) -> bool:
    """Whether all n groups of the pool pass: new ones that took in more rows, and what is left of full ones."""
    if len(block.persons):
        for p in range(n):
            if not group_ok(rules, count_persons(block, pool.hist, pool.row, pool.into[:m], p), pool.hist):
                return False
        return True
    if not rules.histogram:
        return True
    t = begin = 0
    for p in range(n):
        pool.hist[:] = 0
        while t < taken and pool.left[t] == 0:
            begin += groups.size[pool.taken[t]]
            t += 1
        if t < taken:
            i = groups.head[pool.taken[t]]
            while i >= 0:
                count_in(block, pool.hist, i, 1)
                i = groups.follower[i]
            end = begin + groups.size[pool.taken[t]] - pool.left[t]
            for r in range(begin, end):
                count_in(block, pool.hist, pool.row[r], -1)
            begin = end
            t += 1
        for r in range(m):
            if pool.into[r] == p:
                count_in(block, pool.hist, pool.row[r], 1)
        if not group_ok(rules, pool.size[p], pool.hist):
            return False
    return True


@kernel
def _settle(
    spans: Spans, block: Movable, groups: GroupRows, pool: Pool, moved: Flags, m: int, counts: tuple[int, int]
) -> None:
    """Make the groups of the pool groups of the block; `counts` are those taken apart, and those there are now."""
    taken, n = counts
    for r in range(m):
        moved[pool.row[r]] = True
    place = np.empty(n, np.int64)
    p = 0
    for t in range(taken):
        g = pool.taken[t]
        if pool.left[t] == 0:
            groups.head[g] = -1
            groups.size[g] = 0
            continue
        place[p] = g
        p += 1
        before, i = -1, groups.head[g]
        while i >= 0:
            after = groups.follower[i]
            if not moved[i]:
                before = i
            elif before < 0:
                groups.head[g] = after
            else:
                groups.follower[before] = after
            i = after
    t = free = 0
    while p < n:  # first where groups were, then where none is
        while t < taken and pool.left[t] > 0:
            t += 1
        if t < taken:
            place[p] = pool.taken[t]
            t += 1
        else:
            while groups.size[free] > 0 or groups.head[free] >= 0:
                free += 1
            place[p] = free
        groups.head[place[p]] = -1
        groups.size[place[p]] = 1
        p += 1
    for r in range(m):
        moved[pool.row[r]] = False
        g = place[pool.into[r]]
        groups.follower[pool.row[r]] = groups.head[g]
        groups.head[g] = pool.row[r]
    for p in range(n):
        _measure(spans, block, groups, place[p])


@kernel
def regroup_block(
    spans: Spans, rules: Rules, block: Movable, group: I32, n_groups: int, tries: int, seed: int
) -> tuple[I32, int, float]:
    """Regroup for so many tries: the group of each row, how many groups there are, and what was saved."""
    n, columns = block.leaves.shape
    most = n_groups + n // block.fewest + 1
    groups = GroupRows(
        head=np.full(most, -1, np.int64),
        follower=np.full(n, -1, np.int64),
        size=np.zeros(most, np.int64),
        low=np.zeros((most, columns), np.int32),
        high=np.zeros((most, columns), np.int32),
        cost=np.zeros(most, np.float64),
    )
    for i in range(n - 1, -1, -1):
        groups.follower[i] = groups.head[group[i]]
        groups.head[group[i]] = i
    before = 0.0
    for g in range(n_groups):
        _measure(spans, block, groups, g)
        before += groups.cost[g]
    pool = Pool(
        row=np.empty(ROOM, np.int64),
        leaves=np.empty((ROOM, columns), np.int32),
        into=np.empty(ROOM, np.int64),
        taken=np.empty(NEAR + 1, np.int64),
        left=np.empty(NEAR + 1, np.int64),
        low=np.empty((ROOM + NEAR, columns), np.int32),
        high=np.empty((ROOM + NEAR, columns), np.int32),
        size=np.empty(ROOM + NEAR, np.int64),
        cost=np.empty(ROOM + NEAR, np.float64),
        hist=np.zeros(block.width, np.int64),
    )
    near, away = np.empty(NEAR, np.int64), np.empty(NEAR, np.float64)
    moved = np.zeros(n, np.bool_)
    state = np.array([seed], np.uint64)
    for _ in range(tries):
        g, h = draw(state, n_groups), draw(state, n_groups)
        g = h if groups.cost[h] > groups.cost[g] else g
        found = _find_near(spans, block, groups, g, 2 + draw(state, NEAR - 1), near, away)
        if groups.size[g] == 0 or groups.size[g] > ROOM // 2:
            continue
        m, taken = _take(block, groups, pool, state, g, groups.size[g], (0, 0))
        for p in range(found):
            h = near[p]
            m, taken = _take(block, groups, pool, state, h, _spare(block, groups.size[h]), (m, taken))
        old = 0.0
        for t in range(taken):
            old += groups.cost[pool.taken[t]]
        for _ in range(SEEDINGS):
            kept = _keep_rest(groups, pool, taken)
            now = put_together(spans, rules, block, pool, state, m, kept, old - GAIN)
            if now > 0 and _all_pass(rules, block, groups, pool, m, taken, now):
                _settle(spans, block, groups, pool, moved, m, (taken, now))
                break
    return _numbered(groups, n, before)


@kernel
def _numbered(groups: GroupRows, n: int, before: float) -> tuple[I32, int, float]:
    """The group of each row, numbered without gaps; how many; and how much less they cost than `before`."""
    group = np.empty(n, np.int32)
    count = 0
    for g in range(len(groups.size)):
        if groups.size[g] > 0:
            before -= groups.cost[g]
            i = groups.head[g]
            while i >= 0:
                group[i] = count
                i = groups.follower[i]
            count += 1
    return group, count, before
