"""Minimal moles of sparse data: each itemset's records are listed, and its extensions counted by reading those.

Items are ranks (0 is the rarest). The search goes size by size. A *node* is an itemset all of whose subsets, itself
included, are free of moles; nodes are numbered level by level, in lexicographic order, so that

    children of node x      nodes first[x] .. first[x + 1] - 1         x with one larger item, item_of[child]

need no further bookkeeping. `expand` takes the nodes below some first items, and judges every itemset X + v of one
size. Only three kinds of X + v go on or out:

    mole        support below k, or a private item above its share       reported: all its subsets are nodes
    same        as many records as X                                     dropped: see `minimal.py`, "free"
    otherwise                                                            a node of the next level

That all subsets of X + v are nodes is looked up, not recounted: beside X the walk keeps the nodes X - x, one for each x
of X, and v must be a child of every one of them.

The walk below one first item, for itemsets of four (depth d holds the first d items of X; each row of the cohort is
handed down to the children it belongs to):

    d = 1   i          deliver rows to the children of i          cohort: all rows with i
    d = 2   i j        deliver rows to the children of i j        cohort: a stretch of the stack
    d = 3   i j k      count each v after k, judge i j k + v      cohort: a stretch further up the stack
"""

from typing import NamedTuple

import numpy as np

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.jit import kernel
from confide.publish.transactions.moles._row_count_kernels import count_after, counted_pairs, most_private
from confide.publish.transactions.moles.mole_kernels import (
    I32,
    I64,
    Flags,
    MoleBounds,
    RankedRecords,
    filled,
    larger,
    no_moles,
    with_moles,
)


class SearchNodes(NamedTuple):
    """The nodes found so far: the children of x are first[x] .. first[x + 1] - 1, each with one larger item."""

    first: I64
    item_of: I32


class _Walk(NamedTuple):
    """Where the walk stands, one entry for each depth d: the first d items of an itemset, from depth 1 on."""

    added: I32  # the item added there
    node: I64  # the node of the first d items
    turn: I64  # its child that comes next
    without: I64  # without[d, j]: the node of the first d items but for the j-th
    start: I64  # its rows are stack[start[d] : stop[d]]; at depth 1 they are the rows of the item
    stop: I64
    top: I64  # where the stack is free for its children
    child_stop: I64  # child_stop[d, j]: where the rows of its j-th child end


class _Scratch(NamedTuple):
    """One entry for each item, but for the counts of private items. `counts` and `slot` are cleared after use."""

    counts: I32  # rows of X + v
    touched: I32  # the items counted
    slot: I32
    chosen: I32  # those X can be extended by
    moles: I32  # those that make a mole of X, and the supports
    mole_support: I64
    ends: I64
    private_counts: I32


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
def _deliver(
    d: int, cohort: I32, records: RankedRecords, first: I64, item_of: I32, walk: _Walk, slot: I32, stack: I32
) -> I32:
    """Hand each row of the cohort to every child it belongs to; returns the stack, which may have grown."""
    row_ptr, rows = records.row_ptr, records.rows
    x, item = walk.node[d], walk.added[d]
    n = first[x + 1] - first[x]
    ends = walk.child_stop[d]
    for j in range(n):
        slot[item_of[first[x] + j]] = j
        ends[j + 1] = 0
    ends[0] = walk.top[d]
    for t in cohort:
        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
            if rows[e] <= item:
                break
            if slot[rows[e]] >= 0:
                ends[slot[rows[e]] + 1] += 1
    for j in range(n):
        ends[j + 1] += ends[j]
    top = ends[n]
    if top > len(stack):
        stack = larger(stack, top)  # the cohort is still read where it was
    for t in cohort:
        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
            if rows[e] <= item:
                break
            j = slot[rows[e]]
            if j >= 0:
                stack[ends[j]] = t
                ends[j] += 1
    for j in range(n):
        slot[item_of[first[x] + j]] = -1
    walk.turn[d] = first[x]
    walk.top[d + 1] = top
    return stack


