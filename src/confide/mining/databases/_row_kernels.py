"""From records to rows: the two forms in which rows are searched."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO, merge_equal

__all__ = ["merged_masks", "ranked_rows", "walk_steps"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def walk_steps(indptr: Longs, indices: Ints, ranks: Ints, step: int) -> Any:
    """Estimate, from every `step`-th record, the steps of visiting each frequent item beside each other one."""
    total = 0
    for r in range(0, len(indptr) - 1, step):
        held = 0
        for p in range(indptr[r], indptr[r + 1]):
            held += ranks[indices[p]] >= 0
        total += held * held
    return total * step


@kernel
def merged_masks(indptr: NDArray[np.int64], indices: NDArray[np.int32], bits: NDArray[np.uint64]) -> Any:
    """Turn every record into the OR of the `bits` of its items and merge equal ones; give (masks, weights).

    Infrequent items have no bit; records left with none are dropped.
    """
    masks = np.empty(len(indptr) - 1, np.uint64)
    n = 0
    for r in range(len(indptr) - 1):
        mask = ZERO
        for p in range(indptr[r], indptr[r + 1]):
            mask |= bits[indices[p]]
        if mask:
            masks[n] = mask
            n += 1
    weights = np.ones(n, np.int64)
    n = merge_equal(masks, weights, n, np.empty(max(4 * n, 8), np.int32))
    return masks[:n].copy(), weights[:n].copy()


@kernel
def ranked_rows(indptr: Longs, indices: Ints, ranks: Ints, supports: Longs, width: int) -> Any:
    """Lay out the records as `_list_kernels` draws them; give (entries, starts, occurrences, columns).

    `ranks[code]` is negative for infrequent items; `supports` are those of the ranks. The occurrences of rank i are
    `occurrences[starts[i]:starts[i + 1]]`. Rows come out sorted since they are filled rank by rank. `width` is
    the number of words in a column, or 0 for no columns; that of rank i, one bit per record, is at i * width.
    """
    n_rows = len(indptr) - 1
    starts = np.zeros(len(supports) + 1, np.int64)
    for i in range(len(supports)):
        starts[i + 1] = starts[i] + supports[i]
    cursor = np.empty(n_rows, np.int32)
    fill = starts[:-1].copy()
    occurrences = np.empty(starts[-1], np.int32)
    end = 1
    for r in range(n_rows):
        cursor[r] = end
        for p in range(indptr[r], indptr[r + 1]):
            rank = ranks[indices[p]]
            if rank >= 0:
                occurrences[fill[rank]] = r
                fill[rank] += 1
                end += 1
        if end > cursor[r]:
            end += 1
    entries = np.full(end, -1, np.int32)
    columns = np.zeros(len(supports) * width, np.uint64)
    for i in range(len(supports)):
        for o in range(starts[i], starts[i + 1]):
            r = occurrences[o]
            p = cursor[r]
            entries[p] = i
            cursor[r] = p + 1
            occurrences[o] = p + 1
            if width:
                columns[i * width + (r >> 6)] |= ONE << np.uint64(r & 63)
    return entries, starts, occurrences, columns
