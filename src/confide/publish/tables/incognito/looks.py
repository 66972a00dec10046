"""Looks at nodes: what was found at each, the best safe one, and work that looks share.

Looks that agree in the columns with most values share the work: cells that are alike under those levels are merged
once, and looked at instead of all.
"""

import numpy as np

from confide.publish.tables.cells.contingency import Cells, Grouping
from confide.publish.tables.incognito.lattice import Judge, Lattice, Node, Verdict

__all__ = ["ROUNDING", "Looks", "better"]

ROUNDING = 1e-12
"""Losses that differ by less than this share are the same."""

_SHARED = 3  # columns whose levels are shared by many looks


def better(loss: float, node: Node, than: tuple[float, Node] | None) -> bool:
    """Whether a node is better than another: the smaller loss, then fewer levels up, then the smaller levels."""
    if than is None:
        return True
    other, best = than
    slack = ROUNDING * max(1.0, abs(other))
    if abs(loss - other) > slack:
        return loss < other
    return (sum(node), node) < (sum(best), best)


class Looks:
    """`seen` has the verdict on each node that was looked at; `best` is the safe one of least loss."""

    def __init__(self, cells: Cells, lattice: Lattice, judge: Judge) -> None:
        self.cells, self.lattice, self.judge = cells, lattice, judge
        self.seen: dict[Node, Verdict] = {}
        self.best: tuple[float, Node] | None = None
        values = [len(np.unique(cells.codes[:, j])) for j in range(len(lattice.top))]
        most = sorted((j for j, top in enumerate(lattice.top) if top), key=lambda j: -values[j])
        self.shared = [] if judge.relative else most[:_SHARED]
        self.merged: dict[Node, Cells] = {(): cells}

    def look(self, node: Node, cells: Cells | None = None) -> Verdict:
        """Look at a node, and remember what that tells."""
        if node in self.seen:
            return self.seen[node]
        cells = cells or self.fewer(node)
        levels = self.lattice.levels(node)
        grouping = cells.grouped(levels)
        verdict = self.judge.quick_verdict(cells, grouping, levels)
        self.seen[node] = verdict
        if verdict.safe and better(verdict.loss, node, self.best):
            self.best = (verdict.loss, node)
        self.learn(node, verdict, cells, grouping)
        return verdict

    def learn(self, node: Node, verdict: Verdict, cells: Cells, grouping: Grouping) -> None:
        """What a look tells of other nodes: nothing, where no marks are kept."""

    def fewer(self, node: Node) -> Cells:
        """Cells that are fine enough for a node: merged under its levels in the columns with most values."""
        found = self.cells
        for length in range(1, len(self.shared) + 1):
            key = tuple(node[j] for j in self.shared[:length])
            if key not in self.merged:
                coarser = [0] * len(node)
                for j, above in zip(self.shared, key, strict=False):
                    coarser[j] = above
                # with nothing generalised in the last column, nothing is merged that was not before
                grouping = found.grouped(self.lattice.levels(tuple(coarser))) if key[-1] else None
                self.merged[key] = found if grouping is None else found.merged(grouping)
            found = self.merged[key]
        return found
