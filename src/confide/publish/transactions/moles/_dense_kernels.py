"""Minimal moles of dense data: records are bits, and an itemset's support is counted 64 records at a time.

Items are ranks (0 is the rarest). As in `_sparse_kernels` the search goes size by size over *nodes*, itemsets
free of moles; here a node's children are a row of bits over the items:

    keeps[x]   1 0 1 1 0 1 1 ...     x with that item added is free of moles
    opens[x]   1 0 0 1 0 1 0 ...     and is a node of its own: it may have a mole above it
    first[x]                         number of its first child; child v is first[x] + (open bits below v)

so that "all subsets of X + v are nodes" is an AND of rows, done once for X and all v. Below a first item (and again
below the first two, the rarest of the itemset) the records that hold it are copied into a small database of their own,
ordered by private item; a private item's records then are a short stretch of words:

    record      0 1 2 3 | 4 5 6 7 ...
    item v      1 0 1 1   0 1 1 1            support of X + v: bits set in the AND
    private s   1 1 1 0   0 0 0 0            counted only over its stretch, and only if X leaves room for a breach

A child is *closed* (kept but not opened) when no itemset above it can be a mole. Adding u to X loses X no more records
than it loses any subset of X. So an itemset of at most r items more than X + v has a support of at least

    L = Sup(X + v) - (the r largest losses Sup(X) - Sup(X + u))

and no private item occurs in it more often than in X. With L >= k and that count at most floor(h L), all are safe.
What lies under a closed node is not looked up later, so a reported mole may contain a smaller one: the caller drops
those (see `minimal.py`).

The walk below one first item, for itemsets of five:

    d = 1   i            bits of all records with i           the first small database
    d = 2   i j          copied anew: all records with i j    the second one, from here on
    d = 3   i j l        AND with the column of l
    d = 4   i j l m      candidates v, supports, breaches; children kept, opened or closed
"""

from typing import NamedTuple

import numpy as np

from confide.core.runtime.bit_kernels import and_count, has_bit, next_bit
from confide.core.runtime.jit import kernel, popcount
from confide.publish.transactions.moles._dense_judging_kernels import (
    count_private,
    drop_safe,
    find_candidates,
    open_children,
    scratch_for,
    sort_by_breach,
    sort_by_support,
)
from confide.publish.transactions.moles._small_database_kernels import (
    ColumnSlots,
    DatabasePair,
    active_private,
    copy_cohort,
    copy_second,
    room,
    set_first,
)
from confide.publish.transactions.moles.mole_kernels import (
    I32,
    I64,
    U64,
    Flags,
    MoleBounds,
    RankedRecords,
    filled,
    no_moles,
    with_moles,
)


class _Walk(NamedTuple):
    """Where the walk stands, one entry for each depth d: the first d items of an itemset, from depth 1 on."""

    bits: U64  # the records that hold them
    words: I64  # how many words those are
    support: I64
    most_private: I64  # records with the commonest private item, or an upper bound of it
    added: I32  # the item added there
    node: I64  # the node of the first d items; not needed where the last size is judged
    at: I32  # the item whose child was visited last
    without: I64  # without[d, j]: the node of the first d items but for the j-th, or -1 when it is closed


@kernel
def _child(x: int, v: int, opens: U64, first: I64) -> np.int64:
    """The node of x with item v added, or -1 when that is closed, or x is."""
    if x < 0 or not has_bit(opens[x], v):
        return np.int64(-1)
    below = popcount(opens[x, v >> 6] & ((np.uint64(1) << np.uint64(v & 63)) - np.uint64(1)))
    for w in range(v >> 6):
        below += popcount(opens[x, w])
    return first[x] + np.int64(below)


# -- walking --------------------------------------------------------------------------------------------------------


@kernel
def _children_without(d: int, v: int, without: I64, opens: U64, first: I64, out: I64) -> None:
    """The nodes of X + v less one item of X, from those of X; X has d items."""
    if d == 1:
        out[0] = v
    else:
        for j in range(d):
            out[j] = _child(without[j], v, opens, first)


@kernel
def _and_into(a: U64, b: U64, out: U64, words: int) -> np.int64:
    """Write the bits set in both; returns how many."""
    total = np.uint64(0)
    for w in range(words):
        word = a[w] & b[w]
        out[w] = word
        total += popcount(word)
    return np.int64(total)


@kernel
def _measure_losses(d: int, walk: _Walk, keeps: U64, columns: U64, slot: I32, losses: I64) -> None:
    """What each item loses X bounds what it loses the children of X."""
    n_items = len(slot)
    v = next_bit(keeps, walk.added[d] + 1, n_items)
    while v < n_items:
        losses[v] = walk.support[d] - and_count(walk.bits[d], columns[slot[v]], walk.words[d])
        v = next_bit(keeps, v + 1, n_items)


