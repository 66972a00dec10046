"""Random trees for the tests of sharing."""

import math

import numpy as np

from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.published import PublishedTree


def random_tree(seed, *, classes=None, depth=4, widest=6, counts=True, most=8):
    """Categorical attributes of several values and numeric ones; leaves of a few records; ties are common."""
    draw = np.random.default_rng(seed)
    m = int(draw.integers(1, 6)) if classes is None else classes
    attributes = []
    for j in range(4):
        if draw.random() < 0.6:
            values = tuple(f"v{v}" for v in range(int(draw.integers(2, widest + 1))))
            attributes.append(Attribute(name=f"a{j}", kind="categorical", values=values))
        else:
            edges = tuple(float(e) for e in range(2 * int(draw.integers(2, widest)) + 1))
            attributes.append(Attribute(name=f"a{j}", kind="numeric", bins=edges))
    nodes = []

    def grow(level, free):
        at = len(nodes)
        nodes.append(None)
        if level == depth or not free or draw.random() < 0.25:
            skew = draw.integers(0, most, m) * (draw.random(m) < draw.choice([0.3, 0.9]))
            own = [int(n) for n in skew]
            nodes[at] = Node(
                label=f"c{own.index(max(own))}", hit=max(own), miss=sum(own) - max(own),
                counts=tuple(own) if counts else None,
            )  # fmt: skip
            return np.array(own)
        attribute = attributes[free[int(draw.integers(0, len(free)))]]
        ways = parts(draw, attribute)
        edges, whole = [], np.zeros(m, dtype=int)
        left = [j for j in free if attributes[j] is not attribute]
        for way in ways:
            edges.append(Edge(to=len(nodes), **way))
            whole += grow(level + 1, left)
        own = [int(n) for n in whole]
        nodes[at] = Node(
            label=f"c{own.index(max(own))}", hit=max(own), miss=sum(own) - max(own),
            counts=tuple(own) if counts else None, attribute=attribute.name, edges=tuple(edges),
        )  # fmt: skip
        return whole

    grow(0, list(range(4)))
    return PublishedTree(
        classes=tuple(f"c{c}" for c in range(m)), attributes=tuple(attributes), nodes=tuple(nodes), declared=True
    )


def parts(draw, attribute):
    """The domain of an attribute in two pieces or more."""
    if attribute.kind == "categorical":
        whose = draw.permutation(len(attribute.values)) % int(draw.integers(2, len(attribute.values) + 1))
        return [{"values": tuple(v for v, w in zip(attribute.values, whose, strict=True) if w == part)}
                for part in range(int(whose.max()) + 1)]  # fmt: skip
    cuts = sorted(set(draw.choice(attribute.cuts, int(draw.integers(1, len(attribute.cuts) + 1))).tolist()))
    ends = [-math.inf, *cuts, math.inf]
    takes = int(draw.integers(0, len(ends) - 1))
    return [{"intervals": ((ends[i], ends[i + 1]),), "missing": i == takes} for i in range(len(ends) - 1)]


def random_requirement(seed):
    """One of the three, with parameters that sometimes bind."""
    draw = np.random.default_rng(seed + 10**6)
    l = int(draw.integers(2, 5))  # noqa: E741 - the paper's letter
    return [
        KAnonymity(k=int(draw.integers(2, 25))),
        SimpleDiversity(l=l),
        RecursiveDiversity(c=float(draw.choice([0.7, 1, 1.5, 3, 10])), l=l),
    ][seed % 3]


def random_pair(seed):
    """k-anonymity and a diversity at once."""
    draw = np.random.default_rng(seed + 10**7)
    return KAnonymity(k=int(draw.integers(2, 25))) & random_requirement(3 * seed + 1 + seed % 2)
