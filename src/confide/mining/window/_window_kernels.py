"""Kernels of the sliding window: the closed frequent itemsets, kept up to date record by record.

Let W be the window without the record r that arrives or leaves. A closed set that r does not hold keeps its support
and stays closed, so only subsets of r matter, and both events need the same ones: the subsets X of r that are
closed *among r's items* in W, with a support there of min_support - 1 or more.

    r arrives   each such X is closed in W + r, since whatever else all its records held, r does not;
                it is stored with its support in W plus one, whether it was known or not
    r leaves    each such X was closed in W + r, so it is stored; it stays, with its support in W, if that still
                reaches min_support and no item outside r is in all its records; else it goes. Nothing new
                can appear: the closed sets of W are closed in W + r

Whether an item outside r is in all records of X is seldom asked: some of the newest of them, often two, have
nothing but X in common, so X stays closed until the oldest of these, its *witness*, leaves.

So one search serves both events. It does not depend on what is stored, and writes supports instead of adding to them,
so running it twice does no harm. That is why `learn`, when an array is too small, may stop in the middle of a record
and say which; the caller grows that array and calls again.

    meta    scalars, see below                            bitmap  a row of bits over ring slots for each common item
    item    a row for each item in the window             sets    a row for each closed set, see below
    ring    a row for each record                         table   hash table of rows of `sets`, linear probing
    entry   the items of the records, in a circle         pool    items of the closed sets, in blocks of 2**k
    stamp   a number for each item, for `_witness`        tids, cand, work   candidates, lists and frames of the search

An item is a *slot*, a row of `item`, only while some record of the window holds it. Entries know the previous entry
of the same item, so an item that becomes common gets its bits without a scan of the window. Positions in `entry`
count up for ever and are taken modulo its length, a power of two.

All in one file: numba's cache of a kernel notices changes of its own file only, not of those it calls into.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount

__all__ = ["ENTRIES", "ITEMS", "POOL", "RING", "ROWS", "SETS", "TIDS", "learn", "rehash"]

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
IDLE, LEAVING, ARRIVING = range(3)  # values of PHASE
TOUCHED = 13  # slots that changed hands since the caller last looked, listed in item[:, LOG]
COMMON = 14  # how many items of the leaving record are listed in work[:, LOCAL]
LEARNED = 15  # records so far: the number of the next one
CLOCK = 16  # stamps below this one are old
FREE_BLOCK = 17  # heads of 32 lists of free blocks of pool
META = FREE_BLOCK + 32

# item: 64 bytes, one cache line. LAST is the newest entry, or the next free slot; CODE the caller's name for the item.
COUNT, LAST, ROW, CODE, KEY, MARK, DIRTY, LOG = range(8)
IN_RECORD, IN_SET = 1, 2  # values of MARK during a search

# ring
START, ENTRY_COUNT, NUMBER = range(3)

# entry
ITEM, OWNER, BACK = range(3)

# sets
HASH, SUPPORT, BLOCK, LENGTH, WITNESS = range(5)

# work
LOCAL, PATH, END, AT_ROW, DEPTH, KEYS = range(6)

# what a kernel may run out of
RING, ENTRIES, ITEMS, ROWS, TIDS, SETS, POOL = range(1, 8)


@kernel
def learn(
    meta: I64,
    item: I64,
    ring: I64,
    entry: I32,
    bitmap: U64,
    stamp: I64,
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

    The search is depth first, each set from its closed core (prefix-preserving closure extension, as in LCM), so that
    each is met once. Frame d tries the candidates in rows up to work[d, END] of `tids`; its children's lie above.

    All other kernels here are leaves, and this one is long, for one reason: numba counts references to every array
    that a function hands on to another one, and that took a third of the time.
    """
    threshold = meta[MIN_SUPPORT] - 1
    words = tids.shape[1]
    while meta[AT] < until:
        # The items of the record that are common enough to matter.
        if meta[PHASE] == IDLE:
            if meta[RECORDS] == meta[SIZE]:
                meta[COMMON] = _take_out(meta, item, ring, entry, bitmap, work)
                meta[RECORDS] -= 1
                meta[PHASE] = LEAVING
            else:
                meta[PHASE] = ARRIVING
        if meta[PHASE] == LEAVING:
            n = meta[COMMON]
        else:
            need = _room(meta, ring, entry, indptr)
            if need:
                return need
            n = np.int64(0)
            for c in range(indptr[meta[AT]], indptr[meta[AT] + 1]):
                s = np.int64(slot_of[codes[c]])
                if s < 0:
                    s = _take_slot(meta, item, np.int64(codes[c]))
                    if s < 0:
                        return ITEMS
                    slot_of[codes[c]] = s
                if item[s, COUNT] >= threshold:
                    if item[s, ROW] < 0 and not _take_row(meta, item, entry, bitmap, s):
                        return ROWS
                    work[n, LOCAL] = s
                    n += 1

        # The sets that are closed among them.
        if n > len(tids):
            return TIDS
        need = 0
        depth = -1
        if n:
            _begin(item, bitmap, tids, cand, work, n)
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
            if _met_before(item, work, tids, cand[j, 0], j):
                continue
            if end + end - j > len(tids):
                need = TIDS
                break
            support, keys, top = cand[j, 1], work[depth, KEYS], end
            for k in range(j, end):
                count = _count_both(tids, j, k) if k > j else support
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
            at = _find(item, sets, table, pool, length, keys)
            x = np.int64(table[at])
            if meta[PHASE] == ARRIVING:
                if x < 0:
                    need = _store(meta, sets, table, pool, work, length, keys, _block_class(length), at)
                    if need:
                        break
                    x = np.int64(table[at])
                sets[x, SUPPORT] = support + 1
            elif x >= 0:  # else it was dropped before the search ran out of something and began again
                witness = np.int64(-1)
                if support > threshold:
                    witness = sets[x, WITNESS]
                    if witness <= ring[meta[NEXT], NUMBER]:
                        witness = _witness(meta, ring, entry, stamp, tids, work, j, length)
                if witness >= 0:
                    sets[x, SUPPORT], sets[x, WITNESS] = support, witness
                else:
                    _drop(meta, sets, table, pool, _block_class(length), at)
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
            _let_go(meta, item, ring, entry, bitmap, slot_of)
        else:
            _let_in(meta, item, ring, entry, bitmap, indptr, codes, slot_of)
    return 0


