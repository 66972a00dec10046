"""The region of a group, and ways to narrow it that cost nothing: where all its rows are in one part of it."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.mondrian.columns import Columns

I32 = NDArray[np.int32]


@kernel
def narrow(columns: Columns, data: I32, start: int, stop: int, region: I32) -> None:
    """Take the smallest node, or the smallest of halved ranges, that holds all rows from `start` to `stop`.

    Ranges are halved in the middle, whatever the values are: bounds never tell the largest or smallest of them.
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
    low, high = data[start, j], data[start, j]
    for i in range(start + 1, stop):
        low, high = min(low, data[i, j]), max(high, data[i, j])
    if region[j, 0] < 0:
        cells = columns.cells[j]
        if low == cells:
            region[j, 0], region[j, 1] = cells, cells
        elif high < cells:
            region[j, 0], region[j, 1] = 0, cells - 1
        else:
            return
    while region[j, 0] < region[j, 1]:
        middle = (region[j, 0] + region[j, 1]) // 2
        if high <= middle:
            region[j, 1] = middle
        elif low > middle:
            region[j, 0] = middle + 1
        else:
            return


@kernel
def region_loss(columns: Columns, region: I32, j: int) -> float:
    """What a row loses in column j by being in this region, its weight included."""
    if columns.cells[j] == 0:
        return columns.loss[columns.node_at[j, region[j, 0]] + region[j, 1]]
    if region[j, 0] < 0:
        return columns.span[j] * (columns.cells[j] - 1 + (columns.missing[j] >= 0))
    return columns.span[j] * (region[j, 1] - region[j, 0])
