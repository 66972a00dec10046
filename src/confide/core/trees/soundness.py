"""What makes a published tree sound, and reading one from plain data. Every fault names its place."""

import math
import sys
from itertools import pairwise
from typing import Any, get_args

from confide.core.errors import InputError
from confide.core.trees.covering import covers
from confide.core.trees.nodes import Attribute, Edge, Interval, Kind, Node
from confide.core.trees.published import FORMAT, VERSION, PublishedTree

__all__ = [
    "check_attribute",
    "check_counts",
    "check_edges",
    "check_tree",
    "distinct",
    "fields_of",
    "list_of",
    "read_attribute",
    "read_edge",
    "read_node",
    "read_tree",
    "text_of",
]

# Counts of a join may pass 2**53; JSON carries them exactly, and so must whoever reads it.
LARGEST = 2**63 - 1


def check_tree(tree: PublishedTree) -> None:
    """Raise InputError at the first place where the tree is not one."""
    distinct(tree.classes, "classes")
    distinct([attribute.name for attribute in tree.attributes], "attributes")
    known = {}
    for i, attribute in enumerate(tree.attributes):
        check_attribute(attribute, f"attributes[{i}]", declared=tree.declared)
        known[attribute.name] = attribute
    domains = {name: frozenset(attribute.values) for name, attribute in known.items()}
    if not tree.nodes:
        raise InputError("a tree has at least one node", source="nodes")
    reached = [0] * len(tree.nodes)
    for i, node in enumerate(tree.nodes):
        check_counts(tree, node, f"nodes[{i}]")
        if (node.attribute is None) != (not node.edges):
            raise InputError("an attribute needs edges and edges need an attribute", source=f"nodes[{i}]")
        if node.attribute is None:
            continue
        if node.attribute not in known:
            raise InputError(
                f"no attribute {node.attribute!r}; attributes are: {', '.join(known)}", source=f"nodes[{i}].attribute"
            )
        check_edges(node.edges, known[node.attribute], domains[node.attribute], f"nodes[{i}].edges")
        if tree.declared:
            _check_declared(node, known[node.attribute], f"nodes[{i}]", partial=tree.partial)
        for k, edge in enumerate(node.edges):
            if not i < edge.to < len(tree.nodes):
                raise InputError(
                    f"leads to node {edge.to}; a child comes after its parent, before {len(tree.nodes)}",
                    source=f"nodes[{i}].edges[{k}].to",
                )
            reached[edge.to] += 1
    for i, times in enumerate(reached[1:], start=1):
        if times != 1:
            raise InputError(f"{times} edges lead here; every node but the root has one", source=f"nodes[{i}]")
    _check_marginals(tree)
    if tree.shares_of is not None:
        given = sum(node.total for node in tree.nodes if node.is_leaf)
        if given != tree.shares_of:
            raise InputError(f"is {tree.shares_of:,}, but the leaves have {given:,} together", source="shares_of")


def _check_marginals(tree: PublishedTree) -> None:
    """Each asks one question, about an attribute of its own, and speaks of the tree's classes and attributes."""
    asked: set[str | None] = set()
    for i, stump in enumerate(tree.marginals):
        place = f"marginals[{i}]"
        same = (stump.classes, stump.attributes, stump.declared) == (tree.classes, tree.attributes, tree.declared)
        if not same or stump.marginals or stump.shares_of is not None:
            raise InputError("must have the classes and attributes of its tree, and no marginals", source=place)
        if not stump.nodes[0].edges or not all(node.is_leaf and node.counts for node in stump.nodes[1:]):
            raise InputError("must ask one question and give class counts for each answer", source=place)
        if stump.nodes[0].attribute in asked:
            raise InputError(f"a second one about {stump.nodes[0].attribute!r}", source=place)
        asked.add(stump.nodes[0].attribute)