# -- records --------------------------------------------------------------------------------------------------------


@kernel
def _take_out(meta: I64, item: I64, ring: I64, entry: I32, bitmap: U64, work: I64) -> Int:
    """Take the oldest record out of counts and bitmaps; it is not forgotten yet.

    Lists, in work[:, LOCAL], those of its items that its closed sets can be made of, and says how many they are.
    """
    n = np.int64(0)
    slot = meta[NEXT]
    others = ~(np.uint64(1) << np.uint64(slot & 63))
    for e in range(ring[slot, START], ring[slot, START] + ring[slot, ENTRY_COUNT]):
        s = entry[e & (len(entry) - 1), ITEM]
        item[s, COUNT] -= 1
        if item[s, ROW] >= 0:
            bitmap[item[s, ROW], slot >> 6] &= others
        if item[s, COUNT] >= meta[MIN_SUPPORT] - 1:
            work[n, LOCAL] = s
            n += 1
    return n


@kernel
def _let_go(meta: I64, item: I64, ring: I64, entry: I32, bitmap: U64, slot_of: I32) -> None:
    """Forget the leaving record: take back the rows of items grown rare and the slots of items that are gone."""
    slot = meta[NEXT]
    for e in range(ring[slot, START], ring[slot, START] + ring[slot, ENTRY_COUNT]):
        s = entry[e & (len(entry) - 1), ITEM]
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
            if not item[s, DIRTY]:
                item[s, DIRTY] = 1
                item[meta[TOUCHED], LOG] = s
                meta[TOUCHED] += 1
    meta[PHASE] = ARRIVING


@kernel
def _room(meta: I64, ring: I64, entry: I32, indptr: I64) -> Int:
    """Whether `ring` and `entry` can take the arriving record; 0, or what ran out."""
    oldest = meta[NEXT] - meta[RECORDS]
    if oldest < 0:
        oldest += meta[SIZE]
    entries = indptr[meta[AT] + 1] - indptr[meta[AT]]
    if meta[RECORDS]:
        entries += meta[HEAD] - ring[oldest, START]
    need = 0
    if entries > len(entry):
        need = ENTRIES
    if meta[NEXT] == len(ring):
        need = RING
    return need


