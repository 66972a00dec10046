"""All pairs, or triples, of some items counted in one cell each: arrays in, arrays out.

Items are numbered 0 .. n - 1; the pair i < j is cells[line[i] + j], so that a line of the triangle follows the one
before without the cells below the diagonal. The pairs behind a number are the end of the triangle, so every first item
of a triple has the end of a triangle to itself: the triple (a, i, j) is cells[base[a] + line[i] + j].
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["add_pairs", "add_triples", "frequent_pairs", "rare_pairs"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def add_pairs(starts: Longs, rows: Ints, first: int, last: int, line: Longs, cells: Ints) -> None:
    """Count the pairs of each row (ascending numbers) whose smaller number is in first .. last - 1."""
    for r in range(len(starts) - 1):
        end = starts[r + 1]
        for a in range(starts[r], end - 1):
            i = rows[a]
            if i < first:
                continue
            if i >= last:
                break
            here = cells[line[i] + i + 1 :]
            for b in range(a + 1, end):
                here[np.uint32(rows[b] - i - 1)] += 1


@kernel
def frequent_pairs(line: Longs, cells: Ints, first: int, last: int, n: int, least: int) -> Any:
    """The pairs whose smaller number is in first .. last - 1 and that are counted `least` times or more, in order, as
    rows (i, j, count)."""
    total = 0
    for i in range(first, last):
        for j in range(i + 1, n):
            total += cells[line[i] + j] >= least
    found = np.empty((total, 3), np.int32)
    at = 0
    for i in range(first, last):
        for j in range(i + 1, n):
            count = cells[line[i] + j]
            if count >= least:
                found[at, 0], found[at, 1], found[at, 2] = i, j, count
                at += 1
    return found


@kernel
def rare_pairs(line: Longs, cells: Ints, first: int, last: int, n: int, most: int) -> Any:
    """Likewise the pairs that occur, but fewer than `most` times."""
    total = 0
    for i in range(first, last):
        for j in range(i + 1, n):
            count = cells[line[i] + j]
            total += count > 0 and count < most
    found = np.empty((total, 3), np.int32)
    at = 0
    for i in range(first, last):
        for j in range(i + 1, n):
            count = cells[line[i] + j]
            if count > 0 and count < most:
                found[at, 0], found[at, 1], found[at, 2] = i, j, count
                at += 1
    return found


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
