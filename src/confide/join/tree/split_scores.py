"""The best split of every column at every node, and which column of a table is best."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from confide.join.tree.entries import Entries
from confide.join.tree.layout import CodeTable, at_once, shares
from confide.mining.trees.splits import Criterion, criterion_code

__all__ = ["Scored", "Scores", "score_level", "winners"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scores:
    """The best split of one table at every node asked for; arrays run along `nodes`.

    `score` is the integer by which tables are compared (0: no split here), `children` how many nodes the split makes.
    `column` and `cut` (codes on both sides of a numeric cut; where missing numbers go) are the table's own business.
    """

    nodes: I64
    score: I64
    children: I64
    column: I32
    cut: I32

    def some(self, chosen: NDArray[np.bool_]) -> "Scores":
        """The scores of some of the nodes."""
        return Scores(
            self.nodes[chosen], self.score[chosen], self.children[chosen], self.column[chosen], self.cut[chosen]
        )


def winners(scores: Sequence[I64]) -> I64:
    """For each node the place of the table with the best score, the first of equals; -1 where none has a split.

    >>> winners([np.array([0, 3, 4]), np.array([0, 5, 4])])
    array([-1,  1,  0])
    """
    table = np.stack(scores)
    return np.where(table.max(axis=0) > 0, np.argmax(table, axis=0), -1)


@dataclass(frozen=True, eq=False)
class Scored:
    """Every column at every node, as the kernel left it."""

    nodes: I64
    criterion: Criterion
    numeric: NDArray[np.bool_]
    gains: I64
    infos: I64
    cuts: I32
    branches: I32

    def gain_sums(self) -> tuple[I64, I64]:
        """The sum of the useful gains of this table's columns at each node, and their number.

        Under the gain ratio only gains of at least the average over all tables compete: add these up over the
        tables and give them to `best`.
        """
        gains = _quantise(self.gains)
        useful = gains > 0
        return np.where(useful, gains, 0).sum(axis=1), useful.sum(axis=1)

    def best(self, sums: I64 | None = None, counts: I64 | None = None) -> Scores:
        """This table's best split at every node; ties go to the column that comes first."""
        if not len(self.numeric):
            none = np.zeros(len(self.nodes), dtype=np.int64)
            return Scores(self.nodes, none, none, none.astype(np.int32), np.full((len(none), 3), -1, np.int32))
        gains = _quantise(self.gains)
        scores = np.where(gains > 0, gains, 0)
        if self.criterion == "gain_ratio":
            if sums is None or counts is None:
                sums, counts = self.gain_sums()
            allowed = (gains > 0) & (gains * counts[:, None] >= sums[:, None])
            scores = np.where(allowed, _ratio_scores(self.gains, self.infos), 0)
        column = np.argmax(scores, axis=1)
        along = np.arange(len(self.nodes))
        return Scores(
            nodes=self.nodes,
            score=scores[along, column],
            children=self.branches[along, column].astype(np.int64),
            column=column.astype(np.int32),
            cut=np.where(self.numeric[column, None], self.cuts[along, column], np.int32(-1)),
        )


def score_level(
    level: Entries,
    nodes: I64,
    table: CodeTable,
    *,
    criterion: Criterion,
    min_leaf: int,
    min_branch: int,
    exponent: int,
    threads: int,
) -> Scored:
    """Count classes by value in every column, at every one of `nodes`, and score the best split of each column.

    `exponent` is `splits.grid(records of the whole join)`; `threads` is 1 where the level is not worth several.
    """
    from confide.join.tree._score_kernels import ColumnScores, Nodes, SplitRules, score_columns, sum_entries

    columns = table.columns
    n_classes, n_columns = level.counts.shape[1], len(columns.numeric)
    which = level.find(nodes)
    shape = (len(nodes), n_columns)
    gains, infos = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    cuts, branches = np.full((*shape, 3), -1, dtype=np.int32), np.zeros(shape, dtype=np.int32)

    totals = np.zeros((len(nodes), n_classes), dtype=np.int64)
    sum_entries(level, which, totals)
    packed = np.empty(0, dtype=np.uint64)
    if n_classes == 2 and totals.sum() < 1 << 32:
        # Two counts in one word halve what is read and added; neither half can overflow into the other.
        packed = level.counts[:, 0].view(np.uint64) | (level.counts[:, 1].view(np.uint64) << np.uint64(32))

    rules = SplitRules(criterion_code(criterion), 2.0**exponent, int(min_leaf), int(min_branch))

    def score(group: tuple[int, int], some: slice) -> None:
        nodes = Nodes(which[some], totals[some])
        scores = ColumnScores(gains[some], infos[some], cuts[some], branches[some])
        score_columns(columns, *group, level, packed, nodes, rules, scores)

    whole_level, all_columns = slice(0, len(nodes)), (0, n_columns)
    if threads < 2:
        score(all_columns, whole_level)
    else:
        # Columns of one node are best counted together, since its records are then fetched once.
        tasks = [(all_columns, some) for some in shares(level.sizes[which], 4 * threads)]
        if len(tasks) < threads:
            tasks = [(group, whole_level) for group in table.groups]
        at_once((partial(score, *task) for task in tasks), threads)
    return Scored(nodes, criterion, columns.numeric, gains, infos, cuts, branches)


def _quantise(gains: I64) -> I64:
    from confide.mining.trees.impurity_kernels import QUANTUM_BITS

    return (gains + (1 << (QUANTUM_BITS - 1))) >> QUANTUM_BITS


def _ratio_scores(gains: I64, infos: I64) -> I64:
    """`impurity_kernels.ratio_score` of whole arrays."""
    from confide.mining.trees.impurity_kernels import RATIO_BITS

    ratio = np.divide(gains, infos, out=np.zeros(gains.shape), where=infos > 0)
    return np.floor(ratio * (1 << RATIO_BITS) + 0.5).astype(np.int64)
