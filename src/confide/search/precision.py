"""Average precision: how near the top of a list the relevant results are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from confide.core.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["average_precision", "precision_by_alpha"]


def average_precision(relevant: Sequence[bool], total: int | None = None) -> float:
    """The mean, over relevant results, of the share of relevant ones down to each; 1 if they all come first.

    `total` of them exist; by default those that are listed. Without any it is 0.

    >>> round(average_precision([True, False, True]), 4)
    0.8333
    """
    found, summed = 0, 0.0
    for place, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            found += 1
            summed += found / place
    count = found if total is None else total
    return summed / count if count else 0.0


def precision_by_alpha(
    scores: Sequence[float], relevant: Sequence[bool], alphas: Sequence[float]
) -> "NDArray[np.float64]":
    """Average precision of the PPRank order for each alpha; `scores` are UPScores, in the engine's order.

    The same orders as `Ranking` makes, all alphas at once.

    >>> precision_by_alpha([0.0, 0.2, 0.9], [False, False, True], [0, 1]).round(3).tolist()
    [0.333, 1.0]
    """
    import numpy as np

    good = np.asarray(relevant, dtype=np.bool_)
    if not good.any():
        raise UsageError("no link is relevant, so no order is better than another")
    n = len(good)
    engine = np.arange(1, n + 1)
    by_profile = np.empty(n, dtype=np.int64)
    by_profile[np.lexsort((engine, -np.asarray(scores, dtype=np.float64)))] = engine
    shares = np.asarray(alphas, dtype=np.float64)[:, None]
    final = np.round(shares * by_profile + (1 - shares) * engine, 9)
    order = np.argsort(final, axis=1, kind="stable")  # ties by the engine's rank
    hits = good[order]
    so_far = np.cumsum(hits, axis=1) / engine
    found: NDArray[np.float64] = (so_far * hits).sum(axis=1) / good.sum()
    return found