@kernel
def _descend(d: int, walk: _Walk, first: I64, item_of: I32) -> None:
    """Set depth d + 1 to the child whose turn it is."""
    x, child = walk.node[d], walk.turn[d]
    walk.turn[d] += 1
    j = child - first[x]
    v = item_of[child]
    walk.added[d + 1] = v
    walk.node[d + 1] = child
    walk.start[d + 1] = walk.top[d] if j == 0 else walk.child_stop[d, j - 1]
    walk.stop[d + 1] = walk.child_stop[d, j]
    walk.without[d + 1, d] = x
    if d == 1:
        walk.without[2, 0] = v
    else:
        for i in range(d):
            walk.without[d + 1, i] = _child(walk.without[d, i], v, first, item_of)


@kernel
def _candidates(d: int, walk: _Walk, first: I64, item_of: I32, counts: I32, chosen: I32) -> int:
    """Choose the items v that occur with X and whose X + v has only nodes as subsets; for X of two items or more."""
    n = 0
    parent = walk.without[d, d - 1]
    for child in range(walk.node[d] + 1, first[parent + 1]):
        v = item_of[child]
        good = counts[v] > 0
        for i in range(d - 1):
            good = good and _child(walk.without[d, i], v, first, item_of) >= 0
        if good:
            chosen[n] = v
            n += 1
    return n


@kernel
def _sort_by_support(n_chosen: int, k: int, support: int, scratch: _Scratch) -> tuple[int, int]:
    """Of the chosen, those in fewer than k records are moles, and those as common as X are dropped; the rest stay.

    Returns how many are moles and how many stay.
    """
    counts, chosen = scratch.counts, scratch.chosen
    rare, stay = 0, 0
    for i in range(n_chosen):
        v = chosen[i]
        if counts[v] < k:
            scratch.moles[rare] = v
            scratch.mole_support[rare] = counts[v]
            rare += 1
        elif counts[v] < support:
            chosen[stay] = v
            stay += 1
    return rare, stay


@kernel
def _sort_by_breach(
    cohort: I32, item: int, n_chosen: int, allowed: I64, records: RankedRecords, scratch: _Scratch, stack: I32, top: int
) -> tuple[I32, int]:
    """Take the chosen that breach h with X for moles; the rest stay.

    Only suspects are looked at: no extension of X holds a private item more often than X does. Returns the stack, used
    from `top` on and perhaps grown, and how many stay.
    """
    row_ptr, rows, priv_ptr, privs = records.row_ptr, records.rows, records.priv_ptr, records.privs
    counts, slot, chosen, ends = scratch.counts, scratch.slot, scratch.chosen, scratch.ends
    room = most_private(cohort, priv_ptr, privs, scratch.private_counts)
    suspects = 0
    for i in range(n_chosen):
        v = chosen[i]
        if room > allowed[counts[v]]:
            slot[v] = suspects
            ends[suspects] = top
            top += counts[v]
            suspects += 1
    if suspects == 0:
        return stack, n_chosen
    if top > len(stack):
        stack = larger(stack, top)  # the cohort is still read where it was
    for t in cohort:
        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
            v = rows[e]
            if v <= item:
                break
            if slot[v] >= 0:
                stack[ends[slot[v]]] = t
                ends[slot[v]] += 1
    stay = 0
    for i in range(n_chosen):
        v = chosen[i]
        breached = False
        if slot[v] >= 0:
            end = ends[slot[v]]
            slot[v] = -1
            here = stack[end - counts[v] : end]
            breached = most_private(here, priv_ptr, privs, scratch.private_counts) > allowed[counts[v]]
        if breached:
            scratch.moles[i - stay] = v
            scratch.mole_support[i - stay] = counts[v]
        else:
            chosen[stay] = v
            stay += 1
    return stack, stay


