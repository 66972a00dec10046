"""Association rules from published values: X => Y with the confidences that are possible.

The confidence is T(X and Y) / T(X). Both are known within bounds, so it is; and it is never above 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from confide.core.errors import RequirementError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets
from confide.core.requirements.base import is_number
from confide.core.transactions.labels import label_order
from confide.stream.results.support_bounds import PublishedBounds

__all__ = ["PublishedRule", "published_rules"]

_LONGEST = 12  # items of a set: 4,094 rules


@dataclass(frozen=True, kw_only=True)
class PublishedRule(ShownFields):
    """`given` => `then`: its confidence by the published values, and the least and largest it can be.

    `sure`: it reaches the wanted confidence whatever the noise was.
    """

    given: tuple[str, ...]
    then: tuple[str, ...]
    confidence: float
    low: float
    high: float
    sure: bool


def published_rules(data: Itemsets, bounds: PublishedBounds, *, min_confidence: float) -> list[PublishedRule]:
    """Every rule between published sets that may reach the confidence, surest first. Sets of up to 12 items.

    A larger `min_confidence` (above 0, up to 1) gives fewer rules.
    """
    if not is_number(min_confidence) or not 0 < min_confidence <= 1:
        raise RequirementError(
            f"min_confidence={min_confidence} is no share; use a number above 0, up to 1",
            parameter="min_confidence",
            value=min_confidence,
        )
    values, ranges = data.as_dict(), bounds.of_all(data)
    found = list(_rules(values, ranges, min_confidence))
    return sorted(found, key=lambda rule: (-rule.low, -rule.confidence, rule.given, rule.then))


def _rules(
    values: dict[frozenset[str], int], ranges: dict[frozenset[str], tuple[int, int]], least: float
) -> Iterator[PublishedRule]:
    for whole, value in values.items():
        if not 2 <= len(whole) <= _LONGEST:
            continue
        ordered = sorted(whole, key=label_order)
        for size in range(1, len(ordered)):
            for given in combinations(ordered, size):
                behind = frozenset(given)
                if behind not in values:
                    continue
                high = min(1.0, ranges[whole][1] / max(ranges[behind][0], 1))
                low = min(1.0, ranges[whole][0] / max(ranges[behind][1], 1))
                if high >= least:
                    yield PublishedRule(
                        given=given,
                        then=tuple(x for x in ordered if x not in behind),
                        confidence=min(1.0, value / max(values[behind], 1)),
                        low=low,
                        high=high,
                        sure=low >= least,
                    )
