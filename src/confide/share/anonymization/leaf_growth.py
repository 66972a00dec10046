"""Growing a tree every leaf of which keeps a requirement (paper 002, section 6.2: LDM), and merging as it grows (ours).

At each node a split competes only if all its children pass. With `merge`, children of a categorical split that fail
are first merged, as pruning does, and the split competes with what is left, if that is more than one. By exact counts
whatever joins passing leaves passes too, so nothing above a split needs to be tested again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from confide.core.trees.nodes import Edge, Node
from confide.mining.trees.arrays import threshold
from confide.mining.trees.coding import ranked
from confide.mining.trees.pruning import prune
from confide.mining.trees.splits import Criterion, criterion_code, grid
from confide.mining.trees.table import TreeColumn
from confide.share.pruning.leaf_tests import LeafTest

__all__ = ["TreeGrower", "Grown"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@dataclass
class TreeGrower:
    """Columns and classes of the records, and how to grow; `grow` gives a tree on some of the records.

    `unused` are columns never to split on.
    """

    columns: Sequence[TreeColumn]
    y: I32
    classes: Sequence[str]
    test: LeafTest
    criterion: Criterion
    merge: bool
    min_leaf: int = 1
    min_branch: int = 1
    max_depth: int | None = None
    unused: frozenset[str] = frozenset()
    codes: I32 = field(init=False)
    numbers: list[NDArray[np.float64]] = field(init=False)

    def __post_init__(self) -> None:
        self.codes, self.numbers = np.empty((len(self.columns), len(self.y)), dtype=np.int32), []
        for j, column in enumerate(self.columns):
            if column.kind == "numeric":
                self.codes[j], _, numbers = ranked(column)
            else:
                self.codes[j], numbers = column.data, np.zeros(len(column.values))
            self.numbers.append(numbers)

    def grow(self, rows: I64) -> "Grown":
        """The tree on these records."""
        from confide.mining.trees.impurity_kernels import term_table
        from confide.share.anonymization import _growth_kernels as kernels

        scale = 2.0 ** grid(max(1, len(rows)))
        records = kernels.GrowthRecords(
            self.codes,
            np.array([column.kind == "numeric" for column in self.columns]),
            np.array([column.name not in self.unused for column in self.columns]),
            np.array([len(numbers) for numbers in self.numbers], dtype=np.int64),
            np.array(rows, dtype=np.int64),
            np.ascontiguousarray(self.y, dtype=np.int32),
        )
        rules = kernels.GrowthRules(
            term_table(len(rows), scale),
            criterion_code(self.criterion),
            scale,
            int(self.min_leaf),
            int(self.min_branch),
            len(rows) if self.max_depth is None else int(self.max_depth),
            self.merge,
        )
        nodes, answers = kernels.grow_diverse(records, len(self.classes), rules, self.test)
        return Grown(self, nodes, answers)


@dataclass(frozen=True)
class Grown:
    """What the kernel made: a row a node, and the children that categories lead to; `nodes` are the published form."""

    growth: TreeGrower
    table: I64
    answers: I64

    def staying(self, confidence: float | None) -> NDArray[np.bool_]:
        """Which nodes pessimistic pruning leaves; a subtree's leaf passes if its leaves did. None: all."""
        from confide.share.anonymization._growth_kernels import COUNTS, PARENT

        if confidence is None:
            return np.ones(len(self.table), dtype=np.bool_)
        counts = self.table[:, COUNTS:]
        totals = counts.sum(axis=1)
        return prune(self.table[:, PARENT], totals - counts.max(axis=1), totals, confidence=confidence)

    @property
    def labels(self) -> I64:
        """The commonest class of each node, by number."""
        from confide.share.anonymization._growth_kernels import COUNTS

        return np.asarray(self.table[:, COUNTS:].argmax(axis=1))

    def leaf_above(self, confidence: float | None) -> I64:
        """For each node, the leaf that pruning puts it into; itself if it stays."""
        from confide.share.anonymization._growth_kernels import PARENT

        stays = self.staying(confidence)
        home = np.arange(len(stays))
        gone = np.flatnonzero(~stays)
        home[gone] = self.table[gone, PARENT]
        while not stays[home].all():
            home = home[home]
        return home

    def locate(self, rows: I64) -> I64:
        """The node at which each of these records ends. A value that was not seen at a node goes with its largest
        child; a number between two that were, to the side of the nearer rank."""
        from confide.share.anonymization import _growth_kernels as kernels

        growth = self.growth
        widths = np.array([len(numbers) for numbers in growth.numbers], dtype=np.int64)
        ends: I64 = kernels.locate(self.table, self.answers, growth.codes, widths, np.array(rows, dtype=np.int64))
        return ends

    def nodes(self, *, confidence: float | None = None) -> list[Node]:
        """The nodes that stay, parents first."""
        from confide.share.anonymization._growth_kernels import COLUMN, COUNTS, PARENT

        stays = self.staying(confidence)
        kept = np.flatnonzero(stays)
        number = np.cumsum(stays) - 1
        classes = self.growth.classes
        parents = self.table[:, PARENT]
        first = np.searchsorted(parents, np.arange(len(parents)))  # children of a node are neighbours, parents ascend
        first_of, columns = first.tolist(), self.table[:, COLUMN].tolist()
        made = []
        for i, own in zip(kept.tolist(), self.table[kept, COUNTS:].tolist(), strict=True):
            hit = max(own)
            splits = columns[i] >= 0 and bool(stays[first_of[i]])
            made.append(
                Node(
                    label=classes[own.index(hit)],
                    hit=hit,
                    miss=sum(own) - hit,
                    counts=tuple(own),
                    attribute=self.growth.columns[columns[i]].name if splits else None,
                    edges=self._edges(i, int(number[first_of[i]])) if splits else (),
                )
            )
        return made

    def _edges(self, i: int, first: int) -> tuple[Edge, ...]:
        """The edges of node i, whose children are numbered from `first` on."""
        from confide.share.anonymization import _growth_kernels as kernels

        row = self.table[i]
        j = int(row[kernels.COLUMN])
        column = self.growth.columns[j]
        if column.kind == "numeric":
            low, high = int(row[kernels.CUT_LOW]), int(row[kernels.CUT_HIGH])
            at = threshold(column, self.growth.numbers[j], low, high)
            missing = int(row[kernels.MISSING])
            above = ((at, np.inf),) if np.isfinite(at) else ()
            return (
                Edge(to=first, intervals=((-np.inf, at),), missing=missing == 0),
                Edge(to=first + 1, intervals=above, missing=missing == 1),
            )
        families: list[list[str | None]] = []
        begin = int(row[kernels.ANSWER])
        for code, child in self.answers[begin : begin + int(row[kernels.CUT_LOW])].tolist():
            while len(families) <= child:
                families.append([])
            families[child].append(column.values[code])
        return tuple(Edge(to=first + k, values=tuple(values)) for k, values in enumerate(families))
