"""Arrivals counted: how often an itemset comes says how many records of a window have it.

From one release to the next a count changes by what comes and what goes, one block each. At a steady rate the squares
of these changes add up, over the blocks of a window, to twice the count: under noise that stays with an itemset this is
seen exactly, at a release every record. Noise that comes and goes with the records adds to every square.
"""

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.runs.noise_model import NoiseModel

__all__ = ["count_arrivals"]

Floats = NDArray[np.float64]


def count_arrivals(numbers: "NDArray[np.int64]", values: Floats, noise: NoiseModel) -> Floats:
    """The count behind each of one itemset's `values`, from the changes between releases of neighbouring blocks; the
    values themselves where there are none."""
    steps = np.flatnonzero(np.diff(numbers) == 1)
    if not len(steps):
        return values.astype(np.float64)
    square = np.diff(values)[steps] ** 2 - 2 * noise.moves / noise.blocks - 2 * noise.fresh
    total = np.concatenate([[0.0], np.cumsum(square)])
    ends = numbers[steps + 1]
    last = np.searchsorted(ends, numbers, side="right")
    first = np.searchsorted(ends, numbers - noise.blocks, side="right")
    seen = last - first
    mean = np.where(seen > 0, (total[last] - total[first]) / np.maximum(seen, 1), total[-1] / len(steps))
    found: Floats = noise.blocks * mean / 2
    return found
