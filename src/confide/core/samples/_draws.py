"""Random draws that come out the same on every machine and with every version of numpy.

numpy keeps its bit generators fixed but not its distributions, so a sample pinned by a hash must not use
them. SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) is a counter put through a mixing function: word i
depends on the key and on i alone, which makes it one numpy expression for an array and three lines in a
kernel. A seed and the name of a stream give the key, so the parts of a sample do not disturb each other when
one of them changes.

For invented data only. Noise that protects a person never comes from here.
"""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError

__all__ = ["GOLDEN", "MIX_1", "MIX_2", "TO_UNIT", "Draws", "key", "poisson_weights"]

GOLDEN = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB
TO_UNIT = 2.0**-53  # a word without its 11 low bits, times this, is uniform on [0, 1)
_MASK = 2**64 - 1


def key(seed: int, stream: str) -> int:
    """The 64-bit key of a named stream of this seed."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise RequirementError(f"seed must be a whole number, not {type(seed).__name__}")
    return int.from_bytes(hashlib.sha256(f"confide sample {stream} {seed}".encode()).digest()[:8], "little")


class Draws:
    """A stream of draws, one at a time or in arrays; both walk along the same words.

    >>> one, many = Draws(7, "doctest"), Draws(7, "doctest")
    >>> [one.uniform() for _ in range(3)] == many.uniforms(3).tolist()
    True
    """

    def __init__(self, seed: int, stream: str) -> None:
        self._state = key(seed, stream)

    def uniform(self) -> float:
        """One number in [0, 1)."""
        self._state = z = (self._state + GOLDEN) & _MASK
        z = ((z ^ (z >> 30)) * MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * MIX_2) & _MASK
        return ((z ^ (z >> 31)) >> 11) * TO_UNIT

    def uniforms(self, n: int) -> NDArray[np.float64]:
        """The next `n` numbers in [0, 1)."""
        z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(GOLDEN) + np.uint64(self._state)
        self._state = (self._state + n * GOLDEN) & _MASK
        z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
        words: NDArray[np.uint64] = (z ^ (z >> np.uint64(31))) >> np.uint64(11)
        return words.astype(np.float64) * TO_UNIT

    def below(self, bound: int, n: int) -> NDArray[np.int64]:
        """`n` whole numbers from 0 to bound - 1, uniformly (`bound` far below 2**53)."""
        return (self.uniforms(n) * bound).astype(np.int64)

    def pick(self, weights: Any, n: int) -> NDArray[np.int64]:
        """`n` positions in `weights`, each drawn in proportion to its weight."""
        bounds = np.cumsum(np.asarray(weights, dtype=np.float64))
        chosen: NDArray[np.int64] = np.searchsorted(bounds, self.uniforms(n) * bounds[-1], side="right")
        return chosen

    def pick_by_group(self, weights: Any, group: NDArray[np.int64]) -> NDArray[np.int64]:
        """One position for each entry of `group`, drawn with the weights in that row of `weights`."""
        bounds = np.cumsum(np.asarray(weights, dtype=np.float64), axis=1)
        mark = self.uniforms(len(group)) * bounds[group, -1]
        chosen = np.zeros(len(group), dtype=np.int64)
        for column in bounds.T[:-1]:
            chosen += mark >= column[group]
        return chosen


def poisson_weights(mean: float) -> NDArray[np.float64]:
    """Weights for `Draws.pick`: entry k is proportional to the Poisson chance of k.

    Built outwards from the commonest value by multiplication alone: no exponential to overflow, or to be
    rounded differently by another library. What is left off at the far end is below 1e-17 of the commonest
    value.
    """
    mode = int(mean)
    falling = np.cumprod(np.arange(mode, 0, -1) / mean)[::-1] if mode else np.empty(0)
    rising, k = [1.0], mode
    while rising[-1] > 1e-17:
        k += 1
        rising.append(rising[-1] * mean / k)
    return np.concatenate([falling, rising])
