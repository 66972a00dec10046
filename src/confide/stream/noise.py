"""Noise laws: bounded, over the integers, with integer weights, so that every draw and every probability is exact.

    weights   1 2 3 2 1          triangular(2): value v has probability weights[v - first] / total
    values   -2 . 0 . 2          first = -2, last = 2

A law is shifted so that its mean is nearest to 0. A mean of exactly 1/2 stays: the uniform law on an even number of
points has no integer centre, and its half counts as bias wherever precision is charged.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from confide.core.errors import RequirementError
from confide.core.figures import ShownFields
from confide.core.numbers import PlainNumbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from confide.core.randomness import Randomness

__all__ = ["NoiseLaw"]

_LARGEST_TOTAL = 1 << 53  # so that sums of products of weights stay exact enough for a double to compare
_LONGEST = 1 << 12  # points; noise much wider than any bound on precision could allow


@dataclass(frozen=True, kw_only=True)
class NoiseLaw(PlainNumbers, ShownFields):
    """A bounded law over whole numbers: the value first + i has probability weights[i] / sum(weights).

    Weights are whole numbers of 0 or more; the first and the last are above 0. Make one by `uniform`, `triangular`,
    `rademacher` or `of`; these centre it.

    >>> NoiseLaw.uniform(3)
    NoiseLaw(first=-1, weights=(1, 1, 1))
    >>> law = NoiseLaw.of({0: 1, 10: 1})
    >>> law.first, law.last, law.variance, law.step
    (-5, 5, Fraction(25, 1), 10)
    """

    first: int
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        weights = tuple(self.weights)
        object.__setattr__(self, "weights", weights)
        whole = all(type(w) is int and w >= 0 for w in weights) and type(self.first) is int
        if not whole or len(weights) < 2 or not weights[0] or not weights[-1]:
            raise RequirementError(
                "a noise law takes two or more whole weights of 0 or more, with the first and the last above 0; "
                "use NoiseLaw.of({value: weight, ...})"
            )
        if len(weights) > _LONGEST or sum(weights) > _LARGEST_TOTAL or abs(self.first) > _LONGEST:
            raise RequirementError(
                f"a noise law spans at most {_LONGEST} values and its weights sum to at most 2^53; use a smaller one"
            )

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def uniform(cls, points: int) -> "NoiseLaw":
        """So many neighbouring values, equally likely: variance (points^2 - 1) / 12."""
        return cls.of(dict.fromkeys(range(points), 1))

    @classmethod
    def triangular(cls, reach: int) -> "NoiseLaw":
        """-reach..reach, falling off on both sides: variance reach (reach + 2) / 6."""
        return cls.of({x: reach + 1 - abs(x) for x in range(-reach, reach + 1)})

    @classmethod
    def rademacher(cls, gap: int) -> "NoiseLaw":
        """Two values `gap` apart, equally likely: variance gap^2 / 4."""
        return cls.of({0: 1, gap: 1})

    @classmethod
    def of(cls, weights: Mapping[int, int]) -> "NoiseLaw":
        """A law of your own, {value: weight}; centred, and in lowest terms."""
        kept = {value: weight for value, weight in weights.items() if weight != 0}
        if len(kept) < 2 or not all(type(x) is int for pair in kept.items() for x in pair):
            raise RequirementError("noise with fewer than two values hides nothing; use two or more, as whole numbers")
        if max(kept) - min(kept) >= _LONGEST:
            raise RequirementError(f"a noise law spans at most {_LONGEST} values; use a narrower one")
        divisor = math.gcd(*kept.values())
        first = min(kept)
        law = cls(first=0, weights=tuple(kept.get(x, 0) // divisor for x in range(first, max(kept) + 1)))
        # The mean lands in (-1/2, 1/2].
        return cls(first=-math.ceil(law.mean - Fraction(1, 2)), weights=law.weights)

    # -- looking --------------------------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        """The largest value."""
        return self.first + len(self.weights) - 1

    @cached_property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(self.weights)

    @property
    def reach(self) -> int:
        """D: estimators so far apart or farther never change places."""
        return len(self.weights)

    @cached_property
    def mean(self) -> Fraction:
        """The expected value, exactly."""
        return self.first + Fraction(sum(i * w for i, w in enumerate(self.weights)), self.total)

    @cached_property
    def variance(self) -> Fraction:
        """sigma^2, exactly."""
        squares = Fraction(sum((self.first + i) ** 2 * w for i, w in enumerate(self.weights)), self.total)
        return squares - self.mean**2

    @cached_property
    def step(self) -> int:
        """The spacing of the values: any sum of draws is known up to a multiple of it."""
        return math.gcd(*(i for i, w in enumerate(self.weights) if w))

    def reveals(self, vulnerable: int) -> bool:
        """Whether some count in 0..vulnerable is the only one that fits an inferred value: 2 step >= vulnerable + 2.

        An inferred count is known modulo `step` whatever the noise was. A count T stays hidden only if T - step or
        T + step is also within 0..vulnerable.
        """
        return 2 * self.step >= vulnerable + 2

    def inversions(self) -> "NDArray[np.float64]":
        """total^2 Pr[x >= y + d] for independent draws x and y, for d = 0..reach: how often estimators d apart invert.

        The paper's E[F(x - d)]; whole numbers, as doubles.
        """
        return _inversions(self.weights)

    def draw(self, size: int, randomness: "Randomness") -> "NDArray[np.int64]":
        """Independent draws, exact."""
        import numpy as np

        ends = np.cumsum(np.array(self.weights, dtype=np.int64))
        return self.first + np.searchsorted(ends, randomness.integers(self.total, size), side="right")


@lru_cache(maxsize=16)
def _inversions(weights: tuple[int, ...]) -> "NDArray[np.float64]":
    import numpy as np

    chances = np.array(weights, dtype=object)
    tails = np.cumsum(chances[::-1])[::-1]  # weight of values from i on
    n = len(weights)
    found = np.array([sum(chances[: n - d] * tails[d:]) for d in range(n)] + [0], dtype=np.float64)
    found.setflags(write=False)
    return found
