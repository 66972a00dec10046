"""Records of a sliding window that arrive and leave, and the slots and rows of bits of their items."""

import numpy as np

from confide.core.runtime.jit import kernel
from confide.mining.window._layout import (
    ARRIVING,
    AT,
    BACK,
    CODE,
    COUNT,
    DIRTY,
    ENTRIES,
    ENTRY_COUNT,
    FORGET,
    FREE_ROW,
    FREE_SLOT,
    HEAD,
    I32,
    I64,
    IDLE,
    ITEM,
    LAST,
    LEARNED,
    LOCAL,
    LOG,
    MIN_SUPPORT,
    NEXT,
    NUMBER,
    OLDEST,
    OWNER,
    PHASE,
    RECORDS,
    RING,
    ROW,
    ROW_END,
    SIZE,
    SLOT_END,
    START,
    TOUCHED,
    U64,
    Int,
)

__all__ = ["let_go", "let_in", "room", "take_out", "take_row", "take_slot"]


@kernel
def take_out(meta: I64, item: I64, ring: I64, entry: I32, bitmap: U64, work: I64) -> Int:
    """Take the oldest record out of counts and bitmaps; it is not forgotten yet.

    Lists, in work[:, LOCAL], those of its items that its closed sets can be made of, and says how many they are.
    """
    n = np.int64(0)
    slot = meta[OLDEST]
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
def let_go(meta: I64, item: I64, ring: I64, entry: I32, bitmap: U64, slot_of: I32) -> None:
    """Forget the leaving record: take back the rows of items grown rare and the slots of items that are gone."""
    slot = meta[OLDEST]
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
    if meta[FORGET]:
        meta[FORGET] -= 1
        meta[PHASE] = IDLE
    else:
        meta[PHASE] = ARRIVING


@kernel
def room(meta: I64, ring: I64, entry: I32, indptr: I64) -> Int:
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
def let_in(meta: I64, item: I64, ring: I64, entry: I32, bitmap: U64, indptr: I64, codes: I32, slot_of: I32) -> None:
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


@kernel
def take_slot(meta: I64, item: I64, code: Int) -> Int:
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
def take_row(meta: I64, item: I64, entry: I32, bitmap: U64, s: Int) -> bool:
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