def check_attribute(attribute: Attribute, place: str, *, declared: bool) -> None:
    """A domain that is one."""
    if attribute.kind not in get_args(Kind):
        raise InputError(f"is {attribute.kind!r}; use categorical or numeric", source=f"{place}.kind")
    distinct(attribute.values, f"{place}.values")
    numeric = attribute.kind == "numeric"
    if (attribute.values and numeric) or (attribute.bins and not numeric):
        raise InputError("a categorical attribute has values, a numeric one bins", source=place)
    bins = attribute.bins
    if bins and (len(bins) < 2 or not all(low < high for low, high in pairwise(bins))):
        raise InputError("two edges of bins or more, ascending", source=f"{place}.bins")
    if not all(math.isfinite(edge) for edge in bins):
        raise InputError("edges of bins are finite: the first and the last bound the domain", source=f"{place}.bins")
    if attribute.whole and not (bins and all(float(edge).is_integer() for edge in bins)):
        raise InputError("numbers that are whole have bins with whole edges", source=f"{place}.whole")
    if declared and not (bins or attribute.values):
        raise InputError(
            f"no domain; declare the {'bins' if numeric else 'values'} of {attribute.name!r}", source=place
        )


def _check_declared(node: Node, attribute: Attribute, place: str, *, partial: bool) -> None:
    if not partial and not covers(node.edges, attribute):
        raise InputError(
            f"the domain of {attribute.name!r} is declared, and the edges do not cover it", source=f"{place}.edges"
        )
    if attribute.kind == "numeric":
        ends = {end for edge in node.edges for ends in edge.intervals for end in ends if math.isfinite(end)}
        if not ends.issubset(attribute.cuts):
            raise InputError(f"a cut of {attribute.name!r} that is no edge of its bins", source=f"{place}.edges")


def distinct(values: Any, place: str) -> None:
    """No entry twice."""
    if len(set(values)) != len(values):
        raise InputError("the same entry twice", source=place)


def check_counts(tree: Any, node: Node, place: str) -> None:
    """What a node says of its records; `tree` has the classes and their places."""
    place_of = tree.class_places  # looked up, since a hostile tree may have as many classes as nodes
    if node.label not in place_of:
        raise InputError(
            f"{node.label!r} is not a class; classes are: {', '.join(tree.classes)}", source=f"{place}.class"
        )
    if node.hit < 0 or node.miss < 0:
        raise InputError("counts are 0 or more", source=f"{place}.{'hit' if node.hit < 0 else 'miss'}")
    if node.at_most is not None:
        if node.counts is not None or len(node.at_most) != len(tree.classes) or min(node.at_most) < 0:
            raise InputError(
                f"without counts, one bound of 0 or more for each of {len(tree.classes)} classes",
                source=f"{place}.at_most",
            )
        if node.at_most[place_of[node.label]] < node.hit or not max(node.at_most) <= node.total <= sum(node.at_most):
            raise InputError("do not agree with class, hit and miss", source=f"{place}.at_most")
    if node.counts is None:
        return
    if len(node.counts) != len(tree.classes) or min(node.counts) < 0:
        raise InputError(f"one count of 0 or more for each of {len(tree.classes)} classes", source=f"{place}.counts")
    if node.counts[place_of[node.label]] != node.hit or sum(node.counts) != node.total:
        raise InputError("do not agree with class, hit and miss", source=f"{place}.counts")


