"""What makes a published tree sound, and reading one from plain data. Every fault names its place."""

import math
import sys
from itertools import pairwise
from typing import Any, get_args

from confide.core.errors import InputError
from confide.core.trees.published import FORMAT, VERSION, Attribute, Edge, Interval, Kind, Node, PublishedTree

__all__ = ["check_tree", "read_tree"]

# Counts of a join may pass 2**53; JSON carries them exactly, and so must whoever reads it.
LARGEST = 2**63 - 1


def check_tree(tree: PublishedTree) -> None:
    """Raise InputError at the first place where the tree is not one."""
    _distinct(tree.classes, "classes")
    _distinct([attribute.name for attribute in tree.attributes], "attributes")
    known = {}
    for i, attribute in enumerate(tree.attributes):
        if attribute.kind not in get_args(Kind):
            raise InputError(f"is {attribute.kind!r}; use categorical or numeric", source=f"attributes[{i}].kind")
        _distinct(attribute.values, f"attributes[{i}].values")
        known[attribute.name] = attribute
    domains = {name: frozenset(attribute.values) for name, attribute in known.items()}
    if not tree.nodes:
        raise InputError("a tree has at least one node", source="nodes")
    reached = [0] * len(tree.nodes)
    for i, node in enumerate(tree.nodes):
        _check_counts(tree, node, f"nodes[{i}]")
        if (node.attribute is None) != (not node.edges):
            raise InputError("an attribute needs edges and edges need an attribute", source=f"nodes[{i}]")
        if node.attribute is None:
            continue
        if node.attribute not in known:
            raise InputError(
                f"no attribute {node.attribute!r}; attributes are: {', '.join(known)}", source=f"nodes[{i}].attribute"
            )
        _check_edges(node, known[node.attribute], domains[node.attribute], f"nodes[{i}]")
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


def _distinct(values: Any, place: str) -> None:
    if len(set(values)) != len(values):
        raise InputError("the same entry twice", source=place)


def _check_counts(tree: PublishedTree, node: Node, place: str) -> None:
    place_of = tree.class_places  # looked up, since a hostile tree may have as many classes as nodes
    if node.label not in place_of:
        raise InputError(
            f"{node.label!r} is not a class; classes are: {', '.join(tree.classes)}", source=f"{place}.class"
        )
    if node.hit < 0 or node.miss < 0:
        raise InputError("counts are 0 or more", source=f"{place}.{'hit' if node.hit < 0 else 'miss'}")
    if node.counts is None:
        return
    if len(node.counts) != len(tree.classes) or min(node.counts) < 0:
        raise InputError(f"one count of 0 or more for each of {len(tree.classes)} classes", source=f"{place}.counts")
    if node.counts[place_of[node.label]] != node.hit or sum(node.counts) != node.total:
        raise InputError("do not agree with class, hit and miss", source=f"{place}.counts")


def _check_edges(node: Node, attribute: Attribute, domain: frozenset[Any], place: str) -> None:
    seen: set[Any] = set()
    ranges: list[tuple[Interval, int]] = []
    for k, edge in enumerate(node.edges):
        here = f"{place}.edges[{k}]"
        if attribute.kind == "categorical":
            if not edge.values or edge.intervals:
                raise InputError(f"{attribute.name!r} is categorical; give values", source=here)
            if not domain.issuperset(edge.values):
                raise InputError(f"a value outside the domain of {attribute.name!r}", source=f"{here}.values")
            if seen & set(edge.values) or len(set(edge.values)) != len(edge.values):
                raise InputError("a value on two edges, or twice on one", source=f"{here}.values")
            seen |= set(edge.values)
        else:
            if not edge.intervals or edge.values:
                raise InputError(f"{attribute.name!r} is numeric; give intervals", source=here)
            if not all(low < high for low, high in edge.intervals):
                raise InputError("an interval's low end is below its high end", source=f"{here}.intervals")
            if list(edge.intervals) != sorted(edge.intervals):
                raise InputError("intervals come in ascending order", source=f"{here}.intervals")
            ranges += [(interval, k) for interval in edge.intervals]
    ranges.sort()
    for (before, _), (after, k) in pairwise(ranges):
        if after[0] < before[1]:
            raise InputError("two intervals overlap", source=f"{place}.edges[{k}].intervals")


# -- reading --------------------------------------------------------------------------------------------------------


