"""Kernels that judge one leaf: its records, and a number for each class that depends on the mode.

    EXACT       the count of each class                          decided by Definitions 2 and 3
    ESTIMATED   Equation 2 times m - 1, for m classes            decided by Definitions 9, 11 and 13
    SOUND       at most so many of each class                    decided by the worst case that fits them

More records, with the same numbers of the classes, never fail a leaf that passed; nor do smaller numbers of the
classes. The search for a sibling leans on that.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.share.pruning.leaf_tests import LeafTest

I64 = NDArray[np.int64]

EXACT, ESTIMATED, SOUND = 0, 1, 2
SIZE_ONLY, SIMPLE, RECURSIVE = 0, 1, 2
_SMALL = 1 << 31


@kernel
def less(a: int, b: int, p: int, q: int) -> bool:
    """Whether a / b < p / q, in integers that never pass those given; b and q above 0, the others 0 or more."""
    if a < _SMALL and b < _SMALL and p < _SMALL and q < _SMALL:
        return a * q < p * b
    turned = False
    while True:
        whole_a, whole_p = a // b, p // q
        if whole_a != whole_p:
            return (whole_a < whole_p) != turned
        a, p = a - whole_a * b, p - whole_p * q
        if a == 0 or p == 0:
            return (p > 0) if not turned else (a > 0)
        a, b, p, q = b, a, q, p  # 1 / x turns the order round
        turned = not turned


@kernel
def top_sum(x: I64, many: int, spare: I64) -> int:
    """The sum of the `many` largest; `spare` is as long as x."""
    for c in range(len(x)):
        spare[c] = x[c]
    total = 0
    if many > 16:
        spare.sort()
        for c in range(max(0, len(x) - many), len(x)):
            total += spare[c]
        return total
    for _ in range(min(many, len(x))):
        best = 0
        for c in range(1, len(x)):
            if spare[c] > spare[best]:
                best = c
        total += spare[best]
        spare[best] = -1
    return total


@kernel
def passes(n: int, x: I64, spare: I64, test: LeafTest) -> bool:
    """Whether a leaf of n records, with the numbers x of its classes, may be published. A leaf of nobody may not."""
    mode, kind, k, ell, p, q = test
    if n < k:
        return False
    if kind == SIZE_ONLY:
        return True
    top = x.max()
    if mode == ESTIMATED and len(x) > 1:
        top = (top + len(x) - 2) // (len(x) - 1)
    if top == 0:
        return True  # only as the best that a set of siblings could be
    if kind == SIMPLE:
        return top <= n // ell
    if mode == ESTIMATED:
        miss = n - top
        if miss < ell - 1:
            return False
        tail = 1 if ell - 2 > miss // top else max(1, miss - (ell - 2) * top)
        return less(top, tail, p, q)
    if ell > len(x):
        return False
    tail = n - top_sum(x, ell - 1, spare)
    return tail > 0 and less(top, tail, p, q)


@kernel
def estimate(total: I64, hit: I64, label: I64, m: int, hits: I64, misses: I64) -> Any:
    """Equations 2 and 3 for nodes seen as the children of one: (class, hit). `hits`, `misses` are 0 before and after.

    Of classes with the same estimate the first is taken.
    """
    missed = 0
    for i in range(len(total)):
        hits[label[i]] += hit[i]
        misses[label[i]] += total[i] - hit[i]
        missed += total[i] - hit[i]
    best, most = -1, -1
    for c in range(m):
        value = (m - 1) * hits[c] + missed - misses[c] if m > 1 else hits[c]
        if value > most:
            best, most = c, value
    for i in range(len(total)):
        hits[label[i]], misses[label[i]] = 0, 0
    return best, ((most + m - 2) // (m - 1) if m > 1 else most)


@kernel
def fill(x: I64, n: int, hit: int, label: int, mode: int) -> None:
    """The numbers of the classes that (class, hit, miss) stand for."""
    other = n - hit if mode == ESTIMATED else min(hit, n - hit)
    for c in range(len(x)):
        x[c] = other
    x[label] = hit * max(1, len(x) - 1) if mode == ESTIMATED else hit


@kernel
def fill_all(x: I64, nodes: I64, total: I64, hit: I64, label: I64, mode: int) -> None:
    """`fill` for several nodes."""
    for i in nodes:
        fill(x[i], total[i], hit[i], label[i], mode)


@kernel
def pass_each(total: I64, x: I64, test: LeafTest) -> Any:
    """`passes` for each row."""
    result, spare = np.empty(len(total), dtype=np.bool_), np.empty(x.shape[1], dtype=np.int64)
    for i in range(len(total)):
        result[i] = passes(total[i], x[i], spare, test)
    return result
