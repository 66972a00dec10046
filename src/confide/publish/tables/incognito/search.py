"""The best node of a lattice, without a look at most of them.

Nodes are taken in the order of what they cost at least. The first one that is neither hopeless nor too dear begins a
chain: up from it, always in the column where that costs least, as long as the nodes are open. A look at its end
either makes the whole chain hopeless at once, with all that is finer; or, since being hopeless is inherited by finer
nodes, halving finds where on the chain it begins. A node just above the chain, though too dear itself, rules out more
if it is hopeless; so it is looked at first, as long as that pays. A safe node that costs less than the best so far
closes every node that costs at least as much. Looks go on until no node is open, so the best is the optimum.

Looks that agree in the columns with most values share the work: cells that are alike under those levels are merged
once, and looked at instead of all.

When little may be suppressed, nodes that keep two columns and generalise all others are looked at first: their groups
are few, and one that is hopeless rules out everything that keeps those two columns as fine or finer (the subset
property that Incognito is built on).

Ties: nodes whose losses differ by less than a rounding are ordered by how many levels they go up, then by the levels.
"""

from itertools import combinations

import numpy as np

from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.incognito.lattice import Judge, Lattice, Node, Verdict

__all__ = ["ROUNDING", "better", "find_any", "find_best"]

ROUNDING = 1e-12
"""Losses that differ by less than this share are the same."""

_SHARED = 3  # columns whose levels are shared by many looks
_MOST_LOOKED_AT = 2_000_000  # cells, in all looks of `find_any`
_FEWEST_LOOKS = 30
_LITTLE = 0.005  # a budget of at most this share of the rows makes a look at pairs worth while


def find_best(cells: Cells, lattice: Lattice, judge: Judge) -> tuple[Node, Verdict] | None:
    """The safe node of least loss; None if no node is safe. Marks `lattice` as it goes."""
    return _Search(cells, lattice, judge).run()


