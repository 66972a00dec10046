"""The nearest consistent supports: arrays in, arrays out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

__all__ = ["project_monotone"]


@kernel
def project_monotone(above: I64, below: I64, values: F64, weights: F64, tolerance: float, rounds: int) -> Any:
    """The values with x[above[e]] >= x[below[e]] for every e nearest to the given ones, weighted by `weights`.

    Dykstra's method: pair after pair is brought into order by its weighted mean, and what was moved is given back
    before the pair is looked at again; that converges to the nearest point. Stops when a round moves nothing by more
    than `tolerance`, or after `rounds`.
    """
    x = values.copy()
    up, down = np.zeros(len(above)), np.zeros(len(above))
    for _ in range(rounds):
        moved = 0.0
        for e in range(len(above)):
            a, b = above[e], below[e]
            high, low = x[a] - up[e], x[b] - down[e]
            if high < low:
                mean = (high * weights[a] + low * weights[b]) / (weights[a] + weights[b])
                moved = max(moved, abs(mean - x[a]), abs(mean - x[b]))
                x[a], x[b] = mean, mean
                up[e], down[e] = mean - high, mean - low
            elif up[e] != 0.0 or down[e] != 0.0:
                moved = max(moved, abs(high - x[a]), abs(low - x[b]))
                x[a], x[b] = high, low
                up[e], down[e] = 0.0, 0.0
        if moved <= tolerance:
            break
    return x