def read_tree(plain: Any) -> PublishedTree:
    """Make a tree from plain data, as `PublishedTree.to_dict` gives it."""
    fields = _fields(plain, "tree", required=("format", "version", "classes", "attributes", "nodes"))
    if (fields["format"], fields["version"]) != (FORMAT, VERSION):
        raise InputError(
            f"is {fields['format']!r} version {fields['version']!r}; this program reads {FORMAT!r} version {VERSION}",
            source="tree.format",
        )
    classes = tuple(_text(c, f"classes[{i}]") for i, c in enumerate(_list(fields["classes"], "classes")))
    listed = _list(fields["attributes"], "attributes")
    attributes = tuple(_attribute(a, f"attributes[{i}]") for i, a in enumerate(listed))
    nodes = tuple(_node(n, f"nodes[{i}]") for i, n in enumerate(_list(fields["nodes"], "nodes")))
    return PublishedTree(classes=classes, attributes=attributes, nodes=nodes)


def _attribute(plain: Any, place: str) -> Attribute:
    fields = _fields(plain, place, required=("name", "kind"), optional=("values",))
    values = tuple(_value(v, f"{place}.values[{i}]") for i, v in enumerate(_list(fields.get("values", []), place)))
    return Attribute(name=_text(fields["name"], f"{place}.name"), kind=fields["kind"], values=values)


def _node(plain: Any, place: str) -> Node:
    fields = _fields(plain, place, required=("class", "hit", "miss"), optional=("counts", "attribute", "edges"))
    counts = fields.get("counts")
    attribute = fields.get("attribute")
    edges = _list(fields.get("edges", []), f"{place}.edges")
    return Node(
        label=_text(fields["class"], f"{place}.class"),
        hit=_count(fields["hit"], f"{place}.hit"),
        miss=_count(fields["miss"], f"{place}.miss"),
        counts=None
        if counts is None
        else tuple(_count(n, f"{place}.counts[{i}]") for i, n in enumerate(_list(counts, f"{place}.counts"))),
        attribute=None if attribute is None else _text(attribute, f"{place}.attribute"),
        edges=tuple(_edge(e, f"{place}.edges[{k}]") for k, e in enumerate(edges)),
    )


def _edge(plain: Any, place: str) -> Edge:
    fields = _fields(plain, place, required=("to",), optional=("values", "intervals"))
    values = _list(fields.get("values", []), f"{place}.values")
    intervals = _list(fields.get("intervals", []), f"{place}.intervals")
    return Edge(
        to=_count(fields["to"], f"{place}.to"),
        values=tuple(_value(v, f"{place}.values[{i}]") for i, v in enumerate(values)),
        intervals=tuple(_interval(x, f"{place}.intervals[{i}]") for i, x in enumerate(intervals)),
    )


def _interval(plain: Any, place: str) -> Interval:
    ends = _list(plain, place)
    if len(ends) != 2 or not all(e is None or _is_number(e) for e in ends):
        raise InputError("an interval is [low, high], each a number or null", source=place)
    return (-math.inf if ends[0] is None else float(ends[0]), math.inf if ends[1] is None else float(ends[1]))


def _is_number(value: Any) -> bool:
    """A number that a double can hold; a file may hold whole numbers of any size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _fields(plain: Any, place: str, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(plain, dict):
        raise InputError(f"must be an object, not {type(plain).__name__}", source=place)
    if missing := [name for name in required if name not in plain]:
        raise InputError(f"no field {missing[0]!r}", source=place)
    if strange := [name for name in plain if name not in (*required, *optional)]:
        raise InputError(f"unknown field {strange[0]!r}; fields are: {', '.join((*required, *optional))}", source=place)
    return plain


def _list(plain: Any, place: str) -> list[Any]:
    if not isinstance(plain, list):
        raise InputError(f"must be a list, not {type(plain).__name__}", source=place)
    return plain


def _text(plain: Any, place: str) -> str:
    if not isinstance(plain, str):
        raise InputError(f"must be text, not {type(plain).__name__}", source=place)
    return plain


def _value(plain: Any, place: str) -> str | None:
    return None if plain is None else _text(plain, place)


def _count(plain: Any, place: str) -> int:
    if not isinstance(plain, int) or isinstance(plain, bool) or not 0 <= plain <= LARGEST:
        raise InputError("must be a whole number from 0", source=place)
    return plain
