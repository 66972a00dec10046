"""Average precision of an order (thesis, 5.3): the share of relevant links so far, averaged over the relevant ones.

    AP = 1/n * sum over i = 1..n of  i / (rank of the i-th relevant link)

n is the number of relevant links among those found: what no order brings up, no order is charged for.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from confide.core.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["average_precision", "precision_by_alpha"]


def average_precision(relevant: Sequence[bool]) -> float:
    """Average precision of links in their order, relevant or not.

    >>> average_precision([True, False, True])
    0.8333333333333333
    """
    ranks = [place for place, good in enumerate(relevant, start=1) if good]
    if not ranks:
        raise UsageError("no link is relevant, so no order is better than another")
    return sum(i / rank for i, rank in enumerate(ranks, start=1)) / len(ranks)


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
