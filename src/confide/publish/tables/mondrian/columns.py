"""The quasi-identifiers of a table as plain arrays, for kernels.

A column with a declared range is cut into ranges of its cells; any other is cut along its hierarchy. A *region* says
for each column what all rows of a group have in common, in two numbers:

- by hierarchy: the level, and the node at that level;
- by range: the first and the last cell. A first cell of -1 stands for everything, missing values included; missing
  values alone have the number of cells as both.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.tables.hierarchy import TOP
from confide.publish.tables.coding import CodedTable, QuasiIdentifier

__all__ = ["Columns", "column_arrays", "labelled_regions"]


class Columns(NamedTuple):
    """One entry per column.

    `nodes[level_at[j, level] + leaf]` is the node of a leaf; `loss[node_at[j, level] + node]` what it costs a row, its
    weight included; `below[node_at[j, level] + node]` the next level down at which the node divides, or -1. `span` is
    what one more cell of a range costs a row. `cells` is 0 for a column that goes by its hierarchy.
    """

    level_at: NDArray[np.int64]
    node_at: NDArray[np.int64]
    nodes: NDArray[np.int32]
    loss: NDArray[np.float64]
    below: NDArray[np.int32]
    cells: NDArray[np.int64]
    missing: NDArray[np.int64]
    span: NDArray[np.float64]
    widest: int
    most_children: int


def by_range(column: QuasiIdentifier) -> bool:
    """Whether a column is cut into ranges: it has a declared one, without a grid, and may be released at any level."""
    return (
        column.domain is not None
        and column.domain.grid is None
        and column.lowest == 0
        and column.highest == column.height
    )


def column_arrays(table: CodedTable) -> Columns:
    """The arrays of a table's quasi-identifiers."""
    columns = len(table.quasi)
    levels = max(column.height for column in table.quasi) + 1
    level_at, node_at = np.zeros((columns, levels), dtype=np.int64), np.zeros((columns, levels), dtype=np.int64)
    nodes: list[NDArray[np.int32]] = []
    losses: list[NDArray[np.float64]] = []
    below: list[NDArray[np.int32]] = []
    filled = named = 0
    for j, (column, weight) in enumerate(zip(table.quasi, table.weights, strict=True)):
        for level in range(column.height + 1):
            level_at[j, level], node_at[j, level] = filled, named
            filled += column.leaves
            named += len(column.labels[level])
            nodes.append(column.maps[level])
            losses.append(column.losses[level] * weight)
            below.append(_below(column, level))
    ranges = [column.domain.cells if column.domain and by_range(column) else 0 for column in table.quasi]
    return Columns(
        level_at=level_at,
        node_at=node_at,
        nodes=np.concatenate(nodes),
        loss=np.concatenate(losses),
        below=np.concatenate(below),
        cells=np.array(ranges, dtype=np.int64),
        missing=np.array([column.missing for column in table.quasi], dtype=np.int64),
        span=table.weights / np.array([max(1, column.leaves - 1) for column in table.quasi]),
        widest=max(len(labels) for column in table.quasi for labels in column.labels),
        most_children=_most_children(table.quasi),
    )


def _below(column: QuasiIdentifier, level: int) -> NDArray[np.int32]:
    """For each node of a level, the next level down (not below the lowest allowed) at which it is several nodes."""
    found = np.full(len(column.labels[level]), -1, dtype=np.int32)
    for lower in range(column.lowest, level):  # the highest such level is written last
        pairs = np.unique(column.maps[level].astype(np.int64) * len(column.labels[lower]) + column.maps[lower])
        parts = np.bincount(pairs // len(column.labels[lower]), minlength=len(found))
        found[parts > 1] = lower
    return found


def _most_children(columns: Iterable[QuasiIdentifier]) -> int:
    """The most nodes that any node divides into."""
    most = 2
    for column in columns:
        for level in range(1, column.height + 1):
            below = _below(column, level)
            for lower in np.unique(below[below >= 0]).tolist():
                pairs = np.unique(column.maps[level].astype(np.int64) * len(column.labels[lower]) + column.maps[lower])
                most = max(most, int(np.bincount(pairs // len(column.labels[lower])).max()))
    return most


def labelled_regions(
    column: QuasiIdentifier, regions: NDArray[np.int32]
) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.float64]]:
    """What the regions of a column are called: a code for each region, the labels of the codes, their NCP."""
    keys = (regions[:, 0].astype(np.int64) << 32) + regions[:, 1]
    different, codes = np.unique(keys, return_inverse=True)
    labels: list[str] = []
    losses: list[float] = []
    for first, second in zip((different >> 32).tolist(), (different & 0xFFFFFFFF).tolist(), strict=True):
        if not by_range(column):
            labels.append(column.labels[first][second])
            losses.append(float(column.losses[first][second]))
            continue
        assert column.domain is not None
        alone = first == column.missing and column.missing >= 0
        labels.append("" if alone else TOP if first < 0 else column.domain.label(first, second))
        losses.append(1.0 if first < 0 else (second - first) / max(1, column.leaves - 1))
    return codes.reshape(-1).astype(np.int32), tuple(labels), np.array(losses)
