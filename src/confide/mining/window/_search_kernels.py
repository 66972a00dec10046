"""Steps of the search among one record's items: where it begins, what it has met, what shows that a set is closed."""

import numpy as np

from confide.core.runtime.jit import kernel, popcount
from confide.mining.window._layout import (
    AT_ROW,
    CLOCK,
    COUNT,
    DEPTH,
    END,
    ENTRY_COUNT,
    I32,
    I64,
    IN_RECORD,
    ITEM,
    KEYS,
    LOCAL,
    MARK,
    NEXT,
    NUMBER,
    PATH,
    ROW,
    START,
    U64,
    Int,
)

__all__ = ["begin", "count_both", "find_witness", "met_before"]


@kernel
def begin(item: I64, bitmap: U64, tids: U64, cand: I64, work: I64, n: Int) -> None:
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
def count_both(tids: U64, j: Int, k: Int) -> Int:
    count = np.uint64(0)
    for w in range(tids.shape[1]):
        count += popcount(tids[j, w] & tids[k, w])
    return np.int64(count)


@kernel
def met_before(item: I64, work: I64, tids: U64, i: Int, j: Int) -> bool:
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
def find_witness(meta: I64, ring: I64, entry: I32, stamp: I64, tids: U64, work: I64, j: Int, length: Int) -> Int:
    """Number of the oldest record needed to show that the set work[:length, PATH] is closed, or -1 if it is not.

    Row j of `tids` holds its records. Taken from the newest to older ones, their intersection shrinks to the
    set. From then on the set is closed for as long as the last one taken stays, even if others come and go.
    """
    mask = len(entry) - 1
    for i in range(length):
        stamp[work[i, PATH]] = -1
    clock = meta[CLOCK]  # an item in all records taken so far, but not in the set, is stamped with this
    oldest = np.int64(-1)
    words = tids.shape[1]
    here = meta[NEXT] >> 6
    below = (np.uint64(1) << np.uint64(meta[NEXT] & 63)) - np.uint64(1)
    if here == words:  # the ring has just been filled and not grown yet: the newest record is in its last row
        here, below = words - 1, ~np.uint64(0)
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
