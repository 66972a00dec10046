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

from confide.core.runtime._bit_kernels import and3_count, and_count, has_bit, next_bit
from confide.core.runtime.jit import kernel, popcount, trailing_zeros
from confide.publish.transactions.moles._mole_kernels import (
    I32,
    I64,
    U64,
    Flags,
    Records,
    filled,
    no_moles,
    with_moles,
)
from confide.publish.transactions.moles._small_database_kernels import (
    Bits,
    active_private,
    copy_cohort,
    copy_second,
    room,
    set_first,
)

_MOST_LOSSES = 64  # losses summed for the bound L; with more items to come a child stays open


class _Walk(NamedTuple):
    """Where the walk stands, one entry for each depth d: the first d items of an itemset, from depth 1 on."""

    bits: U64  # the records that hold them
    words: I64  # how many words those are
    support: I64
    most_private: I64  # records with the commonest private item, or an upper bound of it
    added: I32  # the item added there
    node: I64  # the node of the first d items
    at: I32  # the item whose child was visited last
    without: I64  # without[d, j]: the node of the first d items but for the j-th, or -1 when it is closed


class _Scratch(NamedTuple):
    """What judging one node takes."""

    candidates: U64  # a bit for each item
    losses: I64  # by item: what it loses the parent of the node
    chosen: I32  # extensions that are no moles, and their supports
    chosen_support: I64
    moles: I32  # extensions that are, and theirs
    mole_support: I64
    counts: I64  # by slot of a private item
    tops: I64  # the largest losses, ascending


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
def _descend(d: int, v: int, column: U64, walk: _Walk, opens: U64, first: I64) -> None:
    """Set depth d + 1 to the child of item v, whose column is given."""
    x = walk.node[d]
    walk.at[d] = v
    walk.added[d + 1] = v
    walk.node[d + 1] = _child(x, v, opens, first)
    walk.without[d + 1, d] = x
    if d == 1:
        walk.without[2, 0] = v
    else:
        for j in range(d):
            walk.without[d + 1, j] = _child(walk.without[d, j], v, opens, first)
    above, here = walk.bits[d], walk.bits[d + 1]
    total = np.uint64(0)
    for w in range(walk.words[d]):
        word = above[w] & column[w]
        here[w] = word
        total += popcount(word)
    walk.support[d + 1] = np.int64(total)
    walk.words[d + 1] = walk.words[d]
    walk.most_private[d + 1] = walk.most_private[d]


@kernel
def _count_private(bits: U64, base: Bits, n_act: int, counts: I64) -> int:
    """Count every private item in these records; returns the largest count."""
    most = 0
    for s in range(n_act):
        counts[s] = and3_count(bits, bits, base.private[s], base.stretch[s, 0], base.stretch[s, 1])
        most = max(most, counts[s])
    return most


@kernel
def _measure_losses(d: int, walk: _Walk, keeps: U64, columns: U64, slot: I32, losses: I64) -> None:
    """What each item loses X bounds what it loses the children of X."""
    n_items = len(slot)
    v = next_bit(keeps, walk.added[d] + 1, n_items)
    while v < n_items:
        losses[v] = walk.support[d] - and_count(walk.bits[d], columns[slot[v]], walk.words[d])
        v = next_bit(keeps, v + 1, n_items)


# -- judging --------------------------------------------------------------------------------------------------------


@kernel
def _find_candidates(d: int, item: int, n_items: int, without: I64, keeps: U64, candidates: U64) -> None:
    """The items v after `item`, the last of X, for which every subset of X + v is kept, as far as it is known.

    `without` are the nodes of X less one item.
    """
    low, words = (item + 1) >> 6, len(candidates)
    for w in range(words):
        candidates[w] = np.uint64(0) if w < low else ~np.uint64(0)
    if low < words:
        candidates[low] <<= np.uint64((item + 1) & 63)
    if n_items & 63:
        candidates[words - 1] &= (np.uint64(1) << np.uint64(n_items & 63)) - np.uint64(1)
    for j in range(d if d > 1 else 0):
        if without[j] >= 0:
            for w in range(low, words):
                candidates[w] &= keeps[without[j], w]


