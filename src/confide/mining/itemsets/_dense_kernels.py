"""Short cuts for lists of a dense database, which has a column, one bit per record, for each item.

A record of 20 items takes 20 steps to walk along; columns are compared 512 records a step, and 64 rows of 64 items
are read off columns by one transposition.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount
from confide.mining.databases.database import Database
from confide.mining.databases.task import CLOSED, Task
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO, lowest, transpose

__all__ = ["column_counts", "column_masks", "recheck"]

Words = NDArray[np.uint64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def column_counts(database: Database, item: int, first: int, counts: Longs, touched: Ints) -> Any:
    """Count the records of `item` that hold each item from `first` on; give how many were `touched`."""
    columns, width = database.columns, database.width
    n = 0
    own = columns[item * width : (item + 1) * width]
    for other in range(first, len(columns) // width):
        theirs = columns[other * width : (other + 1) * width]
        both = ZERO
        for w in range(width):
            both += popcount(own[w] & theirs[w])
        if both and other != item:
            counts[other] = np.int64(both)
            touched[n] = other
            n += 1
    return n


@kernel
def column_masks(database: Database, item: int, members: Ints, wanted: np.uint64, masks: Words, weights: Longs) -> Any:
    """Read the records of `item` off the columns as words of the `wanted` bits, dropping empty ones; give their number.

    Bit b is the item whose number is `members[b, 1]`.
    """
    columns, width = database.columns, database.width
    block = np.empty(64, np.uint64)
    own = columns[item * width : (item + 1) * width]
    n = 0
    for w in range(width):
        left = own[w]
        if left == ZERO:
            continue
        for b in range(64):
            block[b] = ZERO
        bits = wanted
        while bits:
            b = lowest(bits)
            bits &= bits - ONE
            block[b] = columns[members[b, 1] * width + w]
        transpose(block)
        while left:
            mask = block[lowest(left)]
            left &= left - ONE
            if mask:
                masks[n], weights[n] = mask, 1
                n += 1
    return n


@kernel
def recheck(database: Database, task: Task, members: Ints, outside: Ints, records: Words, begin: int, end: int) -> Any:
    """Keep, of the records from `begin` to `end`, those that no killer `outside` the universe rules out; give the end.

    The most frequent items have nearly all others as killers, more than a universe holds, but few candidates, hence
    few sets that need this.
    """
    columns, width = database.columns, database.width
    rows = np.empty(width, np.uint64)
    kept = begin
    for r in range(begin, end):
        left = records[r, 0]
        length = np.int64(popcount(left))
        for w in range(width):
            rows[w] = ~ZERO
        while left:
            column = members[lowest(left), 1] * width
            left &= left - ONE
            for w in range(width):
                rows[w] &= columns[column + w]
        enough = np.int64(records[r, 2]) if task.kind == CLOSED else task.min_support
        ruled_out = False
        for killer in outside:
            both = ZERO
            for w in range(width):
                both += popcount(rows[w] & columns[killer * width + w])
            if np.int64(both) >= enough:
                ruled_out = True
                break
        if not ruled_out or (task.kind != CLOSED and length == task.max_length):
            for part in range(3):
                records[kept, part] = records[r, part]
            kept += 1
    return kept
