"""Scoring every column of a table at every node of a level, from class counts carried by its records.

The arithmetic is that of `confide.mining._tree_kernels.grow`, where each record counts once; here a record counts for
all joined records it stands for, so the scores of equal class counts are equal to the last unit.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.jit import kernel
from confide.join._join_kernels import collect, mark
from confide.mining._tree_kernels import GINI, gini_mass, quantised, term

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def score_columns(
    codes: I32,
    numeric: NDArray[np.bool_],
    widths: I32,
    first: int,
    last: int,
    rows: I32,
    counts: I64,
    start: I64,
    which: I64,
    criterion: int,
    scale: float,
    min_leaf: int,
    gains: I64,
    infos: I64,
    cuts: I32,
    branches: I32,
) -> None:
    """Score columns first..last - 1 at the nodes `which`: gain and split information, 0 where no split qualifies.

    `cuts[j, i]` are the codes on both sides of a numeric cut, `branches[j, i]` the children the split makes.
    """
    classes = counts.shape[1]
    widest = 1
    for j in range(first, last):
        widest = max(widest, widths[j])
    avc = np.zeros((widest, classes), dtype=np.int64)
    bits = np.zeros((widest >> 6) + 1, dtype=np.uint64)
    words = np.zeros((len(bits) >> 6) + 1, dtype=np.uint64)
    seen = np.empty(widest + 1, dtype=np.int32)
    totals = np.zeros((len(which), classes), dtype=np.int64)
    for i in range(len(which)):
        for e in range(start[which[i]], start[which[i] + 1]):
            for c in range(classes):
                totals[i, c] += counts[e, c]
    left = np.zeros(classes, dtype=np.int64)
    left_terms = np.zeros(classes, dtype=np.int64)
    right_terms = np.zeros(classes, dtype=np.int64)
    for j in range(first, last):
        column = codes[j]
        for i in range(len(which)):
            low, high = start[which[i]], start[which[i] + 1]
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

            # A node with few records of a wide column must not pay for the width.
            n = 0
            if 4 * (high - low) < widths[j]:
                for e in range(low, high):
                    v = column[rows[e]]
                    mark(bits, words, v)
                    for c in range(classes):
                        avc[v, c] += counts[e, c]
                n = collect(bits, words, seen)
            else:
                for e in range(low, high):
                    v = column[rows[e]]
                    for c in range(classes):
                        avc[v, c] += counts[e, c]
                for v in range(widths[j]):
                    present = False
                    for c in range(classes):
                        present |= avc[v, c] > 0
                    if present:
                        seen[n] = v
                        n += 1

            gain, info, large, parts, size, best = 0, 0, 0, 0, 0, 0
            if numeric[j]:
                for k in range(n):
                    v = seen[k]
                    if size >= min_leaf and total - size >= min_leaf:
                        if criterion == GINI:
                            squares, right_squares = 0.0, 0.0
                            for c in range(classes):
                                squares += float(left[c]) * float(left[c])
                                right = float(totals[i, c] - left[c])
                                right_squares += right * right
                            parts = gini_mass(size, squares, scale) + gini_mass(total - size, right_squares, scale)
                            size_terms = term(size, scale) + term(total - size, scale)
                        else:
                            size_terms = term(size, scale) + term(total - size, scale)
                            parts = size_terms
                            for c in range(classes):
                                parts -= left_terms[c] + right_terms[c]
                        if quantised(whole - parts) > best:
                            best = quantised(whole - parts)
                            gain = whole - parts
                            info = total_term - size_terms
                            cuts[j, i, 0], cuts[j, i, 1] = seen[k - 1], v
                    for c in range(classes):
                        count = avc[v, c]
                        if count > 0:
                            avc[v, c] = 0
                            size += count
                            left[c] += count
                            if criterion != GINI:
                                left_terms[c] = term(left[c], scale)
                                right_terms[c] = term(totals[i, c] - left[c], scale)
                branches[j, i] = 2
            else:
                info = total_term
                for k in range(n):
                    v = seen[k]
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
                branches[j, i] = n
                if large < 2:
                    gain, info = 0, 0
            gains[j, i], infos[j, i] = gain, info
