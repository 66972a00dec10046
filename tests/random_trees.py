"""Random published trees with declared domains and edges that cover them, for tests of the stage `share`."""

import itertools
import math

import numpy as np

from confide.core.trees.published import Attribute, Edge, Node, PublishedTree


def random_tree(seed: int, *, depth: int = 3, counts: bool = True, classes: int = 4) -> PublishedTree:
    """Up to `depth` levels over three categorical and two numeric attributes; each leaf has records."""
    rng = np.random.default_rng(seed)
    attributes = (
        Attribute(name="A", kind="categorical", values=("a1", "a2", "a3")),
        Attribute(name="B", kind="categorical", values=("b1", "b2", "b3", "b4", None)),
        Attribute(name="C", kind="categorical", values=("c1", "c2")),
        Attribute(name="N", kind="numeric", bins=(0.0, 10.0, 20.0, 50.0, 100.0)),
        Attribute(name="M", kind="numeric", bins=(-1.0, 0.0, 1.0)),
    )
    labels = tuple(f"S{c + 1}" for c in range(classes))
    made: list[tuple[np.ndarray, str | None, list[Edge]]] = []

    def grow(level: int, left: dict) -> int:
        number = len(made)
        made.append((np.zeros(classes, dtype=int), None, []))
        open_ = [name for name, allowed in left.items() if len(allowed) > 1]
        if level == 0 or not open_ or (number and rng.random() < 0.25):
            drawn = rng.multinomial(int(rng.integers(1, 30)), rng.dirichlet(np.ones(classes)))
            made[number] = (drawn, None, [])
            return number
        name = open_[rng.integers(len(open_))]
        parts = _parts(rng, left[name])
        edges, total = [], np.zeros(classes, dtype=int)
        for k, part in enumerate(parts):
            child = grow(level - 1, {**left, name: part})
            total = total + made[child][0]
            if name in "NM":
                edges.append(Edge(to=child, intervals=_joined(part), missing=k == 0))
            else:
                edges.append(Edge(to=child, values=tuple(part)))
        made[number] = (total, name, edges)
        return number

    def pieces(bins):
        ends = [-math.inf, *bins[1:-1], math.inf]
        return list(itertools.pairwise(ends))

    grow(depth, {a.name: list(a.values) if a.kind == "categorical" else pieces(a.bins) for a in attributes})
    nodes = []
    for drawn, name, edges in made:
        given = tuple(int(n) for n in drawn)
        top = int(np.argmax(drawn))
        nodes.append(
            Node(
                label=labels[top],
                hit=given[top],
                miss=sum(given) - given[top],
                counts=given if counts else None,
                attribute=name,
                edges=tuple(edges),
            )
        )
    return PublishedTree(classes=labels, attributes=attributes, nodes=tuple(nodes))


def _parts(rng, allowed):
    """The allowed values in two or more parts, none empty; values stay in order."""
    number = int(rng.integers(2, len(allowed) + 1))
    of = rng.permutation(np.concatenate([np.arange(number), rng.integers(0, number, len(allowed) - number)]))
    return [[value for value, part in zip(allowed, of, strict=True) if part == p] for p in range(number)]


def _joined(intervals):
    whole = []
    for low, high in intervals:
        if whole and whole[-1][1] == low:
            whole[-1] = (whole[-1][0], high)
        else:
            whole.append((low, high))
    return tuple(whole)
