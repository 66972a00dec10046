"""What it costs a row that its group spans some leaves of a column: the loss of the smallest label that holds them.

Leaves stand in an order in which every label is a run of them, so a group is told by its first and its last leaf. A
column has one of three kinds: few leaves, whose costs are in a table; a hierarchy of many, which is climbed; a grid on
many cells, which is reckoned.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

APART = 1e9
"""What a row costs in a group that no label holds."""


class Spans(NamedTuple):
    """One entry per column; costs include the weight of the column.

    `kind` is 0 for a table, 1 for a hierarchy, 2 for a grid. `leaves` are how many there are. A table begins at `at` in
    `costs`: leaves x leaves, first by last. The levels of a hierarchy begin at `at`, too: row `at` of `nodes` is the
    lowest that may be released, `levels` rows in all, and row by row `losses` has what a leaf costs there. Of a grid,
    `step` cells make one of its own, the first of which has only `first`; `missing` is the leaf of missing values.
    """

    kind: I64
    leaves: I64
    at: I64
    levels: I64
    step: I64
    first: I64
    missing: I64
    weight: F64
    costs: F64
    nodes: I32
    losses: F64


@kernel
def span_cost(spans: Spans, j: int, low: int, high: int) -> float:
    """What a row costs in column j if its group spans the leaves from `low` to `high`."""
    leaves, at = spans.leaves[j], spans.at[j]
    if spans.kind[j] == 0:
        return spans.costs[at + low * leaves + high]
    if spans.kind[j] == 1:
        for _ in range(spans.levels[j]):
            if spans.nodes[at + low] == spans.nodes[at + high]:
                return spans.losses[at + low]
            at += leaves
        return APART
    if low == high:
        return 0.0
    if high == spans.missing[j]:
        return spans.weight[j]
    step, first = spans.step[j], spans.first[j]
    cells = leaves - 1 if spans.missing[j] >= 0 else leaves
    begin = 0 if low < first else first + (low - first) // step * step
    end = first if high < first else min(first + ((high - first) // step + 1) * step, cells)
    return spans.weight[j] * (end - 1 - begin) / (leaves - 1)


@kernel
def spans_cost(spans: Spans, low: I32, high: I32) -> float:
    """What a row costs in all columns."""
    total = 0.0
    for j in range(len(low)):
        total += span_cost(spans, j, low[j], high[j])
    return total
