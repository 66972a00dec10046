"""Choosing a split from AVC counts: one row for each value of an attribute, one integer count for each class.

This is all a tree learner needs to know of a column, so a split can be scored wherever the column is: in this
process, or at another site that shares nothing but the score. Scores are integers (see `impurity_kernels`), so equal
counts tie exactly, and ties go to the column that comes first in the caller's order.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError, UsageError
from confide.core.trees.published import Kind

__all__ = ["Criterion", "Split", "best_split", "choose", "criterion_code", "grid"]

Criterion = Literal["gain_ratio", "information_gain", "gini"]
"""gain_ratio: C4.5's; information_gain: ID3's; gini: CART's."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """The best split of one column at one node.

    `gain` is the mass of impurity taken away and `info` the split information, both in units of 2**-exponent times
    records. `position`, of a numeric split, is the last row of the AVC counts that goes left. `order` is the
    caller's: (table, column), or the column's number; smaller wins a tie.
    """

    order: Any
    kind: Kind
    gain: int
    info: int
    position: int | None = None

    def score(self, criterion: Criterion) -> int:
        """The integer by which splits are compared; larger is better."""
        from confide.mining.trees import impurity_kernels as kernels

        if criterion == "gain_ratio":
            return kernels.ratio_score(self.gain, self.info)
        return kernels.quantised(self.gain)


def criterion_code(criterion: Criterion) -> int:
    """The kernels' number for a criterion; refuses what is none."""
    names = get_args(Criterion)
    if criterion not in names:
        raise RequirementError(f"no criterion {criterion!r}; criteria are: {', '.join(names)}")
    return names.index(criterion)


def grid(records: int) -> int:
    """The exponent all scores of one tree share, given the records at its root.

    Chosen so that the largest mass, records * log2(records), stays below 2**52: terms are then floats that round to
    the grid without loss.

    >>> grid(1000), grid(10**12)
    (38, 6)
    """
    bits = max(int(records).bit_length(), 1)
    return 52 - bits - bits.bit_length()


def best_split(
    avc: NDArray[np.int64],
    *,
    kind: Kind,
    criterion: Criterion,
    min_leaf: int,
    exponent: int,
    order: Any,
    min_branch: int = 1,
) -> Split | None:
    """Score the best split of one column, or None when none qualifies.

    `avc[v, c]` counts the records with value v and class c; rows of a numeric column ascend by value. A categorical
    column splits every value apart, each with `min_leaf` records and two of them with `min_branch`; a numeric one
    splits in two where the gain is largest (the lowest such place), both sides with as many. Rows of zeros (values
    that occur elsewhere, not here) change nothing. `exponent` is `grid(records at the root)`.
    """
    from confide.mining.trees import impurity_kernels as kernels

    code = criterion_code(criterion)
    avc = np.ascontiguousarray(avc, dtype=np.int64)
    if avc.ndim != 2 or (avc.size and avc.min() < 0):
        raise UsageError(
            f"AVC counts are a table of values x classes, with no negative count; not {avc.ndim}-dimensional"
        )
    sizes = avc.sum(axis=1)
    present = np.flatnonzero(sizes)
    if len(present) < 2:
        return None
    avc, sizes = avc[present], sizes[present]
    all_classes = avc.sum(axis=0)
    whole = _mass(all_classes[None], code, exponent)[0]
    total = sizes.sum()
    if kind == "categorical":
        if sizes.min() < min_leaf or np.count_nonzero(sizes >= min_branch) < 2:
            return None
        gain = int(whole - _mass(avc, code, exponent).sum())
        info = _entropy_mass(sizes, exponent)
        return Split(order=order, kind=kind, gain=gain, info=info) if kernels.quantised(gain) > 0 else None
    left = np.cumsum(avc, axis=0)[:-1]
    left_sizes = np.cumsum(sizes)[:-1]
    gains = whole - _mass(left, code, exponent) - _mass(all_classes - left, code, exponent)
    least = max(min_leaf, min_branch)
    allowed = (left_sizes >= least) & (total - left_sizes >= least)
    scores = np.where(allowed, (gains + (1 << (kernels.QUANTUM_BITS - 1))) >> kernels.QUANTUM_BITS, 0)
    at = int(np.argmax(scores))
    if scores[at] <= 0:
        return None
    info = _entropy_mass(np.array([left_sizes[at], total - left_sizes[at]]), exponent)
    return Split(order=order, kind=kind, gain=int(gains[at]), info=info, position=int(present[at]))


def choose(splits: Iterable[Split | None], *, criterion: Criterion) -> Split | None:
    """The best of several columns' splits; ties go to the smallest `order`.

    Under the gain ratio only splits whose gain is at least the average gain compete, as in C4.5: otherwise a split
    that cuts off almost nothing can win by its small split information.
    """
    from confide.mining.trees import impurity_kernels as kernels

    useful = [split for split in splits if split is not None and kernels.quantised(split.gain) > 0]
    if criterion == "gain_ratio":
        gains = [kernels.quantised(split.gain) for split in useful]
        useful = [s for s, gain in zip(useful, gains, strict=True) if gain * len(gains) >= sum(gains)]
        useful = [s for s in useful if s.info > 0]
    return min(useful, key=lambda split: (-split.score(criterion), split.order), default=None)


def _mass(counts: NDArray[np.int64], code: int, exponent: int) -> NDArray[np.int64]:
    from confide.mining.trees import impurity_kernels as kernels

    return kernels.masses(np.ascontiguousarray(counts, dtype=np.int64), code, 2.0**exponent)


def _entropy_mass(sizes: NDArray[np.int64], exponent: int) -> int:
    return int(_mass(sizes[None], criterion_code("information_gain"), exponent)[0])