@kernel
def expand(
    start: int,
    stop: int,
    size: int,
    last: bool,
    limits: MoleBounds,
    records: RankedRecords,
    nodes: SearchNodes,
    pairs: I32,
) -> tuple[I32, I32, I32, I32, Flags]:
    """Judge all itemsets of `size` items whose rarest is in start..stop-1 and whose subsets are nodes.

    `last` says that no larger size follows; `pairs` are the counts of `pair_counts` for these items, or empty. Returns
    (number of children of each node of size - 1, in order; their items; moles, flat; supports; breached or rare).
    """
    n_items, depth = len(records.tid_ptr) - 1, size - 1
    first, item_of = nodes
    walk, scratch = _begin(depth, n_items, records.n_private)
    counts, touched, chosen = scratch.counts, scratch.touched, scratch.chosen
    stack = np.empty(1024, np.int32)
    found, n_moles = no_moles(size, 1024), 0
    node_children, n_nodes = np.zeros(1024, np.int32), 0
    child_items, n_children = np.empty(1024, np.int32), 0
    for root in range(start, stop):
        walk.added[1] = root
        walk.node[1] = root
        d, fresh = 1, True
        while d >= 1:
            if d == 1:
                cohort = records.tids[records.tid_ptr[root] : records.tid_ptr[root + 1]]
            else:
                cohort = stack[walk.start[d] : walk.stop[d]]
            if d < depth:
                if fresh:
                    stack = _deliver(d, cohort, records, first, item_of, walk, scratch.slot, stack)
                fresh = walk.turn[d] < first[walk.node[d] + 1]
                if fresh:
                    _descend(d, walk, first, item_of)
                    d += 1
                else:
                    d -= 1
                continue

            # X is whole: count what it can be extended by, and judge each.
            if d == 1 and len(pairs) > 0:
                n_touched = counted_pairs(pairs[root - start], root, counts, touched)
            else:
                n_touched = count_after(cohort, walk.added[d], records.row_ptr, records.rows, counts, touched)
            if d == 1:
                n_chosen = n_touched
                copy_into(chosen, touched[:n_chosen])
            else:
                n_chosen = _candidates(d, walk, first, item_of, counts, chosen)
            rare, kept = _sort_by_support(n_chosen, limits.k, len(cohort), scratch)
            found = with_moles(found, n_moles, walk.added, d, scratch.moles, scratch.mole_support, rare, False)
            n_moles += rare
            if records.n_private > 0 and kept > 0:
                stack, stay = _sort_by_breach(
                    cohort, walk.added[d], kept, limits.allowed, records, scratch, stack, walk.top[d]
                )
                breaching = kept - stay
                found = with_moles(found, n_moles, walk.added, d, scratch.moles, scratch.mole_support, breaching, True)
                n_moles += breaching
                kept = stay
            if not last:
                if n_nodes == len(node_children):
                    node_children = larger(node_children, 0)
                if n_children + kept > len(child_items):
                    child_items = larger(child_items, n_children + kept)
                copy_into(child_items[n_children:], np.sort(chosen[:kept]))
                node_children[n_nodes] = kept
                n_children += kept
                n_nodes += 1
            for i in range(n_touched):
                counts[touched[i]] = 0
            fresh = False
            d -= 1
    items, supports, breach = filled(found, n_moles, size)
    return node_children[:n_nodes].copy(), child_items[:n_children].copy(), items, supports, breach


@kernel
def _begin(depth: int, n_items: int, n_private: int) -> tuple[_Walk, _Scratch]:
    walk = _Walk(
        np.empty(depth + 1, np.int32),
        np.empty(depth + 1, np.int64),
        np.empty(depth + 1, np.int64),
        np.empty((depth + 1, depth + 1), np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 2, np.int64),
        np.empty((depth + 1, n_items + 1) if depth > 1 else (1, 1), np.int64),
    )
    scratch = _Scratch(
        np.zeros(n_items, np.int32),
        np.empty(n_items, np.int32),
        np.full(n_items, -1, np.int32),
        np.empty(n_items, np.int32),
        np.empty(n_items, np.int32),
        np.empty(n_items, np.int64),
        np.empty(n_items + 1, np.int64),
        np.zeros(n_private, np.int32),
    )
    return walk, scratch