@kernel
def _sort_by_support(
    d: int, k: int, allowed: I64, bounded: bool, walk: _Walk, columns: U64, slot: I32, scratch: _Scratch
) -> tuple[int, int, int]:
    """Count X + v for every candidate v: those in fewer than k records are moles, those as common as X are dropped.

    With `bounded`, candidates that the losses of X's parent prove safe are not counted. Returns how many are moles,
    how many are chosen, and the least support of the chosen.
    """
    here, support, words, most_private = walk.bits[d], walk.support[d], walk.words[d], walk.most_private[d]
    n_moles, n_chosen, least = 0, 0, support
    for w in range(len(scratch.candidates)):
        rest = scratch.candidates[w]
        while rest:
            v = (w << 6) + np.int64(trailing_zeros(rest))
            rest &= rest - np.uint64(1)
            if bounded:
                safe = support - scratch.losses[v]
                if safe >= k and most_private <= allowed[safe]:
                    continue
            s = and_count(here, columns[slot[v]], words)
            if 0 < s < k:
                scratch.moles[n_moles] = v
                scratch.mole_support[n_moles] = s
                n_moles += 1
            elif 0 < s < support:
                scratch.chosen[n_chosen] = v
                scratch.chosen_support[n_chosen] = s
                n_chosen += 1
                least = min(least, s)
    return n_moles, n_chosen, least


@kernel
def _sort_by_breach(
    d: int, n_chosen: int, allowed: I64, walk: _Walk, base: Bits, n_act: int, slot: I32, scratch: _Scratch
) -> int:
    """Take the chosen that breach h with X for moles; returns how many stay chosen."""
    here, counts, chosen, supports = walk.bits[d], scratch.counts, scratch.chosen, scratch.chosen_support
    most = _count_private(here, base, n_act, counts)
    walk.most_private[d] = most
    stay = 0
    for i in range(n_chosen):
        v = chosen[i]
        support = supports[i]
        bound = allowed[support]
        breached = False
        if most > bound:
            column = base.columns[slot[v]]
            for s in range(n_act):
                if counts[s] > bound:
                    both = and3_count(here, column, base.private[s], base.stretch[s, 0], base.stretch[s, 1])
                    if both > bound:
                        breached = True
                        break
        if breached:
            scratch.moles[i - stay] = v
            scratch.mole_support[i - stay] = support
        else:
            chosen[stay] = v
            supports[stay] = support
            stay += 1
    return stay


@kernel
def _keep_largest(tops: I64, n: int, most: int, loss: int) -> tuple[int, int]:
    """Keep the `most` largest losses in tops[:n], ascending; returns their number, and by how much their sum grew."""
    if n < most:
        b = n
        while b > 0 and tops[b - 1] > loss:
            tops[b] = tops[b - 1]
            b -= 1
        tops[b] = loss
        return n + 1, loss
    if loss <= tops[0]:
        return n, 0
    smallest = tops[0]
    b = 0
    while b + 1 < n and tops[b + 1] < loss:
        tops[b] = tops[b + 1]
        b += 1
    tops[b] = loss
    return n, loss - smallest


@kernel
def _open_children(
    d: int, n_chosen: int, more: int, k: int, allowed: I64, walk: _Walk, scratch: _Scratch, keeps: U64, opens: U64
) -> None:
    """Write the chosen into `keeps`, and into `opens` those with `more` items to come that the bound L leaves open.

    Goes backwards, so that the losses of all larger items are known when a child is opened or closed.
    """
    n_tops, lost = 0, 0
    for i in range(n_chosen - 1, -1, -1):
        v = scratch.chosen[i]
        support = scratch.chosen_support[i]
        mark = np.uint64(1) << np.uint64(v & 63)
        keeps[v >> 6] |= mark
        safe = support - lost
        too_many = more > _MOST_LOSSES and n_chosen - 1 - i > _MOST_LOSSES
        if too_many or safe < k or walk.most_private[d] > allowed[safe]:
            opens[v >> 6] |= mark
        n_tops, grown = _keep_largest(scratch.tops, n_tops, min(more, _MOST_LOSSES), walk.support[d] - support)
        lost += grown


