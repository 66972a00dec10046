"""How much noise the blocks of a window need: against whoever is handed every block's noisy count and cleans each.

A window that holds C records of a pattern holds few in each of its blocks. Whoever knows the mean rate knows that a
block's count is about Poisson with mean C / B, and noise of a small variance on a count that is mostly 0 or 1 is seen
through by Bayes' rule. What that leaves over a window is

    B E[Var(count | count + noise)]          with noise of variance kappa s / B in each block

and it must not be less than 1 / (1/s + 1/C), what one reading with an error of variance s leaves to the same person.
kappa is the smallest factor that does: near 1 for a few large blocks, near 2 for very many small ones.
"""

import math
from fractions import Fraction
from functools import lru_cache

__all__ = ["block_factor", "cleaned_error"]

_DIGITS = 1000  # the factor is rounded up to thousandths


@lru_cache(maxsize=256)
def block_factor(variance: Fraction, min_support: int, blocks: int) -> Fraction:
    """kappa for s = `variance`, C = `min_support` and so many blocks a window, rounded up to thousandths.

    >>> [float(block_factor(Fraction(10), 25, blocks)) for blocks in (20, 200, 2000)]
    [1.104, 1.725, 1.968]
    """
    s = float(variance)
    wanted = 1 / (1 / s + 1 / min_support)
    low, high = 0.0, 1.0  # with ever more noise all of C is left, which is more than what is wanted
    while blocks * cleaned_error(high * s / blocks, min_support / blocks) < wanted:
        low, high = high, 2 * high
    while high - low > 1e-7:
        middle = (low + high) / 2
        enough = blocks * cleaned_error(middle * s / blocks, min_support / blocks) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(math.ceil(high * _DIGITS), _DIGITS)


def cleaned_error(variance: float, rate: float) -> float:
    """The mean squared error left to Bayes' rule of a Poisson count of this mean, seen through discrete Gaussian noise.

    E[Var(n | n + z)] = E[n^2] - E[E[n | n + z]^2], summed over all that n + z can be.
    """
    import numpy as np

    chances = _gaussian_chances(variance)
    counts = np.arange(math.ceil(rate + 14 * math.sqrt(rate) + 40))
    logs = counts * math.log(rate) - rate - np.array([math.lgamma(n + 1) for n in counts.tolist()])
    prior = np.exp(logs)
    seen, mean, square = (np.convolve(prior * counts**power, chances) for power in (0, 1, 2))
    there = seen > 1e-300
    return float((square[there] - mean[there] ** 2 / seen[there]).sum())


@lru_cache(maxsize=64)
def _gaussian_chances(variance: float) -> "tuple[float, ...]":
    """The discrete Gaussian law of this variance, from its lowest to its highest value, in doubles."""
    import numpy as np

    low, high = 0.0, variance + 2.0
    chances = np.ones(1)
    for _ in range(80):
        width = (low + high) / 2
        reach = math.ceil(10 * math.sqrt(width)) + 2
        values = np.arange(-reach, reach + 1)
        chances = np.exp(-(values**2) / (2 * width))
        chances /= chances.sum()
        low, high = (low, width) if (chances * values**2).sum() >= variance else (width, high)
    return tuple(chances.tolist())
