"""Digests of texts: equal texts have equal ones, and with a secret key others do not by chance."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["digest_texts"]


@kernel
def digest_texts(offsets: NDArray[np.int64], data: NDArray[np.uint8], key: np.uint64, out: NDArray[np.uint64]) -> None:
    """For each text, from offsets[i] to offsets[i + 1] of `data`, a number of 64 bits that depends on all its bytes."""
    for i in range(len(out)):
        state = key ^ np.uint64(offsets[i + 1] - offsets[i])
        for j in range(offsets[i], offsets[i + 1]):
            state = (state ^ np.uint64(data[j])) * np.uint64(0x9E3779B97F4A7C15)
            state ^= state >> np.uint64(29)
        out[i] = state
