"""Growing a tree over the engines of all tables, level by level.

At each level every table scores its own columns at every open node; the table with the best score splits the node; and
split summaries flow outward from it along the join graph, so that every table divides its records alike.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.progress import task
from confide.join.graph.join_graph import JoinGraph
from confide.join.graph.summary_order import waves
from confide.join.tree.layout import at_once
from confide.join.tree.split_scores import Scores, winners
from confide.join.tree.table_engine import TableEngine
from confide.mining.trees.arrays import COLUMN, COUNTS, CUT_HIGH, CUT_LOW, DEPTH, MISSING, PARENT, VALUE
from confide.mining.trees.splits import Criterion, criterion_code, grid

__all__ = ["GrownNodes", "is_open", "side_of", "tell"]

I64 = NDArray[np.int64]


class GrownNodes:
    """The nodes grown so far, numbered level by level, children after their parent in the order of their values.

    `count_targets`: also count, at every node, the distinct records of the target table by class.
    """

    def __init__(
        self,
        graph: JoinGraph,
        engines: Mapping[str, TableEngine],
        *,
        criterion: Criterion,
        min_leaf: int,
        min_branch: int,
        max_depth: int | None,
        count_targets: bool = False,
    ):
        self.graph = graph
        self.names = list(graph.tables)
        self.engines = engines
        self.target = graph.target
        self.criterion: Criterion = criterion
        self.least = {"min_leaf": min_leaf, "min_branch": min_branch}
        self.max_depth, self.count_targets = max_depth, count_targets
        widths = [len(engines[name].columns) for name in self.names]
        self.first_column = np.concatenate([[0], np.cumsum(widths)])

    def grow(self, joined_rows: int) -> None:
        """Grow until nothing more can be split."""
        self.exponent = grid(joined_rows)
        totals = self.engines[self.target].totals()
        self._rows = np.zeros((64, COUNTS + len(totals)), dtype=np.int64)
        self._targets = np.zeros((64, len(totals)), dtype=np.int64)
        self._made = 0
        root = self._add(1)
        self._rows[0, 0] = -1  # PARENT
        self._rows[0, COUNTS:] = totals
        self._note_targets()
        level = root[self._stays_open(totals[None], depth=0)]
        depth = 0
        with task("growing a tree over the join", total=float(joined_rows)) as step:
            while len(level):
                best = self._scores(level)
                won = winners([scores.score for scores in best])
                step(self._total(level[won < 0]))
                depth += 1
                level = self._split(
                    level[won >= 0], [scores.some(won >= 0) for scores in best], won[won >= 0], depth, step
                )

    def nodes(self) -> I64:
        """The table of nodes, as `_tree_kernels.grow` makes it."""
        return self._rows[: self._made]

    def parents(self) -> list[int]:
        """The parent of every node, -1 at the root."""
        parents: list[int] = self.nodes()[:, PARENT].tolist()
        return parents

    def errors_and_totals(self) -> tuple[I64, I64]:
        """E and N of every node, for pruning: of joined records, or of distinct target records.

        A node predicts the majority of its joined records either way.
        """
        joined = self.nodes()[:, COUNTS:]
        counts = self._targets[: self._made] if self.count_targets else joined
        totals = counts.sum(axis=1)
        return totals - counts[np.arange(len(counts)), np.argmax(joined, axis=1)], totals

    # -- one level ------------------------------------------------------------------------------------------------

    def _scores(self, level: I64) -> list[Scores]:
        engines = [self.engines[name] for name in self.names]
        for engine in engines:
            engine.score(level, criterion=self.criterion, exponent=self.exponent, **self.least)
        if self.criterion != "gain_ratio":
            return [engine.best() for engine in engines]
        pairs = [engine.gain_sums() for engine in engines]
        sums = np.sum([sums for sums, _ in pairs], axis=0)
        counts = np.sum([counts for _, counts in pairs], axis=0)
        return [engine.best(sums, counts) for engine in engines]

    def _split(self, level: I64, best: Sequence[Scores], won: I64, depth: int, step: Callable[[float], None]) -> I64:
        """Split every node of the level at the table that won it; the children that stay open."""
        n_children = np.choose(won, [scores.children for scores in best]) if len(level) else np.zeros(0, np.int64)
        first = self._made + np.cumsum(n_children) - n_children
        born = self._add(int(n_children.sum()))
        self._rows[born, DEPTH] = depth

        def split_at(t: int) -> None:
            mine = won == t
            children = self.engines[self.names[t]].split(
                level[mine], first[mine], leaf=lambda counts: self._let_go(counts, depth)
            )
            self._rows[level[mine], COLUMN] = self.first_column[t] + best[t].column[mine]
            self._rows[level[mine], CUT_LOW] = best[t].cut[mine, 0]
            self._rows[level[mine], CUT_HIGH] = best[t].cut[mine, 1]
            self._rows[level[mine], MISSING] = np.maximum(best[t].cut[mine, 2], 0)
            self._rows[children.numbers, PARENT] = children.parents
            self._rows[children.numbers, VALUE] = children.values
            self._rows[children.numbers, COUNTS:] = children.counts

        large = [engine.threads for engine in self.engines.values() if engine.is_large]
        at_once((partial(split_at, t) for t in np.unique(won).tolist()), max(large, default=1))
        stays = self._stays_open(self._rows[born, COUNTS:], depth)
        step(self._total(born[~stays]))
        if stays.any() or self.count_targets:
            tell(self.graph, self.engines, level, first, n_children, [self.names[t] for t in won.tolist()])
            self._note_targets()
        return born[stays]

    def _add(self, n: int) -> I64:
        """Room for n more nodes; their numbers."""
        while self._made + n > len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._targets = np.concatenate([self._targets, np.zeros_like(self._targets)])
        numbers = np.arange(self._made, self._made + n, dtype=np.int64)
        self._rows[numbers, COLUMN] = -1
        self._made += n
        return numbers

    def _note_targets(self) -> None:
        if self.count_targets:
            engine = self.engines[self.target]
            self._targets[engine.nodes] = engine.record_counts()

    def _stays_open(self, counts: I64, depth: int) -> NDArray[np.bool_]:
        if self.max_depth is not None and depth >= self.max_depth:
            return np.zeros(len(counts), dtype=np.bool_)
        return is_open(counts, criterion=self.criterion, exponent=self.exponent, **self.least)

    def _let_go(self, counts: I64, depth: int) -> NDArray[np.bool_]:
        if self.count_targets:
            return np.zeros(len(counts), dtype=np.bool_)
        return ~self._stays_open(counts, depth)

    def _total(self, nodes: I64) -> float:
        return float(self._rows[nodes, COUNTS:].sum())


def tell(
    graph: JoinGraph,
    engines: Mapping[str, TableEngine],
    nodes: I64,
    first_child: I64,
    n_children: I64,
    split_at: Sequence[str],
) -> None:
    """Let split summaries flow outward from where nodes were split, and go on to the children.

    nodes[i] was split at the table split_at[i], into n_children[i] children from first_child[i] on.
    """
    neighbours = graph.neighbours
    threads = max(engine.threads if engine.is_large else 1 for engine in engines.values())

    def step(sender: str, receiver: str) -> None:
        side = side_of(neighbours, sender, receiver)
        told = np.array([table in side for table in split_at], dtype=np.bool_)
        if told.any():
            summary = engines[sender].split_summary(receiver, nodes[told], first_child[told], n_children[told])
            engines[receiver].receive_split(sender, summary)

    for wave in waves(neighbours):
        at_once((partial(step, *edge) for edge in wave), threads)
    at_once([engine.advance for engine in engines.values()], threads)


def is_open(
    counts: I64, *, criterion: Criterion, min_leaf: int, exponent: int, min_branch: int = 1
) -> NDArray[np.bool_]:
    """Which nodes, by their class counts, may be split: those of several classes and records enough for two leaves."""
    from confide.mining.trees.impurity_kernels import masses

    mixed = masses(np.ascontiguousarray(counts, dtype=np.int64), criterion_code(criterion), 2.0**exponent) != 0
    enough: NDArray[np.bool_] = counts.sum(axis=1) >= 2 * max(min_leaf, min_branch)
    return mixed & enough


def side_of(neighbours: Mapping[str, Sequence[str]], table: str, other: str) -> set[str]:
    """The tables on `table`'s side of the edge to `other`.

    >>> sorted(side_of({"T1": ["T2"], "T2": ["T1", "T3"], "T3": ["T2"]}, "T2", "T1"))
    ['T2', 'T3']
    """
    found, waiting = {table}, [table]
    while waiting:
        for name in neighbours[waiting.pop()]:
            if name != other and name not in found:
                found.add(name)
                waiting.append(name)
    return found
