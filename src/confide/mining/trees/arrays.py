"""Between a published tree and flat arrays: what the growing kernel made, and what the walking kernel reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.trees.covering import cover
from confide.core.trees.published import Edge, Interval, Node, PublishedTree
from confide.mining.trees.table import Column

__all__ = ["Walker", "importances", "midway", "published", "threshold"]


def published(
    grown: NDArray[np.int64],
    stays: NDArray[np.bool_],
    columns: Sequence[Column],
    distinct: Sequence[NDArray[np.float64]],
    classes: Sequence[str],
    *,
    declared: bool = False,
) -> PublishedTree:
    """The nodes of `grown` that stay, numbered from the root down, children in the order of their values.

    A numeric cut is put midway between the two neighbouring values at the node, or on the lower one where no float
    lies between; the lower value goes left. Where bins are declared, it is the middle one of their edges between the
    two bins. `declared` trees cover their domains.
    """
    from confide.mining.trees._tree_kernels import COLUMN, COUNTS, CUT_HIGH, CUT_LOW, MISSING, PARENT, VALUE

    children: dict[int, list[int]] = {}
    for i in np.flatnonzero(stays)[1:].tolist():
        children.setdefault(int(grown[i, PARENT]), []).append(i)
    number: dict[int, int] = {}
    stack = [0]
    while stack:
        i = stack.pop()
        number[i] = len(number)
        stack.extend(reversed(children.get(i, [])))
    nodes: list[Node] = []
    rows = grown.tolist()
    for i in number:
        counts = tuple(rows[i][COUNTS:])
        hit = max(counts)
        below = children.get(i, [])
        attribute, edges = None, []
        if below:
            column = columns[rows[i][COLUMN]]
            attribute = column.name
            if column.kind == "numeric":
                cut = threshold(column, distinct[rows[i][COLUMN]], rows[i][CUT_LOW], rows[i][CUT_HIGH])
                sides: list[tuple[Interval, ...]] = [((-np.inf, cut),), ((cut, np.inf),) if cut < np.inf else ()]
                takes = rows[i][MISSING] - 1  # 0 left, 1 right, -1 nobody
                edges = [
                    Edge(to=number[k], intervals=sides[rows[k][VALUE]], missing=rows[k][VALUE] == takes) for k in below
                ]
            else:
                edges = [Edge(to=number[k], values=(column.values[rows[k][VALUE]],)) for k in below]
        nodes.append(
            Node(
                label=classes[counts.index(hit)],
                hit=hit,
                miss=sum(counts) - hit,
                counts=counts,
                attribute=attribute,
                edges=tuple(edges),
            )
        )
    attributes = tuple(column.attribute() for column in columns)
    # Only the domains are checked: the nodes are sound by the way they were grown, and looking at each again took
    # longer than making it.
    root = replace(nodes[0], attribute=None, edges=())
    domains = PublishedTree(classes=tuple(classes), attributes=attributes, nodes=(root,), declared=declared)
    tree = domains.derived(nodes)
    return cover(tree) if declared else tree


def threshold(column: Column, values: NDArray[np.float64], low: int, high: int) -> float:
    """The threshold between two codes of a numeric column; none is above the numbers if all of them go left."""
    if high == len(values):
        return np.inf
    if column.bins:
        return float(column.bins[(low + 1 + high) // 2])
    return midway(float(values[low]), float(values[high]))


def importances(tree: PublishedTree, *, gini: bool) -> NDArray[np.float64]:
    """The share of each attribute in the impurity that all splits take away; zeros if there is none."""
    if any(node.counts is None for node in tree.nodes):
        raise UsageError("this tree gives no class counts, so what its splits gain is not known")
    counts = np.array([node.counts for node in tree.nodes], dtype=np.float64)
    totals = counts.sum(axis=1)
    shares = np.divide(counts, totals[:, None], out=np.zeros_like(counts), where=totals[:, None] > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    mass = totals * ((1 - (shares**2).sum(axis=1)) if gini else -(shares * logs).sum(axis=1))
    place = {attribute.name: j for j, attribute in enumerate(tree.attributes)}
    gains: NDArray[np.float64] = np.zeros(len(tree.attributes))
    for i, node in enumerate(tree.nodes):
        if node.attribute is not None:
            gains[place[node.attribute]] += mass[i] - sum(mass[edge.to] for edge in node.edges)
    whole = gains.sum()
    return gains / whole if whole > 0 else np.zeros_like(gains)


def midway(low: float, high: float) -> float:
    """The threshold between two neighbouring values: halfway, but never so rounded that it reaches the higher one."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@dataclass(frozen=True)
class Walker:
    """A published tree as arrays, to send many records down at once."""

    tree: PublishedTree
    column: NDArray[np.int32]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    cuts: NDArray[np.float64]
    goes_to: NDArray[np.int32]
    base: NDArray[np.int64]
    missing_to: NDArray[np.int32]

    @classmethod
    def of(cls, tree: PublishedTree) -> "Walker":
        """Lay the tree out for `_tree_kernels.walk`."""
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
            tree,
            np.array(columns, dtype=np.int32),
            np.array(starts, dtype=np.int64),
            np.array(stops, dtype=np.int64),
            np.array(cuts, dtype=np.float64),
            np.array(goes_to, dtype=np.int32),
            np.array(bases, dtype=np.int64),
            np.array(missing, dtype=np.int32),
        )

    def locate(self, columns: Sequence[Column]) -> NDArray[np.int32]:
        """The node each record ends at; columns in the order of the tree's attributes."""
        from confide.mining.trees import _tree_kernels as kernels

        table = np.empty((len(columns), len(columns[0].data)), dtype=np.float64)
        for j, (column, attribute) in enumerate(zip(columns, self.tree.attributes, strict=True)):
            if attribute.kind == "numeric":
                table[j] = column.data
            else:
                code: dict[Any, int] = {value: v for v, value in enumerate(attribute.values)}
                table[j] = np.array([code.get(value, -1) for value in column.values] or [-1])[column.data]
        return kernels.walk(
            table, self.column, self.start, self.stop, self.cuts, self.goes_to, self.base, self.missing_to
        )


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
