"""Scores of a leaf that a merge adds up; larger is better: its merits.

A requirement asks of a merged leaf that certain sums be large enough. For n records, x of a class, c = p / q, the leaf
a, the sibling b, and "tail j" for the records that are left without the j commonest classes:

    records        n of a + n of b: at least k
    margin         n - l x under simple l-diversity, p n - (p + q) x under recursive (c,l)-diversity. That of a + that
                   of b: at least 0, or 1, in each class
    score          b's margin of its commonest class; under recursive diversity p (tail l-1) - q x. That of b + n, or
                   p n, of a, which at best holds other classes: at least 0, or 1
    tails          p (tail i of a + tail j of b), i + j = l - 1: above q x of a + b in each class. The i commonest
                   classes of a and the j commonest of b are l - 1 or fewer, so the true tail is no larger
    tails beside   tails without the commonest class of all children, i + j = l - 2, less q x of that class: above 0

All of them are necessary, for every i and j. So a set of siblings whose largest merits would not do holds none that
does. The last two are what makes the search fast under recursive diversity, where a margin says little.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.share.pruning.leaf_kernels import ESTIMATED, RECURSIVE, SIMPLE, SIZE_ONLY, passes
from confide.share.pruning.leaf_tests import LeafTest

I64 = NDArray[np.int64]
_LARGE = 1 << 60
PER_RECORD, PER_HIT, AT_LEAST = 0, 1, 2  # of a margin
# Merits: records, score, the margin of each class; under recursive diversity also the fewest of each class (with a
# minus), l - 1 tails, and l - 1 tails beside.
RECORDS, SCORE, MARGINS = 0, 1, 2


@kernel
def line_of(records: int, m: int, test: LeafTest) -> Any:
    """The margin of a class: PER_RECORD n - PER_HIT x, which must be AT_LEAST so much.

    Just -x, of which nothing is asked, where a requirement is no sum over records, or the numbers are too large.
    """
    mode, kind, _, ell, p, q = test
    line = np.zeros(3, dtype=np.int64)
    line[PER_HIT] = 1
    room = _LARGE // max(1, records) // max(1, m)
    if kind == SIMPLE:
        scale = max(1, m - 1) if mode == ESTIMATED else 1
        if max(scale, ell) < room:
            line[PER_RECORD], line[PER_HIT] = scale, ell
    elif kind == RECURSIVE and mode != ESTIMATED and ell <= m and p < room and q < room - p:
        line[PER_RECORD], line[PER_HIT], line[AT_LEAST] = p, p + q, 1
    return line


@kernel
def merits(line: I64, m: int, kind: int, ell: int) -> int:
    """How many merits there are."""
    if kind == SIZE_ONLY:
        return 1
    return MARGINS + (2 * m + 2 * (ell - 1) if kind == RECURSIVE and line[PER_RECORD] > 0 else m)


@kernel
def weigh(merit: I64, n: int, x: I64, line: I64, ell: int, common: int, spare: I64) -> None:
    """Fill in the merits of a leaf; `common` is the commonest class of all children."""
    m, top = len(x), 0
    merit[RECORDS] = n
    if len(merit) == 1:
        return
    for c in range(m):
        top = max(top, x[c])
        merit[MARGINS + c] = line[PER_RECORD] * n - line[PER_HIT] * x[c]
    merit[SCORE] = line[PER_RECORD] * n - line[PER_HIT] * top
    if len(merit) == MARGINS + m:
        return
    p, q = line[PER_RECORD], line[PER_HIT] - line[PER_RECORD]
    tails, beside = MARGINS + 2 * m, MARGINS + 2 * m + ell - 1
    tail, tail_beside, taken = n, n - x[common], 0
    merit[beside] = p * tail_beside - q * x[common]
    for c in range(m):
        merit[MARGINS + m + c] = -x[c]
        spare[c] = x[c]
    for j in range(ell - 1):
        most = 0
        for c in range(1, m):
            if spare[c] > spare[most]:
                most = c
        spare[most] = -1
        tail -= x[most]
        merit[tails + j] = p * tail
        if most != common and taken < ell - 2:
            taken += 1
            tail_beside -= x[most]
            merit[beside + taken] = p * tail_beside - q * x[common]
    merit[SCORE] = p * tail - q * top


@kernel
def weight_of(j: int, line: I64, m: int) -> float:
    """How much a difference in merit j tells siblings apart: records before score and tails, those before classes."""
    if j == RECORDS:
        return 32.0 * max(1, line[PER_RECORD])
    if MARGINS <= j < MARGINS + m:
        return 1.0
    return 0.0 if MARGINS + m <= j < MARGINS + 2 * m else 8.0


@kernel
def may_do(
    n: int, x: I64, own: I64, best: I64, line: I64, sum_: I64, spare: I64, test: LeafTest
) -> Any:  # fmt: skip
    """Whether a sibling with the merits `best` could make a leaf that passes with one of n records and merits `own`."""
    _, kind, k, ell, p, q = test
    m = len(x)
    if n + best[RECORDS] < k:
        return False
    if kind == SIZE_ONLY:
        return True
    fewest = MARGINS
    if line[PER_RECORD] > 0:
        if best[SCORE] + line[PER_RECORD] * n < line[AT_LEAST]:
            return False
        for j in range(MARGINS, MARGINS + m):
            if own[j] + best[j] < line[AT_LEAST]:
                return False
        if kind == SIMPLE:
            return True
        fewest = MARGINS + m
        tails, beside, top = MARGINS + 2 * m, MARGINS + 2 * m + ell - 1, 0
        for j in range(ell - 1):
            if own[beside + ell - 2 - j] + best[beside + j] < 1:
                return False
        for c in range(m):
            top = max(top, x[c] - best[fewest + c])
        for j in range(ell - 2):
            if own[tails + ell - 3 - j] + best[tails + j] <= q * top:
                return False
        if own[tails + ell - 2] + p * best[RECORDS] <= q * top or p * n + best[tails + ell - 2] <= q * top:
            return False
    for c in range(m):
        sum_[c] = x[c] - best[fewest + c]
    return passes(n + best[RECORDS], sum_, spare, test)
