"""What the first line of a run by blocks claims about its noise, worked out again.

A value is T + A + the sum of z over the blocks of the window, cut at `reach`. With s = delta K^2, A has variance s/2,
and the z of a window kappa s/2 ("run"); or there is one draw of variance s for each release ("release"), or for each
node of a binary tree over the blocks, beside A ("stretch", which takes the noise of "run" where a window is one block).
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.checks import Check
from confide.core.requirements.base import exact
from confide.core.streams.header import KeyedLaws, LawWeights, StreamHeader

__all__ = ["BlockClaims", "error_after_cleaning"]

_NAME = re.compile("[0-9a-f]{16}")
_TOTAL = 1 << 53
_MOST_BLOCKS = 1 << 20
_LARGEST = 1 << 53
_KEYED = {"source": "key", "generator": "AES-256 under a key that the owner keeps"}
_ROUNDING = 1e-6  # relative: sums of doubles, and weights that are whole
_MOST_FACTOR = 64_000


@dataclass(frozen=True)
class BlockClaims:
    """The laws in a header, and what follows from them."""

    header: StreamHeader

    @cached_property
    def laws(self) -> KeyedLaws:
        """Of the header."""
        assert isinstance(self.header.noise, KeyedLaws)
        return self.header.noise

    @property
    def _has_factor(self) -> bool:
        """Whether blocks have kappa s/2 a window, rather than s a draw."""
        span = self.header.requirement.span
        return span == "run" or (span == "stretch" and self.laws.blocks == 1)

    @cached_property
    def _variances(self) -> tuple[Fraction, Fraction]:
        laws = self.laws
        return Fraction(0) if laws.permanent is None else _variance(laws.permanent), _variance(laws.block)

    @cached_property
    def variance(self) -> Fraction:
        """Of all noise in a window, before the cut."""
        return self._variances[0] + self.laws.draws * self._variances[1]

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The law of the noise in a window after the cut, from -reach to reach, by Fourier transforms."""
        laws, reach = self.laws, self.laws.reach
        size = (
            1 << (2 * (6 * reach + 64)).bit_length()
        )  # what lies farther out would come round, and is next to nothing
        total = _transformed(laws.block, size) ** laws.draws
        if laws.permanent is not None:
            total = total * _transformed(laws.permanent, size)
        whole = np.maximum(np.fft.irfft(total, size), 0.0)
        around = np.concatenate([whole[size // 2 :], whole[: size // 2]])
        middle = size // 2
        kept = around[middle - reach : middle + reach + 1].copy()
        kept[0] += around[: middle - reach].sum()
        kept[-1] += around[middle + reach + 1 :].sum()
        return kept

    @cached_property
    def threshold(self) -> int:
        """The least value that may be published."""
        requirement = self.header.requirement
        spread = Fraction(9, 4) * self.variance
        above = next(n for n in range(math.isqrt(math.ceil(spread)), _LARGEST) if n * n >= spread)
        return max(requirement.min_support + above, requirement.vulnerable + self.laws.reach + 1)

    def ceiling(self, records: int) -> int:
        """The largest value that may be published of a window of so many records."""
        return records - self._hidden - 1

    @cached_property
    def _hidden(self) -> int:
        """So many records below a window's size a count may be rare in what it leaves out."""
        return self.header.requirement.vulnerable + self.laws.reach

    def counts_behind(self, value: int, records: int) -> tuple[int, int]:
        """The least and the largest count a value can come from, in a window of so many records; empty if crossed."""
        reach, least = self._behind
        return max(value - reach, least), min(value + reach, records)

    @cached_property
    def _behind(self) -> tuple[int, int]:
        """How far noise reaches, and the least count that is ever behind a value."""
        return self.laws.reach, self.threshold - self.laws.reach

    # -- judging --------------------------------------------------------------------------------------------------

    def sound(self) -> str:
        """What is wrong with the header's numbers, or nothing."""
        header, laws = self.header, self.laws
        if header.scheme != "blocks" or header.itemsets not in ("all", "closed"):
            return "an unknown scheme or kind of itemsets"
        if header.requirement.span == "none":
            return "blocks without a promise"
        if not _NAME.fullmatch(header.run) or not _NAME.fullmatch(laws.key) or not _is_known(header.randomness):
            return "its name, its key or its randomness says what no run of ours says"
        size, step = (
            (header.records, header.every) if header.seconds is None else (header.seconds, header.every_seconds)
        )
        other = (header.seconds, header.every_seconds) if header.seconds is None else (header.records, header.every)
        if size is None or step is None or other != (None, None):
            return "a window is so many records or so many seconds, one of the two, and so are its blocks"
        if not 0 < step <= size < _LARGEST or exact(size) != laws.blocks * exact(step) or laws.blocks > _MOST_BLOCKS:
            return "a window is not of so many blocks"
        if header.records is not None and header.records < header.requirement.min_support:
            return "a window smaller than min_support"
        drawn = {"run": laws.blocks, "release": 1}.get(header.requirement.span) or _most_nodes(laws.blocks)
        if laws.draws != drawn or (laws.permanent is None) != (header.requirement.span == "release"):
            return "another number of draws than its promise takes"
        if (laws.factor is None) == self._has_factor or not 0 <= (laws.factor or 0) <= _MOST_FACTOR:
            return "a factor belongs to a promise for the run"
        if not 1 <= laws.reach < 1 << 16:
            return "noise that reaches farther than we ever draw"
        if not all(_is_gaussian(law) for law in (laws.permanent, laws.block) if law is not None):
            return "the noise is not a discrete Gaussian law"
        return ""

    def checks(self) -> list[Check]:
        """Enough noise for delta, as much against whoever cleans blocks, not too much for epsilon."""
        requirement, laws = self.header.requirement, self.laws
        s = exact(requirement.delta) * requirement.vulnerable**2
        stays, each = self._variances
        by_node = s if requirement.span == "release" else laws.draws * s
        moving = Fraction(laws.factor or 0, 1000) * s / 2 if self._has_factor else by_node
        steady = Fraction(0) if laws.permanent is None else s / 2
        enough = stays >= steady and laws.draws * each >= moving
        after = float((self.chances * np.arange(-laws.reach, laws.reach + 1) ** 2).sum())
        enough = enough and after >= float(steady + moving) * (1 - _ROUNDING)
        found = [
            Check(
                name="the noise hides rare patterns",
                ok=enough,
                detail=f"variance {float(stays):.4g} that stays and {float(laws.draws * each):.4g} that moves, "
                f"{after:.4g} after the cut; delta K^2 is {float(s):.4g}",
            )
        ]
        if self._has_factor:
            left, asked = self._cleaned(s)
            found.append(
                Check(
                    name="cleaning blocks one by one gains nothing",
                    ok=left >= asked * (1 - _ROUNDING),
                    detail=f"factor {(laws.factor or 0) / 1000:.3f} leaves {left:.4g}, one reading {asked:.4g}",
                )
            )
        most = exact(requirement.epsilon) * requirement.min_support**2
        found.append(
            Check(
                name="the noise is within the bound on precision",
                ok=self.variance <= most,
                detail=f"mean squared error {float(self.variance):.4g}, epsilon C^2 is {float(most):.4g}",
            )
        )
        return found

    def _cleaned(self, s: Fraction) -> tuple[float, float]:
        """What noise of variance kappa s leaves to whoever cleans each block, and what one reading does."""
        blocks, least = self.laws.blocks, self.header.requirement.min_support
        noise = float(s) * (self.laws.factor or 0) / 1000 / blocks
        left = blocks * error_after_cleaning(noise, least / blocks) if noise else 0.0
        return left, 1 / (1 / float(s) + 1 / least)

    def __hash__(self) -> int:
        return id(self)


@lru_cache(maxsize=64)
def error_after_cleaning(variance: float, rate: float) -> float:
    """E[Var(n | n + z)] for n Poisson of mean `rate` and z discrete Gaussian of this variance: a table of all pairs."""
    width = _gaussian_width(variance)
    reach = int(12 * math.sqrt(width)) + 3
    top = int(rate + 12 * math.sqrt(rate)) + 45
    n = np.arange(top, dtype=np.float64)
    prior = np.exp(n * math.log(rate) - rate - np.cumsum(np.log(np.maximum(n, 1))))
    z = np.arange(-reach, reach + 1, dtype=np.float64)
    law = np.exp(-(z**2) / (2 * width))
    law /= law.sum()
    seen, first = np.zeros(top + 2 * reach), np.zeros(top + 2 * reach)
    for count in range(top):
        seen[count : count + len(law)] += prior[count] * law
        first[count : count + len(law)] += count * prior[count] * law
    there = seen > 0
    return rate + rate * rate - float((first[there] ** 2 / seen[there]).sum())


def _gaussian_width(variance: float) -> float:
    """The width w of exp(-x^2 / (2 w)) on whole numbers that has this variance, by secants of its logarithm."""

    def found(log_width: float) -> float:
        width = math.exp(log_width)
        x = np.arange(1, int(12 * math.sqrt(width)) + 4, dtype=np.float64)
        law = np.exp(-(x**2) / (2 * width))
        return math.log(max(float(2 * (x * x * law).sum() / (1 + 2 * law.sum())), 1e-300)) - math.log(variance)

    low, high = math.log(1e-3), math.log(variance + 2)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) > 0 else (middle, high)
    return math.exp(high)


def _variance(law: LawWeights) -> Fraction:
    total = sum(law.weights)
    mean = Fraction(sum(i * w for i, w in enumerate(law.weights, law.first)), total)
    return Fraction(sum(i * i * w for i, w in enumerate(law.weights, law.first)), total) - mean**2


def _is_gaussian(law: LawWeights) -> bool:
    """Whether weights are those of exp(-x^2 / (2 w)), rounded down, with the rest in the middle: all of 2^53."""
    weights, middle = law.weights, -law.first
    if not 3 <= len(weights) < 1 << 12 or len(weights) != 2 * middle + 1 or weights != weights[::-1]:
        return False
    if sum(weights) != _TOTAL or min(weights) < 1:
        return False
    half = weights[middle:]
    slope = math.log(half[1] / half[0])
    wanted = [half[0] * math.exp(slope * x * x) for x in range(len(half))]
    near = all(abs(a - b) <= 3 + 1e-7 * b * (1 + x * x) for x, (a, b) in enumerate(zip(half, wanted, strict=True)))
    return near and half[0] * math.exp(slope * len(half) ** 2) < 4


def _transformed(law: LawWeights, size: int) -> NDArray[np.complex128]:
    line = np.zeros(size)
    for value, weight in enumerate(law.weights, law.first):
        line[value % size] += weight / _TOTAL
    return np.fft.rfft(line)


@lru_cache(maxsize=64)
def _most_nodes(blocks: int) -> int:
    """The most nodes of a binary tree that cover so many neighbouring blocks, wherever they begin."""
    size = 1 << (blocks.bit_length() + 1)

    def cover(left: int, width: int, start: int) -> int:
        if start >= left + width or start + blocks <= left:
            return 0
        if start <= left and left + width <= start + blocks:
            return 1
        return cover(left, width // 2, start) + cover(left + width // 2, width // 2, start)

    return max(cover(0, size, start) for start in range(size // 2))


def _is_known(randomness: dict[str, Any]) -> bool:
    """Whether this is one of the two ways to say where noise came from: there is no room for anything else."""
    seed = randomness.get("seed")
    seeded = {"source": "seeded", "seed": seed, "warning": "repeatable, so it protects nobody"}
    return randomness == _KEYED or (type(seed) is int and abs(seed) < 1 << 64 and randomness == seeded)
