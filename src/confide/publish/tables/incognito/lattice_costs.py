"""What a generalisation costs, with the groups that fail suppressed; and bounds that need no look at the rows.

Two kinds of loss:

- *separable* (NCP; non-uniform entropy as a share of all bits): a row costs the sum, over the columns, of what its
  label costs there. The sum over all rows is known for each level of each column beforehand, and no label costs more
  than suppressing its row: so the sum for the levels of a generalisation is a lower bound of its loss, whatever is
  suppressed, and the loss itself if nothing is.
- *grouped* (discernibility, classification metric, average class size): known once the groups are. Coarser groups are
  unions of finer ones, so what a generalisation costs without suppression bounds all coarser ones from below:
      sum of |group|^2 grows with merging, and |group|^2 <= |group| n, which is what suppressing it costs;
      rows outside the majority of their group grow with merging, and are no more than all its rows;
      rows kept / groups >= (n - budget) / groups of the finer one.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.publish.jobs.loss_names import LossName
from confide.publish.tables.cells.contingency import Cells, Grouping
from confide.publish.tables.coding import CodedTable

__all__ = ["Measure", "measure_of"]


class Measure(ABC):
    """A loss: smaller is better."""

    def by_level(self) -> list[NDArray[np.float64]] | None:
        """For each column and level what all rows cost there, if the loss is separable."""
        return None

    def floor(self, cells: Cells, grouping: Grouping) -> float:
        """What every generalisation at least as coarse as this grouping costs at least."""
        return 0.0

    @abstractmethod
    def loss(self, cells: Cells, grouping: Grouping, levels: Sequence[int], ok: NDArray[np.bool_]) -> float:
        """The loss when the groups that are not `ok` are suppressed."""

    def losses_along(
        self, cells: Cells, grouping: Grouping, column: int, levels: Sequence[int], along: range, fewest: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Rows suppressed and loss for each level `along` of a column, all at once, if the loss can be told so.

        The others are at `levels`, and `grouping` is by them alone; groups of fewer than `fewest` rows are suppressed.
        """
        return None


class Separable(Measure):
    """`costs[column][level][leaf]` is what a row costs, `gone` what a suppressed one does; `constant` is added."""

    def __init__(
        self, table: CodedTable, costs: Sequence[Sequence[NDArray[np.float64]]], *, gone: float, constant: float = 0.0
    ) -> None:
        self._gone = gone
        self._flat = np.concatenate([cost for column in costs for cost in column])
        rows = [table.tally(column.codes, column.leaves) for column in table.quasi]
        self._by_level = [np.array([n @ cost for cost in column]) for n, column in zip(rows, costs, strict=True)]
        self._by_level[0] = self._by_level[0] + constant
        self._sums: list[list[float]] = [column.tolist() for column in self._by_level]

    def by_level(self) -> list[NDArray[np.float64]]:
        return self._by_level

    def loss(self, cells: Cells, grouping: Grouping, levels: Sequence[int], ok: NDArray[np.bool_]) -> float:
        from confide.publish.tables.cells.grouping_kernels import suppression_cost

        whole = sum(column[level] for column, level in zip(self._sums, levels, strict=True))
        if ok.all():
            return whole
        base = cells.bases(levels)
        return whole + suppression_cost(
            cells.codes, grouping.first, grouping.sizes, ok, self._flat, base, float(self._gone)
        )

    def losses_along(
        self, cells: Cells, grouping: Grouping, column: int, levels: Sequence[int], along: range, fewest: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        from confide.publish.tables.cells.grouping_kernels import Levels, RowCosts, costs_along

        base = cells.bases(levels)
        begins = np.array([cells.bases([*levels[:column], level, *levels[column + 1 :]])[column] for level in along])
        maps = np.stack([cells.maps[column][level] for level in along])
        suppressed, added = costs_along(
            *grouping.order,
            cells.codes,
            cells.rows,
            Levels(column, maps, begins),
            RowCosts(self._flat, base, float(self._gone)),
            fewest,
        )
        others = sum(sums[level] for j, (sums, level) in enumerate(zip(self._sums, levels, strict=True)) if j != column)
        return suppressed, others + self._by_level[column][along.start : along.stop] + added


class Discernibility(Measure):
    """The sum of |group|^2; a suppressed row costs as much as the table has rows."""

    def floor(self, cells: Cells, grouping: Grouping) -> float:
        return float((grouping.sizes.astype(np.float64) ** 2).sum())

    def loss(self, cells: Cells, grouping: Grouping, levels: Sequence[int], ok: NDArray[np.bool_]) -> float:
        sizes = grouping.sizes.astype(np.float64)
        return float((sizes[ok] ** 2).sum() + sizes[~ok].sum() * sizes.sum())


class Classification(Measure):
    """The share of rows that are suppressed, or not of their group's commonest class."""

    def floor(self, cells: Cells, grouping: Grouping) -> float:
        return self.loss(cells, grouping, (), np.ones(len(grouping), dtype=np.bool_))

    def loss(self, cells: Cells, grouping: Grouping, levels: Sequence[int], ok: NDArray[np.bool_]) -> float:
        majority = cells.class_counts(grouping).max(axis=1)
        total = int(grouping.sizes.sum())
        return (total - int(majority[ok].sum())) / total


class AverageClassSize(Measure):
    """Rows kept for each group, as a multiple of k."""

    def __init__(self, fewest: int, budget: int) -> None:
        self._k, self._budget = fewest, budget

    def floor(self, cells: Cells, grouping: Grouping) -> float:
        return (int(grouping.sizes.sum()) - self._budget) / int((grouping.sizes > 0).sum()) / self._k

    def loss(self, cells: Cells, grouping: Grouping, levels: Sequence[int], ok: NDArray[np.bool_]) -> float:
        return float(grouping.sizes[ok].sum()) / max(1, int((grouping.sizes[ok] > 0).sum())) / self._k


def measure_of(loss: LossName, table: CodedTable, *, fewest: int, budget: int) -> Measure:
    """The loss of that name for this table; groups have at least `fewest` rows, and at most `budget` are suppressed."""
    n = table.total
    if loss == "ncp":
        costs = [
            [weight * column.losses[level][map_] / n for level, map_ in enumerate(column.maps)]
            for weight, column in zip(table.weights, table.quasi, strict=True)
        ]
        return Separable(table, costs, gone=1 / n)
    if loss == "entropy":
        rows = [table.tally(column.codes, column.leaves) for column in table.quasi]
        bits = [
            [_log2(np.bincount(map_, weights=count))[map_] for map_ in column.maps]
            for count, column in zip(rows, table.quasi, strict=True)
        ]
        known = sum(float(count @ column[0]) for count, column in zip(rows, bits, strict=True))
        all_bits = max(n * len(rows) * float(np.log2(n)) - known, 1.0)
        shares = [[cost / all_bits for cost in column] for column in bits]
        return Separable(table, shares, gone=len(rows) * float(np.log2(n)) / all_bits, constant=-known / all_bits)
    if loss == "discernibility":
        return Discernibility()
    if loss == "classification":
        if table.classes is None:
            raise UsageError(
                "loss='classification' needs a column with the role class; name one in the schema",
                parameter="loss",
                value="classification",
            )
        return Classification()
    return AverageClassSize(fewest, budget)


def _log2(counts: NDArray[Any]) -> NDArray[np.float64]:
    return np.log2(np.maximum(counts, 1.0))