def check_edges(edges: tuple[Edge, ...], attribute: Attribute, domain: frozenset[Any], place: str) -> None:
    """Edges of one attribute: values of its domain or sound intervals, no two edges with the same; `place[0]` is the
    first."""
    seen: set[Any] = set()
    ranges: list[tuple[Interval, int]] = []
    for k, edge in enumerate(edges):
        here = f"{place}[{k}]"
        if attribute.kind == "categorical":
            if not edge.values or edge.intervals or edge.missing:
                raise InputError(f"{attribute.name!r} is categorical; give values, null for a missing one", source=here)
            if not domain.issuperset(edge.values):
                raise InputError(f"a value outside the domain of {attribute.name!r}", source=f"{here}.values")
            if seen & set(edge.values) or len(set(edge.values)) != len(edge.values):
                raise InputError("a value on two edges, or twice on one", source=f"{here}.values")
            seen |= set(edge.values)
        else:
            if not (edge.intervals or edge.missing) or edge.values:
                raise InputError(f"{attribute.name!r} is numeric; give intervals", source=here)
            if not all(low < high for low, high in edge.intervals):
                raise InputError("an interval's low end is below its high end", source=f"{here}.intervals")
            if list(edge.intervals) != sorted(edge.intervals):
                raise InputError("intervals come in ascending order", source=f"{here}.intervals")
            ranges += [(interval, k) for interval in edge.intervals]
    if sum(edge.missing for edge in edges) > 1:
        raise InputError("two edges take missing numbers", source=place)
    ranges.sort()
    for (before, _), (after, k) in pairwise(ranges):
        if after[0] < before[1]:
            raise InputError("two intervals overlap", source=f"{place}[{k}].intervals")


# -- reading --------------------------------------------------------------------------------------------------------


def read_tree(plain: Any) -> PublishedTree:
    """Make a tree from plain data, as `PublishedTree.to_dict` gives it."""
    if isinstance(plain, dict) and (plain.get("format"), plain.get("version")) != (FORMAT, VERSION):
        found = f"{plain.get('format')!r} version {plain.get('version')!r}"[:80]
        raise InputError(
            f"is {found}; this program reads {FORMAT!r} version {VERSION}: learn the tree again, or write it again "
            "with the program that made it",
            source="tree.format",
        )
    required = ("format", "version", "declared", "classes", "attributes", "nodes")
    fields = fields_of(plain, "tree", required=required, optional=("shares_of", "marginals"))
    if not isinstance(fields["declared"], bool):
        raise InputError("must be true or false", source="tree.declared")
    shares_of = _count(fields["shares_of"], "shares_of") if "shares_of" in fields else None
    classes = tuple(text_of(c, f"classes[{i}]") for i, c in enumerate(list_of(fields["classes"], "classes")))
    listed = list_of(fields["attributes"], "attributes")
    attributes = tuple(read_attribute(a, f"attributes[{i}]") for i, a in enumerate(listed))
    nodes = _nodes(fields["nodes"], "nodes")
    domains: dict[str, Any] = {"classes": classes, "attributes": attributes, "declared": fields["declared"]}
    marginals = tuple(
        PublishedTree(**domains, nodes=_nodes(stump, f"marginals[{i}]"), partial=True)
        for i, stump in enumerate(list_of(fields.get("marginals", []), "marginals"))
    )
    return PublishedTree(**domains, nodes=nodes, shares_of=shares_of, marginals=marginals)


def _nodes(plain: Any, place: str) -> tuple[Node, ...]:
    return tuple(read_node(node, f"{place}[{i}]") for i, node in enumerate(list_of(plain, place)))


def read_attribute(plain: Any, place: str) -> Attribute:
    """An attribute from plain data."""
    fields = fields_of(plain, place, required=("name", "kind"), optional=("values", "bins", "whole"))
    if fields["kind"] == "categorical" and "values" not in fields:
        raise InputError("no domain; a categorical attribute lists its values", source=place)
    bins = tuple(_number(edge, f"{place}.bins[{i}]") for i, edge in enumerate(list_of(fields.get("bins", []), place)))
    values = tuple(_value(v, f"{place}.values[{i}]") for i, v in enumerate(list_of(fields.get("values", []), place)))
    if fields.get("whole", True) is not True:  # left out where it is not so
        raise InputError("is true, or left out", source=f"{place}.whole")
    return Attribute(
        name=text_of(fields["name"], f"{place}.name"),
        kind=fields["kind"],
        values=values,
        bins=bins,
        whole="whole" in fields,
    )


