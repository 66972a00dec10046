"""Minimal moles of sparse data: each itemset's records are listed, and its extensions counted by reading those.

Items are ranks (0 is the rarest). The search goes size by size. A *node* is an itemset all of whose subsets, itself
included, are free of moles; nodes are numbered level by level, in lexicographic order, so that

    children of node x      nodes first[x] .. first[x + 1] - 1         x with one larger item, item_of[child]

need no further bookkeeping. `expand` takes the nodes below some first items, and judges every itemset X + v of one
size. Only three kinds of X + v go on or out:

    mole        support below k, or a private item above its share       reported: all its subsets are nodes
    same        as many records as X                                     dropped: see `moles.py`, "free"
    otherwise                                                            a node of the next level

That all subsets of X + v are nodes is looked up, not recounted: beside X the walk keeps the nodes X - x, one for each x
of X, and v must be a child of every one of them.
"""

from typing import Any

import numpy as np

from confide.core.runtime.jit import kernel
from confide.publish.transactions.moles._mole_kernels import I32, I64, Flags, Records


@kernel
def _child(x: int, v: int, first: I64, item_of: I32) -> np.int64:
    """The node of x with item v added, or -1."""
    lo = first[x]
    hi = first[x + 1]
    while lo < hi:
        mid = (lo + hi) >> 1
        if item_of[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    if lo < first[x + 1] and item_of[lo] == v:
        return lo
    return np.int64(-1)


@kernel
def _most_private(tids: I32, priv_ptr: I64, privs: I32, counts: I32) -> int:
    """How many of these rows hold the private item commonest among them; `counts` are zeros before and after."""
    most = 0
    for t in tids:
        for e in range(priv_ptr[t], priv_ptr[t + 1]):
            counts[privs[e]] += 1
            most = max(most, counts[privs[e]])
    for t in tids:
        for e in range(priv_ptr[t], priv_ptr[t + 1]):
            counts[privs[e]] = 0
    return most


@kernel
def _larger(array: Any, needed: int) -> Any:
    grown = np.empty(max(2 * len(array), needed), array.dtype)
    grown[: len(array)] = array
    return grown


@kernel
def pair_counts(start: int, stop: int, row_ptr: I64, rows: I32, counts: I32) -> None:
    """counts[i - start, v] = how many rows hold the items i < v, for i from start to stop - 1.

    Reads every row once, in order; with rarely more than a few megabytes of counts it stays in the cache, where
    reading the rows of each item in turn would miss it at every row.
    """
    for t in range(len(row_ptr) - 1):
        end = row_ptr[t + 1]
        e = row_ptr[t]
        while e < end and rows[e] < start:
            e += 1
        while e < end and rows[e] < stop:
            i = rows[e] - start
            for f in range(e + 1, end):
                counts[i, rows[f]] += 1
            e += 1


@kernel
def expand(
    start: int,
    stop: int,
    size: int,
    last: bool,
    k: int,
    allowed: I64,
    records: Records,
    first: I64,
    item_of: I32,
    pairs: I32,
) -> tuple[I32, I32, I32, I32, Flags]:
    """Judge all itemsets of `size` items whose rarest is in start..stop-1 and whose subsets are nodes.

    `allowed[s]` is how many of s records may share a private item; `last` says that no larger size follows; `pairs` are
    the counts of `pair_counts` for these items, or empty. Returns
    (number of children of each node of size - 1, in order; their items; moles, flat; supports; breached or rare).
    """
    row_ptr, rows, tid_ptr, tids, priv_ptr, privs, n_private = records
    n_items = len(tid_ptr) - 1
    n_nodes = 0
    node_children = np.zeros(1024, np.int32)
    n_children = 0
    child_items = np.empty(1024, np.int32)
    n_moles = 0
    mole_items = np.empty(1024 * size, np.int32)
    mole_support = np.empty(1024, np.int32)
    mole_breach = np.empty(1024, np.bool_)

    counts = np.zeros(n_items, np.int32)
    slot = np.full(n_items, -1, np.int32)
    private_counts = np.zeros(n_private, np.int32)
    touched = np.empty(n_items, np.int32)
    chosen = np.empty(n_items, np.int32)
    chosen_start = np.empty(n_items + 1, np.int64)
    # One entry for each depth of the walk: the item added there, its node, the child that comes next, and its rows.
    depth = size - 1
    added = np.empty(depth + 1, np.int32)
    node = np.empty(depth + 1, np.int64)
    turn = np.empty(depth + 1, np.int64)
    without = np.empty((depth + 1, depth + 1), np.int64)  # without[d, j]: the first d items but for the j-th
    cohort_start = np.zeros(depth + 1, np.int64)
    cohort_stop = np.zeros(depth + 1, np.int64)
    # Rows of all children of the node at depth d: deliver[bounds[d]...], one stretch each, in one shared stack.
    stack = np.empty(1024, np.int32)
    stack_top = np.zeros(depth + 2, np.int64)
    child_start = np.empty((depth + 1, n_items + 1), np.int64) if depth > 1 else np.empty((1, 1), np.int64)

    for root in range(start, stop):
        d = 1
        added[1] = root
        node[1] = root
        fresh = True
        while d >= 1:
            cohort = tids[tid_ptr[root] : tid_ptr[root + 1]] if d == 1 else stack[cohort_start[d] : cohort_stop[d]]
            x = node[d]
            item = added[d]
            if d < depth:
                if fresh:
                    # Occurrence delivery: each row goes to every child it belongs to.
                    fresh = False
                    turn[d] = first[x]
                    n = first[x + 1] - first[x]
                    for j in range(n):
                        slot[item_of[first[x] + j]] = j
                        child_start[d, j + 1] = 0
                    child_start[d, 0] = stack_top[d]
                    for t in cohort:
                        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
                            if rows[e] <= item:
                                break
                            if slot[rows[e]] >= 0:
                                child_start[d, slot[rows[e]] + 1] += 1
                    for j in range(n):
                        child_start[d, j + 1] += child_start[d, j]
                    top = child_start[d, n]
                    if top > len(stack):
                        stack = _larger(stack, top)
                        if d > 1:
                            cohort = stack[cohort_start[d] : cohort_stop[d]]
                    stack_top[d + 1] = top
                    for t in cohort:
                        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
                            if rows[e] <= item:
                                break
                            j = slot[rows[e]]
                            if j >= 0:
                                stack[child_start[d, j]] = t
                                child_start[d, j] += 1
                    for j in range(n):
                        slot[item_of[first[x] + j]] = -1
                if turn[d] == first[x + 1]:
                    d -= 1
                    continue
                child = turn[d]
                j = child - first[x]
                turn[d] += 1
                added[d + 1] = item_of[child]
                node[d + 1] = child
                cohort_start[d + 1] = stack_top[d] if j == 0 else child_start[d, j - 1]
                cohort_stop[d + 1] = child_start[d, j]
                without[d + 1, d] = x
                for i in range(d):
                    if d == 1:
                        without[2, 0] = added[2]
                    else:
                        without[d + 1, i] = _child(without[d, i], added[d + 1], first, item_of)
                d += 1
                fresh = True
                continue

            # -- the level to be judged --------------------------------------------------------------------------
            fresh = False
            n_touched = 0
            if d == 1 and len(pairs) > 0:
                for v in range(root + 1, n_items):
                    if pairs[root - start, v] > 0:
                        counts[v] = pairs[root - start, v]
                        touched[n_touched] = v
                        n_touched += 1
                cohort_to_count = cohort[:0]
            else:
                cohort_to_count = cohort
            for t in cohort_to_count:
                for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
                    v = rows[e]
                    if v <= item:
                        break
                    if counts[v] == 0:
                        touched[n_touched] = v
                        n_touched += 1
                    counts[v] += 1
            support = len(cohort) if d > 1 else tid_ptr[root + 1] - tid_ptr[root]
            n_chosen = 0
            if d == 1:
                for i in range(n_touched):
                    chosen[i] = touched[i]
                n_chosen = n_touched
            else:
                parent = without[d, d - 1]
                for child in range(x + 1, first[parent + 1]):
                    v = item_of[child]
                    good = counts[v] > 0
                    for i in range(d - 1):
                        good = good and _child(without[d, i], v, first, item_of) >= 0
                    if good:
                        chosen[n_chosen] = v
                        n_chosen += 1
            # Rare ones go out, those as common as X are dropped; the rest is kept for a look at private items.
            kept = 0
            for i in range(n_chosen):
                v = chosen[i]
                if counts[v] < k:
                    if n_moles == len(mole_support):
                        mole_items = _larger(mole_items, 0)
                        mole_support = _larger(mole_support, 0)
                        mole_breach = _larger(mole_breach, 0)
                    for j in range(d):
                        mole_items[n_moles * size + j] = added[j + 1]
                    mole_items[n_moles * size + d] = v
                    mole_support[n_moles] = counts[v]
                    mole_breach[n_moles] = False
                    n_moles += 1
                elif counts[v] < support:
                    chosen[kept] = v
                    kept += 1
            if n_private > 0 and kept > 0:
                # No extension holds a private item more often than X does.
                room = _most_private(cohort, priv_ptr, privs, private_counts)
                suspects = 0
                top = stack_top[d]
                for i in range(kept):
                    v = chosen[i]
                    if room > allowed[counts[v]]:
                        slot[v] = suspects
                        chosen_start[suspects] = top
                        top += counts[v]
                        suspects += 1
                if suspects > 0:
                    if top > len(stack):
                        stack = _larger(stack, top)
                        if d > 1:
                            cohort = stack[cohort_start[d] : cohort_stop[d]]
                    for t in cohort:
                        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
                            v = rows[e]
                            if v <= item:
                                break
                            if slot[v] >= 0:
                                stack[chosen_start[slot[v]]] = t
                                chosen_start[slot[v]] += 1
                    clear = 0
                    for i in range(kept):
                        v = chosen[i]
                        breached = False
                        if slot[v] >= 0:
                            end = chosen_start[slot[v]]
                            slot[v] = -1
                            here = stack[end - counts[v] : end]
                            breached = _most_private(here, priv_ptr, privs, private_counts) > allowed[counts[v]]
                        if not breached:
                            chosen[clear] = v
                            clear += 1
                            continue
                        if n_moles == len(mole_support):
                            mole_items = _larger(mole_items, 0)
                            mole_support = _larger(mole_support, 0)
                            mole_breach = _larger(mole_breach, 0)
                        for j in range(d):
                            mole_items[n_moles * size + j] = added[j + 1]
                        mole_items[n_moles * size + d] = v
                        mole_support[n_moles] = counts[v]
                        mole_breach[n_moles] = True
                        n_moles += 1
                    kept = clear
            if not last:
                if n_nodes == len(node_children):
                    node_children = _larger(node_children, 0)
                if n_children + kept > len(child_items):
                    child_items = _larger(child_items, n_children + kept)
                child_items[n_children : n_children + kept] = np.sort(chosen[:kept])
                node_children[n_nodes] = kept
                n_children += kept
                n_nodes += 1
            for i in range(n_touched):
                counts[touched[i]] = 0
            d -= 1
    return (
        node_children[:n_nodes].copy(),
        child_items[:n_children].copy(),
        mole_items[: n_moles * size].copy(),
        mole_support[:n_moles].copy(),
        mole_breach[:n_moles].copy(),
    )
