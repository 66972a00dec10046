"""Scoring every column of a table at every node of a level, from class counts carried by its records.

The arithmetic is that of `confide.mining._tree_kernels.grow`, where each record counts once; here a record counts for
all joined records it stands for, so the scores of equal class counts are equal to the last unit.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.jit import kernel, prefetch
from confide.join._join_kernels import collect, mark
from confide.mining._tree_kernels import GINI, gini_mass, quantised, term

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]

BLOCK = 32
LOW_HALF = 0xFFFFFFFF


@kernel
def sum_entries(counts: I64, start: I64, stop: I64, which: I64, totals: I64) -> None:
    """The class counts of the nodes `which`."""
    for i in range(len(which)):
        for e in range(start[which[i]], stop[which[i]]):
            for c in range(counts.shape[1]):
                totals[i, c] += counts[e, c]


@kernel
def count_values(
    codes: I32,
    first: int,
    last: int,
    rows: I32,
    counts: I64,
    packed: U64,
    low: int,
    high: int,
    base: I64,
    avc: I64,
    sums: U64,
) -> None:
    """Add the class counts of a node's entries to those of their values: column j's begin at base[j - first].

    Records are taken in blocks, column by column, so that a block's codes are fetched once, and the next
    block's are asked for meanwhile.
    """
    classes = counts.shape[1]
    for e in range(low, min(low + BLOCK, high)):
        prefetch(codes, rows[e], first)
    for block in range(low, high, BLOCK):
        end = min(block + BLOCK, high)
        for e in range(end, min(end + BLOCK, high)):
            prefetch(codes, rows[e], first)
        for j in range(first, last):
            at = base[j - first]
            if len(packed) > 0:
                for e in range(block, end):
                    sums[at + codes[rows[e], j]] += packed[e]
            else:
                for e in range(block, end):
                    v = at + codes[rows[e], j]
                    for c in range(classes):
                        avc[v, c] += counts[e, c]


@kernel
def score_columns(
    codes: I32,
    numeric: NDArray[np.bool_],
    widths: I32,
    first: int,
    last: int,
    rows: I32,
    counts: I64,
    packed: U64,
    start: I64,
    stop: I64,
    which: I64,
    totals: I64,
    criterion: int,
    scale: float,
    min_leaf: int,
    gains: I64,
    infos: I64,
    cuts: I32,
    branches: I32,
) -> None:
    """Score columns first..last - 1 at the nodes `which`: gain and split information, 0 where no split qualifies.

    `totals[i]` are the class counts of node which[i]. `packed` has both counts of an entry in one word, the first in
    the low half, or is empty. `cuts[i, j]` are the codes on both sides of a numeric cut, `branches[i, j]` the children
    the split makes.
    """
    classes = counts.shape[1]
    base = np.zeros(last - first + 1, dtype=np.int64)
    widest = 1
    for j in range(first, last):
        widest = max(widest, widths[j])
        base[j - first + 1] = base[j - first] + widths[j]
    avc = np.zeros((base[last - first], classes), dtype=np.int64)
    sums = np.zeros(base[last - first] if len(packed) > 0 else 0, dtype=np.uint64)
    bits = np.zeros((widest >> 6) + 1, dtype=np.uint64)
    words = np.zeros((len(bits) >> 6) + 1, dtype=np.uint64)
    seen = np.empty(widest + 1, dtype=np.int32)
    left = np.zeros(classes, dtype=np.int64)
    left_terms = np.zeros(classes, dtype=np.int64)
    right_terms = np.zeros(classes, dtype=np.int64)
    for i in range(len(which)):
        low, high = start[which[i]], stop[which[i]]
        count_values(codes, first, last, rows, counts, packed, low, high, base, avc, sums)
        for j in range(first, last):
            at = base[j - first]
            # A node with few records of a wide column must not pay for the width.
            n = 0
            if 4 * (high - low) < widths[j]:
                for e in range(low, high):
                    mark(bits, words, codes[rows[e], j])
                n = collect(bits, words, seen)
            elif len(packed) > 0:
                for v in range(widths[j]):
                    if sums[at + v] != np.uint64(0):
                        seen[n] = v
                        n += 1
            else:
                for v in range(widths[j]):
                    present = False
                    for c in range(classes):
                        present |= avc[at + v, c] > 0
                    if present:
                        seen[n] = v
                        n += 1
            if len(packed) > 0:
                for k in range(n):
                    v = at + seen[k]
                    avc[v, 0] = np.int64(sums[v] & np.uint64(LOW_HALF))
                    avc[v, 1] = np.int64(sums[v] >> np.uint64(32))
                    sums[v] = np.uint64(0)

            total, terms, squares = 0, 0, 0.0
            for c in range(classes):
                count = totals[i, c]
                total += count
                squares += float(count) * float(count)
                right_terms[c] = term(count, scale)
                terms += right_terms[c]
                left[c], left_terms[c] = 0, 0
            total_term = term(total, scale)
            whole = gini_mass(total, squares, scale) if criterion == GINI else total_term - terms
            gain, info, large, parts, size, best = 0, 0, 0, 0, 0, 0
            if numeric[j]:
                for k in range(n):
                    v = at + seen[k]
                    if size >= min_leaf and total - size >= min_leaf:
                        if criterion == GINI:
                            squares, right_squares = 0.0, 0.0
                            for c in range(classes):
                                squares += float(left[c]) * float(left[c])
                                right = float(totals[i, c] - left[c])
                                right_squares += right * right
                            parts = gini_mass(size, squares, scale) + gini_mass(total - size, right_squares, scale)
                        else:
                            parts = term(size, scale) + term(total - size, scale)
                            for c in range(classes):
                                parts -= left_terms[c] + right_terms[c]
                        if quantised(whole - parts) > best:
                            best = quantised(whole - parts)
                            gain = whole - parts
                            info = total_term - term(size, scale) - term(total - size, scale)
                            cuts[i, j, 0], cuts[i, j, 1] = seen[k - 1], seen[k]
                    for c in range(classes):
                        count = avc[v, c]
                        if count > 0:
                            avc[v, c] = 0
                            size += count
                            left[c] += count
                            if criterion != GINI:
                                left_terms[c] = term(left[c], scale)
                                right_terms[c] = term(totals[i, c] - left[c], scale)
                branches[i, j] = 2
            else:
                info = total_term
                for k in range(n):
                    v = at + seen[k]
                    size, terms, squares = 0, 0, 0.0
                    for c in range(classes):
                        count = avc[v, c]
                        avc[v, c] = 0
                        size += count
                        terms += term(count, scale)
                        squares += float(count) * float(count)
                    size_term = term(size, scale)
                    parts += gini_mass(size, squares, scale) if criterion == GINI else size_term - terms
                    info -= size_term
                    large += size >= min_leaf
                gain = whole - parts
                branches[i, j] = n
                if large < 2:
                    gain, info = 0, 0
            gains[i, j], infos[i, j] = gain, info
