"""Kernels of greedy suppression over minimal moles, and of top-down specialisation."""

import numpy as np

from confide.core.runtime.jit import kernel
from confide.publish.transactions.moles.mole_kernels import I32, I64, Flags


@kernel
def greedy(offsets: I64, items: I32, ptr: I64, moles: I32, cost: I64, choosable: Flags) -> tuple[I32, I64, Flags]:
    """Suppress the item of largest gain / cost until every mole is broken, or none of the rest may be chosen.

    gain is the number of unbroken moles that hold the item. Ties go to the larger gain, then to the smaller number.
    Scores are compared by cross-multiplication, in whole numbers. Returns (items in order, their gains, unbroken).
    """
    n_items = len(cost)
    broken = np.zeros(len(offsets) - 1, np.bool_)
    gain = np.empty(n_items, np.int64)
    live = np.empty(n_items, np.int32)
    n_live = 0
    for v in range(n_items):
        gain[v] = ptr[v + 1] - ptr[v]
        if gain[v] > 0 and choosable[v]:
            live[n_live] = v
            n_live += 1
    order = np.empty(n_items, np.int32)
    gains = np.empty(n_items, np.int64)
    steps = 0
    while True:
        best = -1
        kept = 0
        for i in range(n_live):
            v = live[i]
            if gain[v] == 0:
                continue
            live[kept] = v
            kept += 1
            if best < 0:
                best = v
                continue
            ours = gain[v] * cost[best]
            theirs = gain[best] * cost[v]
            if ours > theirs or (ours == theirs and gain[v] > gain[best]):
                best = v
        n_live = kept
        if best < 0:
            break
        order[steps] = best
        gains[steps] = gain[best]
        steps += 1
        for e in range(ptr[best], ptr[best + 1]):
            mole = moles[e]
            if not broken[mole]:
                broken[mole] = True
                for f in range(offsets[mole], offsets[mole + 1]):
                    gain[items[f]] -= 1
    return order[:steps].copy(), gains[:steps].copy(), broken


@kernel
def needless(offsets: I64, items: I32, ptr: I64, moles: I32, gone: Flags, order: I32) -> Flags:
    """Which of the suppressed items in `order` can be put back, one after the other, with every mole still broken."""
    breaks = np.zeros(len(offsets) - 1, np.int32)
    for mole in range(len(offsets) - 1):
        for e in range(offsets[mole], offsets[mole + 1]):
            if gone[items[e]]:
                breaks[mole] += 1
    back = np.zeros(len(order), np.bool_)
    for i in range(len(order)):
        v = order[i]
        free = True
        for e in range(ptr[v], ptr[v + 1]):
            if breaks[moles[e]] < 2:
                free = False
                break
        if free:
            back[i] = True
            for e in range(ptr[v], ptr[v + 1]):
                breaks[moles[e]] -= 1
    return back


@kernel
def replay(offsets: I64, items: I32, ptr: I64, moles: I32, order: I32) -> tuple[I64, I64]:
    """For items suppressed in this order: how many unbroken moles each one breaks, and the first of them (or -1)."""
    broken = np.zeros(len(offsets) - 1, np.bool_)
    counts = np.zeros(len(order), np.int64)
    first = np.full(len(order), -1, np.int64)
    for step in range(len(order)):
        v = order[step]
        for e in range(ptr[v], ptr[v + 1]):
            mole = moles[e]
            if not broken[mole]:
                broken[mole] = True
                counts[step] += 1
                if first[step] < 0:
                    first[step] = mole
    return counts, first


@kernel
def _by_group(group: I64, n_groups: int) -> tuple[I64, I64]:
    """Records in the order of their groups: (where each group begins, the records)."""
    start = np.zeros(n_groups + 1, np.int64)
    for g in group:
        start[g + 1] += 1
    for g in range(n_groups):
        start[g + 1] += start[g]
    fill = start[:-1].copy()
    members = np.empty(len(group), np.int64)
    for t in range(len(group)):
        members[fill[group[t]]] = t
        fill[group[t]] += 1
    return start, members


@kernel
def splits(group: I64, sizes: I64, indptr: I64, indices: I32, column: I64, k: int, n_items: int) -> I64:
    """For each candidate item: would splitting every group by it leave only groups of k or more (or none)?

    `column[v]` is a candidate's number, or -1. Returns, for each candidate, the smallest group its split makes; 0
    when that would be below k.
    """
    n_groups = len(sizes)
    n_candidates = 0
    for v in range(n_items):
        n_candidates = max(n_candidates, column[v] + 1)
    held = np.zeros(n_candidates, np.int64)
    least = np.full(n_candidates, np.iinfo(np.int64).max, np.int64)
    touched = np.empty(n_candidates, np.int64)
    # records by group, so that one count per candidate serves all groups in turn
    start, members = _by_group(group, n_groups)
    for g in range(n_groups):
        n_touched = 0
        for m in range(start[g], start[g + 1]):
            t = members[m]
            for e in range(indptr[t], indptr[t + 1]):
                c = column[indices[e]]
                if c >= 0:
                    if held[c] == 0:
                        touched[n_touched] = c
                        n_touched += 1
                    held[c] += 1
        for i in range(n_touched):
            c = touched[i]
            ones = held[c]
            zeros = sizes[g] - ones
            smaller = ones if zeros == 0 else min(ones, zeros)
            least[c] = min(least[c], smaller)
            held[c] = 0
    for c in range(n_candidates):
        if least[c] < k:
            least[c] = 0
    return least


@kernel
def split_by(group: I64, indptr: I64, indices: I32, item: int, n_groups: int) -> tuple[I64, int]:
    """Group numbers after every group is split into records with and without the item; and how many there are."""
    half = np.full(n_groups, -1, np.int64)
    whole = np.full(n_groups, -1, np.int64)
    out = np.empty(len(group), np.int64)
    n = 0
    for t in range(len(group)):
        holds = False
        for e in range(indptr[t], indptr[t + 1]):
            if indices[e] == item:
                holds = True
        g = group[t]
        if holds:
            if half[g] < 0:
                half[g] = n
                n += 1
            out[t] = half[g]
        else:
            if whole[g] < 0:
                whole[g] = n
                n += 1
            out[t] = whole[g]
    return out, n


@kernel
def breaches(group: I64, n_groups: int, sizes: I64, priv_ptr: I64, privs: I32, n_private: int, allowed: I64) -> bool:
    """Whether some group holds a private item more often than its size allows."""
    start, members = _by_group(group, n_groups)
    counts = np.zeros(n_private, np.int64)
    for g in range(n_groups):
        breached = False
        for m in range(start[g], start[g + 1]):
            t = members[m]
            for e in range(priv_ptr[t], priv_ptr[t + 1]):
                counts[privs[e]] += 1
                breached = breached or counts[privs[e]] > allowed[sizes[g]]
        if breached:
            return True
        for m in range(start[g], start[g + 1]):
            t = members[m]
            for e in range(priv_ptr[t], priv_ptr[t + 1]):
                counts[privs[e]] = 0
    return False