def find_any(cells: Cells, lattice: Lattice, judge: Judge) -> bool:
    """Whether some node is safe, as far as a bounded number of looks tells.

    Half of the looks are at the coarsest nodes, which mostly keep most rows. Others may go where many rows may be left
    out and small groups pass: so the other half is spread over all nodes.
    """
    search = _Search(cells, lattice, judge)
    looks = max(_FEWEST_LOOKS, _MOST_LOOKED_AT // max(1, len(cells)))
    heights = np.indices(lattice.shape).sum(axis=0).ravel()
    places = np.argsort(-heights, kind="stable")
    if len(places) > looks:
        first, rest = np.split(places, [looks // 2])
        places = np.append(first, rest[np.linspace(0, len(rest) - 1, looks // 2).astype(np.int64)])
    for place in places.tolist():
        node = tuple(int(level) for level in np.unravel_index(place, lattice.shape))
        if not lattice.hopeless[node] and search.look(node).safe:
            return True
    return False


def better(loss: float, node: Node, than: tuple[float, Node] | None) -> bool:
    """Whether a node is better than another: the smaller loss, then fewer levels up, then the smaller levels."""
    if than is None:
        return True
    other, best = than
    slack = ROUNDING * max(1.0, abs(other))
    if abs(loss - other) > slack:
        return loss < other
    return (sum(node), node) < (sum(best), best)


class _Search:
    def __init__(self, cells: Cells, lattice: Lattice, judge: Judge) -> None:
        self.cells, self.lattice, self.judge = cells, lattice, judge
        self.seen: dict[Node, Verdict] = {}
        self.closed = np.zeros(lattice.shape, dtype=np.bool_)
        self.best: tuple[float, Node] | None = None
        self.beyond = False
        values = [len(np.unique(cells.codes[:, j])) for j in range(len(lattice.top))]
        most = sorted((j for j, top in enumerate(lattice.top) if top), key=lambda j: -values[j])
        self.shared = [] if judge.relative else most[:_SHARED]
        self.merged: dict[Node, Cells] = {(): cells}

    def run(self) -> tuple[Node, Verdict] | None:
        lattice = self.lattice
        self.look(lattice.top)
        if not lattice.hopeless[lattice.top]:
            if self.judge.budget <= _LITTLE * int(self.cells.rows.sum()):
                self.pairs()
            while (node := self.cheapest()) is not None:
                self.climb(node)
        return None if self.best is None else (self.best[1], self.seen[self.best[1]])

    def cheapest(self) -> Node | None:
        """Of the nodes that are open, the one that costs least at least."""
        floor = np.where(self.lattice.hopeless | self.closed, np.inf, self.lattice.floor)
        while True:
            place = np.unravel_index(int(floor.argmin()), floor.shape)
            node = tuple(int(level) for level in place)
            if self.is_open(node):
                return node
            if floor[node] == np.inf or (self.best and floor[node] > self.best[0] * (1 + 2 * ROUNDING)):
                return None
            self.closed[node] = True  # as dear as the best, and behind it
            floor[node] = np.inf

    def is_open(self, node: Node) -> bool:
        """Whether a node must still be looked at."""
        if self.lattice.hopeless[node] or self.closed[node]:
            return False
        return self.best is None or better(float(self.lattice.floor[node]), node, self.best)

    def climb(self, node: Node) -> None:
        """Look at the upper end of a chain that begins here, and at nodes of it until it is known where hope begins."""
        chain = [node]
        while open_ := [above for above in self.lattice.above(chain[-1]) if self.is_open(above)]:
            chain.append(min(open_, key=lambda above: self.lattice.floor[above]))
        if self.rules_out(chain[-1]) or self.look(chain[-1]).hopeless:
            return
        low, high = -1, len(chain) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.look(chain[middle]).hopeless:
                low = middle
            else:
                high = middle

    def rules_out(self, node: Node) -> bool:
        """Look at the cheapest node above this one, if the last such look paid; whether it was hopeless."""
        above = [up for up in self.lattice.above(node) if not self.closed[up]]
        if not above or not self.beyond:
            self.beyond = True
            return False
        self.beyond = self.look(min(above, key=lambda up: self.lattice.floor[up])).hopeless
        return self.beyond

    def pairs(self) -> None:
        """Look at the nodes that keep two columns and generalise the rest as far as they may be."""
        lattice = self.lattice
        for i, j in combinations([j for j, top in enumerate(lattice.top) if top], 2):
            coarsest = [*lattice.top]
            coarsest[i] = coarsest[j] = 0
            grouping = self.cells.grouped(lattice.levels(tuple(coarsest)))
            few = self.cells if self.judge.relative else self.cells.merged(grouping)
            for a in range(lattice.top[i], -1, -1):
                for b in range(lattice.top[j], -1, -1):
                    coarsest[i], coarsest[j] = a, b
                    node = tuple(coarsest)
                    if lattice.hopeless[node]:
                        break
                    if node not in self.seen:
                        self.look(node, few)

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

    def look(self, node: Node, cells: Cells | None = None) -> Verdict:
        """Look at a node, and mark what that tells of others."""
        if node in self.seen:
            return self.seen[node]
        cells = cells or self.fewer(node)
        levels = self.lattice.levels(node)
        grouping = cells.grouped(levels)
        verdict = self.judge.quick_verdict(cells, grouping, levels)
        self.seen[node] = verdict
        self.closed[node] = True
        if verdict.hopeless:
            self.lattice.hopeless[self.lattice.finer(node)] = True
        elif verdict.safe and better(verdict.loss, node, self.best):
            self.best = (verdict.loss, node)
        floor = self.judge.measure.floor(cells, grouping)
        if floor > 0:
            coarser = self.lattice.floor[self.lattice.coarser(node)]
            np.maximum(coarser, floor, out=coarser)
        return verdict
