"""Slow twin of DecisionTree: C4.5 as a textbook has it, plain Python, floats, recursion.

A tree is ("leaf", counts) or ("split", column, counts, cut or None, [(value, subtree), ...]). A numeric cut is a pair
(threshold, whether missing numbers go right; None where there are none), a number that is missing None.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from scipy.stats import binom

# Scores closer than this are ties; on small tables they are equal in exact arithmetic.
SAME = 1e-7


def entropy(counts: Counter[Any]) -> float:
    """In bits."""
    n = sum(counts.values())
    return -sum(k / n * math.log2(k / n) for k in counts.values() if k)


def gini(counts: Counter[Any]) -> float:
    """Chance that two draws differ."""
    n = sum(counts.values())
    return 1 - sum((k / n) ** 2 for k in counts.values())


def grow(
    rows: Sequence[Sequence[Any]], y: Sequence[Any], numeric: Sequence[bool], *, criterion: str, min_leaf: int,
    min_branch: int, max_depth: int,
) -> Any:  # fmt: skip
    """The unpruned tree."""
    impurity = gini if criterion == "gini" else entropy
    counts = Counter(y)
    n = len(y)
    if len(counts) == 1 or n < 2 * max(min_leaf, min_branch) or max_depth == 0:
        return ("leaf", counts)
    found = []
    for j in range(len(numeric)):
        best = None
        for cut in _cuts(rows, j) if numeric[j] else [None]:
            groups: dict[Any, list[int]] = {}
            for i, row in enumerate(rows):
                groups.setdefault(row[j] if cut is None else _right(row[j], cut), []).append(i)
            sizes = [len(group) for group in groups.values()]
            if len(groups) < 2 or min(sizes) < min_leaf or sum(size >= min_branch for size in sizes) < 2:
                continue
            parts = sum(len(g) / n * impurity(Counter(y[i] for i in g)) for g in groups.values())
            gain = n * (impurity(counts) - parts)
            if gain > SAME and (best is None or gain > best[0] + SAME):
                best = (gain, n * entropy(Counter({k: len(g) for k, g in groups.items()})), j, cut, groups)
        if best is not None:
            found.append(best)
    if not found:
        return ("leaf", counts)
    if criterion == "gain_ratio":
        average = sum(f[0] for f in found) / len(found)
        scored = [(f[0] / f[1], f) for f in found if f[0] >= average - SAME]
    else:
        scored = [(f[0], f) for f in found]
    top = max(score for score, _ in scored)
    _, _, j, cut, groups = next(f for score, f in scored if score > top - SAME)
    below = [
        (
            value,
            grow(
                [rows[i] for i in group], [y[i] for i in group], numeric,
                criterion=criterion, min_leaf=min_leaf, min_branch=min_branch, max_depth=max_depth - 1,
            ),
        )
        for value, group in sorted(groups.items())
    ]  # fmt: skip
    return ("split", j, counts, None if cut is None else ((cut[0] + cut[1]) / 2, cut[2]), below)


def _right(value: float | None, cut: tuple[float, float, bool | None]) -> bool:
    return bool(cut[2]) if value is None else value > cut[0]


def _cuts(rows: Sequence[Sequence[Any]], j: int) -> list[tuple[float, float, bool | None]]:
    """Missing numbers on the right at every threshold and above all of them, then on the left at every threshold."""
    values = sorted({row[j] for row in rows if row[j] is not None})
    if all(row[j] is not None for row in rows):
        return [(a, b, None) for a, b in pairwise(values)]
    right = [(a, b, True) for a, b in pairwise([*values, math.inf])]
    return [*right, *((a, b, False) for a, b in pairwise(values))]


def upper_limit(errors: int, n: int, confidence: float) -> float:
    """The error rate at which `errors` or fewer of n have probability `confidence`; by bisection."""
    if errors >= n:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if binom.cdf(errors, n, middle) > confidence else (low, middle)
    return low


def prune(tree: Any, confidence: float) -> tuple[Any, float]:
    """The pruned tree and its expected errors."""
    counts = tree[1] if tree[0] == "leaf" else tree[2]
    n = sum(counts.values())
    as_leaf = n * upper_limit(n - max(counts.values()), n, confidence)
    if tree[0] == "leaf":
        return tree, as_leaf
    below = [(value, *prune(child, confidence)) for value, child in tree[4]]
    expected = sum(errors for *_, errors in below)
    if as_leaf <= expected + 1e-9:
        return ("leaf", counts), as_leaf
    return (*tree[:4], [(value, child) for value, child, _ in below]), expected
