"""Kernels of the sliding window: the closed frequent itemsets, kept up to date record by record.

Let W be the window without the record r that arrives or leaves. A closed set that r does not hold keeps its support
and stays closed, so only subsets of r matter, and both events need the same ones: the subsets X of r that are
closed *among r's items* in W, with a support there of min_support - 1 or more.

    r arrives   each such X is closed in W + r, since whatever else all its records held, r does not;
                it is stored with its support in W plus one, whether it was known or not
    r leaves    each such X was closed in W + r, so it is stored; it stays, with its support in W, if that still
                reaches min_support and no item outside r is in all its records; else it goes. Nothing new
                can appear: the closed sets of W are closed in W + r

So one search (`_visit`) serves both. It never looks at what is stored, and writes supports instead of adding to them:
running it twice does no harm. That is why a kernel that runs out of room may simply stop and say which array is too
small; the caller grows it and calls again.

    meta     scalars, see below                      bitmap   a row of bits over ring slots for each common item
    item     a row for each item in the window       sets     a row for each closed set: hash, support, block in pool
    ring     a row for each record: start, length    table    hash table of rows of `sets`, linear probing
    entry    the items of the records, a circle      pool     items of the closed sets, in blocks of 2**k
    tids     the search: record sets of candidates   cand     their item and support          work   lists and frames

An item is a *slot*, a row of `item`, only while some record of the window holds it. Entries know the previous entry
of the same item, so an item that becomes common gets its bits without a scan of the window. Positions in `entry`
count up for ever and are taken modulo its length, a power of two.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.jit import kernel, popcount

__all__ = ["ENTRIES", "ITEMS", "POOL", "ROWS", "SETS", "TIDS", "learn", "rehash"]

Int = Any  # a 64-bit integer; inside numba there is no other kind of int
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
U64 = NDArray[np.uint64]

# meta
(
    SIZE,
    MIN_SUPPORT,
    RECORDS,
    NEXT,
    HEAD,
    N_SETS,
    POOL_END,
    FREE_SLOT,
    SLOT_END,
    FREE_ROW,
    ROW_END,
    PHASE,
    AT,
) = range(13)
TOUCHED = 13  # slots that changed hands since the caller last looked, listed in item[:, LOG]
FREE_BLOCK = 14  # heads of 32 lists of free blocks of pool
META = FREE_BLOCK + 32

# item: 64 bytes, one cache line. LAST is the newest entry, or the next free slot; CODE the caller's name for the item.
COUNT, LAST, ROW, CODE, KEY, MARK, DIRTY, LOG = range(8)
IN_RECORD, IN_SET = 1, 2  # values of MARK during a search

# entry
ITEM, OWNER, BACK = range(3)

# sets
HASH, SUPPORT, BLOCK, LENGTH = range(4)

# work
LOCAL, PATH, END, AT_ROW, DEPTH, KEYS = range(6)

LEAVES, ARRIVES = np.int64(0), np.int64(1)  # the two events

# what a kernel may run out of
ENTRIES, ITEMS, ROWS, TIDS, SETS, POOL = range(1, 7)


@kernel
def learn(
    meta: I64,
    item: I64,
    ring: I64,
    entry: I32,
    bitmap: U64,
    sets: I64,
    table: I32,
    pool: I32,
    tids: U64,
    cand: I64,
    work: I64,
    indptr: I64,
    codes: I32,
    slot_of: I32,
    until: Int,
) -> Int:
    """Let the records from meta[AT] up to `until` into the window, the oldest ones out; 0, or what ran out.

    Record i is codes[indptr[i]:indptr[i + 1]]; slot_of[code] is the slot of a code, or -1 while no record holds it.
    """
    mask = len(entry) - 1
    threshold = meta[MIN_SUPPORT] - 1
    while meta[AT] < until:
        slot = meta[NEXT]
        word, bit = slot >> 6, np.uint64(1) << np.uint64(slot & 63)

        if meta[PHASE] == 0 and meta[RECORDS] == meta[SIZE]:
            start, stop = ring[slot, 0], ring[slot, 0] + ring[slot, 1]
            for e in range(start, stop):
                s = np.int64(entry[e & mask, ITEM])
                item[s, COUNT] -= 1
                if item[s, ROW] >= 0:
                    bitmap[item[s, ROW], word] &= ~bit
            meta[RECORDS] -= 1
            meta[PHASE] = 1
        if meta[PHASE] == 1:
            start, stop = ring[slot, 0], ring[slot, 0] + ring[slot, 1]
            n = np.int64(0)
            for e in range(start, stop):
                s = np.int64(entry[e & mask, ITEM])
                if item[s, COUNT] >= threshold:
                    n = _rank(item, work, n, s)
            need = _visit(meta, item, ring, entry, bitmap, sets, table, pool, tids, cand, work, n, LEAVES)
            if need:
                return need
            for e in range(start, stop):
                _release(meta, item, bitmap, slot_of, np.int64(entry[e & mask, ITEM]))
        meta[PHASE] = 2

        start, stop = indptr[meta[AT]], indptr[meta[AT] + 1]
        oldest = ring[(slot - meta[RECORDS]) % meta[SIZE], 0] if meta[RECORDS] else meta[HEAD]
        if meta[HEAD] + stop - start - oldest > len(entry):
            return ENTRIES
        n = np.int64(0)
        for c in range(start, stop):
            s = np.int64(slot_of[codes[c]])
            if s < 0:
                s = _take_slot(meta, item, np.int64(codes[c]))
                if s < 0:
                    return ITEMS
                slot_of[codes[c]] = s
            if item[s, COUNT] >= threshold:
                if item[s, ROW] < 0 and not _take_row(meta, item, entry, bitmap, s):
                    return ROWS
                n = _rank(item, work, n, s)
        need = _visit(meta, item, ring, entry, bitmap, sets, table, pool, tids, cand, work, n, ARRIVES)
        if need:
            return need
        e = meta[HEAD]
        ring[slot, 0], ring[slot, 1] = e, stop - start
        for c in range(start, stop):
            s = np.int64(slot_of[codes[c]])
            entry[e & mask, ITEM] = s
            entry[e & mask, OWNER] = slot
            entry[e & mask, BACK] = e - item[s, LAST]
            item[s, LAST] = e
            item[s, COUNT] += 1
            if item[s, ROW] >= 0:
                bitmap[item[s, ROW], word] |= bit
            e += 1
        meta[HEAD] = e
        meta[RECORDS] += 1
        meta[NEXT] = slot + 1 if slot + 1 < meta[SIZE] else 0
        meta[PHASE] = 0
        meta[AT] += 1
    return 0


# -- items ----------------------------------------------------------------------------------------------------------


@kernel
def _touch(meta: I64, item: I64, s: Int) -> None:
    if not item[s, DIRTY]:
        item[s, DIRTY] = 1
        item[meta[TOUCHED], LOG] = s
        meta[TOUCHED] += 1


@kernel
def _take_slot(meta: I64, item: I64, code: Int) -> Int:
    """A slot for an item new to the window, or -1 when there is none left."""
    s = meta[FREE_SLOT]
    if s >= 0:
        meta[FREE_SLOT] = item[s, LAST]
    else:
        s = meta[SLOT_END]
        if s == len(item):
            return -1
        meta[SLOT_END] += 1
    item[s, COUNT] = 0
    item[s, LAST] = meta[HEAD]
    item[s, ROW] = -1
    item[s, CODE] = code
    _touch(meta, item, s)
    return s


@kernel
def _take_row(meta: I64, item: I64, entry: I32, bitmap: U64, s: Int) -> bool:
    """Give an item a row of bits, filled from the chain of its entries; False when there is none left."""
    row = meta[FREE_ROW]
    if row >= 0:
        meta[FREE_ROW] = np.int64(bitmap[row, 0]) - 1
    else:
        row = meta[ROW_END]
        if row == len(bitmap):
            return False
        meta[ROW_END] += 1
    for w in range(bitmap.shape[1]):
        bitmap[row, w] = 0
    e = item[s, LAST]
    for _ in range(item[s, COUNT]):
        at = e & (len(entry) - 1)
        slot = entry[at, OWNER]
        bitmap[row, slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
        e -= entry[at, BACK]
    item[s, ROW] = row
    return True


@kernel
def _release(meta: I64, item: I64, bitmap: U64, slot_of: I32, s: Int) -> None:
    """After a record has left: take back the row of an item grown rare, and the slot of one that is gone."""
    # Not at once below the threshold, or an item that hovers there would be given its row again and again.
    if item[s, ROW] >= 0 and item[s, COUNT] <= (meta[MIN_SUPPORT] - 1) // 2:
        bitmap[item[s, ROW], 0] = np.uint64(meta[FREE_ROW] + 1)
        meta[FREE_ROW] = item[s, ROW]
        item[s, ROW] = -1
    if item[s, COUNT] == 0:
        if item[s, CODE] >= 0:
            slot_of[item[s, CODE]] = -1
        item[s, LAST] = meta[FREE_SLOT]
        meta[FREE_SLOT] = s
        _touch(meta, item, s)


@kernel
def _rank(item: I64, work: I64, n: Int, s: Int) -> Int:
    """Insert an item into work[:n, LOCAL], rarest first, so that the search meets small record sets first."""
    i = n
    while i > 0 and item[work[i - 1, LOCAL], COUNT] > item[s, COUNT]:
        work[i, LOCAL] = work[i - 1, LOCAL]
        i -= 1
    work[i, LOCAL] = s
    return n + 1


# -- the search -----------------------------------------------------------------------------------------------------


@kernel
def _visit(
    meta: I64,
    item: I64,
    ring: I64,
    entry: I32,
    bitmap: U64,
    sets: I64,
    table: I32,
    pool: I32,
    tids: U64,
    cand: I64,
    work: I64,
    n: Int,
    event: Int,
) -> Int:
    """Store, update or drop every set closed among the items work[:n, LOCAL]; 0, or what ran out.

    Depth first, each set from its closed core (prefix-preserving closure extension, as in LCM), so each is met
    once. Frame d tries the candidates in rows up to work[d, END] of `tids`; those of its children lie above.
    """
    if n == 0:
        return 0
    if n > len(tids):
        return TIDS
    threshold = meta[MIN_SUPPORT] - 1
    words = tids.shape[1]
    for i in range(n):
        s = work[i, LOCAL]
        row = item[s, ROW]
        for w in range(words):
            tids[i, w] = bitmap[row, w]
        cand[i, 0], cand[i, 1] = i, item[s, COUNT]
        item[s, MARK] = IN_RECORD
    need = 0
    depth = 0
    length = 0
    work[0, END], work[0, AT_ROW], work[0, DEPTH], work[0, KEYS] = n, 0, 0, 0
    while depth >= 0:
        while length > work[depth, DEPTH]:
            length -= 1
            item[work[length, PATH], MARK] = IN_RECORD
        j, end = work[depth, AT_ROW], work[depth, END]
        if j == end:
            depth -= 1
            continue
        work[depth, AT_ROW] += 1
        i, support = cand[j, 0], cand[j, 1]
        first = 0
        while first < words and tids[j, first] == 0:
            first += 1
        known = False
        for k in range(i):
            if item[work[k, LOCAL], MARK] == IN_RECORD and _within(tids, j, first, tids, k):
                known = True  # the closure holds an earlier item: this set is met from there
                break
        if known:
            continue
        if end + end - j > len(tids):
            need = TIDS
            break
        keys = work[depth, KEYS]
        top = end
        s = work[i, LOCAL]
        for k in range(j, end):
            if k > j:
                count = _common(tids, j, k)
                if count < support:
                    if count >= threshold:
                        for w in range(words):
                            tids[top, w] = tids[j, w] & tids[k, w]
                        cand[top, 0], cand[top, 1] = cand[k, 0], count
                        top += 1
                    continue
                s = work[cand[k, 0], LOCAL]
            work[length, PATH] = s
            item[s, MARK] = IN_SET
            keys ^= item[s, KEY]
            length += 1
        if event == ARRIVES:
            need = _put(meta, item, sets, table, pool, work, length, keys, support + 1)
        elif support > threshold and not _held_outside(item, ring, entry, bitmap, tids, j, first, support):
            need = _put(meta, item, sets, table, pool, work, length, keys, support)
        else:
            _drop(meta, item, sets, table, pool, length, keys)
        if need:
            break
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
    return need


@kernel
def _common(tids: U64, j: Int, k: Int) -> Int:
    # Rows are passed by number throughout: a view costs two counts of references, more than this whole loop.
    count = np.uint64(0)
    for w in range(tids.shape[1]):
        count += popcount(tids[j, w] & tids[k, w])
    return np.int64(count)


@kernel
def _within(a: U64, i: Int, first: Int, b: U64, k: Int) -> bool:
    """Whether row i of `a`, which has no bit before word `first`, lies within row k of `b`."""
    for w in range(first, a.shape[1]):
        if a[i, w] & ~b[k, w]:
            return False
    return True


@kernel
def _held_outside(
    item: I64, ring: I64, entry: I32, bitmap: U64, tids: U64, j: Int, first: Int, support: Int
) -> bool:
    """Whether all records in row j of `tids` hold an item that the leaving record does not.

    Such an item is in the first of them, so only that one's items are tried.
    """
    word = tids[j, first]
    slot = 64 * first + np.int64(popcount(~word & (word - np.uint64(1))))
    for e in range(ring[slot, 0], ring[slot, 0] + ring[slot, 1]):
        s = entry[e & (len(entry) - 1), ITEM]
        if item[s, COUNT] >= support and item[s, MARK] == 0 and _within(tids, j, first, bitmap, item[s, ROW]):
            return True
    return False


# -- the closed sets ------------------------------------------------------------------------------------------------


@kernel
def _find(item: I64, sets: I64, table: I32, pool: I32, length: Int, keys: Int) -> Int:
    """Where in `table` the set now marked IN_SET is, or the free place where it would go.

    Contents are compared, not hashes alone: of two sets of one length, one holds the other only if they are equal.
    """
    at = keys & (len(table) - 1)
    while table[at] >= 0:
        x = table[at]
        if sets[x, HASH] == keys and sets[x, LENGTH] == length:
            block = sets[x, BLOCK]
            k = 0
            while k < length and item[pool[block + k], MARK] == IN_SET:
                k += 1
            if k == length:
                break
        at = (at + 1) & (len(table) - 1)
    return at


@kernel
def _block_class(length: Int) -> Int:
    """The k of the smallest block 2**k that holds `length` items."""
    k = 0
    while 1 << k < length:
        k += 1
    return k


@kernel
def _put(
    meta: I64, item: I64, sets: I64, table: I32, pool: I32, work: I64, length: Int, keys: Int, support: Int
) -> Int:
    """Store the set work[:length, PATH] with this support; 0, or what ran out."""
    at = _find(item, sets, table, pool, length, keys)
    x = table[at]
    if x >= 0:
        sets[x, SUPPORT] = support
        return 0
    x = meta[N_SETS]
    if x == len(sets):
        return SETS
    k = _block_class(length)
    block = meta[FREE_BLOCK + k]
    if block >= 0:
        meta[FREE_BLOCK + k] = pool[block]
    else:
        block = meta[POOL_END]
        if block + (1 << k) > len(pool):
            return POOL
        meta[POOL_END] += 1 << k
    for i in range(length):
        pool[block + i] = work[i, PATH]
    sets[x, HASH], sets[x, SUPPORT], sets[x, BLOCK], sets[x, LENGTH] = keys, support, block, length
    table[at] = x
    meta[N_SETS] += 1
    return 0


@kernel
def _drop(meta: I64, item: I64, sets: I64, table: I32, pool: I32, length: Int, keys: Int) -> None:
    """Forget the set now marked IN_SET, if it is stored; the last row of `sets` moves into its place."""
    at = _find(item, sets, table, pool, length, keys)
    x = table[at]
    if x < 0:
        return
    k = _block_class(length)
    pool[sets[x, BLOCK]] = meta[FREE_BLOCK + k]
    meta[FREE_BLOCK + k] = sets[x, BLOCK]
    # Close the gap in the run of probes: an entry moves up unless that would put it before its own first place.
    mask = len(table) - 1
    gap = at
    probe = (at + 1) & mask
    while table[probe] >= 0:
        home = sets[table[probe], HASH] & mask
        if ((probe - home) & mask) >= ((probe - gap) & mask):
            table[gap] = table[probe]
            gap = probe
        probe = (probe + 1) & mask
    table[gap] = -1
    last = meta[N_SETS] - 1
    if x < last:
        at = sets[last, HASH] & mask
        while table[at] != last:
            at = (at + 1) & mask
        table[at] = x
        for field in range(4):
            sets[x, field] = sets[last, field]
    meta[N_SETS] = last


@kernel
def rehash(sets: I64, n: Int, table: I32) -> None:
    """Fill an empty table with the first n rows of `sets`."""
    for x in range(n):
        at = sets[x, HASH] & (len(table) - 1)
        while table[at] >= 0:
            at = (at + 1) & (len(table) - 1)
        table[at] = x
