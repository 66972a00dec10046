"""Compressed rows turned into compressed columns, which counting by item starts from."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel


@kernel
def transpose(
    row_ptr: NDArray[np.int64], rows: NDArray[np.int32], n_columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Compressed columns of compressed rows; row numbers ascend within a column. Twice gives sorted rows."""
    col_ptr = np.zeros(n_columns + 1, np.int64)
    for e in range(len(rows)):
        col_ptr[rows[e] + 1] += 1
    for c in range(n_columns):
        col_ptr[c + 1] += col_ptr[c]
    fill = col_ptr[:-1].copy()
    cols = np.empty(len(rows), np.int32)
    for t in range(len(row_ptr) - 1):
        for e in range(row_ptr[t], row_ptr[t + 1]):
            cols[fill[rows[e]]] = t
            fill[rows[e]] += 1
    return col_ptr, cols
