"""The sets of largest support, and which of them surely are."""

from bisect import bisect_right
from dataclasses import dataclass

from confide.core.itemsets.container import Itemsets
from confide.core.requirements.base import check_count
from confide.stream.results.bounds import PublishedBounds

__all__ = ["RankedSet", "top_published"]


@dataclass(frozen=True, kw_only=True)
class RankedSet:
    """A published set: its value, the supports it can stand for, and the best and worst rank it can have.

    `sure`: whatever the noise was, it is among the k largest of all published sets.
    """

    items: tuple[str, ...]
    value: int
    low: int
    high: int
    best: int
    worst: int
    sure: bool


def top_published(data: Itemsets, bounds: PublishedBounds, *, k: int) -> list[RankedSet]:
    """The k published sets of largest value, with bounds on their ranks. Sets that were withheld do not count."""
    check_count("k", k, least=1, why="asks for nothing")
    ranges = bounds.of_all(data)
    lows, highs = sorted(low for low, _ in ranges.values()), sorted(high for _, high in ranges.values())
    n = len(ranges)
    ranked = []
    for items, value in data.top(k):
        low, high = ranges[frozenset(items)]
        best = 1 + n - bisect_right(lows, high)  # those that surely have more are ahead of it
        # those whose largest support is not above its least are surely not; it counts itself where low = high
        worst = n - bisect_right(highs, low) + (high == low)
        ranked.append(RankedSet(items=items, value=value, low=low, high=high, best=best, worst=worst, sure=worst <= k))
    return ranked
