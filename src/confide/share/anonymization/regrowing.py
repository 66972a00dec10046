"""Growing leaves again that swallowed a subtree: pruning puts all of it into one leaf, the records can do better."""

from collections.abc import Container
from dataclasses import replace
from typing import Any

import numpy as np

from confide.core.requirements import Requirement
from confide.core.tables.schema import Schema
from confide.core.trees.covering import cover
from confide.core.trees.nodes import Node
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree
from confide.mining.trees.table import TreeColumn, read_labels
from confide.share.anonymization.leaf_growth import TreeGrower
from confide.share.pruning.leaf_tests import LeafTest

__all__ = ["regrown"]


def regrown(
    tree: PublishedTree,
    leaves: list[int],
    requirement: Requirement,
    X: Any,
    y: Any,
    *,
    schema: Schema | None,
    allowed: Container[str],
) -> PublishedTree:
    """The tree with these leaves grown again on the records that reach them, every new leaf keeping the requirement.

    A split on an attribute that the schema calls sensitive is not made, unless it is allowed by name.
    """
    walker = DecisionTree.from_published(tree)
    columns = [_in_domain(c, a.values) for c, a in zip(walker.columns(X), tree.attributes, strict=True)]
    columns = [replace(c, bins=a.bins) for c, a in zip(columns, tree.attributes, strict=True)]
    ends = walker.apply(X)
    labels = read_labels(y).astype(str)
    codes = np.array([tree.class_places[label] for label in labels.tolist()], dtype=np.int32)
    growth = TreeGrower(
        columns, codes, tree.classes, LeafTest.of(requirement, "exact"), "information_gain", merge=True,
        unused=_unused(tree, schema, allowed),
    )  # fmt: skip
    nodes: list[Node] = list(tree.nodes)
    for leaf in leaves:
        grown = growth.grow(np.flatnonzero(ends == leaf)).nodes()
        shift = len(nodes) - 1  # node 0 of what was grown takes the leaf's place
        moved = [replace(node, edges=tuple(replace(edge, to=edge.to + shift) for edge in node.edges)) for node in grown]
        nodes[leaf] = moved[0]
        nodes += moved[1:]
    whole = PublishedTree(classes=tree.classes, attributes=tree.attributes, nodes=tuple(nodes))
    return replace(cover(whole), declared=tree.declared)


def _unused(tree: PublishedTree, schema: Schema | None, allowed: Container[str]) -> frozenset[str]:
    if schema is None:
        return frozenset()
    fine = {name for name, role in schema.roles.items() if role in ("quasi-identifier", "insensitive")}
    return frozenset(a.name for a in tree.attributes if a.name not in fine and a.name not in allowed)


def _in_domain(column: TreeColumn, values: tuple[str | None, ...]) -> TreeColumn:
    if column.kind == "numeric":
        return column
    place = {value: code for code, value in enumerate(values)}
    codes = np.array([place[value] for value in column.values], dtype=np.int32)[column.data]
    return replace(column, data=codes, values=values)
