"""Which pairs of a value and a label there are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["mark_pairs"]


@kernel
def mark_pairs(
    before: NDArray[np.int32], places: NDArray[np.int64], after: NDArray[np.int32], width: int, seen: NDArray[Any]
) -> None:
    """Mark the pair of each row i: value before[places[i]], label after[i]."""
    for i in range(len(places)):
        seen[np.int64(before[places[i]]) * width + after[i]] = True
