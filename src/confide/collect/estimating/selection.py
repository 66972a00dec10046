"""Intervals that hold although only what looked frequent is shown.

An interval that holds the truth in 95% of all cases does so for a set that was named beforehand. A miner shows sets
*because* their estimates came out large, and those are the ones that noise lifted: of the intervals shown, far fewer
hold. Benjamini and Yekutieli (2005) bound the share that does not, the false coverage-statement rate: if R of m sets
are shown, each with an interval of level

    1 - (1 - confidence) R / (m (1 + 1/2 + ... + 1/m))

then among those shown the expected share of intervals that miss the truth is at most 1 - confidence, whatever the rule
by which they were chosen and however estimates depend on each other (their Theorem 4; without the harmonic sum it would
take independence). m counts all sets of that length that could have been shown, not only the candidates that were
looked at, since what becomes a candidate depends on the noise too. The price is small: a million times as many sets
widen an interval from 2 to about 6 standard errors.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Family", "half_width"]

_EULER = 0.5772156649015329


class Family:
    """All sets of each length that could be shown: of `n_items` items, or of fields with these numbers of values."""

    def __init__(self, *, n_items: int = 0, sizes: Sequence[int] | None = None):
        self.n_items = n_items
        self.by_length = None if sizes is None else _choices(sizes)

    def sets(self, length: int) -> int:
        """How many sets have this length."""
        if self.by_length is None:
            return max(1, math.comb(self.n_items, length))
        return self.by_length[length] if length < len(self.by_length) else 1

    def rules(self, length: int) -> int:
        """How many rules have this many items in all."""
        return max(1, self.sets(length) * (2**length - 2))


def half_width(
    confidence: float, lengths: NDArray[np.int64], family: Family, *, rules: bool = False
) -> NDArray[np.float64]:
    """For each set shown (or rule), of these lengths: how many standard errors make half an interval."""
    from scipy.special import ndtri_exp

    found = np.zeros(len(lengths))
    for length, shown in zip(*np.unique(lengths, return_counts=True), strict=True):
        m = family.rules(int(length)) if rules else family.sets(int(length))
        log_m = math.log(m)
        harmonic = sum(1 / j for j in range(1, m + 1)) if m < 100 else log_m + _EULER
        tail = math.log1p(-confidence) + min(0.0, math.log(int(shown)) - log_m) - math.log(harmonic)
        found[lengths == length] = -ndtri_exp(tail - math.log(2))
    return found


def _choices(sizes: Sequence[int]) -> list[int]:
    """How many sets of 0, 1, ... values take at most one from each field."""
    sums = [1] + [0] * len(sizes)
    for size in sizes:
        for k in range(len(sizes), 0, -1):
            sums[k] += size * sums[k - 1]
    return sums
