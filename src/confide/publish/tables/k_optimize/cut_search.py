"""The best set of cuts, or the best so far and how far from the best it can be.

A node of the search stands for all sets that hold its *head* and nothing outside its head and *tail* (Bayardo and
Agrawal). `cut_bounds` gives, in one pass over the cells,

- what the head itself costs: a solution;
- what every set of the node costs at least. Groups of the head only get smaller in its sets: rows that cannot be kept
  now are lost in all of them (`most_kept`). Groups of head and tail together are the finest: their cost adds up to a
  bound for everything that is made of them;
- the same for each tail cut moved into the head, and for each tail cut given up.

A tail cut that cannot be in a better solution is given up (tail pruning); one that no better solution can do without
moves into the head. Of the rest, the search branches on the cut whose two sides raise the bound most, which takes the
place of reordering the tail. Nodes are taken in the order of their bounds, so the bound of the next one holds for all
that is left: when it reaches the best solution, that is optimal.

The first solutions come from cuts added, removed or moved one at a time while that helps: from none, those between
nodes of high levels first; and from all.
"""

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.progress import task
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.k_optimize.problem import CutProblem

__all__ = ["CutResult", "best_cuts"]

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class CutResult:
    """The best cuts found (None: no set meets the requirement), their cost, and what any set costs at least."""

    cuts: Flags | None
    cost: int
    bound: int
    nodes: int

    @property
    def gap(self) -> float:
        """How much less the best there is might cost, as a share of what was found; 0 is optimal."""
        return (self.cost - self.bound) / self.cost if self.cost else 0.0


def best_cuts(
    problem: CutProblem, test: GroupTest, *, discern: bool, budget: int, seconds: float | None, same: bool = False
) -> CutResult:
    """The set of cuts of least cost that suppresses at most `budget` rows.

    `discern` asks for discernibility, else the classification metric; with `same` the classes are the first sensitive
    values. After `seconds` the best so far is returned.
    """
    return _CutSearch(problem, test, discern=discern, budget=budget, seconds=seconds, same=same).run()


class _CutSearch:
    def __init__(
        self,
        problem: CutProblem,
        test: GroupTest,
        *,
        discern: bool,
        budget: int,
        seconds: float | None,
        same: bool = False,
    ) -> None:
        from confide.publish.tables.k_optimize._bound_kernels import Cuts, Goal, PlacedCells, cut_bounds, cut_cost

        p, rules = problem, test.rules
        shape = PlacedCells(p.at, p.counts, p.held), Cuts(p.places, p.column, p.before)
        goal = Goal(discern, budget == 0, same)
        self.look: Callable[[Flags, Flags], Any] = lambda head, allowed: cut_bounds(
            *shape, head, allowed, rules, test.fewest, goal
        )
        self.cost_of: Callable[[Flags], tuple[int, int]] = lambda head: cut_cost(*shape, head, rules, discern)
        self.problem, self.budget = problem, budget
        self.look(problem.fixed, problem.fixed)  # compiles what the time limit should not pay for
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.best: Flags | None = None
        self.cost = int(p.counts.sum()) ** 2 + 1  # more than anything costs
        self.nodes = 0
        self.heap: list[tuple[int, int, Flags, Flags]] = []

    def run(self) -> CutResult:
        every = np.ones(len(self.problem.column), dtype=np.bool_)
        cuts = self.problem.fixed.copy()
        for rank in sorted(set(self.problem.rank.tolist()), reverse=True):
            self.improve(cuts, self.problem.rank >= rank)
        self.improve(every.copy(), every)
        self.expand(0, self.problem.fixed.copy(), every)
        with task("looking for the best cuts") as step:
            while self.heap and self.heap[0][0] < self.cost and not self.late():
                bound, _, head, allowed = heapq.heappop(self.heap)
                self.expand(bound, head, allowed)
                step(1)
        left = min(self.cost, self.heap[0][0]) if self.heap else self.cost
        return CutResult(self.best, self.cost, left, self.nodes)

    def late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def solution(self, cuts: Flags, cost: int, lost: int) -> bool:
        """Keep a set of cuts if it is the best so far; sets of equal cost by fewest cuts, then the first ones."""
        if lost > self.budget or cost > self.cost or lost == self.problem.counts.sum():
            return False
        if cost == self.cost and self.best is not None and _rank(cuts) >= _rank(self.best):
            return False
        self.best, self.cost = cuts.copy(), int(cost)
        return True

    def expand(self, bound: int, head: Flags, allowed: Flags) -> None:
        """Look at a node until nothing more follows, then branch."""
        while True:
            self.nodes += 1
            cost, lost, found, lost_bound, more, more_lost, less = self.look(head, allowed)
            self.solution(head, cost, lost)
            bound = max(bound, int(found))
            if bound >= self.cost or lost_bound > self.budget:
                return
            tail = allowed & ~head
            needless = tail & ((found + more >= self.cost) | (lost_bound + more_lost > self.budget))
            needed = tail & (found + less >= self.cost)
            if (needless & needed).any():
                return
            if not needless.any() and not needed.any():
                break
            head, allowed = head | needed, allowed & ~needless
        if not tail.any():
            return
        chance = np.where(tail, (more + 1.0) * (less + 1.0), -1.0)
        cut = int(chance.argmax())
        taken, given_up = head.copy(), allowed.copy()
        taken[cut], given_up[cut] = True, False
        heapq.heappush(self.heap, (max(bound, int(found + more[cut])), 2 * self.nodes, taken, allowed))
        heapq.heappush(self.heap, (max(bound, int(found + less[cut])), 2 * self.nodes + 1, head, given_up))

    def improve(self, cuts: Flags, among: Flags) -> None:
        """Add, remove or move one cut of these at a time while that makes the set better."""
        value = self.value(cuts)
        free = np.flatnonzero(among & ~self.problem.fixed)
        while not self.late():
            best, chosen = value, None
            for cut in free.tolist():
                cuts[cut] ^= True
                if (tried := self.value(cuts)) < best:
                    best, chosen = tried, [cut]
                cuts[cut] ^= True
            if chosen is None:
                for one, other in product(free[cuts[free]].tolist(), free[~cuts[free]].tolist()):
                    pair = [one, other]
                    cuts[pair] ^= True
                    if (tried := self.value(cuts)) < best:
                        best, chosen = tried, pair
                    cuts[pair] ^= True
            if chosen is None:
                return
            cuts[chosen] ^= True
            value = best

    def value(self, cuts: Flags) -> tuple[int, int]:
        """Rows suppressed beyond the budget, then the cost; and remember the set if it is a solution."""
        cost, lost = self.cost_of(cuts)
        self.solution(cuts, cost, lost)
        return max(0, lost - self.budget), int(cost)


def _rank(cuts: Flags) -> tuple[Any, ...]:
    return int(cuts.sum()), tuple(np.flatnonzero(cuts).tolist())
