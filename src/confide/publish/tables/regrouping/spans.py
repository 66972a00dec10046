"""The quasi-identifiers of a table as a search sees them: leaves in an order, and what a run of them is called.

In this order each node of a hierarchy is a run of leaves, so that a group is told by the first and the last leaf it has
in each column. Its label there is the smallest that may be released and holds both: a node; of a column with a `grid`,
one cell or a run from one line of the grid to another.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.tables.hierarchy import TOP
from confide.publish.tables.coding import CodedTable, QuasiIdentifier
from confide.publish.tables.regrouping._span_kernels import APART, Spans

__all__ = ["SpannedTable"]

_MOST_IN_TABLE = 600  # leaves of a column whose costs are laid out, leaves x leaves

TABLE, HIERARCHY, GRID = range(3)


@dataclass(frozen=True, eq=False)
class SpannedTable:
    """`leaves[row, i]` is the place of a row's leaf in column `columns[i]`: those that part rows most come first."""

    table: CodedTable
    columns: tuple[int, ...]
    places: tuple[NDArray[np.int32], ...]
    leaves: NDArray[np.int32]
    spans: Spans

    @classmethod
    def of(cls, table: CodedTable) -> "SpannedTable":
        """A table with its columns in order and their costs laid out."""
        by_weight = sorted(range(len(table.quasi)), key=lambda j: -_apart(table.quasi[j]) * float(table.weights[j]))
        places = tuple(_leaf_places(table.quasi[j]) for j in by_weight)
        columns = [place[table.quasi[j].codes] for j, place in zip(by_weight, places, strict=True)]
        leaves = np.ascontiguousarray(np.stack(columns, axis=1))
        return cls(table, tuple(by_weight), places, leaves, _spans(table, by_weight, places))

    def named(
        self, i: int, low: NDArray[np.int32], high: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.float64]]:
        """What groups from leaf `low` to leaf `high` of column i are called: a code for each group, the labels of the
        codes, and their NCP; equal labels have one code."""
        column = self.table.quasi[self.columns[i]]
        order = np.argsort(self.places[i])
        pairs, code = np.unique(low.astype(np.int64) << 32 | high, return_inverse=True)
        named: dict[tuple[str, float], int] = {}
        of_pair = np.empty(len(pairs), dtype=np.int32)
        for k, (first, last) in enumerate(zip((pairs >> 32).tolist(), (pairs & 0xFFFFFFFF).tolist(), strict=True)):
            of_pair[k] = named.setdefault(_label(column, int(order[first]), int(order[last])), len(named))
        return of_pair[code.reshape(-1)], tuple(text for text, _ in named), np.array([cost for _, cost in named])


def _leaf_places(column: QuasiIdentifier) -> NDArray[np.int32]:
    """The place of each leaf in an order in which every node of every level is a run."""
    order = np.lexsort(column.maps)  # the top level decides first
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def _apart(column: QuasiIdentifier) -> float:
    """How likely two rows are in different nodes of the level below the highest: then they cost most together."""
    level = max(column.lowest, column.highest - 1)
    shares = np.bincount(column.maps[level][column.codes]) / len(column.codes)
    return 1.0 - float((shares**2).sum())


def _spans(table: CodedTable, columns: list[int], places: tuple[NDArray[np.int32], ...]) -> Spans:
    whole = {
        name: np.zeros(len(columns), dtype=np.int64)
        for name in ("kind", "leaves", "at", "levels", "step", "first", "missing")
    }
    costs, nodes, losses = [np.zeros(0)], [np.zeros(0, dtype=np.int32)], [np.zeros(0)]
    laid = climbed = 0
    for i, (j, place) in enumerate(zip(columns, places, strict=True)):
        column, weight = table.quasi[j], float(table.weights[j])
        order = np.argsort(place)
        whole["leaves"][i], whole["missing"][i] = column.leaves, column.missing
        if column.leaves <= _MOST_IN_TABLE:
            whole["at"][i] = laid
            costs.append((_costs(column, order) * weight).ravel())
            laid += len(costs[-1])
        elif column.domain is not None and column.domain.grid is not None:
            whole["kind"][i] = GRID
            whole["step"][i], whole["first"][i] = column.domain.grid_cells
        else:
            whole["kind"][i], whole["at"][i] = HIERARCHY, climbed
            whole["levels"][i] = column.highest - column.lowest + 1
            for level in range(column.lowest, column.highest + 1):
                nodes.append(column.maps[level][order])
                losses.append(column.losses[level][nodes[-1]] * weight)
                climbed += column.leaves
    return Spans(
        **whole,
        weight=table.weights[columns],
        costs=np.concatenate(costs),
        nodes=np.concatenate(nodes).astype(np.int32),
        losses=np.concatenate(losses),
    )


def _costs(column: QuasiIdentifier, order: NDArray[np.int64]) -> NDArray[np.float64]:
    """What a group from each leaf to each other costs a row."""
    if column.domain is not None and column.domain.grid is not None:
        return np.array(
            [[_label(column, min(a, b), max(a, b))[1] for b in range(len(order))] for a in range(len(order))]
        )
    found = np.full((len(order), len(order)), APART)
    for level in range(column.highest, column.lowest - 1, -1):
        node = column.maps[level][order]
        found = np.where(node[:, None] == node[None, :], column.losses[level][node][:, None], found)
    return found


def _label(column: QuasiIdentifier, first: int, last: int) -> tuple[str, float]:
    """The smallest label that holds both leaves, and its NCP."""
    if column.domain is not None and column.domain.grid is not None:
        if last == column.missing and first != last:
            return TOP, 1.0
        if last == column.missing:
            return "", 0.0
        begin, end = column.domain.widened(first, last)
        if end - begin + 1 == column.leaves:
            return TOP, 1.0
        return column.domain.label(begin, end), (end - begin) / (column.leaves - 1)
    for level in range(column.lowest, column.highest + 1):
        if column.maps[level][first] == column.maps[level][last]:
            node = int(column.maps[level][first])
            return column.labels[level][node], float(column.losses[level][node])
    raise AssertionError("the highest levels keep these rows apart")
