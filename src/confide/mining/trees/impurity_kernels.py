"""Kernels that score splits, for learners of trees in several packages.

Scores are integers. The mass of a class count vector is (its impurity in bits, times its records), in units of
1 / scale, a power of two. Every term is rounded once, so sums do not depend on the order of values, rows or sites,
and equal counts give equal scores everywhere. That is what lets ties be broken by column and not by the last bit of
a float.
"""

import math

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I64 = NDArray[np.int64]

GAIN_RATIO, INFORMATION_GAIN, GINI = 0, 1, 2
# Rounding the terms moves a sum by a few units; scores that differ by less than a quantum of units are equal.
QUANTUM_BITS = 12
RATIO_BITS = 24


@kernel
def term(count: int, scale: float) -> int:
    """count * log2(count), in units of 1 / scale."""
    return math.floor(count * math.log2(count) * scale + 0.5) if count > 1 else 0


@kernel
def term_table(largest: int, scale: float) -> I64:
    """`term` of 0, 1, ..., largest."""
    table = np.empty(largest + 1, dtype=np.int64)
    for count in range(largest + 1):
        table[count] = term(count, scale)
    return table


@kernel
def gini_mass(total: int, squares: float, scale: float) -> int:
    """total - (sum of squared class counts) / total, in units of 1 / scale."""
    return math.floor((total - squares / total) * scale + 0.5) if total > 0 else 0


@kernel
def masses(counts: I64, criterion: int, scale: float) -> I64:
    """The mass of each row of a table of class counts."""
    result = np.zeros(len(counts), dtype=np.int64)
    for i in range(len(counts)):
        total, terms, squares = 0, 0, 0.0
        for c in range(counts.shape[1]):
            total += counts[i, c]
            if criterion == GINI:
                squares += float(counts[i, c]) * float(counts[i, c])
            else:
                terms += term(counts[i, c], scale)
        result[i] = gini_mass(total, squares, scale) if criterion == GINI else term(total, scale) - terms
    return result


@kernel
def quantised(gain: int) -> int:
    """A gain as it is compared."""
    return (gain + (1 << (QUANTUM_BITS - 1))) >> QUANTUM_BITS


@kernel
def ratio_score(gain: int, info: int) -> int:
    """A gain ratio as it is compared."""
    return math.floor(gain / info * (1 << RATIO_BITS) + 0.5) if info > 0 else 0


@kernel
def choose_column(gains: I64, infos: I64, criterion: int) -> int:
    """The column to split by, or -1. As `splits.choose`: under the gain ratio only gains of the average up compete."""
    useful, sum_of_gains = 0, 0
    for j in range(len(gains)):
        if quantised(gains[j]) > 0:
            useful += 1
            sum_of_gains += quantised(gains[j])
    chosen, best = -1, 0
    for j in range(len(gains)):
        score = quantised(gains[j])
        if score <= 0 or (criterion == GAIN_RATIO and score * useful < sum_of_gains):
            continue
        if criterion == GAIN_RATIO:
            score = ratio_score(gains[j], infos[j])
        if score > best:
            chosen, best = j, score
    return chosen
