"""Triples counted in one cell each: arrays in, arrays out.

A triple is an anchor and a pair of items, numbered 0 .. n - 1, behind it. The pairs of all items lie in a triangle, as
in `_triangle_kernels`; those behind a number are its end, so an anchor has the end of a triangle to itself: the triple
(a, i, j) is cells[base[a] + line[i] + j].
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["add_triples"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def add_triples(
    anchor_starts: Longs, anchors: Ints, starts: Longs, rows: Ints, behind: Ints, first: int, last: int,
    base: Longs, line: Longs, cells: Ints,
) -> None:  # fmt: skip
    """Count the triples of each record whose anchor is in first .. last - 1.

    `anchors` are the anchors of each record and `rows` its items, both ascending; items up to behind[anchor] are not
    paired with it.
    """
    for r in range(len(starts) - 1):
        begin, end = starts[r], starts[r + 1]
        for p in range(anchor_starts[r], anchor_starts[r + 1]):
            anchor = anchors[p]
            if anchor < first:
                continue
            if anchor >= last:
                break
            while begin < end and rows[begin] <= behind[anchor]:
                begin += 1
            for a in range(begin, end - 1):
                i = rows[a]
                here = cells[base[anchor] + line[i] + i + 1 :]
                for b in range(a + 1, end):
                    here[np.uint32(rows[b] - i - 1)] += 1