@kernel
def _let_in(meta: I64, item: I64, ring: I64, entry: I32, bitmap: U64, indptr: I64, codes: I32, slot_of: I32) -> None:
    """Put the arriving record into the ring, counts and bitmaps."""
    slot = meta[NEXT]
    start, stop = indptr[meta[AT]], indptr[meta[AT] + 1]
    e = meta[HEAD]
    ring[slot, START], ring[slot, ENTRY_COUNT], ring[slot, NUMBER] = e, stop - start, meta[LEARNED]
    for c in range(start, stop):
        s = slot_of[codes[c]]
        at = e & (len(entry) - 1)
        entry[at, ITEM], entry[at, OWNER], entry[at, BACK] = s, slot, e - item[s, LAST]
        item[s, LAST] = e
        item[s, COUNT] += 1
        if item[s, ROW] >= 0:
            bitmap[item[s, ROW], slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
        e += 1
    meta[HEAD] = e
    meta[LEARNED] += 1
    meta[RECORDS] += 1
    meta[NEXT] = slot + 1 if slot + 1 < meta[SIZE] else 0
    meta[PHASE] = IDLE
    meta[AT] += 1


# -- items ----------------------------------------------------------------------------------------------------------


@kernel
def _take_slot(meta: I64, item: I64, code: Int) -> Int:
    """A slot for an item new to the window, or -1 when there is none left."""
    s = meta[FREE_SLOT]
    if s >= 0:
        meta[FREE_SLOT] = item[s, LAST]
    elif meta[SLOT_END] < len(item):
        s = meta[SLOT_END]
        meta[SLOT_END] += 1
    if s >= 0:
        item[s, COUNT], item[s, LAST], item[s, ROW], item[s, CODE] = 0, meta[HEAD], -1, code
        if not item[s, DIRTY]:
            item[s, DIRTY] = 1
            item[meta[TOUCHED], LOG] = s
            meta[TOUCHED] += 1
    return s


@kernel
def _take_row(meta: I64, item: I64, entry: I32, bitmap: U64, s: Int) -> bool:
    """Give an item a row of bits, filled from the chain of its entries; False when there is none left."""
    row = meta[FREE_ROW]
    if row >= 0:
        meta[FREE_ROW] = np.int64(bitmap[row, 0]) - 1
    elif meta[ROW_END] < len(bitmap):
        row = meta[ROW_END]
        meta[ROW_END] += 1
    if row >= 0:
        for w in range(bitmap.shape[1]):
            bitmap[row, w] = 0
        e = item[s, LAST]
        for _ in range(item[s, COUNT]):
            at = e & (len(entry) - 1)
            slot = entry[at, OWNER]
            bitmap[row, slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
            e -= entry[at, BACK]
        item[s, ROW] = row
    return bool(row >= 0)


# -- the search -----------------------------------------------------------------------------------------------------


@kernel
def _begin(item: I64, bitmap: U64, tids: U64, cand: I64, work: I64, n: Int) -> None:
    """Rank the items work[:n, LOCAL], rarest first, so that small record sets are met first; make the first frame."""
    for i in range(1, n):
        s = work[i, LOCAL]
        k = i
        for k in range(i, -1, -1):
            if k == 0 or item[work[k - 1, LOCAL], COUNT] <= item[s, COUNT]:
                break
            work[k, LOCAL] = work[k - 1, LOCAL]
        work[k, LOCAL] = s
    for i in range(n):
        s = work[i, LOCAL]
        row = item[s, ROW]
        for w in range(tids.shape[1]):
            tids[i, w] = bitmap[row, w]
        cand[i, 0], cand[i, 1] = i, item[s, COUNT]
        item[s, MARK] = IN_RECORD
    work[0, END], work[0, AT_ROW], work[0, DEPTH], work[0, KEYS] = n, 0, 0, 0


@kernel
def _count_both(tids: U64, j: Int, k: Int) -> Int:
    count = np.uint64(0)
    for w in range(tids.shape[1]):
        count += popcount(tids[j, w] & tids[k, w])
    return np.int64(count)


@kernel
def _met_before(item: I64, work: I64, tids: U64, i: Int, j: Int) -> bool:
    """Whether an item ranked before i, not in the set, is in all records of row j: the set is met from there."""
    words = tids.shape[1]
    first = 0
    while first < words - 1 and tids[j, first] == 0:
        first += 1
    for k in range(i):
        # One word rules out most items; the rest are compared to the end, which is faster than word by word.
        if tids[j, first] & ~tids[k, first] == 0 and item[work[k, LOCAL], MARK] == IN_RECORD:
            outside = np.uint64(0)
            for w in range(words):
                outside |= tids[j, w] & ~tids[k, w]
            if outside == 0:
                return True
    return False


@kernel
def _witness(meta: I64, ring: I64, entry: I32, stamp: I64, tids: U64, work: I64, j: Int, length: Int) -> Int:
    """Number of the oldest record needed to show that the set work[:length, PATH] is closed, or -1 if it is not.

    Row j of `tids` holds its records. Taken from the newest to older ones, their intersection shrinks to the
    set. From then on the set is closed for as long as the last one taken stays, whatever else comes and goes.
    """
    mask = len(entry) - 1
    for i in range(length):
        stamp[work[i, PATH]] = -1
    clock = meta[CLOCK]  # an item in all records taken so far, but not in the set, is stamped with this
    oldest = np.int64(-1)
    words = tids.shape[1]
    here = meta[NEXT] >> 6
    below = (np.uint64(1) << np.uint64(meta[NEXT] & 63)) - np.uint64(1)
    turn = 0
    while turn <= words and oldest < 0:
        w = here - turn if turn <= here else here - turn + words
        word = tids[j, w]
        if turn == 0:
            word &= below
        elif turn == words:
            word &= ~below
        while word and oldest < 0:
            filled = word  # with ones below its highest one
            for power in range(6):
                filled |= filled >> np.uint64(1 << power)
            bit = np.int64(popcount(filled)) - 1
            word ^= np.uint64(1) << np.uint64(bit)
            slot = 64 * w + bit
            left = 0
            for e in range(ring[slot, START], ring[slot, START] + ring[slot, ENTRY_COUNT]):
                s = entry[e & mask, ITEM]
                if stamp[s] == clock or (clock == meta[CLOCK] and stamp[s] >= 0):
                    stamp[s] = clock + 1
                    left += 1
            clock += 1
            if left == 0:
                oldest = ring[slot, NUMBER]
        turn += 1
    meta[CLOCK] = clock + 1
    for i in range(length):
        stamp[work[i, PATH]] = 0
    return oldest


# -- the closed sets ------------------------------------------------------------------------------------------------


@kernel
def _find(item: I64, sets: I64, table: I32, pool: I32, length: Int, keys: Int) -> Int:
    """Where in `table` the set now marked IN_SET is, or the free place where it would go.

    Contents are compared, not hashes alone: of two sets of one length, one holds the other only if they are equal.
    """
    at = keys & (len(table) - 1)
    while True:
        x = table[at]
        if x < 0:
            return at
        if sets[x, HASH] == keys and sets[x, LENGTH] == length:
            block = sets[x, BLOCK]
            same = True
            for k in range(length):
                same &= item[pool[block + k], MARK] == IN_SET
            if same:
                return at
        at = (at + 1) & (len(table) - 1)


@kernel
def _block_class(length: Int) -> Int:
    """The k of the smallest block 2**k that holds `length` items."""
    k = 0
    while 1 << k < length:
        k += 1
    return k


@kernel
def _store(meta: I64, sets: I64, table: I32, pool: I32, work: I64, length: Int, keys: Int, k: Int, at: Int) -> Int:
    """Store the set work[:length, PATH], in a block of 2**k, at this free place of `table`; 0, or what ran out."""
    x = meta[N_SETS]
    if x == len(sets):
        return SETS
    block = meta[FREE_BLOCK + k]
    if block < 0 and meta[POOL_END] + (1 << k) > len(pool):
        return POOL
    if block >= 0:
        meta[FREE_BLOCK + k] = pool[block]
    else:
        block = meta[POOL_END]
        meta[POOL_END] += 1 << k
    for i in range(length):
        pool[block + i] = work[i, PATH]
    sets[x, HASH], sets[x, BLOCK], sets[x, LENGTH], sets[x, WITNESS] = keys, block, length, -1
    table[at] = x
    meta[N_SETS] += 1
    return 0


@kernel
def _drop(meta: I64, sets: I64, table: I32, pool: I32, k: Int, at: Int) -> None:
    """Forget the set at this place of `table`, in a block of 2**k; the last row of `sets` moves into its place."""
    x = table[at]
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
        for field in range(5):
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
