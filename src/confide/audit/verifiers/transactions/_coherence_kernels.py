"""Kernels of the coherence verifier: arrays in, arrays out.

Items are ranks here: 0 is the rarest public item. Every itemset X is visited once, below its rarest item i, within the
cohort of i, the records that hold i. The cohort's other items become bitmaps over its records:

    record of the cohort   0 1 2 3 4 5 ...
    bits of X              1 1 0 1 0 1         support of X      = bits set
    column of item v       1 0 1 1 1 1         support of X + v  = bits set in the AND
    column of private j    0 0 1 1 0 0         breach count of j = bits set in the AND

The walk goes depth first and skips a branch only when a bound proves it clean. Let d(u) = Sup(X) - Sup(X + u). Adding
v and then r more items loses at most d(v) and the r largest d(u), so every itemset of the branch has a support of at
least

    L = Sup(X + v) - (d(u1) + ... + d(ur))

and private item j stands in at most its count at X of their records. With L >= k and every such count at most h L
there is no mole in the branch. Extensions are tried rarest first, so the r largest losses are simply the next r.
An extension held by all records of X changes no count at all and is left out below X.

The bound h is a fraction `most` / `of` of whole numbers, so a private item in c of s records is too common when
c * of > most * s: two products, no rounding (`mole_search.share_in_integers` says why they never overflow).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.transactions._cohort_kernels import bitmaps, clear, give_slots, tally
from confide.core.runtime.bit_kernels import and3_count, and_count
from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]

CLEAN, MOLE, STOPPED = 0, 1, 2


class Lists(NamedTuple):
    """Row r holds `entries[ptr[r] : ptr[r + 1]]`, ascending."""

    ptr: I64
    entries: I32


class MoleLimits(NamedTuple):
    """What a mole is: `most` / `of` is h. `k_known` says that no itemset is rarer than k, so only private items are
    looked at; `unbounded` that p reaches the longest record, so that an itemset whose records all hold an item tried
    earlier may be skipped: with that item it was visited there, with the same counts."""

    most: int
    of: int
    k: int
    p: int
    k_known: bool
    unbounded: bool


class Desk(NamedTuple):
    """Room to work in: `counts` and `pcounts` are zeros, and zeros again on return. `first[0]` is the lowest rank a
    mole was found for so far: above it, there is nothing to do. `witness` takes the size and the ranks of a mole."""

    counts: I64
    pcounts: I64
    first: I64
    witness: I64


class _Cohort(NamedTuple):
    """The `size` records with one item: a bitmap for each other item (`columns`; those of `item[:extensions]` are
    extensions, the others were tried before) and for each private item that could breach (`private`, with `starts`,
    its count in the cohort)."""

    size: int
    item: I32
    extensions: int
    columns: U64
    private: U64
    starts: I64


class _Active(NamedTuple):
    """Private items that could still breach, as rows of `_Cohort.private`, and their counts here."""

    rows: I32
    counts: I64


@kernel
def _covered(bits: U64, columns: U64, excluded: I32, n_excluded: int) -> bool:
    """Whether one of the excluded items is held by every record of `bits`."""
    for x in range(n_excluded):
        column = columns[excluded[x]]
        w = 0
        while w < len(bits) and bits[w] & ~column[w] == 0:
            w += 1
        if w == len(bits):
            return True
    return False


@kernel
def _sort_by(keys: I64, items: I32, n: int) -> None:
    """Shell sort of keys[:n] ascending, items along: short, quick to compile, and quick on what is nearly sorted."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for a in range(gap, n):
            key, item = keys[a], items[a]
            b = a - gap
            while b >= 0 and keys[b] > key:
                keys[b + gap], items[b + gap] = keys[b], items[b]
                b -= gap
            keys[b + gap], items[b + gap] = key, item
        gap //= 3


