"""What a run's first line claims about its noise, worked out again.

A value is T + s + x: the count, a whole shift chosen by the scheme (0 by "basic"), and noise x from the law. Precision
bounds the shift: (s + mean)^2 <= epsilon T^2 - variance. So a value says that the count lies in an interval, and a
value below `threshold` can only come from a set that may not be published.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from confide.core.checks import Check
from confide.core.requirements.base import exact
from confide.core.streams.header import LawWeights, StreamHeader

__all__ = ["NoiseClaims"]

SCHEMES = ("basic", "order", "ratio", "hybrid")
_RUN = re.compile("[0-9a-f]{16}")
_LONGEST, _LARGEST_TOTAL = 1 << 12, 1 << 53


@dataclass(frozen=True)
class NoiseClaims:
    """The law in a header, and what follows from it."""

    header: StreamHeader

    @property
    def law(self) -> LawWeights:
        """Of the header."""
        assert isinstance(self.header.noise, LawWeights)
        return self.header.noise

    @property
    def every(self) -> int:
        """Records between two releases."""
        return 0 if self.header.every is None else self.header.every

    @cached_property
    def mean(self) -> Fraction:
        """Of the law."""
        weights = self.law.weights
        return self.law.first + Fraction(sum(i * w for i, w in enumerate(weights)), sum(weights))

    @cached_property
    def variance(self) -> Fraction:
        """Of the law."""
        weights = self.law.weights
        squares = Fraction(sum((self.law.first + i) ** 2 * w for i, w in enumerate(weights)), sum(weights))
        return squares - self.mean**2

    @property
    def last(self) -> int:
        """The most that noise adds."""
        return self.law.first + len(self.law.weights) - 1

    @cached_property
    def threshold(self) -> int:
        """The least value that may be published: nothing below min_support can reach it."""
        least = self.header.requirement.min_support
        return least + self.last + self.shifts(least)[1]

    def sound(self) -> str:
        """What is wrong with the header's numbers, or nothing."""
        header = self.header
        weights = self.law.weights
        if not 2 <= len(weights) <= _LONGEST or min(weights) < 0 or not weights[0] or not weights[-1]:
            return "the noise is not a law over two or more whole numbers"
        if sum(weights) > _LARGEST_TOTAL or abs(self.law.first) > _LONGEST:
            return "the noise spans more than we ever draw"
        if not _RUN.fullmatch(header.run) or not _is_known(header.randomness):
            return "its name or its randomness says what no run of ours says"
        if header.scheme not in SCHEMES or header.itemsets not in ("all", "closed"):
            return "an unknown scheme or kind of itemsets"
        if (header.records is None) == (header.seconds is None):
            return "a window is so many records or so many seconds, one of the two"
        sizes = [x for x in (header.records, header.seconds, header.epoch, header.depth) if x is not None]
        if not 0 < min(sizes) <= max(*sizes, self.every) < _LARGEST_TOTAL or self.every < 1:
            return "sizes are above 0, and not without end"
        if (header.depth is None) != (header.scheme in ("basic", "ratio")):
            return "a depth belongs to order and hybrid"
        if (header.lam is not None) != (header.scheme == "hybrid") or not 0 <= (header.lam or 0) <= 1:
            return "a lam from 0 to 1 belongs to hybrid"
        if header.records is not None and header.records < header.requirement.min_support:
            return "a window smaller than min_support"
        return ""

    def checks(self) -> list[Check]:
        """Enough noise for delta, not too much for epsilon, and none that tells counts apart by its steps."""
        requirement = self.header.requirement
        needed = exact(requirement.delta) * requirement.vulnerable**2
        most = exact(requirement.epsilon) * requirement.min_support**2
        used = self.variance + self.mean**2
        step = math.gcd(*(i for i, weight in enumerate(self.law.weights) if weight))
        return [
            Check(
                name="the noise hides rare patterns",
                ok=self.variance >= needed,
                detail=f"variance {float(self.variance):.4g}, delta K^2 is {float(needed):.4g}",
            ),
            Check(
                name="the noise is within the bound on precision",
                ok=used <= most,
                detail=f"squared error {float(used):.4g} without a shift, epsilon C^2 is {float(most):.4g}",
            ),
            Check(
                name="the noise does not give counts away by its steps",
                ok=2 * step < requirement.vulnerable + 2,
                detail=f"steps of {step}",
            ),
        ]

    # -- what a value says ----------------------------------------------------------------------------------------

    def shifts(self, support: int) -> tuple[int, int]:
        """The least and the most a scheme may add at this count."""
        return _shifts(self, support)

    def ceiling(self, records: int) -> int:
        """The largest value that may be published: these schemes have no bound of their own."""
        return _LARGEST_TOTAL

    def counts_behind(self, value: int, records: int) -> tuple[int, int]:
        """The least and the largest count a value can come from, in a window of so many records; empty if crossed."""
        return _counts_behind(self, value, records)

    def __hash__(self) -> int:
        return id(self)


def _is_known(randomness: dict[str, Any]) -> bool:
    """Whether this is one of the two ways to say where noise came from: there is no room for anything else."""
    if randomness.get("source") == "system":
        return randomness == {"source": "system", "generator": "ChaCha20 keyed by the operating system"}
    seed = randomness.get("seed")
    seeded = {"source": "seeded", "seed": seed, "warning": "repeatable, so it protects nobody"}
    return type(seed) is int and abs(seed) < 1 << 64 and randomness == seeded


@lru_cache(maxsize=1 << 16)
def _shifts(claims: NoiseClaims, support: int) -> tuple[int, int]:
    if claims.header.scheme == "basic":
        return 0, 0
    p, q = claims.mean.numerator, claims.mean.denominator
    room = (exact(claims.header.requirement.epsilon) * support**2 - claims.variance) * q * q
    if room < 0:
        return 0, 0
    most = math.isqrt(room.numerator // room.denominator)
    return -((most + p) // q), (most - p) // q


@lru_cache(maxsize=1 << 16)
def _counts_behind(claims: NoiseClaims, value: int, records: int) -> tuple[int, int]:
    least, first = claims.header.requirement.min_support, claims.law.first
    low, high = least, max(records, least)
    while low < high:  # the most a count can show grows with it, so halving finds the first that reaches the value
        middle = (low + high) // 2
        if middle + claims.shifts(middle)[1] + claims.last >= value:
            high = middle
        else:
            low = middle + 1
    top = records
    slope = 1.0 if claims.header.scheme == "basic" else 1 - math.sqrt(claims.header.requirement.epsilon)
    if slope > 0:  # a shift takes off at most sqrt(epsilon) T, and a rounding
        top = min(records, math.ceil((value - first + 2) / slope))
    while top >= least and top + claims.shifts(top)[0] + first > value:
        top -= 1
    reaches = low + claims.shifts(low)[1] + claims.last >= value
    return (low, top) if reaches else (records + 1, records)