@kernel
def expand(
    root: int, size: int, most: int, k: int, allowed: I64, records: Records, keeps: U64, opens: U64, first: I64
) -> tuple[I32, I32, Flags]:
    """Judge all itemsets of `size` items whose rarest is `root` and whose subsets are nodes or lie under closed ones.

    `most` is p; `allowed[s]` is how many of s records may share a private item. Writes `keeps` and `opens` of the nodes
    of size - 1 items, unless size is p. Returns the moles, flat; their supports; and whether breached (else rare).
    """
    n_items, depth, last = len(records.tid_ptr) - 1, size - 1, size == most
    whole = records.tids[records.tid_ptr[root] : records.tid_ptr[root + 1]]
    words = (len(whole) + 63) >> 6
    slot = np.full(n_items, -1, np.int32)
    for v in range(root + 1, n_items):
        if size == 2 or has_bit(keeps[root], v):
            slot[v] = v - root - 1
    private_slot = np.full(records.n_private, -1, np.int32)
    n_active, most_private = active_private(whole, k, allowed, records, private_slot)
    one = room(n_items - root - 1, n_active, words)
    copy_cohort(whole, root, slot, private_slot, n_active, records, one)
    two = room(n_items - root - 1, n_active, words) if depth >= 3 else room(1, 1, 1)
    walk, scratch = _begin(depth, n_items, n_active, words)
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
                        walk.added[2], walk.support[2], walk.bits[2], whole, k, allowed, records, keeps[x],
                        slot, private_slot, one, two,
                    )  # fmt: skip
                    base = two
                if d == depth - 1 and last:
                    _measure_losses(d, walk, keeps[x], base.columns, slot, scratch.losses)
            v = next_bit(opens[x], walk.at[d] + 1, n_items)
            fresh = v < n_items
            if fresh:
                _descend(d, v, base.columns[slot[v]], walk, opens, first)
                d += 1
                if not last or d < depth:
                    walk.most_private[d] = _count_private(walk.bits[d], base, n_act, scratch.counts)
            else:
                if d == 2:
                    base, n_act = one, n_active
                d -= 1
            continue

        # X is whole: judge every X + v.
        _find_candidates(d, walk.added[d], n_items, walk.without[d], keeps, scratch.candidates)
        bounded = last and d > 1
        rare, chosen, least = _sort_by_support(d, k, allowed, bounded, walk, base.columns, slot, scratch)
        if rare > 0:
            found = with_moles(found, n_found, walk.added, d, scratch.moles, scratch.mole_support, rare, False)
            n_found += rare
        if chosen > 0 and walk.most_private[d] > allowed[least]:
            stay = _sort_by_breach(d, chosen, allowed, walk, base, n_act, slot, scratch)
            breaching = chosen - stay
            found = with_moles(found, n_found, walk.added, d, scratch.moles, scratch.mole_support, breaching, True)
            n_found += breaching
            chosen = stay
        if not last:
            _open_children(d, chosen, most - size, k, allowed, walk, scratch, keeps[x], opens[x])
        fresh = False
        d -= 1
    return filled(found, n_found, size)


@kernel
def _begin(depth: int, n_items: int, n_active: int, words: int) -> tuple[_Walk, _Scratch]:
    walk = _Walk(
        np.zeros((depth + 1, words), np.uint64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int32),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int32),
        np.zeros((depth + 1, depth + 1), np.int64),
    )
    scratch = _Scratch(
        np.empty((n_items + 63) >> 6, np.uint64),
        np.zeros(n_items, np.int64),
        np.empty(n_items, np.int32),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int32),
        np.empty(n_items, np.int64),
        np.empty(max(n_active, 1), np.int64),
        np.zeros(_MOST_LOSSES, np.int64),
    )
    return walk, scratch
