"""Every block's noisy count, cleaned by Bayes' rule and added up: for whoever is handed more than is published.

The adversary has count + noise of each block, A taken off, and knows the mean rate of a block (Poisson). What a block's
count was on average, given what is seen of it, is its best guess; over a window the guesses are added.
"""

import math

import numpy as np
from numpy.typing import NDArray

from confide.core.streams.header import LawWeights

__all__ = ["clean_blocks"]

Floats = NDArray[np.float64]


def clean_blocks(seen: "NDArray[np.int64]", law: LawWeights, *, rate: float) -> Floats:
    """The expected count of each block, given `seen` = count + a draw from the law, and its mean `rate`."""
    chances = np.array(law.weights, dtype=np.float64) / sum(law.weights)
    top = max(int(rate + 12 * math.sqrt(rate)) + 20, int(seen.max(initial=0)) + len(chances))
    counts = np.arange(top)
    logs = counts * math.log(max(rate, 1e-12)) - rate - np.array([math.lgamma(n + 1) for n in counts.tolist()])
    prior = np.exp(logs)
    low, high = int(seen.min(initial=0)), int(seen.max(initial=0))
    table = np.empty(high - low + 1)
    for value in range(low, high + 1):
        noise = value - counts - law.first
        fits = (noise >= 0) & (noise < len(chances))
        weights = prior[fits] * chances[noise[fits]]
        table[value - low] = (weights * counts[fits]).sum() / max(float(weights.sum()), 1e-300) if fits.any() else rate
    return table[seen - low]
