"""The region of a group, and ways to narrow it that cost nothing: where all its rows are in one part of it."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.mondrian.columns import Columns

I32 = NDArray[np.int32]


@kernel
def narrow(columns: Columns, data: I32, start: int, stop: int, region: I32) -> None:
    """Take the smallest node that holds all rows from `start` to `stop`.

    Ranges stay as they were cut, so that together they tile the declared one: a narrower range would tell where its
    largest and smallest values are. Only missing values are left out of a range, or it out of them.
    """
    for j in range(len(columns.cells)):
        if columns.cells[j] > 0:
            _narrow_range(columns, data, start, stop, region, j)
        else:
            _narrow_node(columns, data, start, stop, region, j)


@kernel
def _narrow_node(columns: Columns, data: I32, start: int, stop: int, region: I32, j: int) -> None:
    while True:
        level = columns.below[columns.node_at[j, region[j, 0]] + region[j, 1]]
        if level < 0:
            return
        at = columns.level_at[j, level]
        node = columns.nodes[at + data[start, j]]
        for i in range(start + 1, stop):
            if columns.nodes[at + data[i, j]] != node:
                return
        region[j, 0], region[j, 1] = level, node


@kernel
def _narrow_range(columns: Columns, data: I32, start: int, stop: int, region: I32, j: int) -> None:
    if region[j, 0] >= 0:
        return
    cells = columns.cells[j]
    low, high = data[start, j], data[start, j]
    for i in range(start + 1, stop):
        low, high = min(low, data[i, j]), max(high, data[i, j])
    if low == cells:
        region[j, 0], region[j, 1] = cells, cells
    elif high < cells:
        region[j, 0], region[j, 1] = 0, cells - 1


@kernel
def region_loss(columns: Columns, region: I32, j: int) -> float:
    """What a row loses in column j by being in this region, its weight included."""
    if columns.cells[j] == 0:
        return columns.loss[columns.node_at[j, region[j, 0]] + region[j, 1]]
    if region[j, 0] < 0:
        return columns.span[j] * (columns.cells[j] - 1 + (columns.missing[j] >= 0))
    return columns.span[j] * (region[j, 1] - region[j, 0])
