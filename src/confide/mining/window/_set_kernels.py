"""The closed sets of a sliding window: a hash table, with their items in blocks."""

from confide.core.runtime.jit import kernel
from confide.mining.window._layout import (
    BLOCK,
    FREE_BLOCK,
    HASH,
    I32,
    I64,
    IN_SET,
    LENGTH,
    MARK,
    N_SETS,
    PATH,
    POOL,
    POOL_END,
    SETS,
    WITNESS,
    Int,
)

__all__ = ["block_class", "drop", "find", "rehash", "store"]


@kernel
def find(item: I64, sets: I64, table: I32, pool: I32, length: Int, keys: Int) -> Int:
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
def block_class(length: Int) -> Int:
    """The k of the smallest block 2**k that holds `length` items."""
    k = 0
    while 1 << k < length:
        k += 1
    return k


@kernel
def store(meta: I64, sets: I64, table: I32, pool: I32, work: I64, length: Int, keys: Int, at: Int) -> Int:
    """Store the set work[:length, PATH] at this free place of `table`; 0, or what ran out."""
    k = block_class(length)
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
def drop(meta: I64, sets: I64, table: I32, pool: I32, k: Int, at: Int) -> None:
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
