"""Shifts that grow with the support, undone: what a value stands for, learnt on other windows.

`order`, `ratio` and `hybrid` stretch the scale of supports: T' = T + shift(T) + noise. Whoever plays the publisher's
own rules on other records learns the mean value of each count, and reads that curve backwards: where it is steeper than
1, the noise shrinks.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["undo_shifts"]

Floats = NDArray[np.float64]


def undo_shifts(values: Floats, *, learnt_values: Floats, learnt_counts: Floats, pieces: int = 12) -> Floats:
    """The counts behind `values`, by the curve of mean values over counts in other windows, in so many pieces.

    Beyond its ends the curve goes on with slope 1.
    """
    order = np.argsort(learnt_counts, kind="stable")
    parts = [part for part in np.array_split(order, pieces) if len(part)]
    counts = np.array([learnt_counts[part].mean() for part in parts])
    means = np.maximum.accumulate(np.array([learnt_values[part].mean() for part in parts]))
    rises = np.concatenate([[True], np.diff(means) > 0])
    counts, means = counts[rises], means[rises]
    found: Floats = np.interp(values, means, counts)
    found += np.minimum(values - means[0], 0.0) + np.maximum(values - means[-1], 0.0)
    return found
