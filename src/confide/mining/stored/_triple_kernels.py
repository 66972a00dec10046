"""Triples counted in one cell each: arrays in, arrays out.

Items are numbered 0 .. n - 1. All pairs lie in a triangle, as in `_triangle_kernels`; those behind a number are its
end, so every first item has the end of a triangle to itself: the triple (a, i, j) is cells[base[a] + line[i] + j].
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["add_triples"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def add_triples(starts: Longs, rows: Ints, first: int, last: int, base: Longs, line: Longs, cells: Ints) -> None:
    """Count the triples of each row (ascending numbers) whose first item is in first .. last - 1."""
    for r in range(len(starts) - 1):
        end = starts[r + 1]
        for at in range(starts[r], end - 2):
            anchor = rows[at]
            if anchor < first:
                continue
            if anchor >= last:
                break
            for a in range(at + 1, end - 1):
                i = rows[a]
                here = cells[base[anchor] + line[i] + i + 1 :]
                for b in range(a + 1, end):
                    here[np.uint32(rows[b] - i - 1)] += 1
