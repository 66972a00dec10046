"""Pessimistic pruning: cut a subtree where the tree that replaces it is not expected to err more (C4.5).

A leaf with N training records of which E are misclassified will err, on new records, at a rate above E / N. The rate
charged is the upper limit of the confidence interval of a binomial proportion: the rate at which E or fewer errors
among N would still happen with probability `confidence`. We take it exactly (Clopper and Pearson); C4.5 itself uses
an approximation of the same limit. Only N and E are needed, so the tree alone is enough to prune it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError

__all__ = ["expected_errors", "prune"]

MARGIN = 1e-9


def expected_errors(
    errors: NDArray[np.int64], totals: NDArray[np.int64], *, confidence: float = 0.25
) -> NDArray[np.float64]:
    """Errors to expect among N new records, given E among N training records: N times the upper limit.

    `confidence`, in (0, 1): smaller expects more errors and prunes more; C4.5's default is 0.25.

    >>> expected_errors(np.array([0, 0, 1]), np.array([1, 6, 16])).round(3).tolist()
    [0.75, 1.238, 2.554]

    (Quinlan 1993, section 4.2, has 0.750, 6 * 0.206 and, by the approximation, 16 * 0.157 = 2.512.)
    """
    if not 0 < confidence < 1:
        raise RequirementError(
            f"confidence={confidence} must be between 0 and 1; C4.5 uses 0.25", parameter="confidence", value=confidence
        )
    from scipy.special import betaincinv

    both = np.stack([np.asarray(errors, dtype=np.int64), np.asarray(totals, dtype=np.int64)])
    order = np.lexsort(both)
    new = np.concatenate([[True], (np.diff(both[:, order], axis=1) != 0).any(axis=0)])[: len(order)]
    pair = np.empty(len(order), dtype=np.int64)  # many leaves are alike: each kind is asked for once
    pair[order] = np.cumsum(new) - 1
    wrong, n = both[:, order[new]].astype(np.float64)
    sure = wrong >= n  # also the node without records
    rate: NDArray[np.float64] = betaincinv(wrong + 1, np.maximum(n - wrong, 1), 1 - confidence)
    expected: NDArray[np.float64] = n * np.where(sure, 1.0, rate)
    return expected[pair]


def prune(
    parents: Sequence[int] | NDArray[np.int64],
    errors: NDArray[np.int64],
    totals: NDArray[np.int64],
    *,
    confidence: float = 0.25,
) -> NDArray[np.bool_]:
    """Which nodes stay, when every subtree that a leaf replaces at no greater expected error is cut.

    `parents[i]` is the node above i (-1 at the root); children come after their parent. `errors[i]` of `totals[i]`
    records of node i are not of its class. A node stays when no node above it became a leaf.
    """
    from confide.mining.trees import _tree_kernels as kernels

    as_leaf = expected_errors(errors, totals, confidence=confidence)
    stays: NDArray[np.bool_] = kernels.prune(np.asarray(parents, dtype=np.int64), as_leaf, MARGIN)
    return stays
