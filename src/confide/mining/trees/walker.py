"""A tree as flat arrays, to send many records down at once: from a published tree, or straight from what was grown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.trees.nodes import Attribute, Node
from confide.core.trees.published import PublishedTree
from confide.mining.trees.arrays import COLUMN, COUNTS, CUT_HIGH, CUT_LOW, threshold
from confide.mining.trees.table import TreeColumn

__all__ = ["Walker"]


@dataclass(frozen=True)
class Walker:
    """The nodes, numbered as in the published tree, laid out for `_walk_kernels.walk`.

    `labels` is the place of each node's class; `counts` are the records of each class at each node, or, where the tree
    gives only hit and miss, the misses shared out evenly among the other classes.
    """

    attributes: tuple[Attribute, ...]
    labels: NDArray[np.int64]
    counts: NDArray[np.float64]
    column: NDArray[np.int32]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    cuts: NDArray[np.float64]
    goes_to: NDArray[np.int32]
    base: NDArray[np.int64]
    missing_to: NDArray[np.int32]

    @classmethod
    def of(cls, tree: PublishedTree) -> "Walker":
        """Of a published tree."""
        place = {attribute.name: j for j, attribute in enumerate(tree.attributes)}
        code = [{value: v for v, value in enumerate(attribute.values)} for attribute in tree.attributes]
        columns, starts, stops, bases, missing = [], [], [], [], []
        cuts: list[float] = []
        goes_to: list[int] = []
        for node in tree.nodes:
            j = -1 if node.attribute is None else place[node.attribute]
            columns.append(j)
            bases.append(len(goes_to))
            missing.append(next((edge.to for edge in node.edges if edge.missing), -1))
            numeric = j >= 0 and tree.attributes[j].kind == "numeric"
            starts.append(len(cuts) if numeric else -1)
            if numeric:
                edges, answers = _cuts_and_answers(node)
                cuts += edges
                goes_to += answers
            elif j >= 0:
                answers = [-1] * len(code[j])
                for edge in node.edges:
                    for value in edge.values:
                        answers[code[j][value]] = edge.to
                goes_to += answers
            stops.append(len(cuts))
        return cls(
            tree.attributes,
            np.array([tree.class_places[node.label] for node in tree.nodes], dtype=np.int64),
            _counts(tree),
            np.array(columns, dtype=np.int32),
            np.array(starts, dtype=np.int64),
            np.array(stops, dtype=np.int64),
            np.array(cuts, dtype=np.float64),
            np.array(goes_to, dtype=np.int32),
            np.array(bases, dtype=np.int64),
            np.array(missing, dtype=np.int32),
        )

    @classmethod
    def of_grown(
        cls,
        grown: NDArray[np.int64],
        stays: NDArray[np.bool_],
        columns: Sequence[TreeColumn],
        distinct: Sequence[NDArray[np.float64]],
        *,
        declared: bool = False,
    ) -> "Walker":
        """Of what the growing kernel made: as `of(published(...))`, without making thousands of nodes first."""
        from confide.mining.trees._walk_kernels import lay_out

        numeric = np.array([column.kind == "numeric" for column in columns])
        widths = np.array(
            [len(d) if c.kind == "numeric" else len(c.values) for c, d in zip(columns, distinct, strict=True)],
            dtype=np.int64,
        )
        order, asked, base, goes_to, missing_to, cut = lay_out(grown, stays, numeric, widths, declared)
        rows = grown[order]
        cuts = [
            threshold(columns[j], distinct[j], low, high)
            for j, low, high in rows[cut][:, [COLUMN, CUT_LOW, CUT_HIGH]].tolist()
        ]
        stop = np.cumsum(cut)
        on_numbers = (asked >= 0) & numeric[asked]
        counts = rows[:, COUNTS:]
        return cls(
            tuple(column.attribute() for column in columns),
            counts.argmax(axis=1),
            counts.astype(np.float64),
            asked,
            np.where(on_numbers, stop - cut, -1),
            stop,
            np.array(cuts, dtype=np.float64),
            goes_to,
            base,
            missing_to,
        )

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each class at each node; all alike where nobody is."""
        totals = self.counts.sum(axis=1, keepdims=True)
        even = np.full(self.counts.shape, 1 / self.counts.shape[1])
        return np.divide(self.counts, totals, out=even, where=totals > 0)

    def locate(self, columns: Sequence[TreeColumn]) -> NDArray[np.int32]:
        """The node each record ends at; columns in the order of the tree's attributes."""
        from confide.mining.trees._walk_kernels import walk

        table = np.empty((len(columns), len(columns[0].data)), dtype=np.float64)
        for j, (column, attribute) in enumerate(zip(columns, self.attributes, strict=True)):
            if attribute.kind == "numeric":
                table[j] = column.data
            else:
                code: dict[Any, int] = {value: v for v, value in enumerate(attribute.values)}
                table[j] = np.array([code.get(value, -1) for value in column.values] or [-1])[column.data]
        return walk(table, self.column, self.start, self.stop, self.cuts, self.goes_to, self.base, self.missing_to)


def _counts(tree: PublishedTree) -> NDArray[np.float64]:
    k = len(tree.classes)
    counts: NDArray[np.float64] = np.empty((len(tree.nodes), k))
    for i, node in enumerate(tree.nodes):
        if node.counts is not None:
            counts[i] = node.counts
        else:
            counts[i] = node.miss / (k - 1) if k > 1 else 0
            counts[i, tree.class_places[node.label]] = node.hit
    return counts


def _cuts_and_answers(node: Node) -> tuple[list[float], list[int]]:
    """Where the line is cut, and the child of each piece (-1 where no edge holds it)."""
    ends = {end for edge in node.edges for interval in edge.intervals for end in interval}
    cuts = sorted(end for end in ends if np.isfinite(end))
    pieces = list(zip([-np.inf, *cuts], [*cuts, np.inf], strict=True))
    answers = []
    for low, high in pieces:
        holds = (e.to for e in node.edges if any(a <= low and high <= b for a, b in e.intervals))
        answers.append(next(holds, -1))
    return cuts, answers
