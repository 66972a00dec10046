"""The supports that a published value can stand for.

A value is T + noise (and a shift, by the paper's schemes), both bounded. So T lies in an interval, for certain; and
sets inside each other narrow it: a smaller set is in at least as many records. Anybody can work this out from the
published lines.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import KeyedLaws, LawWeights, StreamHeader
from confide.stream.blocks.block_precision import chance_ahead, likely_supports, noise_chances, support_slope
from confide.stream.noise import NoiseLaw
from confide.stream.setting import Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PublishedBounds"]


@dataclass(frozen=True, eq=False)
class PublishedBounds:
    """Bounds of a run's supports, from its first line; with `windows`, of sums over so many that do not overlap.

    >>> from confide.stream import StreamRelease
    >>> from confide.stream.pipeline.opening import header_of
    >>> request = StreamRelease(records="clicks.jsonl", min_support=25, epsilon=0.03, window=2000, seed=1)
    >>> bounds = PublishedBounds(header_of(request))
    >>> bounds.of(100, records=2000)
    (87, 113)
    """

    header: StreamHeader
    windows: int = 1
    _known: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict, init=False, repr=False)

    @property
    def _setting(self) -> Setting:
        assert isinstance(self.header.noise, LawWeights)
        law = NoiseLaw(first=self.header.noise.first, weights=self.header.noise.weights)
        return Setting(requirement=self.header.requirement, law=law)

    def of(self, value: int, *, records: int) -> tuple[int, int]:
        """The least and the largest support a value can stand for, in a window of so many records."""
        known = self._known.get((value, records))
        if known is None:
            known = self._known[value, records] = self._search(value, records)
        return known

    def _search(self, value: int, records: int) -> tuple[int, int]:
        if isinstance(self.header.noise, KeyedLaws):
            reach = self.windows * self.header.noise.reach
            return max(self._least, value - reach), min(records, value + reach)
        setting, least = self._setting, self.header.requirement.min_support
        law = setting.law
        if self.header.scheme == "basic":
            return max(least, value - law.last), min(records, value - law.first)
        low = max(least, value - law.last - setting.shifts(max(value, least))[1] - 1)
        while low < records and low + setting.shifts(low)[1] + law.last < value:
            low += 1
        # A shift takes off at most sqrt(epsilon) T and a rounding. Just above min_support the room for shifts grows
        # faster than T, so the last support that fits is looked for from above.
        slope = 1 - math.sqrt(self.header.requirement.epsilon)
        high = records if slope <= 0 else min(records, math.ceil((value - law.first + 2) / slope))
        while high > low and high + setting.shifts(high)[0] + law.first > value:
            high -= 1
        return low, high

    def likely(self, data: Itemsets) -> dict[int, tuple[int, int]] | None:
        """Between which supports 95 of 100 lie, for each value of a release; None by the paper's schemes."""
        if not isinstance(self.header.noise, KeyedLaws):
            return None
        import numpy as np

        values = data.supports.astype(np.int64)
        slope = support_slope(values)
        return {
            value: likely_supports(value, self._chances, slope=slope, least=self._least, records=data.n_transactions)
            for value in np.unique(values).tolist()
        }

    def chance_ahead(self, difference: int) -> float:
        """The chance that a set published `difference` above another has more records; half of a tie is counted."""
        return chance_ahead(difference, self._chances)

    @cached_property
    def _chances(self) -> "NDArray[np.float64]":
        assert isinstance(self.header.noise, KeyedLaws)
        return noise_chances(self.header.noise, self.windows)

    @property
    def _least(self) -> int:
        """The least support of anything that is published."""
        return self.windows * (self.header.requirement.vulnerable + 1)

    def of_all(self, data: Itemsets) -> dict[frozenset[str], tuple[int, int]]:
        """Bounds of every set of a release, narrowed by the sets inside it and around it."""
        found = {items: self.of(value, records=data.n_transactions) for items, value in data.as_dict().items()}
        for items in sorted(found, key=len, reverse=True):  # a set is in at least as many records as a larger one
            for smaller in (items - {item} for item in items):
                if smaller in found:
                    found[smaller] = max(found[smaller][0], found[items][0]), found[smaller][1]
        for items in sorted(found, key=len):
            for smaller in (items - {item} for item in items):
                if smaller in found:
                    found[items] = found[items][0], min(found[items][1], found[smaller][1])
        return found