def read_node(plain: Any, place: str) -> Node:
    """A node from plain data."""
    optional = ("counts", "at_most", "attribute", "edges")
    fields = fields_of(plain, place, required=("class", "hit", "miss"), optional=optional)
    attribute = fields.get("attribute")
    edges = list_of(fields.get("edges", []), f"{place}.edges")
    return Node(
        label=text_of(fields["class"], f"{place}.class"),
        hit=_count(fields["hit"], f"{place}.hit"),
        miss=_count(fields["miss"], f"{place}.miss"),
        counts=_counts(fields.get("counts"), f"{place}.counts"),
        at_most=_counts(fields.get("at_most"), f"{place}.at_most"),
        attribute=None if attribute is None else text_of(attribute, f"{place}.attribute"),
        edges=tuple(read_edge(e, f"{place}.edges[{k}]") for k, e in enumerate(edges)),
    )


def read_edge(plain: Any, place: str) -> Edge:
    """An edge from plain data."""
    fields = fields_of(plain, place, required=("to",), optional=("values", "intervals", "missing"))
    if fields.get("missing", True) is not True:
        raise InputError("is true, or left out", source=f"{place}.missing")
    values = list_of(fields.get("values", []), f"{place}.values")
    intervals = list_of(fields.get("intervals", []), f"{place}.intervals")
    return Edge(
        to=_count(fields["to"], f"{place}.to"),
        values=tuple(_value(v, f"{place}.values[{i}]") for i, v in enumerate(values)),
        intervals=tuple(_interval(x, f"{place}.intervals[{i}]") for i, x in enumerate(intervals)),
        missing="missing" in fields,
    )


def _interval(plain: Any, place: str) -> Interval:
    ends = list_of(plain, place)
    if len(ends) != 2 or not all(end is None or _is_number(end) for end in ends):
        raise InputError("an interval is [low, high], each a number or null", source=place)
    return (-math.inf if ends[0] is None else float(ends[0]), math.inf if ends[1] is None else float(ends[1]))


def _is_number(plain: Any) -> bool:
    return isinstance(plain, int | float) and not isinstance(plain, bool) and abs(plain) <= sys.float_info.max


def _number(plain: Any, place: str) -> float:
    if not _is_number(plain):
        raise InputError("must be a number", source=place)
    return float(plain)


def _counts(plain: Any, place: str) -> tuple[int, ...] | None:
    return None if plain is None else tuple(_count(n, f"{place}[{i}]") for i, n in enumerate(list_of(plain, place)))


def fields_of(plain: Any, place: str, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """An object with these fields, and no others."""
    if not isinstance(plain, dict):
        raise InputError(f"must be an object, not {type(plain).__name__}", source=place)
    if missing := [name for name in required if name not in plain]:
        raise InputError(f"no field {missing[0]!r}", source=place)
    if strange := [name for name in plain if name not in (*required, *optional)]:
        raise InputError(f"unknown field {strange[0]!r}; fields are: {', '.join((*required, *optional))}", source=place)
    return plain


def list_of(plain: Any, place: str) -> list[Any]:
    """A list, or an error."""
    if not isinstance(plain, list):
        raise InputError(f"must be a list, not {type(plain).__name__}", source=place)
    return plain


def text_of(plain: Any, place: str) -> str:
    """Text, or an error."""
    if not isinstance(plain, str):
        raise InputError(f"must be text, not {type(plain).__name__}", source=place)
    return plain


def _value(plain: Any, place: str) -> str | None:
    return None if plain is None else text_of(plain, place)


def _count(plain: Any, place: str) -> int:
    if not isinstance(plain, int) or isinstance(plain, bool) or not 0 <= plain <= LARGEST:
        raise InputError("must be a whole number from 0", source=place)
    return plain
