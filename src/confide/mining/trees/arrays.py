"""From what the growing kernel made to a published tree."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.trees.covering import cover
from confide.core.trees.published import Edge, Interval, Node, PublishedTree
from confide.mining.trees.table import TreeColumn

__all__ = [
    "COLUMN",
    "COUNTS",
    "CUT_HIGH",
    "CUT_LOW",
    "DEPTH",
    "HIGH",
    "LEFT",
    "LOW",
    "MISSING",
    "PARENT",
    "RIGHT",
    "VALUE",
    "importances",
    "midway",
    "published",
    "threshold",
]

# Columns of the table of nodes; class counts follow.
PARENT, VALUE, COLUMN, CUT_LOW, CUT_HIGH, LOW, HIGH, DEPTH, MISSING, COUNTS = range(10)
# Where the missing numbers of a node's column go; 0 where there are none.
LEFT, RIGHT = 1, 2


def published(
    grown: NDArray[np.int64],
    stays: NDArray[np.bool_],
    columns: Sequence[TreeColumn],
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


def threshold(column: TreeColumn, values: NDArray[np.float64], low: int, high: int) -> float:
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
