"""Every node of a lattice looked at: which are safe, what they suppress, what they cost.

Nodes are visited column by column. Groups under the levels chosen so far are merged into one cell each before the next
column is generalised, and each level begins with the cells of the level below it; so most looks are at far fewer cells
than the table has. The levels of the last column share one grouping by all others: cells stand in the order of that
column's hierarchy, so each level divides a group where its label changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.figures import Diagram
from confide.core.runtime.lazy import call
from confide.core.runtime.progress import task
from confide.core.runtime.threads import in_threads
from confide.core.tables.framed import Framed
from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.incognito.lattice import Judge, Lattice, Node

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ExploredLattice", "explore"]

_OUTER = 3  # columns whose levels make the parts that threads share


@dataclass(frozen=True, eq=False)
class ExploredLattice(Framed):
    """Arrays over all nodes, one axis per column; position 0 of an axis is the lowest level allowed.

    `loss` is that of the release with the rows of failing groups suppressed, whether or not so many may be.
    `hopeless` nodes are not safe, and no finer one is.
    """

    columns: tuple[str, ...]
    lowest: tuple[int, ...]
    safe: NDArray[np.bool_]
    hopeless: NDArray[np.bool_]
    suppressed: NDArray[np.int64]
    loss: NDArray[np.float64]

    def __len__(self) -> int:
        return int(self.safe.size)

    @cached_property
    def minimal(self) -> NDArray[np.bool_]:
        """The safe nodes below which no node is safe."""
        below = np.zeros_like(self.safe)
        known = self.safe
        for axis in range(known.ndim):
            known = np.logical_or.accumulate(known, axis=axis)
        for axis in range(known.ndim):
            rest = (slice(None),) * axis
            below[(*rest, slice(1, None))] |= known[(*rest, slice(None, -1))]
        return self.safe & ~below

    def minimal_levels(self) -> list[tuple[int, ...]]:
        """The levels of each minimal node, in order."""
        return [tuple(int(x) for x in node + np.array(self.lowest)) for node in np.argwhere(self.minimal)]

    def to_arrow(self) -> "pa.Table":
        """A row per node: the level of each column, whether it is safe and minimal, rows suppressed, loss."""
        import pyarrow as pa

        levels = np.indices(self.safe.shape).reshape(self.safe.ndim, -1)
        named = {name: level + low for name, level, low in zip(self.columns, levels, self.lowest, strict=True)}
        facts = {
            "safe": self.safe.ravel(),
            "minimal": self.minimal.ravel(),
            "suppressed": self.suppressed.ravel(),
            "loss": self.loss.ravel(),
        }
        return pa.table(named | facts)

    def diagram(self) -> Diagram:
        """The lattice as a diagram, for the owner; up to a few hundred nodes."""
        from confide.publish.tables.incognito.lattice_drawing import lattice_diagram

        return lattice_diagram(self)

    def to_svg(self) -> str:
        """A drawing of the lattice, for the owner; up to a few hundred nodes."""
        return str(call("confide.report.svg_diagrams:diagram_svg", self.diagram()))

    def _repr_html_(self) -> str:
        """For notebooks: how many are safe and minimal, and the drawing of a small lattice."""
        from confide.publish.tables.incognito.lattice_drawing import MOST_DRAWN

        head = (
            f"<p><strong>{len(self):,} generalisations</strong>: {int(self.safe.sum()):,} meet the requirement, "
            f"{int(self.minimal.sum()):,} of them minimal</p>"
        )
        return head + (self.to_svg() if len(self) <= MOST_DRAWN else "")


def explore(cells: Cells, lattice: Lattice, judge: Judge) -> ExploredLattice:
    """Look at every node, on all cores."""
    lattice.check_nodes()
    safe = np.zeros(lattice.shape, dtype=np.bool_)
    suppressed = np.zeros(lattice.shape, dtype=np.int64)
    loss = np.zeros(lattice.shape)
    hopeless = np.zeros(lattice.shape, dtype=np.bool_)
    visits = _Visits(cells, lattice, merge=not judge.relative)
    told = Lock()

    def look(part: _Part) -> None:
        seen = 0
        for lowest, few, along in visits.within(part):
            verdicts = judge.verdicts_along(few, visits.last, lattice.levels(lowest), along)
            for above, verdict in enumerate(verdicts):
                node = (*lowest[: visits.last], above, *lowest[visits.last + 1 :])
                safe[node], suppressed[node], loss[node] = verdict.safe, verdict.suppressed, verdict.loss
                hopeless[node] = verdict.hopeless
                seen += 1
        with told:
            step(seen)

    with task("looking at generalisations", total=safe.size) as step:
        in_threads(look, visits.parts())
    for axis in range(hopeless.ndim):  # all that is finer than a hopeless node is
        hopeless = np.flip(np.logical_or.accumulate(np.flip(hopeless, axis), axis=axis), axis)
    names = tuple(column.name for column in judge.table.quasi)
    return ExploredLattice(names, lattice.lowest, safe, hopeless, suppressed, loss)


_Part = tuple[Node, Cells]
"""Levels of the columns that go first, the others at their lowest; and the cells, merged under those levels."""


class _Visits:
    """Every node, in parts that threads can share."""

    def __init__(self, cells: Cells, lattice: Lattice, *, merge: bool) -> None:
        self.lattice, self.merge = lattice, merge
        # The column that merges most cells goes first; of the others, those with most levels go last: fewer merges.
        heights = [(top, j) for j, top in enumerate(lattice.top)]
        first = max(heights, key=lambda height: len(np.unique(cells.codes[:, height[1]])))
        *before, self.last = [first[1], *(j for top, j in sorted(heights) if j != first[1])]
        self.outer, self.inner = before[:_OUTER], before[_OUTER:]
        self.cells = cells.arranged(self.last)

    def parts(self) -> Iterator[_Part]:
        """The parts: one for each combination of levels of the first columns."""
        return self._merges(self.outer, (0,) * len(self.lattice.shape), self.cells)

    def within(self, part: _Part) -> Iterator[tuple[Node, Cells, range]]:
        """The lowest nodes of a part in the last column, with cells that are fine enough, and that column's levels."""
        lowest = self.lattice.lowest[self.last]
        for node, cells in self._merges(self.inner, *part):
            yield node, cells, range(lowest, lowest + self.lattice.shape[self.last])

    def _merges(self, columns: list[int], node: Node, cells: Cells) -> Iterator[_Part]:
        """All levels of these columns, which are at their lowest in `node` and `cells`."""
        if not columns:
            yield node, cells
            return
        column, *others = columns
        for above in range(self.lattice.shape[column]):
            node = (*node[:column], above, *node[column + 1 :])
            if self.merge and above:
                cells = cells.merged(cells.grouped(self.lattice.levels(node)))
            yield from self._merges(others, node, cells)
