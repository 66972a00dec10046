"""Minimal moles of dense data: records are bits, and an itemset's support is counted 64 records at a time.

Items are ranks (0 is the rarest). As in `_mole_sparse_kernels` the search goes size by size over *nodes*, itemsets
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
those (see `moles.py`).
"""

from typing import Any

import numpy as np

from confide.core.runtime.jit import kernel, popcount
from confide.publish.transactions.moles._mole_kernels import I32, I64, U64, Flags, Records


@kernel
def _and_count(a: U64, b: U64, words: int) -> np.int64:
    total = np.uint64(0)
    for w in range(words):
        total += popcount(a[w] & b[w])
    return np.int64(total)


@kernel
def _and3_count(a: U64, b: U64, c: U64, start: int, stop: int) -> np.int64:
    total = np.uint64(0)
    for w in range(start, stop):
        total += popcount(a[w] & b[w] & c[w])
    return np.int64(total)


@kernel
def _child(x: int, v: int, opens: U64, first: I64) -> np.int64:
    """The node of x with item v added, or -1 when that is closed, or x is."""
    if x < 0 or not opens[x, v >> 6] >> np.uint64(v & 63) & np.uint64(1):
        return np.int64(-1)
    below = popcount(opens[x, v >> 6] & ((np.uint64(1) << np.uint64(v & 63)) - np.uint64(1)))
    for w in range(v >> 6):
        below += popcount(opens[x, w])
    return first[x] + np.int64(below)


@kernel
def _copy_cohort(cohort: I32, ptr: I64, entries: I32, above: int, slot: I32, columns: U64) -> int:
    """Columns over the cohort's records for the entries above `above` that have a slot."""
    words = (len(cohort) + 63) >> 6
    columns[:, :words] = 0
    for b in range(len(cohort)):
        t = cohort[b]
        bit = np.uint64(1) << np.uint64(b & 63)
        for e in range(ptr[t + 1] - 1, ptr[t] - 1, -1):
            u = entries[e]
            if u <= above:
                break
            if slot[u] >= 0:
                columns[slot[u], b >> 6] |= bit
    return words


@kernel
def _larger(array: Any) -> Any:
    grown = np.empty(2 * len(array), array.dtype)
    grown[: len(array)] = array
    return grown


