"""Counting over lists of rows, for the sparse search: what follows an item, pairs, the commonest private item."""

from confide.core.runtime.jit import kernel
from confide.publish.transactions.moles.mole_kernels import I32, I64


@kernel
def pair_counts(start: int, stop: int, row_ptr: I64, rows: I32, counts: I32) -> None:
    """counts[i - start, v] = how many rows hold the items i < v, for i from start to stop - 1.

    Reads every row once, in order; with rarely more than a few megabytes of counts it stays in the cache, where
    reading the rows of each item in turn would miss it at every row.
    """
    for t in range(len(row_ptr) - 1):
        end = row_ptr[t + 1]
        e = row_ptr[t]
        while e < end and rows[e] < start:
            e += 1
        while e < end and rows[e] < stop:
            i = rows[e] - start
            for f in range(e + 1, end):
                counts[i, rows[f]] += 1
            e += 1


@kernel
def count_after(cohort: I32, item: int, row_ptr: I64, rows: I32, counts: I32, touched: I32) -> int:
    """Count the items after `item` in the rows of the cohort; returns how many are `touched`."""
    n = 0
    for t in cohort:
        for e in range(row_ptr[t + 1] - 1, row_ptr[t] - 1, -1):
            v = rows[e]
            if v <= item:
                break
            if counts[v] == 0:
                touched[n] = v
                n += 1
            counts[v] += 1
    return n


@kernel
def counted_pairs(pairs: I32, root: int, counts: I32, touched: I32) -> int:
    """The same from counts of pairs made before."""
    n = 0
    for v in range(root + 1, len(pairs)):
        if pairs[v] > 0:
            counts[v] = pairs[v]
            touched[n] = v
            n += 1
    return n


@kernel
def most_private(tids: I32, priv_ptr: I64, privs: I32, counts: I32) -> int:
    """How many of these rows hold the private item commonest among them; `counts` are zeros before and after."""
    most = 0
    for t in tids:
        for e in range(priv_ptr[t], priv_ptr[t + 1]):
            counts[privs[e]] += 1
            most = max(most, counts[privs[e]])
    for t in tids:
        for e in range(priv_ptr[t], priv_ptr[t + 1]):
            counts[privs[e]] = 0
    return most
