"""Kernels of the sliding window: the closed frequent itemsets, kept up to date record by record.

Let W be the window without the record r that arrives or leaves. A closed set that r does not hold keeps its support
and stays closed, so only subsets of r matter, and both events need the same ones: the subsets X of r that are
closed *among r's items* in W, with a support there of min_support - 1 or more.

    r arrives   each such X is closed in W + r, since r lacks every other item that all its records hold;
                it is stored with its support in W plus one, whether it was known or not
    r leaves    each such X was closed in W + r, so it is stored; it stays, with its support in W, if that still
                reaches min_support and no item outside r is in all its records; else it goes. Nothing new
                can appear: the closed sets of W are closed in W + r

Whether an item outside r is in all records of X is seldom asked: some of the newest of them, often two, have
nothing but X in common, so X stays closed until the oldest of these, its *witness*, leaves.

So one search serves both events. It does not depend on what is stored, and writes supports instead of adding to them,
so running it twice does no harm. That is why `learn`, when an array is too small, may stop in the middle of a record
and say which; the caller grows that array and calls again.

Who calls whom, and what each file is about:

    learn  ----  _record_kernels   take_out, let_go, room, let_in     a record leaves or arrives
      |                            take_slot, take_row                its items
      +--------  _search_kernels   begin, met_before, count_both      the sets that are closed among its items
      |                            find_witness                       whether one stays closed
      +--------  _set_kernels      find, store, drop                  where they are kept
    all of them  _layout           the arrays, and the names of their columns

Numba's cache of a kernel notices changes of its own file only: after a change in one of the others, delete the
`__pycache__` beside this file.
"""

import numpy as np

from confide.core.runtime.jit import kernel
from confide.mining.window._layout import (
    ARRIVING,
    AT,
    AT_ROW,
    COMMON,
    COUNT,
    DEPTH,
    END,
    FORGET,
    I32,
    I64,
    IDLE,
    IN_RECORD,
    IN_SET,
    ITEMS,
    KEY,
    KEYS,
    LEAVING,
    LOCAL,
    MARK,
    MIN_SUPPORT,
    NEXT,
    NUMBER,
    OLDEST,
    PATH,
    PHASE,
    RECORDS,
    ROW,
    ROWS,
    SIZE,
    SUPPORT,
    TIDS,
    WITNESS,
    Int,
    Window,
)
from confide.mining.window._record_kernels import let_go, let_in, room, take_out, take_row, take_slot
from confide.mining.window._search_kernels import begin, count_both, find_witness, met_before
from confide.mining.window._set_kernels import block_class, drop, find, store

__all__ = ["learn"]


@kernel
def learn(window: Window, indptr: I64, codes: I32, slot_of: I32, until: Int) -> Int:
    """Let the records from meta[AT] up to `until` into the window, the oldest ones out; 0, or what ran out.

    If meta[FORGET] is not 0, so many of the oldest leave first, and nothing takes their place.

    Record i is codes[indptr[i]:indptr[i + 1]]; slot_of[code] is the slot of a code, or -1 while no record holds it.

    The search is depth first, each set from its closed core (prefix-preserving closure extension, as in LCM), so that
    each is met once. Frame d tries the candidates in rows up to work[d, END] of `tids`; its children's lie above.

    All kernels it calls are leaves, and this one is long, for one reason: numba counts references to every array
    that a function hands on to another one, and that took a third of the time.
    """
    meta, item, ring, entry, bitmap, stamp, sets, table, pool, tids, cand, work = window
    threshold = meta[MIN_SUPPORT] - 1
    words = tids.shape[1]
    while meta[AT] < until or meta[FORGET]:
        # The items of the record that are common enough to matter.
        if meta[PHASE] == IDLE:
            if meta[RECORDS] == meta[SIZE] or meta[FORGET]:
                oldest = meta[NEXT] - meta[RECORDS]
                meta[OLDEST] = oldest if oldest >= 0 else oldest + meta[SIZE]
                meta[COMMON] = take_out(meta, item, ring, entry, bitmap, work)
                meta[RECORDS] -= 1
                meta[PHASE] = LEAVING
            else:
                meta[PHASE] = ARRIVING
        if meta[PHASE] == LEAVING:
            n = meta[COMMON]
        else:
            need = room(meta, ring, entry, indptr)
            if need:
                return need
            n = np.int64(0)
            for c in range(indptr[meta[AT]], indptr[meta[AT] + 1]):
                s = np.int64(slot_of[codes[c]])
                if s < 0:
                    s = take_slot(meta, item, np.int64(codes[c]))
                    if s < 0:
                        return ITEMS
                    slot_of[codes[c]] = s
                if item[s, COUNT] >= threshold:
                    if item[s, ROW] < 0 and not take_row(meta, item, entry, bitmap, s):
                        return ROWS
                    work[n, LOCAL] = s
                    n += 1

        # The sets that are closed among them.
        if n > len(tids):
            return TIDS
        need = 0
        depth = -1
        if n:
            begin(item, bitmap, tids, cand, work, n)
            depth = 0
        length = 0
        while depth >= 0:
            while length > work[depth, DEPTH]:
                length -= 1
                item[work[length, PATH], MARK] = IN_RECORD
            j, end = work[depth, AT_ROW], work[depth, END]
            if j == end:
                depth -= 1
                continue
            work[depth, AT_ROW] += 1
            if met_before(item, work, tids, cand[j, 0], j):
                continue
            if end + end - j > len(tids):
                need = TIDS
                break
            support, keys, top = cand[j, 1], work[depth, KEYS], end
            for k in range(j, end):
                count = count_both(tids, j, k) if k > j else support
                if count == support:  # in all records of the set, so in its closure
                    s = work[cand[k, 0], LOCAL]
                    work[length, PATH] = s
                    item[s, MARK] = IN_SET
                    keys ^= item[s, KEY]
                    length += 1
                elif count >= threshold:
                    for w in range(words):
                        tids[top, w] = tids[j, w] & tids[k, w]
                    cand[top, 0], cand[top, 1] = cand[k, 0], count
                    top += 1
            at = find(item, sets, table, pool, length, keys)
            x = np.int64(table[at])
            if meta[PHASE] == ARRIVING:
                if x < 0:
                    need = store(meta, sets, table, pool, work, length, keys, at)
                    if need:
                        break
                    x = np.int64(table[at])
                sets[x, SUPPORT] = support + 1
            elif x >= 0:  # else it was dropped before the search ran out of something and began again
                witness = np.int64(-1)
                if support > threshold:
                    witness = sets[x, WITNESS]
                    if witness <= ring[meta[OLDEST], NUMBER]:
                        witness = find_witness(meta, ring, entry, stamp, tids, work, j, length)
                if witness >= 0:
                    sets[x, SUPPORT], sets[x, WITNESS] = support, witness
                else:
                    drop(meta, sets, table, pool, block_class(length), at)
            if top > end:
                depth += 1
                work[depth, END], work[depth, AT_ROW], work[depth, DEPTH], work[depth, KEYS] = (
                    top,
                    end,
                    length,
                    keys,
                )
        for i in range(n):
            item[work[i, LOCAL], MARK] = 0
        if need:
            return need

        if meta[PHASE] == LEAVING:
            let_go(meta, item, ring, entry, bitmap, slot_of)
        else:
            let_in(meta, item, ring, entry, bitmap, indptr, codes, slot_of)
    return 0
