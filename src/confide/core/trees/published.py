"""A decision tree as it is published: plain data, without the records it was learned from (paper 002, section 3.2).

    nodes[0]  A?  (S1, 12, 38)          a node carries (class, hit, miss): the commonest class of its records, how
      ├─ A in {a1, a2}  -> nodes[1]     many are of that class, how many are not
      └─ A in {a3}      -> nodes[2]  B?
            ├─ B in (-inf, 4.5]  -> nodes[3]        edges of a node name one attribute; their values are disjoint
            └─ B in (4.5, inf)   -> nodes[4]        and one of them may take missing numbers

Nodes are numbered so that children come after their parent (root 0); no walk needs recursion, so depth has no limit.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from confide.core.errors import InputError
from confide.core.runtime.lazy import call
from confide.core.trees.nodes import Attribute, Edge, Interval, Kind, Node, Path, Value, intersect
from confide.core.trees.tree_drawing import tree_html, tree_rules, tree_svg, tree_text

__all__ = ["Attribute", "Edge", "Interval", "Kind", "Node", "Path", "PublishedTree", "Value"]

FORMAT, VERSION = "confide-tree", 2


@dataclass(frozen=True, kw_only=True)
class PublishedTree:
    """A decision tree that can be handed out, read back and re-checked.

    `classes` are the class labels in a fixed order, that of `Node.counts`. Everything is checked when the tree is
    made: an InputError names the place, as `nodes[3].edges[0].to`. Values that no edge of a node holds (never seen
    there in training) stay at that node and get its class, so edges need not cover the domain; `covering` makes one
    that does.

    `declared` says that classes, values and bins were agreed beforehand and not read off the records: then every
    numeric attribute has bins, every cut is one of theirs, and the edges of each node cover the domain. `shares_of`
    is None where numbers are records; else they are shares, in units of 1 / shares_of of all records. `marginals` are
    trees of one question each, about an attribute alone, over the same records: what pseudo-data can draw values from
    that a path does not ask about. They are published with the tree, and the same promise must hold for each. They
    alone may be `partial`: what no edge holds, nobody has.

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

    artefact_kind = "tree"
    classes: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    nodes: tuple[Node, ...]
    declared: bool = False
    shares_of: int | None = None
    marginals: "tuple[PublishedTree, ...]" = ()
    partial: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        from confide.core.trees.soundness import check_tree

        check_tree(self)

    def derived(self, nodes: Iterable[Node]) -> "PublishedTree":
        """The same with other nodes, for code that makes sound ones from this tree: they are not checked again.

        Whoever reads the tree from a file checks them.
        """
        tree = object.__new__(PublishedTree)
        for name, value in (*((f.name, getattr(self, f.name)) for f in fields(self)), ("nodes", tuple(nodes))):
            object.__setattr__(tree, name, value)
        return tree

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
        stack: list[tuple[int, dict[str, Any], frozenset[str]]] = [(0, {}, frozenset())]
        while stack:
            i, conditions, missing = stack.pop()
            node = self.nodes[i]
            if node.attribute is None:
                yield Path(leaf=i, node=node, conditions=conditions, missing=missing)
                continue
            name, numeric = node.attribute, self._attribute[node.attribute].kind == "numeric"
            known = conditions.get(name)
            for edge in reversed(node.edges):
                said: tuple[Any, ...] = edge.intervals if numeric else edge.values
                if known is not None:
                    said = intersect(known, said) if numeric else tuple(v for v in said if v in known)
                lost = edge.missing and (known is None or name in missing)
                stack.append((edge.to, {**conditions, name: said}, missing | {name} if lost else missing - {name}))

    def locate(self, record: Mapping[str, Any]) -> int:
        """The node a record ends at: a leaf, or the node whose question it cannot answer.

        Categorical values are compared as text, None staying None; a numeric value that is absent, None or nan is
        missing, and goes where an edge takes missing numbers.
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

    def predict(self, X: Any) -> Any:
        """The class of each record of a frame, as an array; columns are found by name, of an array by position."""
        return call("confide.mining.trees.learner:DecisionTree.from_published", self).predict(X)

    # -- reading --------------------------------------------------------------------------------------------------

    def to_text(self, *, max_depth: int | None = None) -> str:
        """The tree as indented text, for reading; see `confide.core.trees.tree_drawing`."""
        return tree_text(self, max_depth=max_depth)

    def to_rules(self) -> str:
        """The tree as rules, one line a leaf: what holds there, and the class that follows."""
        return tree_rules(self)

    def to_svg(self, *, max_depth: int | None = None) -> str:
        """The tree as an SVG image."""
        return tree_svg(self, max_depth=max_depth)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return tree_html(self)

    # -- leaving and coming back ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dictionaries, fit for JSON; an infinite end of an interval is None."""
        plain: dict[str, Any] = {"format": FORMAT, "version": VERSION, "declared": self.declared}
        if self.shares_of is not None:
            plain["shares_of"] = self.shares_of
        plain["classes"] = list(self.classes)
        plain["attributes"] = [attribute_to_dict(attribute) for attribute in self.attributes]
        plain["nodes"] = [node_to_dict(node) for node in self.nodes]
        if self.marginals:
            plain["marginals"] = [[node_to_dict(node) for node in stump.nodes] for stump in self.marginals]
        return plain

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
        except (ValueError, RecursionError) as error:
            where = getattr(error, "lineno", None)
            raise InputError(f"not JSON: {getattr(error, 'msg', error)}", source="tree", line=where) from None
        return cls.from_dict(plain)

    @classmethod
    def from_dict(cls, plain: Any) -> "PublishedTree":
        """Read what `to_dict` gave."""
        from confide.core.trees.soundness import read_tree

        return read_tree(plain)


def attribute_to_dict(attribute: Attribute) -> dict[str, Any]:
    """Fit for JSON."""
    plain: dict[str, Any] = {"name": attribute.name, "kind": attribute.kind}
    if attribute.kind == "categorical":
        plain["values"] = list(attribute.values)
    elif attribute.bins:
        plain["bins"] = [float(edge) for edge in attribute.bins]
        if attribute.whole:
            plain["whole"] = True
    return plain


def node_to_dict(node: Node) -> dict[str, Any]:
    """Fit for JSON."""
    plain: dict[str, Any] = {"class": node.label, "hit": node.hit, "miss": node.miss}
    if node.counts is not None:
        plain["counts"] = list(node.counts)
    if node.at_most is not None:
        plain["at_most"] = list(node.at_most)
    if node.attribute is not None:
        plain["attribute"] = node.attribute
        plain["edges"] = [edge_to_dict(edge) for edge in node.edges]
    return plain


def edge_to_dict(edge: Edge, *, to: bool = True) -> dict[str, Any]:
    """Fit for JSON; `to`: with the node it leads to."""
    plain: dict[str, Any] = {"to": edge.to} if to else {}
    if edge.intervals:
        plain["intervals"] = [[None if math.isinf(end) else float(end) for end in ends] for ends in edge.intervals]
    elif not edge.missing:
        plain["values"] = list(edge.values)
    if edge.missing:
        plain["missing"] = True
    return plain
