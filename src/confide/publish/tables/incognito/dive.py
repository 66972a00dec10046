"""A good node of a lattice of any width: a dive from the top, then on from the best nodes, up and down.

    top        The dive goes from the top to whichever safe node one level down costs least, until none costs less.
     |         Then the cheapest node that was found, and was not visited yet, is visited: all nodes one level above or
     v         below it are looked at. So the search climbs out of dead ends over the cheapest ridge. Nodes that are
    best       finer than one known to be hopeless are not looked at.

Nothing proves that the best node so found is the best there is. That takes the exact search, for which the bounds of
all nodes must fit into memory.
"""

from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np

from confide.publish.tables.incognito.lattice import Node, Verdict
from confide.publish.tables.incognito.looks import Looks, better

__all__ = ["dive"]


def dive(looks: Looks, *, stopped: Callable[[], bool], patience: int | None = None) -> None:
    """Look from the top on for safe nodes of little loss; the best is `looks.best`.

    It ends when `stopped` says so, though not before the dive is at its end; or after `patience` visits in a row that
    found nothing better; or when nothing is left to visit.
    """
    search = _Dive(looks)
    search.go_down()
    search.go_on(stopped, patience)


class _Dive:
    def __init__(self, looks: Looks) -> None:
        self.looks = looks
        self.queue: list[tuple[bool, float, int, Node]] = []
        self.hopeless = np.empty((0, len(looks.lattice.top)), dtype=np.int64)
        for node, verdict in list(looks.seen.items()):
            self.remember(node, verdict)

    def go_down(self) -> None:
        """From the top to the cheapest safe node one level down, as long as that costs less."""
        node, verdict = self.looks.lattice.top, self.look(self.looks.lattice.top)
        while True:
            below = [(finer, found) for finer in self.looks.lattice.below(node) if (found := self.visit(finer)).safe]
            if not below:
                return
            finer, found = min(below, key=lambda one: (one[1].loss, one[0]))
            if verdict.safe and found.loss >= verdict.loss:
                return
            node, verdict = finer, found

    def go_on(self, stopped: Callable[[], bool], patience: int | None) -> None:
        """Visit the neighbours of the cheapest nodes found."""
        visited: set[Node] = set()
        idle = 0
        while self.queue and (patience is None or idle < patience):
            *_, node = heappop(self.queue)
            if node in visited:
                continue
            visited.add(node)
            before = self.looks.best
            for near in (*self.looks.lattice.below(node), *self.looks.lattice.above(node)):
                if stopped():
                    return
                self.visit(near)
            after = self.looks.best
            idle = 0 if after is not None and better(*after, before) else idle + 1

    def visit(self, node: Node) -> Verdict:
        """Look at a node, unless a coarser one is hopeless."""
        if node not in self.looks.seen and (np.array(node) <= self.hopeless).all(axis=1).any():
            return Verdict(False, True, 0, np.inf)
        return self.look(node)

    def look(self, node: Node) -> Verdict:
        new = node not in self.looks.seen
        verdict = self.looks.look(node)
        if new:
            self.remember(node, verdict)
        return verdict

    def remember(self, node: Node, verdict: Verdict) -> None:
        """Queue a node: safe ones by their loss, then others, which leave out too many rows, by how many."""
        if verdict.hopeless:
            self.hopeless = np.vstack([self.hopeless, node])
            return
        cost = verdict.loss if verdict.safe else float(verdict.suppressed)
        heappush(self.queue, (not verdict.safe, cost, sum(node), node))
