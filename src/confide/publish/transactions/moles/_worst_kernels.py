"""Kernel for the worst that is left to an attacker: the rarest itemset, and the surest guess of a private item.

Items are ranks (0 is the rarest). Itemsets are visited once, below their rarest item, as bitmaps over its records; a
branch is left as soon as no itemset in it can be rarer, or give a private item away more surely, than what has been
found already. With losses d(u) = Sup(X) - Sup(X + u), an itemset of r items more than X + v is in at least
L = Sup(X + v) - (the r largest d(u)) records, and holds a private item at most as often as X + v.
"""

import numpy as np

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.bit_kernels import and_count
from confide.core.runtime.jit import kernel
from confide.publish.transactions.moles.mole_kernels import I64, RankedRecords


@kernel
def _surer(count: int, support: int, best: I64) -> bool:
    """Whether count / support is above the best share so far, best[1] / best[2]."""
    return count * best[2] > best[1] * support


@kernel
def worst_below(root: int, most: int, floor: int, records: RankedRecords, best: I64) -> None:
    """Improve `best` (least support; count and support of the surest guess) by itemsets whose rarest item is `root`.

    `most` is p; no itemset is in fewer than `floor` records. best[3] is how many words may still be read; the search
    stops when it falls below 0.
    """
    row_ptr, rows, tid_ptr, tids, priv_ptr, privs, n_private = records
    n_items = len(tid_ptr) - 1
    cohort = tids[tid_ptr[root] : tid_ptr[root + 1]]
    n = len(cohort)
    best[0] = min(best[0], n)
    counts = np.zeros(n_items, np.int64)
    for t in cohort:
        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
            if rows[e] <= root:
                break
            counts[rows[e]] += 1
    private_counts = np.zeros(n_private, np.int64)
    for t in cohort:
        for e in range(priv_ptr[t], priv_ptr[t + 1]):
            private_counts[privs[e]] += 1
    top = 0
    for s in range(n_private):
        top = max(top, private_counts[s])
    if _surer(top, n, best):
        best[1] = top
        best[2] = n
    if most < 2:
        return
    # Extensions that lose records, rarest first: the r largest losses are the r next ones.
    ext = np.empty(n_items, np.int64)
    m = 0
    for u in range(root + 1, n_items):
        if 0 < counts[u] < n:
            best[0] = min(best[0], counts[u])
            ext[m] = u
            m += 1
    if m == 0:
        return
    order = np.argsort(counts[ext[:m]])
    copy_into(ext, ext[:m][order])
    least = n
    for x in range(min(m, most - 1)):
        least -= n - counts[ext[x]]
    least = max(least, floor)
    if least >= best[0] and not _surer(top, least, best):
        return
    slot = np.full(n_items, -1, np.int64)
    for x in range(m):
        slot[ext[x]] = x
    private_slot = np.full(n_private, -1, np.int64)
    n_act = 0
    for s in range(n_private):
        if _surer(private_counts[s], least, best):
            private_slot[s] = n_act
            n_act += 1
    words = (n + 63) >> 6
    columns = np.zeros((m, words), np.uint64)
    privates = np.zeros((n_act, words), np.uint64)
    for b in range(n):
        t = cohort[b]
        bit = np.uint64(1) << np.uint64(b & 63)
        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
            if rows[e] <= root:
                break
            if slot[rows[e]] >= 0:
                columns[slot[rows[e]], b >> 6] |= bit
        for e in range(priv_ptr[t], priv_ptr[t + 1]):
            if private_slot[privs[e]] >= 0:
                privates[private_slot[privs[e]], b >> 6] |= bit

    depth = min(most, m + 1)
    bits = np.zeros((depth + 1, words), np.uint64)
    for b in range(n):
        bits[1, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
    support = np.zeros(depth + 1, np.int64)
    support[1] = n
    listed = np.empty((depth + 1, m), np.int64)  # slots of the extensions at each depth
    listed_support = np.empty((depth + 1, m), np.int64)
    n_listed = np.zeros(depth + 1, np.int64)
    at = np.zeros(depth + 1, np.int64)
    tops = np.zeros(depth + 1, np.int64)
    tops[1] = top
    act_count = np.zeros((depth + 1, max(n_act, 1)), np.int64)
    for s in range(n_private):
        if private_slot[s] >= 0:
            act_count[1, private_slot[s]] = private_counts[s]
    n_listed[1] = m
    for x in range(m):
        listed[1, x] = x
        listed_support[1, x] = counts[ext[x]]
    d = 1
    while d >= 1:
        if at[d] == n_listed[d]:
            d -= 1
            continue
        if best[3] < 0:
            return
        e = at[d]
        at[d] += 1
        v = listed[d, e]
        s = listed_support[d, e]
        rest = n_listed[d] - e - 1
        more = min(most - d - 1, rest)
        least = s
        for x in range(e + 1, e + 1 + more):
            least -= support[d] - listed_support[d, x]
        least = max(least, floor)
        # X + v itself, and all above it
        if not _surer(tops[d], least, best) and (more == 0 or least >= best[0]):
            continue
        here = bits[d + 1]
        for w in range(words):
            here[w] = bits[d, w] & columns[v, w]
        top = 0
        for j in range(n_act):
            # a private item that cannot become the surest guess below X keeps its old, larger count
            c = act_count[d, j]
            if _surer(c, least, best):
                c = and_count(here, privates[j], words)
                top = max(top, c)
                if _surer(c, s, best):
                    best[1] = c
                    best[2] = s
            act_count[d + 1, j] = c
        tops[d + 1] = top
        if more == 0 or (least >= best[0] and not _surer(top, least, best)):
            continue
        # The extensions of X + v, rarest first.
        best[3] -= words * (n_listed[d] - e)
        kept = 0
        for x in range(e + 1, n_listed[d]):
            u = listed[d, x]
            c = and_count(here, columns[u], words)
            if c == 0 or c == s:
                continue
            best[0] = min(best[0], c)
            y = kept
            while y > 0 and listed_support[d + 1, y - 1] > c:
                listed[d + 1, y] = listed[d + 1, y - 1]
                listed_support[d + 1, y] = listed_support[d + 1, y - 1]
                y -= 1
            listed[d + 1, y] = u
            listed_support[d + 1, y] = c
            kept += 1
        d += 1
        support[d] = s
        n_listed[d] = kept
        at[d] = 0
