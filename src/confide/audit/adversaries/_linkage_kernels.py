"""Kernel of the linkage adversary on transactions: arrays in, arrays out."""

from collections import Counter
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import interpreted_as

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


def _look_up(
    known_ptr: I64, known: I32, tid_ptr: I64, tids: I32, row_ptr: I64, rows: I32, is_private: NDArray[np.bool_]
) -> tuple[I64, I64]:
    holders = {item: set(tids[tid_ptr[item] : tid_ptr[item + 1]].tolist()) for item in set(known.tolist())}
    private = [
        [item for item in rows[low:high].tolist() if is_private[item]] for low, high in pairwise(row_ptr.tolist())
    ]
    matches, commonest = np.zeros(len(known_ptr) - 1, np.int64), np.zeros(len(known_ptr) - 1, np.int64)
    for q, (low, high) in enumerate(pairwise(known_ptr.tolist())):
        sets = sorted((holders[item] for item in known[low:high].tolist()), key=len)
        found = sets[0].intersection(*sets[1:])
        matches[q] = len(found)
        commonest[q] = max(Counter(item for t in found for item in private[t]).values(), default=0)
    return matches, commonest


@interpreted_as(_look_up)
def look_up(
    known_ptr: I64, known: I32, tid_ptr: I64, tids: I32, row_ptr: I64, rows: I32, is_private: NDArray[np.bool_]
) -> tuple[I64, I64]:
    """For each set of known items (never empty): how many records hold all of them, and how many of those hold the
    private item that is commonest among them. Codes ascend within a row."""
    n = len(known_ptr) - 1
    matches = np.zeros(n, np.int64)
    commonest = np.zeros(n, np.int64)
    tally = np.zeros(len(is_private), np.int64)
    touched = np.empty(len(is_private), np.int32)
    for q in range(n):
        items = known[known_ptr[q] : known_ptr[q + 1]]
        rarest = items[0]
        for item in items:
            if tid_ptr[item + 1] - tid_ptr[item] < tid_ptr[rarest + 1] - tid_ptr[rarest]:
                rarest = item
        n_touched = 0
        for t in tids[tid_ptr[rarest] : tid_ptr[rarest + 1]]:
            row = rows[row_ptr[t] : row_ptr[t + 1]]
            holds = True
            for item in items:
                at = np.searchsorted(row, item)
                if at == len(row) or row[at] != item:
                    holds = False
                    break
            if holds:
                matches[q] += 1
                for item in row:
                    if is_private[item]:
                        if tally[item] == 0:
                            touched[n_touched] = item
                            n_touched += 1
                        tally[item] += 1
        for x in range(n_touched):
            commonest[q] = max(commonest[q], tally[touched[x]])
            tally[touched[x]] = 0
    return matches, commonest
