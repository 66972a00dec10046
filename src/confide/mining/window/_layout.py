"""The arrays behind a sliding window, column by column: names that all its kernels share.

    meta    scalars                                       bitmap  a row of bits over ring slots for each common item
    item    a row for each item in the window             sets    a row for each closed set
    ring    a row for each record                         table   hash table of rows of `sets`, linear probing
    entry   the items of the records, in a circle         pool    items of the closed sets, in blocks of 2**k
    stamp   a number for each item, for `find_witness`    tids, cand, work   candidates, lists and frames of the search

An item is a *slot*, a row of `item`, only while some record of the window holds it. Entries know the previous entry
of the same item, so an item that becomes common gets its bits without a scan of the window. Positions in `entry`
count up for ever and are taken modulo its length, a power of two.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = Any  # a 64-bit integer; inside numba there is no other kind of int
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
U64 = NDArray[np.uint64]


class Window(NamedTuple):
    """The arrays drawn above."""

    meta: I64
    item: I64
    ring: I64
    entry: I32
    bitmap: U64
    stamp: I64
    sets: I64
    table: I32
    pool: I32
    tids: U64
    cand: I64
    work: I64


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
FORGET = FREE_BLOCK + 32  # how many of the oldest records are to leave without another in their place
OLDEST = FORGET + 1  # row in the ring of the record that leaves
META = OLDEST + 1

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
