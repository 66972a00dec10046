"""Whether the edges of each node cover the attribute's domain, and making them do so (Definition 4).

In a tree that covers, every record of the domain ends at exactly one leaf, whatever its values and whether or not its
numbers are there. Values that no record had at a node go with the largest child, so no leaf's counts change.
"""

from dataclasses import replace

from confide.core.trees.nodes import EVERYTHING, Attribute, Edge, Interval, Node, joined
from confide.core.trees.published import PublishedTree

__all__ = ["cover", "covers", "uncovered"]


def uncovered(tree: PublishedTree) -> int | None:
    """The first node whose edges leave out a value, a number or missing numbers; None if there is none."""
    for i, node in enumerate(tree.nodes):
        if node.attribute is not None and not covers(node.edges, tree.attribute(node.attribute)):
            return i
    return None


def covers(edges: tuple[Edge, ...], attribute: Attribute) -> bool:
    """Whether every value of the domain (for numbers: each one, and missing) is on an edge."""
    if attribute.kind == "categorical":
        return sum(len(edge.values) for edge in edges) == len(attribute.values)
    return any(edge.missing for edge in edges) and joined(*(edge.intervals for edge in edges)) == EVERYTHING


def cover(tree: PublishedTree) -> PublishedTree:
    """The same tree with edges that cover: what a node's edges leave out goes with its largest child (the first of
    equals)."""
    nodes = list(tree.nodes)
    left_out = False
    for i, node in enumerate(nodes):
        if node.attribute is None or covers(node.edges, tree.attribute(node.attribute)):
            continue
        sizes = [tree.nodes[edge.to].total for edge in node.edges]
        k = sizes.index(max(sizes))
        edges = list(node.edges)
        edges[k] = _taking_the_rest(node, k, tree.attribute(node.attribute))
        nodes[i] = replace(node, edges=tuple(edges))
        left_out = True
    return tree.derived(nodes) if left_out else tree


def _taking_the_rest(node: Node, k: int, attribute: Attribute) -> Edge:
    edge, others = node.edges[k], [other for j, other in enumerate(node.edges) if j != k]
    if attribute.kind == "categorical":
        taken = {value for other in others for value in other.values}
        return replace(edge, values=tuple(value for value in attribute.values if value not in taken))
    rest = _gaps(joined(*(other.intervals for other in others)))
    return replace(edge, intervals=rest, missing=not any(other.missing for other in others))


def _gaps(intervals: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """What ascending, disjoint intervals leave of the line."""
    low, rest = EVERYTHING[0][0], []
    for begin, end in intervals:
        rest.append((low, begin))
        low = end
    rest.append((low, EVERYTHING[0][1]))
    return tuple((a, b) for a, b in rest if a < b)
