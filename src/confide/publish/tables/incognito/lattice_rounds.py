"""Local recoding in rounds: several generalisations, each for the rows it suits.

The best generalisation of a whole table is as coarse as its rarest rows need. A round finds, for the rows that are
left, the generalisation with the least *mean loss of the rows it keeps*, those of its groups that pass; it must keep at
least a tenth of them. The rest goes to the next round, and is recoded among itself. A rest must be possible: empty, or
passing as one group, or few enough to be suppressed.

The search is that of `lattice_search`, with nine tenths of the rows as the budget. A row that is kept costs at least
what the cheapest tenth of the rows costs, column by column and level by level: that bound is separable.

A group of one round and one of another may end up with the same labels. Together they pass too, if the test is
monotone; for others this is not offered. Where groups are compared with the whole release, no row is suppressed: that
would move what the groups of earlier rounds were compared with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.publish.tables.cells.contingency import Cells, Grouping
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.incognito.lattice import MOST_NODES, Judge, Lattice, Node, Verdict
from confide.publish.tables.incognito.lattice_costs import Measure
from confide.publish.tables.incognito.lattice_search import find_best, find_within
from confide.publish.tables.recoding import Recoding

__all__ = ["fewest_kept", "recode_in_rounds"]

_LEAST = 10  # a round keeps at least one in so many rows


def fewest_kept(rows: int) -> int:
    """How many of the rows that are left a round must keep."""
    return -(-rows // _LEAST)


def recode_in_rounds(table: CodedTable, test: GroupTest, *, budget: int) -> Recoding:
    """Recode every row in the round that suits it; at most `budget` are suppressed, only if they must be."""
    if not test.monotone:
        raise UsageError(
            "local=True needs a requirement under which groups can be joined; use Mondrian instead",
            parameter="local",
            value=True,
        )
    if test.has_reference:
        budget = 0
    cells = Cells.of(table, test)
    levels = np.zeros((len(cells), len(table.quasi)), dtype=np.int64)
    kept = np.zeros(len(cells), dtype=np.bool_)
    left = np.arange(len(cells))
    rounds = 0
    while len(left):
        part = cells.take(left)
        need = fewest_kept(int(part.rows.sum()))
        measure = _KeptMean(table, part, need)
        judge = _RoundJudge(table, test, measure, int(part.rows.sum()) - need, budget)
        lattice = Lattice(table, measure)
        node = _node(part, lattice, judge)
        if node is None:
            break
        chosen = lattice.levels(node)
        grouping = part.grouped(chosen)
        now = part.passing(grouping, test)[grouping.of]
        levels[left[now]] = chosen
        kept[left[now]] = True
        left = left[~now]
        rounds += 1
    suppressed = int(cells.rows[~kept].sum())
    if suppressed > budget:
        raise CannotMeetError("no generalisation meets the requirement, even at the highest levels allowed")
    return _recoding(table, levels[cells.of_row], kept[cells.of_row], rounds)


def _node(cells: Cells, lattice: Lattice, judge: Judge) -> Node | None:
    """The node of a round: the best one, or, of a lattice too wide to be searched, the best that a dive finds first."""
    if lattice.nodes > MOST_NODES:
        first = find_within(cells, lattice, judge, stopped=lambda: True)
        return None if first is None else first.node
    best = find_best(cells, lattice, judge)
    return None if best is None else best[0]


class _KeptMean(Measure):
    """The mean NCP of the rows that are kept, of which there are at least `need`."""

    def __init__(self, table: CodedTable, cells: Cells, need: int) -> None:
        weighted = list(zip(table.weights, table.quasi, strict=True))
        self._costs = [[weight * c.losses[level][map_] for level, map_ in enumerate(c.maps)] for weight, c in weighted]
        self._flat = np.concatenate([cost for column in self._costs for cost in column])
        rows = [
            np.bincount(cells.codes[:, j], weights=cells.rows, minlength=c.leaves) for j, c in enumerate(table.quasi)
        ]
        self._floors = [
            np.array([_cheapest(cost, n, need) for cost in column]) for column, n in zip(self._costs, rows, strict=True)
        ]

    def by_level(self) -> list[NDArray[np.float64]]:
        return self._floors

    def loss(self, cells: Cells, grouping: Grouping, levels: Sequence[int], ok: NDArray[np.bool_]) -> float:
        from confide.publish.tables.cells.grouping_kernels import suppression_cost

        # what "suppressing" the groups that pass saves when a suppressed row costs nothing, is what they cost
        cost = -suppression_cost(cells.codes, grouping.first, grouping.sizes, ~ok, self._flat, cells.bases(levels), 0.0)
        return cost / int(grouping.sizes[ok].sum())


def _cheapest(costs: NDArray[np.float64], rows: NDArray[Any], need: int) -> float:
    """The mean cost of the `need` rows that cost least."""
    order = np.argsort(costs)
    taken = np.minimum(np.cumsum(rows[order]), need)
    return float(np.diff(taken, prepend=0) @ costs[order]) / need


@dataclass(frozen=True, eq=False)
class _RoundJudge(Judge):
    """Judges a round: the rows that are not kept must be possible to recode among themselves, or to suppress."""

    may_go: int

    def quick_verdict(self, cells: Cells, grouping: Grouping, levels: Sequence[int]) -> Verdict:
        verdict = super().quick_verdict(cells, grouping, levels)
        if verdict.safe and verdict.suppressed > self.may_go:
            ok = self.passing(cells, grouping)
            rest = cells.take(np.flatnonzero(~ok[grouping.of]))
            top = rest.grouped([column.highest for column in self.table.quasi])
            if not rest.passing(top, self.test).all():
                return Verdict(False, False, verdict.suppressed, verdict.loss)
        return verdict

    @cached_property
    def relative(self) -> bool:
        """No row is suppressed by a round: groups are compared with the whole table."""
        return False


def _recoding(table: CodedTable, levels: NDArray[np.int64], kept: NDArray[np.bool_], rounds: int) -> Recoding:
    """The recoding with `levels[row, column]`; the labels of a column are those of all its levels."""
    codes, labels, losses = [], [], []
    for j, column in enumerate(table.quasi):
        starts = np.cumsum([0, *(len(names) for names in column.labels)])
        maps = np.stack([start + map_ for start, map_ in zip(starts, column.maps, strict=False)])
        codes.append(maps[levels[:, j], column.codes].astype(np.int32))
        labels.append(tuple(label for names in column.labels for label in names))
        losses.append(np.concatenate(column.losses))
    return Recoding(
        table=table,
        codes=tuple(codes),
        labels=tuple(labels),
        losses=tuple(losses),
        kept=kept,
        notes={"local": True, "rounds": rounds},
    )