@kernel
def expand(
    root: int, size: int, most: int, k: int, allowed: I64, records: Records, keeps: U64, opens: U64, first: I64
) -> tuple[I32, I32, Flags]:
    """Judge all itemsets of `size` items whose rarest is `root` and whose subsets are nodes or lie under closed ones.

    `most` is p; `allowed[s]` is how many of s records may share a private item. Writes `keeps` and `opens` of the nodes
    of size - 1 items, unless size is p. Returns the moles, flat; their supports; and whether breached (else rare).
    """
    row_ptr, rows, tid_ptr, tids, priv_ptr, privs, n_private = records
    n_items = len(tid_ptr) - 1
    item_words = (n_items + 63) >> 6
    last = size == most
    depth = size - 1
    n_moles = 0
    mole_items = np.empty(256 * size, np.int32)
    mole_support = np.empty(256, np.int32)
    mole_breach = np.empty(256, np.bool_)

    whole = tids[tid_ptr[root] : tid_ptr[root + 1]]
    most_words = (len(whole) + 63) >> 6
    slot = np.full(n_items, -1, np.int32)
    for v in range(root + 1, n_items):
        if size == 2 or keeps[root, v >> 6] >> np.uint64(v & 63) & np.uint64(1):
            slot[v] = v - root - 1
    columns = np.empty((max(n_items - root - 1, 1), most_words), np.uint64)
    _copy_cohort(whole, row_ptr, rows, root, slot, columns)

    # Private items that could breach at all: some itemset of k records or more would have to hold too many.
    private_count = np.zeros(n_private, np.int64)
    for t in whole:
        for e in range(priv_ptr[t], priv_ptr[t + 1]):
            private_count[privs[e]] += 1
    private_slot = np.full(n_private, -1, np.int32)
    least_support = min(k, len(whole))
    n_active = 0
    for s in range(n_private):
        if private_count[s] > allowed[least_support]:
            private_slot[s] = n_active
            n_active += 1
    private = np.empty((max(n_active, 1), most_words), np.uint64)
    if n_active > 0:
        _copy_cohort(whole, priv_ptr, privs, -1, private_slot, private)
    stretch = np.zeros((max(n_active, 1), 2), np.int64)
    for s in range(n_active):
        stretch[s, 0] = most_words
        for w in range(most_words):
            if private[s, w]:
                stretch[s, 0] = min(stretch[s, 0], w)
                stretch[s, 1] = w + 1

    # A second, smaller database for the records of the first two items; `active2[j]` is the private item in slot j.
    two = depth >= 3
    columns2 = np.empty(columns.shape if two else (1, 1), np.uint64)
    private2 = np.empty(private.shape if two else (1, 1), np.uint64)
    stretch2 = np.zeros((max(n_active, 1), 2), np.int64)
    cohort2 = np.empty(len(whole), np.int32)
    slot2 = np.full(n_items, -1, np.int32)
    private_slot2 = np.full(n_private, -1, np.int32)

    bits = np.zeros((depth + 1, most_words), np.uint64)
    for b in range(len(whole)):
        bits[1, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
    words = most_words
    words_at = np.zeros(depth + 1, np.int64)
    words_at[1] = most_words
    support = np.zeros(depth + 1, np.int64)
    support[1] = len(whole)
    added = np.zeros(depth + 1, np.int32)
    added[1] = root
    node = np.zeros(depth + 1, np.int64)
    node[1] = root
    at = np.zeros(depth + 1, np.int32)  # the item whose child comes next
    at[1] = root
    without = np.zeros((depth + 1, depth + 1), np.int64)
    losses = np.zeros(n_items, np.int64)  # of the parent of the node being judged, by item
    n_act = n_active
    most_private = np.zeros(depth + 1, np.int64)  # of the commonest private item, or an upper bound of it
    for s in range(n_private):
        if private_slot[s] >= 0:
            most_private[1] = max(most_private[1], private_count[s])
    candidates = np.empty(item_words, np.uint64)
    chosen = np.empty(n_items, np.int32)
    chosen_support = np.empty(n_items, np.int64)
    counts = np.empty(max(n_active, 1), np.int64)
    tops = np.zeros(64, np.int64)
    cols, privates, ranges = columns, private, stretch  # of the first item, or of the first two

    d = 1
    fresh = True
    while d >= 1:
        x = node[d]
        words = words_at[d]
        if d < depth:
            if fresh:
                fresh = False
                at[d] = added[d]
                if two and d == 2:
                    # Copy the records of the first two items.
                    n = 0
                    for w in range(most_words):
                        word = bits[2, w]
                        while word:
                            low = popcount((word & (~word + np.uint64(1))) - np.uint64(1))
                            cohort2[n] = whole[(w << 6) + np.int64(low)]
                            n += 1
                            word &= word - np.uint64(1)
                    for v in range(root + 1, n_items):
                        slot2[v] = -1
                        if v > added[2] and keeps[x, v >> 6] >> np.uint64(v & 63) & np.uint64(1):
                            slot2[v] = slot[v]
                    cohort = cohort2[:n]
                    words = _copy_cohort(cohort, row_ptr, rows, added[2], slot2, columns2)
                    words_at[2] = words
                    n_act = 0
                    if n_active > 0:
                        for s in range(n_active):
                            counts[s] = _and3_count(bits[2], bits[2], private[s], stretch[s, 0], stretch[s, 1])
                        for s in range(n_private):
                            private_slot2[s] = -1
                            if private_slot[s] >= 0 and counts[private_slot[s]] > allowed[min(k, n)]:
                                private_slot2[s] = n_act
                                n_act += 1
                        if n_act > 0:
                            _copy_cohort(cohort, priv_ptr, privs, -1, private_slot2, private2)
                        for s in range(n_act):
                            stretch2[s, 0] = words
                            stretch2[s, 1] = 0
                            for w in range(words):
                                if private2[s, w]:
                                    stretch2[s, 0] = min(stretch2[s, 0], w)
                                    stretch2[s, 1] = w + 1
                    bits[2, :words] = 0
                    for b in range(n):
                        bits[2, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
                    cols, privates, ranges = columns2, private2, stretch2
                if d == depth - 1 and last:
                    # What each item loses the parent bounds what it loses the children.
                    for v in range(added[d] + 1, n_items):
                        if keeps[x, v >> 6] >> np.uint64(v & 63) & np.uint64(1):
                            losses[v] = support[d] - _and_count(bits[d], cols[slot[v]], words)
            v = at[d] + 1
            while v < n_items:
                rest = opens[x, v >> 6] >> np.uint64(v & 63)
                if rest == 0:
                    v = ((v >> 6) + 1) << 6
                elif rest & np.uint64(1):
                    break
                else:
                    v += np.int64(popcount((rest & (~rest + np.uint64(1))) - np.uint64(1)))
            if v >= n_items:
                if two and d == 2:
                    cols, privates, ranges, n_act = columns, private, stretch, n_active
                d -= 1
                continue
            at[d] = v
            added[d + 1] = v
            without[d + 1, d] = x
            if d == 1:
                without[2, 0] = v
            else:
                for j in range(d):
                    without[d + 1, j] = _child(without[d, j], v, opens, first)
            node[d + 1] = _child(x, v, opens, first)
            total = np.uint64(0)
            for w in range(words):
                word = bits[d, w] & cols[slot[v], w]
                bits[d + 1, w] = word
                total += popcount(word)
            support[d + 1] = np.int64(total)
            words_at[d + 1] = words
            most_private[d + 1] = most_private[d]
            if not last or d + 1 < depth:
                top = 0
                for s in range(n_act):
                    top = max(top, _and3_count(bits[d + 1], bits[d + 1], privates[s], ranges[s, 0], ranges[s, 1]))
                most_private[d + 1] = top
            d += 1
            fresh = True
            continue

        # -- the level to be judged ------------------------------------------------------------------------------
        fresh = False
        item = added[d]
        if d == 1:
            candidates[:] = ~np.uint64(0)
        else:
            parent = without[d, d - 1]
            for w in range(item_words):
                candidates[w] = keeps[parent, w]
            for j in range(d - 1):
                other = without[d, j]
                if other >= 0:
                    for w in range(item_words):
                        candidates[w] &= keeps[other, w]
        here = bits[d]
        n_chosen = 0
        least = support[d]
        bounded = last and d > 1
        v = item + 1
        while v < n_items:
            rest = candidates[v >> 6] >> np.uint64(v & 63)
            if rest == 0:
                v = ((v >> 6) + 1) << 6
                continue
            v += np.int64(popcount((rest & (~rest + np.uint64(1))) - np.uint64(1)))
            if v >= n_items:
                break
            if bounded:
                safe = support[d] - losses[v]
                if safe >= k and most_private[d] <= allowed[safe]:
                    v += 1
                    continue
            s = _and_count(here, cols[slot[v]], words)
            if s > 0 and s < k:
                if n_moles == len(mole_support):
                    mole_items = _larger(mole_items)
                    mole_support = _larger(mole_support)
                    mole_breach = _larger(mole_breach)
                for j in range(d):
                    mole_items[n_moles * size + j] = added[j + 1]
                mole_items[n_moles * size + d] = v
                mole_support[n_moles] = s
                mole_breach[n_moles] = False
                n_moles += 1
            elif s > 0 and s < support[d]:
                chosen[n_chosen] = v
                chosen_support[n_chosen] = s
                n_chosen += 1
                least = min(least, s)
            v += 1
        if n_chosen > 0 and most_private[d] > allowed[least]:
            top = 0
            for s in range(n_act):
                counts[s] = _and3_count(here, here, privates[s], ranges[s, 0], ranges[s, 1])
                top = max(top, counts[s])
            most_private[d] = top
            kept = 0
            for i in range(n_chosen):
                v = chosen[i]
                bound = allowed[chosen_support[i]]
                breached = False
                if top > bound:
                    for s in range(n_act):
                        if counts[s] > bound:
                            column = cols[slot[v]]
                            if _and3_count(here, column, privates[s], ranges[s, 0], ranges[s, 1]) > bound:
                                breached = True
                                break
                if breached:
                    if n_moles == len(mole_support):
                        mole_items = _larger(mole_items)
                        mole_support = _larger(mole_support)
                        mole_breach = _larger(mole_breach)
                    for j in range(d):
                        mole_items[n_moles * size + j] = added[j + 1]
                    mole_items[n_moles * size + d] = v
                    mole_support[n_moles] = chosen_support[i]
                    mole_breach[n_moles] = True
                    n_moles += 1
                else:
                    chosen[kept] = v
                    chosen_support[kept] = chosen_support[i]
                    kept += 1
            n_chosen = kept
        if not last:
            # Backwards, so that the losses of all larger items are known when a child is opened or closed.
            more = min(most - size, 64)
            n_tops = 0
            lost = 0  # the sum of the largest losses, which are in `tops`
            for i in range(n_chosen - 1, -1, -1):
                v = chosen[i]
                mark = np.uint64(1) << np.uint64(v & 63)
                keeps[x, v >> 6] |= mark
                safe = chosen_support[i] - lost
                unbounded = most - size > 64 and n_chosen - 1 - i > 64
                if unbounded or safe < k or most_private[d] > allowed[safe]:
                    opens[x, v >> 6] |= mark
                loss = support[d] - chosen_support[i]
                if n_tops < more:
                    b = n_tops
                    n_tops += 1
                    lost += loss
                elif loss > tops[0]:
                    # drop the smallest of the largest
                    lost += loss - tops[0]
                    b = 0
                    while b + 1 < n_tops and tops[b + 1] < loss:
                        tops[b] = tops[b + 1]
                        b += 1
                    tops[b] = loss
                    continue
                else:
                    continue
                while b > 0 and tops[b - 1] > loss:
                    tops[b] = tops[b - 1]
                    b -= 1
                tops[b] = loss
        d -= 1
    return mole_items[: n_moles * size].copy(), mole_support[:n_moles].copy(), mole_breach[:n_moles].copy()
