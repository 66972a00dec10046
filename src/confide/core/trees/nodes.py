"""The parts of a published tree: attributes with their domains, edges, nodes, paths (paper 002, section 3.2)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Attribute", "Edge", "Interval", "Kind", "Node", "Path", "Value", "intersect", "joined"]

Kind = Literal["categorical", "numeric"]
Value = str | None
"""A categorical value: its label, or None for "missing", which is a category of its own."""
Interval = tuple[float, float]
"""(low, high]: above `low`, up to and including `high`; either end may be infinite."""


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A column the tree may ask about, with its domain.

    `values` are those of a categorical attribute, () for a numeric one. `bins` are the edges of a numeric attribute's
    bins, ascending: the first and the last bound the domain, and a tree with declared domains cuts only at those
    between. Without bins (or with two: bounds only) nothing is said about where a cut may lie. `whole` says that its
    numbers are whole; its bins are, too.

    >>> Attribute(name="age", kind="numeric", bins=(0, 18, 65, 120)).cuts
    (18, 65)
    """

    name: str
    kind: Kind
    values: tuple[Value, ...] = ()
    bins: tuple[float, ...] = ()
    whole: bool = False

    @property
    def cuts(self) -> tuple[float, ...]:
        """Where a tree with declared domains may cut a numeric attribute."""
        return self.bins[1:-1]


@dataclass(frozen=True, kw_only=True)
class Edge:
    """The way to a child: a set of values (categorical) or a union of disjoint, ascending intervals (numeric).

    `missing` says that records without a number go this way too; alone, that nobody else does. A missing category is
    a value, None.
    """

    to: int
    values: tuple[Value, ...] = ()
    intervals: tuple[Interval, ...] = ()
    missing: bool = False

    def holds(self, value: Any) -> bool:
        """Whether a record with this value of the attribute goes this way; a number that is nan is missing."""
        if not self.intervals and not self.missing:
            return value in self.values
        if value is None or value != value:
            return self.missing
        return any(low < value <= high for low, high in self.intervals)


@dataclass(frozen=True, kw_only=True)
class Node:
    """One node: its class, hit and miss, the counts of all classes when they are given, and where it leads.

    `at_most` are bounds where counts are not known: no class has more records than this. A leaf has no `attribute`
    and no `edges`.
    """

    label: str
    hit: int
    miss: int
    counts: tuple[int, ...] | None = None
    attribute: str | None = None
    edges: tuple[Edge, ...] = ()
    at_most: tuple[int, ...] | None = None

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
    met several times has the intersection of what its edges say. `missing` names the numeric ones of these
    attributes whose missing numbers go this way.
    """

    leaf: int
    node: Node
    conditions: Mapping[str, tuple[Value, ...] | tuple[Interval, ...]]
    missing: frozenset[str] = frozenset()

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


def intersect(a: tuple[Interval, ...], b: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """The intervals common to two unions of intervals.

    >>> intersect(((0, 5), (8, 9)), ((3, 8.5),))
    ((3, 5), (8, 8.5))
    """
    both = [(max(p[0], q[0]), min(p[1], q[1])) for p in a for q in b]
    return tuple(sorted(interval for interval in both if interval[0] < interval[1]))


def joined(*unions: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Unions of disjoint intervals as one: ascending, neighbours that touch made one.

    >>> joined(((5, 8),), ((-math.inf, 3), (8, 9)))
    ((-inf, 3), (5, 9))
    """
    whole: list[Interval] = []
    for low, high in sorted(interval for union in unions for interval in union):
        if whole and whole[-1][1] == low:
            whole[-1] = (whole[-1][0], high)
        else:
            whole.append((low, high))
    return tuple(whole)


EVERYTHING: tuple[Interval, ...] = ((-math.inf, math.inf),)
