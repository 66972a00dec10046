"""Kernel for sides of hidden splits: which join values a split summary shows on one side, in one pass over a level."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


@kernel
def one_sided(
    keys: I32,
    rows: I32,
    counts: I64,
    start: I64,
    stop: I64,
    first: I64,
    after: I64,
    child_start: I64,
    child_keys: I32,
    child_counts: I64,
    behind: I64,
    at_root: I64,
    wanted: Flags,
    found: Flags,
    left: Flags,
) -> None:
    """Mark in `found` the wanted join values that a split shows on one side, in `left` those that may still be shown.

    `keys` is the join value of each record; the entries of the i-th node are `start[i]:stop[i]` of `rows` and `counts`.
    Its open children are `first[i]:after[i]` of the summary (first -1: it is not split), and the entries of child j
    `child_start[j]:child_start[j + 1]`. A join value can be shown where it is undivided: where as many of its records
    are at the node as `behind` says, or, where `behind` says 0, one of them still stands for all of `at_root`.
    """
    shared = len(wanted)
    here, weight, largest = np.zeros(shared, np.int64), np.zeros(shared, np.int64), np.zeros(shared, np.int64)
    whole, seen = np.zeros(shared, np.bool_), np.empty(shared, np.int32)
    for i in range(len(start)):
        n = 0
        for e in range(start[i], stop[i]):
            key = keys[rows[e]]
            if not wanted[key]:
                continue
            stands_for = counts[e].sum()
            if here[key] == 0:
                seen[n] = key
                n += 1
            here[key] += 1
            weight[key] += stands_for
            whole[key] |= stands_for == at_root[rows[e]]
        if first[i] >= 0:
            for e in range(child_start[first[i]], child_start[after[i]]):
                largest[child_keys[e]] = max(largest[child_keys[e]], child_counts[e].sum())
        for t in range(n):
            key = seen[t]
            undivided = here[key] == behind[key] if behind[key] > 0 else whole[key]
            if undivided:
                left[key] = True
                if first[i] >= 0 and (largest[key] == weight[key] or largest[key] == 0):
                    found[key] = True
            here[key] = weight[key] = 0
            whole[key] = False
        if first[i] >= 0:
            for e in range(child_start[first[i]], child_start[after[i]]):
                largest[child_keys[e]] = 0
