"""The best node of a lattice, without a look at most of them.

Nodes are taken in the order of what they cost at least. The first one that is neither hopeless nor too dear begins a
chain: up from it, always in the column where that costs least, as long as the nodes are open. A look at its end
either makes the whole chain hopeless at once, with all that is finer; or, since being hopeless is inherited by finer
nodes, halving finds where on the chain it begins. A node just above the chain, though too dear itself, rules out more
if it is hopeless; so it is looked at first, as long as that pays. A safe node that costs less than the best so far
closes every node that costs at least as much. Looks go on until no node is open, so the best is the optimum.

When little may be suppressed, nodes that keep two columns and generalise all others are looked at first: their groups
are few, and one that is hopeless rules out everything that keeps those two columns as fine or finer (the subset
property that Incognito is built on).

Where a few hundred looks do not end it, a dive (`dive`) finds a good node first, which closes many others. A search
that is stopped has the best node so far, and does not call it the optimum.

Ties: nodes whose losses differ by less than a rounding are ordered by how many levels they go up, then by the levels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from confide.publish.tables.cells.contingency import Cells, Grouping
from confide.publish.tables.incognito.dive import dive
from confide.publish.tables.incognito.lattice import MOST_NODES, Judge, Lattice, Node, Verdict
from confide.publish.tables.incognito.looks import ROUNDING, Looks, better

__all__ = ["ROUNDING", "FoundNode", "better", "find_any", "find_best", "find_within"]

_MOST_LOOKED_AT = 2_000_000  # cells, in all looks of `find_any`
_FEWEST_LOOKS = 30
_EASY = 400  # looks that the exact search has before a dive helps it
_FEW_NODES = 100_000  # of a lattice in which the exact search begins, since marks cost little
_PATIENCE = 20  # visits per column of a dive that found nothing better
_MOST_IN_VAIN = 20_000  # looks of a dive that is out of time and found nothing
_LITTLE = 0.005  # a budget of at most this share of the rows makes a look at pairs worth while


def find_best(cells: Cells, lattice: Lattice, judge: Judge) -> tuple[Node, Verdict] | None:
    """The safe node of least loss; None if no node is safe. Marks `lattice` as it goes."""
    return _Search(cells, lattice, judge).run()


@dataclass(frozen=True)
class FoundNode:
    """The best node found, the verdict on it, and whether the exact search ended, so that no other costs less."""

    node: Node
    verdict: Verdict
    optimal: bool


def find_within(cells: Cells, lattice: Lattice, judge: Judge, stopped: Callable[[], bool]) -> FoundNode | None:
    """The safe node of least loss found until `stopped` says so; None if there is none.

    A lattice of any width will do: above `MOST_NODES` there is only the dive, which goes on for a while if nothing is
    found in time.
    """
    patience = _PATIENCE * len(lattice.top)
    search: Looks
    if lattice.nodes > MOST_NODES:
        search = Looks(cells, lattice, judge)
        dive(search, stopped=lambda: (search.best is not None or len(search.seen) > _MOST_IN_VAIN) and stopped())
        ended = len(search.seen) == 1 and search.seen[lattice.top].hopeless
    else:
        exact = search = _Search(cells, lattice, judge)
        ended = lattice.nodes <= _FEW_NODES and exact.go_on(stopped, looks=_EASY)
        if not ended:
            looks = exact if lattice.nodes <= _FEW_NODES else Looks(cells, lattice, judge)
            dive(looks, stopped=stopped, patience=patience)
            exact.take_over(looks)
            ended = exact.go_on(stopped)
    if search.best is None:
        return None
    return FoundNode(search.best[1], search.seen[search.best[1]], ended)


def find_any(cells: Cells, lattice: Lattice, judge: Judge) -> bool:
    """Whether some node is safe, as far as a bounded number of looks tells.

    Half of the looks are at the coarsest nodes, which mostly keep most rows. Others may go where many rows may be left
    out and small groups pass: so the other half is spread over all nodes.
    """
    if lattice.nodes > MOST_NODES:
        wide = Looks(cells, lattice, judge)
        dive(wide, stopped=lambda: True)
        return wide.best is not None
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


class _Search(Looks):
    """Looks that are marked in arrays over all nodes."""

    def __init__(self, cells: Cells, lattice: Lattice, judge: Judge) -> None:
        super().__init__(cells, lattice, judge)
        self.closed = np.zeros(lattice.shape, dtype=np.bool_)
        self.beyond = self.began = False

    def run(self) -> tuple[Node, Verdict] | None:
        """The optimum."""
        self.go_on(lambda: False)
        return None if self.best is None else (self.best[1], self.seen[self.best[1]])

    def go_on(self, stopped: Callable[[], bool], *, looks: int | None = None) -> bool:
        """Search until no node is open, which is what is returned, or for so many looks at most.

        It stops when `stopped` says so, though not before there is a safe node.
        """
        lattice = self.lattice
        self.look(lattice.top)
        if lattice.hopeless[lattice.top]:
            return True
        if not self.began and self.judge.budget <= _LITTLE * int(self.cells.rows.sum()):
            self.pairs()
        self.began = True
        while (node := self.cheapest()) is not None:
            if looks is not None and len(self.seen) >= looks:
                return False
            if self.best is not None and stopped():
                return False
            self.climb(node)
        return True

    def take_over(self, looks: Looks) -> None:
        """Go on from looks that were taken without marks."""
        if looks is self:
            return
        self.merged, self.best = looks.merged, looks.best
        for node, verdict in looks.seen.items():
            self.seen[node] = verdict
            self.closed[node] = True
            if verdict.hopeless and not self.lattice.hopeless[node]:
                self.lattice.hopeless[self.lattice.finer(node)] = True

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

    def learn(self, node: Node, verdict: Verdict, cells: Cells, grouping: Grouping) -> None:
        """Mark what a look tells of finer and of coarser nodes."""
        self.closed[node] = True
        if verdict.hopeless:
            self.lattice.hopeless[self.lattice.finer(node)] = True
        floor = self.judge.measure.floor(cells, grouping)
        if floor > 0:
            coarser = self.lattice.floor[self.lattice.coarser(node)]
            np.maximum(coarser, floor, out=coarser)
