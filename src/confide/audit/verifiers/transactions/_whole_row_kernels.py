"""Whole records as itemsets, for p without bound. Items are ranks, as in `_coherence_kernels`."""

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.transactions._coherence_kernels import CLEAN, MOLE, Lists
from confide.audit.verifiers.transactions._cohort_kernels import bitmaps, clear, give_slots, tally
from confide.core.runtime.bit_kernels import and_count
from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def _rare_rows(i: int, cohort: I32, row_ptr: I64, rows: I32, k: int) -> I32:
    """Of the cohort's records whose rarest item is i, one of each that fewer than k equal; in their order."""
    mine = np.empty(len(cohort), np.int32)
    hashes = np.empty(len(cohort), np.uint64)
    n = 0
    for t in cohort:
        if rows[row_ptr[t]] == i:
            h = np.uint64(14695981039346656037)
            for e in range(row_ptr[t], row_ptr[t + 1]):
                h = (h ^ np.uint64(rows[e])) * np.uint64(1099511628211)
            mine[n], hashes[n] = t, h
            n += 1
    order = np.argsort(hashes[:n])
    chosen = np.empty(n, np.int32)
    kept = 0
    at = 0
    while at < n:
        t = mine[order[at]]
        end = at + 1
        while end < n and _equal_rows(t, mine[order[end]], row_ptr, rows):
            end += 1
        if end - at < k:
            chosen[kept] = t
            kept += 1
        at = end
    return np.sort(chosen[:kept])


@kernel
def _equal_rows(a: int, b: int, row_ptr: I64, rows: I32) -> bool:
    size = row_ptr[a + 1] - row_ptr[a]
    same: bool = row_ptr[b + 1] - row_ptr[b] == size
    e = 0
    while same and e < size:
        same = rows[row_ptr[a] + e] == rows[row_ptr[b] + e]
        e += 1
    return same


@kernel
def rows_of_cohort(i: int, holders: Lists, public: Lists, k: int, counts: I64, witness: I64) -> int:
    """Look for a record, with i its rarest item, that fewer than k records contain; for p without bound.

    Every itemset that occurs is part of a record and so at least as common as that record: if all records pass, no
    itemset is rarer than k. Records that k others equal pass without a look at the rest.
    """
    cohort = holders.entries[holders.ptr[i] : holders.ptr[i + 1]]
    row_ptr, rows = public.ptr, public.entries
    chosen = _rare_rows(i, cohort, row_ptr, rows, k)
    if len(chosen) == 0:
        return CLEAN
    touched = np.empty(len(counts), np.int32)
    n_touched = tally(cohort, row_ptr, rows, i, counts, touched)
    give_slots(counts, touched, n_touched, touched[:n_touched])
    columns = bitmaps(cohort, row_ptr, rows, i, counts, n_touched)
    status = CLEAN
    bits = np.empty(columns.shape[1], np.uint64)
    for t in chosen:
        bits[:] = ~np.uint64(0)
        found = len(cohort)
        for e in range(row_ptr[t] + 1, row_ptr[t + 1]):
            column = columns[counts[rows[e]]]
            for w in range(len(bits)):
                bits[w] &= column[w]
            found = and_count(bits, bits, len(bits))
            if found < k:
                break
        if found < k:
            status = MOLE
            witness[0] = row_ptr[t + 1] - row_ptr[t]
            for e in range(row_ptr[t], row_ptr[t + 1]):
                witness[1 + e - row_ptr[t]] = rows[e]
            break
    clear(counts, touched, n_touched)
    return status