@kernel
def _judge(
    bits: U64,
    support: int,
    cohort: _Cohort,
    candidates: I32,
    active: _Active,
    limits: MoleLimits,
    ext: I32,
    ext_support: I64,
) -> int:
    """Support and breach of X + u for every candidate u: where itemsets are judged.

    Fills `ext` and `ext_support` with the candidates that occur and shrink X, rarest first, and returns how many;
    for a mole, -1 - its place among the candidates.
    """
    kept = 0
    words = len(bits)
    for x in range(len(candidates)):
        column = cohort.columns[candidates[x]]
        s = and_count(bits, column, words)
        if s == 0 or s == support:
            continue
        if s < limits.k:
            return -1 - x
        room = limits.most * s
        for y in range(len(active.rows)):
            private = cohort.private[active.rows[y]]
            if active.counts[y] * limits.of > room and and3_count(bits, column, private, 0, words) * limits.of > room:
                return -1 - x
        ext[kept] = candidates[x]
        ext_support[kept] = s
        kept += 1
    _sort_by(ext_support, ext, kept)
    return kept


@kernel
def _walk(i: int, cohort: _Cohort, limits: MoleLimits, first: I64, witness: I64) -> int:
    """Depth first below item i.

    Level d holds an itemset of d items: its bits, its support, the extensions that strictly shrink it (with the
    support each gives) and the private items that could still breach below it (with their counts).
    """
    columns, private = cohort.columns, cohort.private
    n_columns, words = columns.shape
    m, n_active = cohort.extensions, len(cohort.starts)
    deepest = min(limits.p - 1, m) + 1
    bits = np.zeros((deepest + 1, words), np.uint64)
    support = np.zeros(deepest + 1, np.int64)
    ext = np.empty((deepest + 1, m), np.int32)
    ext_support = np.empty((deepest + 1, m), np.int64)
    n_ext = np.zeros(deepest + 1, np.int64)
    at = np.zeros(deepest + 1, np.int64)
    act = np.empty((deepest + 1, n_active), np.int32)
    act_count = np.empty((deepest + 1, n_active), np.int64)
    n_act = np.zeros(deepest + 1, np.int64)
    excluded = np.empty((deepest + 1, n_columns), np.int32)
    n_excluded = np.zeros(deepest + 1, np.int64)

    for b in range(cohort.size):
        bits[1, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
    support[1] = cohort.size
    candidates = np.empty(m, np.int32)
    for x in range(m):
        candidates[x] = x
    n_candidates = m
    n_act[1] = n_active
    for x in range(n_active):
        act[1, x] = x
        act_count[1, x] = cohort.starts[x]
    n_excluded[1] = n_columns - m
    for x in range(n_columns - m):
        excluded[1, x] = m + x

    d = 1
    fresh = True
    while d >= 1:
        if fresh:
            fresh = False
            if first[0] < i:
                return STOPPED
            at[d] = 0
            active = _Active(act[d, : n_act[d]], act_count[d, : n_act[d]])
            open_items = candidates[:n_candidates]
            n_ext[d] = _judge(bits[d], support[d], cohort, open_items, active, limits, ext[d], ext_support[d])
            if n_ext[d] < 0:
                witness[0] = d + 1
                witness[d + 1] = cohort.item[candidates[-1 - n_ext[d]]]
                return MOLE
        if at[d] == n_ext[d]:
            d -= 1
            continue
        e = at[d]
        at[d] += 1
        v = ext[d, e]
        rest = n_ext[d] - e - 1
        more = min(limits.p - d - 1, rest)
        if more == 0:
            continue
        least = ext_support[d, e]
        for x in range(e + 1, e + 1 + more):
            least -= support[d] - ext_support[d, x]
        settled = limits.k_known or least >= limits.k
        room = limits.most * max(least, limits.k)
        n_child = 0
        for x in range(n_act[d]):
            if act_count[d, x] * limits.of > room:
                c = and3_count(bits[d], columns[v], private[act[d, x]], 0, words)
                if c * limits.of > room:
                    act[d + 1, n_child] = act[d, x]
                    act_count[d + 1, n_child] = c
                    n_child += 1
        if settled and n_child == 0:
            continue
        for w in range(words):
            bits[d + 1, w] = bits[d, w] & columns[v, w]
        if limits.unbounded:
            x = n_excluded[d]
            for y in range(x):
                excluded[d + 1, y] = excluded[d, y]
            for y in range(e):
                excluded[d + 1, x + y] = ext[d, y]
            n_excluded[d + 1] = x + e
            if _covered(bits[d + 1], columns, excluded[d + 1], x + e):
                continue
        n_act[d + 1] = n_child
        support[d + 1] = ext_support[d, e]
        n_candidates = rest
        for x in range(rest):
            candidates[x] = ext[d, e + 1 + x]
        d += 1
        witness[d] = cohort.item[v]
        fresh = True
    return CLEAN


@kernel
def _extensions(i: int, n: int, counts: I64, touched: I32, n_touched: int, with_earlier: bool) -> tuple[I32, int]:
    """Items above i that some but not all of the cohort's n records hold, rarest first; if asked, those below i after
    them. Returns the items and how many are extensions."""
    item = np.empty(n_touched, np.int32)
    support = np.empty(n_touched, np.int64)
    m = 0
    for x in range(n_touched):
        if touched[x] > i and counts[touched[x]] < n:
            item[m] = touched[x]
            support[m] = counts[touched[x]]
            m += 1
    _sort_by(support, item, m)
    total = m
    if with_earlier:
        for x in range(n_touched):
            if touched[x] < i:
                item[total] = touched[x]
                total += 1
    return item[:total], m


@kernel
def search_cohort(i: int, holders: Lists, public: Lists, hidden: Lists, limits: MoleLimits, desk: Desk) -> int:
    """Look for a mole whose rarest item is i; returns CLEAN, MOLE (its size and ranks in `desk.witness`) or STOPPED.

    `holders` lists the records of each public item, `public` and `hidden` the public and private items of each record.
    """
    counts, pcounts, witness = desk.counts, desk.pcounts, desk.witness
    cohort = holders.entries[holders.ptr[i] : holders.ptr[i + 1]]
    n = len(cohort)
    witness[1] = i
    above = -1 if limits.unbounded else i
    touched = np.empty(len(counts), np.int32)
    n_touched = tally(cohort, public.ptr, public.entries, above, counts, touched)
    ptouched = np.empty(len(pcounts), np.int32)
    n_ptouched = tally(cohort, hidden.ptr, hidden.entries, -1, pcounts, ptouched)

    witness[0] = 0  # the size of the mole found, if any
    if n < limits.k:
        witness[0] = 1
    for x in range(n_ptouched):
        if pcounts[ptouched[x]] * limits.of > limits.most * n:
            witness[0] = 1
    for x in range(n_touched):
        if witness[0] == 0 and limits.p > 1 and touched[x] > i and counts[touched[x]] < limits.k:
            witness[0] = 2
            witness[2] = touched[x]

    item, m = _extensions(i, n, counts, touched, n_touched, limits.unbounded)
    least = n
    for x in range(min(m, limits.p - 1)):
        least -= n - counts[item[x]]
    settled = limits.k_known or least >= limits.k
    room = limits.most * max(least, limits.k)
    active = np.empty(n_ptouched, np.int32)
    start_counts = np.empty(n_ptouched, np.int64)
    n_active = 0
    for x in range(n_ptouched):
        if pcounts[ptouched[x]] * limits.of > room:
            active[n_active] = ptouched[x]
            start_counts[n_active] = pcounts[ptouched[x]]
            n_active += 1
    active = active[:n_active]
    skip = witness[0] > 0 or limits.p == 1 or m == 0 or (settled and n_active == 0)
    if not skip:
        give_slots(counts, touched, n_touched, item)
        columns = bitmaps(cohort, public.ptr, public.entries, above, counts, len(item))
        give_slots(pcounts, ptouched, n_ptouched, active)
        private = bitmaps(cohort, hidden.ptr, hidden.entries, -1, pcounts, n_active)
    clear(counts, touched, n_touched)
    clear(pcounts, ptouched, n_ptouched)
    if skip:
        return MOLE if witness[0] > 0 else CLEAN
    whole = _Cohort(n, item, m, columns, private, start_counts[:n_active])
    status: int = _walk(i, whole, limits, desk.first, witness)
    return status
