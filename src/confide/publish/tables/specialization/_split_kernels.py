"""Kernels of top-down specialisation: what every possible division does to the groups, and one division made."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.cells.judging_kernels import histogram
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


@kernel
def judge_splits(
    codes: I32,
    rows: I64,
    start: I64,
    order: I32,
    ok: Flags,
    base: I64,
    split: I32,
    child: I32,
    n_splits: int,
    most_children: int,
    ptr: I64,
    tokens: I32,
    counts: I64,
    slot: I32,
    distinct: bool,
    width: int,
    rules: Rules,
) -> tuple[I64, I64]:
    """For each split: the smallest group it makes that passes (a large number if none), and rows that it loses more.

    `split[base[j] + leaf]` is the split that would divide this leaf of column j, or -1; `child` the part it goes to.
    All cells of a group have the same value in a column, so a split divides all of a group or nothing of it.
    """
    smallest = np.full(n_splits, np.int64(1) << 62, np.int64)
    lost = np.zeros(n_splits, np.int64)
    seen = np.full(len(slot) if distinct else 0, -1, np.int64)
    hist = np.empty(width, np.int64)
    largest = np.int64(0)
    for g in range(len(start) - 1):
        largest = max(largest, start[g + 1] - start[g])
    part = np.empty(largest, np.int32)
    size = np.empty(most_children, np.int64)
    visit = 0
    for g in range(len(start) - 1):
        for j in range(codes.shape[1]):
            s = split[base[j] + codes[order[start[g]], j]]
            if s < 0:
                continue
            size[:] = 0
            whole = np.int64(0)
            for x in range(start[g], start[g + 1]):
                cell = order[x]
                size[child[base[j] + codes[cell, j]]] += rows[cell]
                whole += rows[cell]
            before = np.int64(0) if ok[g] else whole
            after = np.int64(0)
            for c in range(most_children):
                if size[c] == 0:
                    continue
                n = np.int64(size[c])
                if size[c] == whole:
                    passes = ok[g]
                elif distinct or width:
                    held = 0
                    for x in range(start[g], start[g + 1]):
                        if child[base[j] + codes[order[x], j]] == c:
                            part[held] = order[x]
                            held += 1
                    persons = histogram(visit, part, 0, held, ptr, tokens, counts, slot, seen, distinct, hist)
                    visit += 1
                    passes = group_ok(rules, persons if distinct else n, hist)
                else:
                    passes = group_ok(rules, n, hist)
                if passes:
                    smallest[s] = min(smallest[s], n)
                else:
                    after += n
            lost[s] += after - before
    return smallest, lost
