"""Gaussian smoothing: the best linear estimate of every count of an itemset, from all that was published of it.

The counts of a window move as its blocks do: those of two windows have in common what their blocks have. With the mean
rate unknown, counts of variance `turnover` m (m the mean, Poisson: 1) and the noise as the run says, the estimate is

    m + V (V + N)^-1 (y - m),   V and N the covariances of counts and noise, m by generalised least squares
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.runs.noise_model import NoiseModel

__all__ = ["series_of", "smooth_run", "smooth_series"]

Floats = NDArray[np.float64]
Sets = Mapping[frozenset[str], float]
_LONGEST = 1500  # releases of one itemset in one estimate; longer series are cut


def smooth_series(
    numbers: "NDArray[np.int64]", values: Floats, noise: NoiseModel, *, turnover: float = 1.0, mean: float | None = None
) -> Floats:
    """The counts behind the `values` of one itemset in windows with these numbers.

    `turnover`: how much counts vary, as a multiple of what records at a steady rate give; 0 takes them to be constant.
    `mean`: the mean count, where the adversary knows it.
    """
    shared = noise.overlaps(numbers)
    guess = max(float(values.mean()) if mean is None else mean, 1.0)
    signal = turnover * guess * shared
    total = signal + noise.covariance(numbers) + 1e-9 * np.eye(len(numbers))
    ones = np.ones(len(values))
    solved = np.linalg.solve(total, np.stack([ones, values], axis=1))
    centre = float(ones @ solved[:, 1]) / float(ones @ solved[:, 0]) if mean is None else mean
    weights = solved[:, 1] - centre * solved[:, 0]
    estimate: Floats = centre + signal @ weights
    return estimate


def series_of(
    published: Iterable[tuple[int, Sets]], *, least: int = 1
) -> dict[frozenset[str], tuple["NDArray[np.int64]", Floats]]:
    """{itemset: (numbers, values)} of the itemsets published `least` times or more."""
    found: dict[frozenset[str], tuple[list[int], list[float]]] = {}
    for number, values in published:
        for items, value in values.items():
            numbers, series = found.setdefault(items, ([], []))
            numbers.append(number)
            series.append(float(value))
    return {
        items: (np.array(numbers, dtype=np.int64), np.array(series))
        for items, (numbers, series) in found.items()
        if len(numbers) >= least
    }


def smooth_run(
    published: Sequence[tuple[int, Sets]], noise: NoiseModel, *, turnover: float = 1.0
) -> list[dict[frozenset[str], float]]:
    """What smoothing makes of every published value: one mapping for each release, in order."""
    places = {number: i for i, (number, _) in enumerate(published)}
    out: list[dict[frozenset[str], float]] = [{} for _ in published]
    for items, (numbers, values) in series_of(published).items():
        for start in range(0, len(numbers), _LONGEST):
            part = slice(start, start + _LONGEST)
            for number, value in zip(
                numbers[part].tolist(),
                smooth_series(numbers[part], values[part], noise, turnover=turnover),
                strict=True,
            ):
                out[places[number]][items] = float(value)
    return out
