"""A decision tree as it is published: plain data, without the records it was learned from (paper 002, section 3.2).

    nodes[0]  A?  (S1, 12, 38)          a node carries (class, hit, miss): the commonest class of its records, how
      ├─ A in {a1, a2}  -> nodes[1]     many are of that class, how many are not
      └─ A in {a3}      -> nodes[2]  B?
            ├─ B in (-inf, 4.5]  -> nodes[3]        edges of a node name one attribute; their values are disjoint
            └─ B in (4.5, inf)   -> nodes[4]

Nodes are numbered so that children come after their parent (root 0); no walk needs recursion, so depth has no limit.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from confide.core.errors import InputError
from confide.core.trees.drawing import tree_html, tree_svg, tree_text

__all__ = ["Attribute", "Edge", "Interval", "Kind", "Node", "Path", "PublishedTree", "Value"]

Kind = Literal["categorical", "numeric"]
Value = str | None
"""A categorical value: its label, or None for "missing", which is a category of its own."""
Interval = tuple[float, float]
"""(low, high]: above `low`, up to and including `high`; either end may be infinite."""

FORMAT, VERSION = "confide-tree", 1


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A column the tree may ask about; `values` is the domain of a categorical one, () for a numeric one."""

    name: str
    kind: Kind
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Edge:
    """The way to a child: a set of values (categorical) or a union of disjoint, ascending intervals (numeric)."""

    to: int
    values: tuple[Value, ...] = ()
    intervals: tuple[Interval, ...] = ()

    def holds(self, value: Any) -> bool:
        """Whether a record with this value of the attribute goes this way."""
        if self.intervals:
            return any(low < value <= high for low, high in self.intervals)
        return value in self.values


@dataclass(frozen=True, kw_only=True)
class Node:
    """One node: its class, hit and miss, the counts of all classes when they are given, and where it leads.

    A leaf has no `attribute` and no `edges`.
    """

    label: str
    hit: int
    miss: int
    counts: tuple[int, ...] | None = None
    attribute: str | None = None
    edges: tuple[Edge, ...] = ()

    @property
    def total(self) -> int:
        """Number of training records."""
        return self.hit + self.miss

    @property
    def is_leaf(self) -> bool:
        """Whether this node asks nothing."""
        return self.attribute is None


@dataclass(frozen=True, kw_only=True)
class Path:
    """A way from the root to a leaf (Definition 7).

    `conditions` has one entry for each attribute met on the way: a tuple of values, or of intervals. An attribute
    met several times has the intersection of what its edges say.
    """

    leaf: int
    node: Node
    conditions: Mapping[str, tuple[Value, ...] | tuple[Interval, ...]]

    @property
    def label(self) -> str:
        """The class the path predicts."""
        return self.node.label

    @property
    def hit(self) -> int:
        """Training records of that class."""
        return self.node.hit

    @property
    def miss(self) -> int:
        """Training records of other classes."""
        return self.node.miss


