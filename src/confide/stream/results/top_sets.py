"""The sets of largest support, and which of them surely are."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets
from confide.core.requirements.base import check_count
from confide.stream.results.support_bounds import PublishedBounds

__all__ = ["RankedSet", "top_published"]


@dataclass(frozen=True, kw_only=True)
class RankedSet(ShownFields):
    """A published set: its value, the supports it can stand for, and the best and worst rank it can have.

    `sure`: whatever the noise was, it is among the k largest of all published sets. By blocks also: 95 of 100 supports
    lie from `likely_low` to `likely_high`, and `ahead_of_next` is the chance that it has more records than the set
    after it in the list (half of a tie counted); None by the paper's schemes.
    """

    items: tuple[str, ...]
    value: int
    low: int
    high: int
    best: int
    worst: int
    sure: bool
    likely_low: int | None = None
    likely_high: int | None = None
    ahead_of_next: float | None = None


def top_published(data: Itemsets, bounds: PublishedBounds, *, k: int) -> list[RankedSet]:
    """The k published sets of largest value, with bounds on their ranks. Sets that were withheld do not count."""
    check_count("k", k, least=1, why="asks for nothing")
    ranges = bounds.of_all(data)
    lows, highs = sorted(low for low, _ in ranges.values()), sorted(high for _, high in ranges.values())
    n = len(ranges)
    ranked = []
    shown = list(data.top(k + 1))
    likely = bounds.likely(data)
    for i, (items, value) in enumerate(shown[:k]):
        low, high = ranges[frozenset(items)]
        best = 1 + n - bisect_right(lows, high)  # those that surely have more are ahead of it
        # those whose largest support is not above its least are surely not; it counts itself where low = high
        worst = n - bisect_right(highs, low) + (high == low)
        chances: dict[str, Any] = {}
        if likely is not None:
            within = likely[value]
            ahead = bounds.chance_ahead(value - shown[i + 1][1]) if i + 1 < len(shown) else None
            chances = {"likely_low": within[0], "likely_high": within[1], "ahead_of_next": ahead}
        ranked.append(
            RankedSet(items=items, value=value, low=low, high=high, best=best, worst=worst, sure=worst <= k, **chances)
        )
    return ranked
