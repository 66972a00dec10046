"""All generalisations of whole domains: one level for each column, finer ones below coarser ones.

  age 2, sex 1          A node is safe if its groups pass once at most `budget` rows are suppressed. It is hopeless
    /       \\           if neither it nor any finer node can be safe.
age 1     age 2
sex 1     sex 0         What a look at node w tells of the finer nodes v < w, whose groups are parts of w's:
    \\       /
  age 1, sex 0          1. Nothing may be suppressed, and groups that pass still pass when merged (`test.monotone`:
                           k, all diversities, t-closeness, beta-likeness; not delta-disclosure, which passes over
                           absent values). If v were safe, w would be too. So if w is not safe, it is hopeless.
                        2. A part of the requirement under which every part of a failing group fails (k, distinct l:
                           a part has no more rows, no more values) fails for the same rows in v, at least. If those
                           are more than the budget in w, w is hopeless. `test.relaxation()` is that part; for k and
                           distinct l it is the whole.
                        3. Nothing else. With suppression, the good half of a failing group may be kept in v (simple,
                           recursive, entropy), or the distribution that groups are compared with moves (t, beta,
                           delta): a node that is neither hopeless nor too dear must be looked at.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.publish.tables.cells.contingency import Cells, Grouping
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.incognito.lattice_costs import Measure

if TYPE_CHECKING:
    from confide.publish.tables.group_tests import GroupTest

__all__ = ["MOST_NODES", "Judge", "Lattice", "Node", "Verdict"]

MOST_NODES = 50_000_000
"""Nodes up to which a lattice is searched: some bytes for each are kept in memory."""

Node = tuple[int, ...]
"""How many levels each column is above the lowest one allowed."""


@dataclass(frozen=True)
class Verdict:
    """What a look at a node found: whether it is safe, whether all finer ones are hopeless, rows suppressed, loss."""

    safe: bool
    hopeless: bool
    suppressed: int
    loss: float


@dataclass(frozen=True, eq=False)
class Judge:
    """Looks at nodes: `test` must hold for all groups but those of `budget` rows; `measure` says what that costs."""

    table: CodedTable
    test: "GroupTest"
    measure: Measure
    budget: int

    def verdict(self, cells: Cells, grouping: Grouping, levels: Sequence[int]) -> Verdict:
        """The verdict on the generalisation to `levels`, whose groups of `cells` are `grouping`."""
        ok = self.passing(cells, grouping)
        suppressed = int(grouping.sizes[~ok].sum())
        loss = self.measure.loss(cells, grouping, levels, ok)
        safe = suppressed <= self.budget and bool(ok.any())
        return Verdict(safe, not safe and self._hopeless(cells, grouping, suppressed), suppressed, loss)

    def verdicts_along(self, cells: Cells, column: int, levels: Sequence[int], along: range) -> Iterator[Verdict]:
        """The verdict for each level `along` of a column, the others at `levels`; for cells arranged by that column."""
        others = cells.grouped_but(column, levels)
        if cells.sizes_decide(self.test):
            told = self.measure.losses_along(cells, others, column, levels, along, self.test.fewest)
            if told is not None:
                rows = int(cells.rows.sum())
                for suppressed, loss in zip(told[0].tolist(), told[1].tolist(), strict=True):
                    safe = suppressed <= self.budget and suppressed < rows
                    yield Verdict(safe, not safe and suppressed > self.budget, suppressed, loss)
                return
        for level in along:
            chosen = (*levels[:column], level, *levels[column + 1 :])
            yield self.verdict(cells, cells.divided(others, column, level), chosen)

    def quick_verdict(self, cells: Cells, grouping: Grouping, levels: Sequence[int]) -> Verdict:
        """As `verdict`, but no more is worked out of a node that cannot be released than that."""
        small = grouping.sizes < self.test.fewest  # rows are at least as many as persons
        suppressed = int(grouping.sizes[small].sum())
        if suppressed > self.budget:
            return Verdict(False, True, suppressed, math.inf)
        ok = self.passing(cells, grouping)
        suppressed = int(grouping.sizes[~ok].sum())
        if suppressed <= self.budget and ok.any():
            return Verdict(True, False, suppressed, self.measure.loss(cells, grouping, levels, ok))
        return Verdict(False, self._hopeless(cells, grouping, suppressed), suppressed, math.inf)

    def passing(self, cells: Cells, grouping: Grouping) -> NDArray[np.bool_]:
        """Which groups may be released: when those that fail are gone, all others pass.

        Where groups are compared with all rows released, suppressing some changes what the others are compared with;
        then those that fail now go too, until none does.
        """
        ok = cells.passing(grouping, self.test)
        if not self.relative:
            return ok
        while ok.any() and not ok.all():
            test = self.test.with_released(ok[grouping.of][cells.of_row])
            still = ok & cells.passing(grouping, test)
            if (still == ok).all():
                break
            ok = still
        return ok

    @cached_property
    def relative(self) -> bool:
        """Whether suppressing rows changes what other groups are compared with."""
        return self.test.has_reference and self.budget > 0

    def _hopeless(self, cells: Cells, grouping: Grouping, suppressed: int) -> bool:
        if self._inherited:
            return suppressed > self.budget
        return int(grouping.sizes[~cells.passing(grouping, self._relaxed)].sum()) > self.budget

    @cached_property
    def _inherited(self) -> bool:
        """Whether finer nodes fail with a node that fails (1 and 2 above)."""
        return self.test.monotone_suppressed or (self.budget == 0 and self.test.monotone)

    @cached_property
    def _relaxed(self) -> "GroupTest":
        return self.test.relaxation()


class Lattice:
    """The nodes, as arrays over all of them: `floor` is what each costs at least, `hopeless` which need no look.

    The arrays are there for lattices of at most `MOST_NODES`.
    """

    def __init__(self, table: CodedTable, measure: Measure) -> None:
        self.lowest = tuple(column.lowest for column in table.quasi)
        self.shape = tuple(column.highest - column.lowest + 1 for column in table.quasi)
        self.top: Node = tuple(size - 1 for size in self.shape)
        self.nodes = math.prod(self.shape)
        self._measure = measure

    @cached_property
    def hopeless(self) -> NDArray[np.bool_]:
        self.check_nodes()
        return np.zeros(self.shape, dtype=np.bool_)

    @cached_property
    def floor(self) -> NDArray[np.float64]:
        self.check_nodes()
        by_level = self._measure.by_level()
        if by_level is None:
            return np.zeros(self.shape)
        allowed = [c[low : low + size] for c, low, size in zip(by_level, self.lowest, self.shape, strict=True)]
        return reduce(np.add.outer, allowed)

    def check_nodes(self) -> None:
        """Refuse a lattice whose nodes cannot all be kept in memory."""
        if self.nodes > MOST_NODES:
            raise UsageError(
                f"{len(self.shape)} quasi-identifiers have {self.nodes:.2g} generalisations, too many to look at "
                "each of them; allow fewer levels in the schema, or use Mondrian"
            )

    def levels(self, node: Node) -> tuple[int, ...]:
        """The level of each column."""
        return tuple(map(add, self.lowest, node))

    def finer(self, node: Node) -> tuple[slice, ...]:
        """The node and all finer ones, as an index of the arrays."""
        return tuple(slice(0, level + 1) for level in node)

    def coarser(self, node: Node) -> tuple[slice, ...]:
        """The node and all coarser ones."""
        return tuple(slice(level, None) for level in node)

    def above(self, node: Node) -> list[Node]:
        """The nodes one level above in one column."""
        return [(*node[:j], node[j] + 1, *node[j + 1 :]) for j, top in enumerate(self.top) if node[j] < top]

    def below(self, node: Node) -> list[Node]:
        """The nodes one level below in one column."""
        return [(*node[:j], level - 1, *node[j + 1 :]) for j, level in enumerate(node) if level]