@kernel
def expand(
    root: int, size: int, most: int, limits: MoleBounds, records: RankedRecords, keeps: U64, opens: U64, first: I64
) -> tuple[I32, I32, Flags]:
    """Judge all itemsets of `size` items whose rarest is `root` and whose subsets are nodes or lie under closed ones.

    `most` is p. Writes `keeps` and `opens` of the nodes of size - 1 items, unless size is p. Returns the moles, flat;
    their supports; and whether breached (else rare).
    """
    n_items, depth, last = len(records.tid_ptr) - 1, size - 1, size == most
    whole = records.tids[records.tid_ptr[root] : records.tid_ptr[root + 1]]
    words = (len(whole) + 63) >> 6
    slot = np.full(n_items, -1, np.int32)
    for v in range(root + 1, n_items):
        if size == 2 or has_bit(keeps[root], v):
            slot[v] = v - root - 1
    private_slot = np.full(records.n_private, -1, np.int32)
    n_active, most_private = active_private(whole, limits, records, private_slot)
    one = room(n_items - root - 1, n_active, words)
    copy_cohort(whole, root, slot, private_slot, n_active, records, one)
    two = room(n_items - root - 1, n_active, words) if depth >= 3 else room(1, 1, 1)
    pair = DatabasePair(one, two, whole, np.empty(len(whole) if depth >= 3 else 0, np.int32))
    walk, scratch = _begin(depth, words), scratch_for(n_items, n_active)
    set_first(walk.bits[1], len(whole))
    walk.words[1], walk.support[1], walk.most_private[1] = words, len(whole), most_private
    walk.added[1], walk.node[1] = root, root
    found, n_found = no_moles(size, 256), 0

    base, n_act = one, n_active
    d, fresh = 1, True
    while d >= 1:
        x = walk.node[d]
        if d < depth:
            if fresh:
                walk.at[d] = walk.added[d]
                if depth >= 3 and d == 2:
                    walk.words[2], n_act = copy_second(
                        walk.added[2],
                        walk.support[2],
                        walk.bits[2],
                        keeps[x],
                        limits,
                        records,
                        ColumnSlots(slot, private_slot),
                        pair,
                    )
                    base = two
                if d == depth - 1 and last:
                    _measure_losses(d, walk, keeps[x], base.columns, slot, scratch.losses)
            v = next_bit(opens[x], walk.at[d] + 1, n_items)
            fresh = v < n_items
            if fresh:
                walk.at[d] = v
                _children_without(d, v, walk.without[d], opens, first, walk.without[d + 1])
                walk.without[d + 1, d] = x
                walk.words[d + 1] = walk.words[d]
                walk.added[d + 1] = v
                d += 1
                if last and d == depth:  # most of these need no bits: see below
                    walk.support[d] = walk.support[d - 1] - scratch.losses[v]
                    walk.most_private[d] = walk.most_private[d - 1]
                else:
                    walk.node[d] = _child(x, v, opens, first)
                    walk.support[d] = _and_into(walk.bits[d - 1], base.columns[slot[v]], walk.bits[d], walk.words[d])
                    walk.most_private[d] = count_private(walk.bits[d], base, n_act, scratch.counts)
            else:
                if d == 2:
                    base, n_act = one, n_active
                d -= 1
            continue

        # X is whole: judge every X + v.
        item = walk.added[d]
        open_ = find_candidates(d, item, n_items, walk.without[d], keeps, scratch.candidates)
        if open_ and last and d > 1:
            support, most_private = walk.support[d], walk.most_private[d]
            open_ = drop_safe(support, most_private, limits, scratch.losses, scratch.candidates, (item + 1) >> 6)
            if open_:
                _and_into(walk.bits[d - 1], base.columns[slot[item]], walk.bits[d], walk.words[d])
        rare, chosen, least = 0, 0, 0
        if open_:
            rare, chosen, least = sort_by_support(
                walk.bits[d], walk.support[d], walk.words[d], limits.k, base.columns, slot, scratch
            )
        if rare > 0:
            found = with_moles(found, n_found, walk.added, d, scratch.moles, scratch.mole_support, rare, False)
            n_found += rare
        if chosen > 0 and walk.most_private[d] > limits.allowed[least]:
            stay, walk.most_private[d] = sort_by_breach(
                walk.bits[d], chosen, limits.allowed, base, n_act, slot, scratch
            )
            breaching = chosen - stay
            found = with_moles(found, n_found, walk.added, d, scratch.moles, scratch.mole_support, breaching, True)
            n_found += breaching
            chosen = stay
        if not last:
            support, most_private = walk.support[d], walk.most_private[d]
            open_children(support, most_private, chosen, most - size, limits, scratch, keeps[x], opens[x])
        fresh = False
        d -= 1
    return filled(found, n_found, size)


@kernel
def _begin(depth: int, words: int) -> _Walk:
    return _Walk(
        np.zeros((depth + 1, words), np.uint64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int32),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int32),
        np.zeros((depth + 1, depth + 1), np.int64),
    )
