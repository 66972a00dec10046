"""Marginals: for each attribute alone, how the classes are distributed over its values; published with the tree.

Pseudo-data needs values for attributes that a path does not ask about. Drawn uniformly, they say nothing and blur what
other owners' trees say of them; drawn from marginals they are usual for the row's class. A marginal is itself a tree
of one question, so it is anonymised, verified and counted as a second publication like any other tree.
What nobody has is on no edge: pseudo-data has none of it, and whoever reads the marginal learns that.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError, UsageError
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.published import PublishedTree
from confide.mining.trees.coding import coded_as, ranked
from confide.mining.trees.table import TreeColumn, read_declared, read_labels

__all__ = ["marginal_trees", "with_marginals"]


def with_marginals(
    tree: PublishedTree, X: Any, y: Any, *, protect: Callable[[PublishedTree], PublishedTree] | None = None
) -> PublishedTree:
    """The tree, with a marginal of each attribute of the same records (a row of X and its class in y).

    `protect` makes each marginal fit to be published: as for the tree itself, it merges answers and raises
    RequirementError where nothing would be left; such an attribute goes without. None protects nobody, and is for
    experiments.
    """
    if not tree.declared:
        raise UsageError("marginals need declared domains; fit the tree with attributes= and classes=")
    kept = []
    for stump in marginal_trees(tree, X, y):
        try:
            kept.append(stump if protect is None else protect(stump))
        except RequirementError:
            continue
    return replace(tree, marginals=tuple(stump for stump in kept if len(stump.nodes) > 1))


def marginal_trees(tree: PublishedTree, X: Any, y: Any) -> list[PublishedTree]:
    """A tree of one question for each attribute that takes two values or more, as they are in the records."""
    columns, _ = read_declared(X, tree.attributes)
    _, codes = coded_as(read_labels(y), tree.classes)
    stumps = [_stump(tree, column, codes) for column in columns]
    return [stump for stump in stumps if stump is not None]


def _stump(tree: PublishedTree, column: TreeColumn, y: NDArray[np.int32]) -> PublishedTree | None:
    attribute = tree.attribute(column.name)
    if attribute.kind == "numeric":
        places, _, _ = ranked(column)
        answers = len(attribute.bins)  # its bins, and missing last
    else:
        places, answers = column.data.astype(np.int32), len(attribute.values)
    k = len(tree.classes)
    counts = np.bincount(places.astype(np.int64) * k + y, minlength=answers * k).reshape(answers, k)
    held = np.flatnonzero(counts.sum(axis=1) > 0)
    if len(held) < 2:
        return None
    edges = tuple(_edge(attribute, int(place), to=i + 1) for i, place in enumerate(held))
    root = replace(_node(tree, counts.sum(axis=0)), attribute=attribute.name, edges=edges)
    nodes = (root, *(_node(tree, counts[place]) for place in held))
    return PublishedTree(classes=tree.classes, attributes=tree.attributes, nodes=nodes, declared=True, partial=True)


def _node(tree: PublishedTree, counts: NDArray[np.int64]) -> Node:
    given = tuple(int(n) for n in counts)
    top = given.index(max(given))
    return Node(label=tree.classes[top], hit=given[top], miss=sum(given) - given[top], counts=given)


def _edge(attribute: Attribute, place: int, *, to: int) -> Edge:
    if attribute.kind == "categorical":
        return Edge(to=to, values=(attribute.values[place],))
    if place == len(attribute.bins) - 1:
        return Edge(to=to, missing=True)
    ends = (-np.inf, *attribute.cuts, np.inf)
    return Edge(to=to, intervals=((float(ends[place]), float(ends[place + 1])),))