@dataclass(frozen=True, kw_only=True)
class PublishedTree:
    """A decision tree that can be handed out, read back and re-checked.

    `classes` are the class labels in a fixed order, that of `Node.counts`. Everything is checked when the tree is
    made: an InputError names the place, as `nodes[3].edges[0].to`. Values that no edge of a node holds (never seen
    there in training) stay at that node and get its class, so edges need not cover the domain.

    >>> leaf = Node(label="no", hit=3, miss=0)
    >>> root = Node(label="yes", hit=5, miss=4, attribute="age",
    ...             edges=(Edge(to=1, intervals=((-math.inf, 30.0),)), Edge(to=2, intervals=((30.0, math.inf),))))
    >>> tree = PublishedTree(classes=("no", "yes"), attributes=(Attribute(name="age", kind="numeric"),),
    ...                      nodes=(root, leaf, Node(label="yes", hit=5, miss=1)))
    >>> tree.classify({"age": 22}), tree.classify({"age": 31})
    ('no', 'yes')
    >>> PublishedTree.from_json(tree.to_json()) == tree
    True
    """

    classes: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        from confide.core.trees.soundness import check_tree

        check_tree(self)

    @cached_property
    def _attribute(self) -> dict[str, Attribute]:
        return {attribute.name: attribute for attribute in self.attributes}

    @cached_property
    def class_places(self) -> dict[str, int]:
        """The position of each class among `classes`."""
        return {label: place for place, label in enumerate(self.classes)}

    def attribute(self, name: str) -> Attribute:
        """The attribute of this name."""
        return self._attribute[name]

    def __repr__(self) -> str:
        return f"<PublishedTree {len(self.nodes)} nodes, {len(self.leaves())} leaves, {len(self.classes)} classes>"

    # -- walking --------------------------------------------------------------------------------------------------

    def leaves(self) -> list[int]:
        """Numbers of the leaves, ascending."""
        return [i for i, node in enumerate(self.nodes) if node.is_leaf]

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The parent of each node; -1 for the root."""
        parents = [-1] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for edge in node.edges:
                parents[edge.to] = i
        return tuple(parents)

    def depth(self) -> int:
        """The longest way from the root, in edges."""
        depths = [0] * len(self.nodes)
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                depths[i] = depths[parent] + 1
        return max(depths)

    def paths(self) -> Iterator[Path]:
        """Every way from the root to a leaf, in the order of the edges."""
        stack: list[tuple[int, dict[str, Any]]] = [(0, {})]
        while stack:
            i, conditions = stack.pop()
            node = self.nodes[i]
            if node.attribute is None:
                yield Path(leaf=i, node=node, conditions=conditions)
            for edge in reversed(node.edges):
                said: tuple[Any, ...] = edge.intervals or edge.values
                known = conditions.get(str(node.attribute))
                if known is not None:
                    said = intersect(known, said) if edge.intervals else tuple(v for v in said if v in known)
                stack.append((edge.to, {**conditions, str(node.attribute): said}))

    def locate(self, record: Mapping[str, Any]) -> int:
        """The node a record ends at: a leaf, or the node whose question it cannot answer.

        Categorical values are compared as text, None staying None; a numeric value that is absent, None or nan
        answers nothing.
        """
        i = 0
        while (name := self.nodes[i].attribute) is not None:
            value = record.get(name)
            if self._attribute[name].kind == "numeric":
                value = math.nan if value is None else float(value)
            elif value is not None:
                value = str(value)
            following = next((edge.to for edge in self.nodes[i].edges if edge.holds(value)), None)
            if following is None:
                break
            i = following
        return i

    def classify(self, record: Mapping[str, Any]) -> str:
        """The class of one record, given as {attribute: value}."""
        return self.nodes[self.locate(record)].label

    # -- reading --------------------------------------------------------------------------------------------------

    def to_text(self, *, max_depth: int | None = None) -> str:
        """The tree as indented text, for reading; see `confide.core.trees.drawing`."""
        return tree_text(self, max_depth=max_depth)

    def to_svg(self, *, max_depth: int | None = None) -> str:
        """The tree as an SVG image."""
        return tree_svg(self, max_depth=max_depth)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return tree_html(self)

    # -- leaving and coming back ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dictionaries, fit for JSON; an infinite end of an interval is None."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(self.classes),
            "attributes": [
                {"name": a.name, "kind": a.kind} | ({"values": list(a.values)} if a.kind == "categorical" else {})
                for a in self.attributes
            ],
            "nodes": [_node_to_dict(node) for node in self.nodes],
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """The tree as JSON text; the same tree always gives the same text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "PublishedTree":
        """Read what `to_json` wrote; anything else raises InputError and names the place."""
        given: object = text
        if not isinstance(given, str | bytes):
            raise InputError(f"a tree is read from JSON text, not from {type(given).__name__}", source="tree")
        try:
            plain = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            where = getattr(error, "lineno", None)
            raise InputError(f"not JSON: {getattr(error, 'msg', error)}", source="tree", line=where) from None
        return cls.from_dict(plain)

    @classmethod
    def from_dict(cls, plain: Any) -> "PublishedTree":
        """Read what `to_dict` gave."""
        from confide.core.trees.soundness import read_tree

        return read_tree(plain)


def intersect(a: tuple[Interval, ...], b: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """The intervals common to two unions of intervals.

    >>> intersect(((0, 5), (8, 9)), ((3, 8.5),))
    ((3, 5), (8, 8.5))
    """
    both = [(max(p[0], q[0]), min(p[1], q[1])) for p in a for q in b]
    return tuple(sorted(interval for interval in both if interval[0] < interval[1]))


def _node_to_dict(node: Node) -> dict[str, Any]:
    plain: dict[str, Any] = {"class": node.label, "hit": node.hit, "miss": node.miss}
    if node.counts is not None:
        plain["counts"] = list(node.counts)
    if node.attribute is not None:
        plain["attribute"] = node.attribute
        plain["edges"] = [_edge_to_dict(edge) for edge in node.edges]
    return plain


def _edge_to_dict(edge: Edge) -> dict[str, Any]:
    if not edge.intervals:
        return {"to": edge.to, "values": list(edge.values)}
    ends = [[None if math.isinf(end) else end for end in interval] for interval in edge.intervals]
    return {"to": edge.to, "intervals": ends}
