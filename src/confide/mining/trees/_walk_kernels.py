"""Kernels that send records down a tree: what was grown, laid out for walking, and the walk."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.mining.trees.arrays import COLUMN, COUNTS, CUT_HIGH, MISSING, PARENT, VALUE

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


@kernel
def lay_out(grown: I64, stays: NDArray[np.bool_], numeric: NDArray[np.bool_], widths: I64, covering: bool) -> Any:
    """The nodes that stay, for `walk`: (order, column, base, goes_to, missing_to, cut), numbered from the root down.

    Children follow their parent in the order of their values, as in the published tree. cut[k] says that node k has a
    threshold; a numeric split whose left child takes every number has none. With `covering`, what no child takes goes
    with the largest one, the first of equals.
    """
    n = len(grown)
    size, number, following = np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    largest, most = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    for i in range(n - 1, -1, -1):
        size[i] += stays[i]
        if i > 0 and stays[i]:
            size[grown[i, PARENT]] += size[i]
    number[0], following[0] = 0, 1
    for i in range(1, n):
        if stays[i]:
            up, total = grown[i, PARENT], np.int64(0)
            number[i] = following[up]
            following[up] += size[i]
            following[i] = number[i] + 1
            for c in range(COUNTS, grown.shape[1]):
                total += grown[i, c]
            if total > most[up]:
                most[up], largest[up] = total, i
    kept = size[0]
    order, base = np.empty(kept, dtype=np.int64), np.empty(kept, dtype=np.int64)
    column, missing_to = np.full(kept, -1, dtype=np.int32), np.full(kept, -1, dtype=np.int32)
    cut, room = np.zeros(kept, dtype=np.bool_), 0
    for i in range(n):
        if stays[i]:
            order[number[i]] = i
    for k in range(kept):
        i = order[k]
        base[k], j = room, grown[i, COLUMN]
        if size[i] > 1:
            column[k] = j
            cut[k] = numeric[j] and grown[i, CUT_HIGH] < widths[j]
            room += 1 + cut[k] if numeric[j] else widths[j]
    goes_to = np.full(room, -1, dtype=np.int32)
    for i in range(1, n):
        if stays[i]:
            up, answer = grown[i, PARENT], grown[i, VALUE]
            k = number[up]
            if not numeric[column[k]] or cut[k] or answer == 0:
                goes_to[base[k] + answer] = number[i]
            if numeric[column[k]] and grown[up, MISSING] - 1 == answer:
                missing_to[k] = number[i]
    for k in range(kept if covering else 0):
        if column[k] >= 0:
            rest = number[largest[order[k]]]
            if numeric[column[k]]:
                missing_to[k] = rest if missing_to[k] < 0 else missing_to[k]
            else:
                for v in range(base[k], base[k] + widths[column[k]]):
                    goes_to[v] = rest if goes_to[v] < 0 else goes_to[v]
    return order, column, base, goes_to, missing_to, cut


@kernel
def walk(table: F64, column: I32, start: I64, stop: I64, cuts: F64, goes_to: I32, base: I64, missing_to: I32) -> I32:
    """The node each record ends at. Record i has values table[:, i]; categorical ones are codes, -1 if unknown.

    Node k asks column[k] (-1: a leaf). When start[k] < 0 it is categorical and code v goes to
    goes_to[base[k] + v]; otherwise cuts[start[k]:stop[k]] ascend and a value above exactly r of them goes to
    goes_to[base[k] + r], a missing one (nan) to missing_to[k]. An answer of -1 ends the walk.
    """
    ends = np.zeros(table.shape[1], dtype=np.int32)
    for i in range(table.shape[1]):
        k = 0
        while column[k] >= 0:
            value = table[column[k], i]
            if start[k] < 0 and not value >= 0:
                break
            if value != value:
                answer = -1
            elif start[k] < 0:
                answer = int(value)
            else:
                answer = 0
                upper = stop[k] - start[k]
                while answer < upper:
                    middle = (answer + upper) // 2
                    if value > cuts[start[k] + middle]:
                        answer = middle + 1
                    else:
                        upper = middle
            following = missing_to[k] if answer < 0 else goes_to[base[k] + answer]
            if following < 0:
                break
            k = following
        ends[i] = k
    return ends
