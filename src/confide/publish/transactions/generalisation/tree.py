"""Taxonomies as arrays, and positions in arrays that lie in stretches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.tables.taxonomy import Taxonomy

__all__ = ["Tree", "arrange", "build_tree", "spread"]

I64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Tree:
    """Node 0 is the top. Leaves are numbered in the order of the tree: node v is above leaves first[v] .. last[v] - 1.

    `code[leaf]` is the item there, `node[leaf]` its node; `weight[v]` how many entries its items have, at least as many
    as the records that hold one; `names[v]` is None for a node nobody has named, and for the top of several trees.
    """

    parent: I64
    first: I64
    last: I64
    child_ptr: I64
    child: I64
    code: I64
    node: I64
    weight: I64
    names: tuple[str | None, ...]

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.parent)

    @property
    def leaves(self) -> int:
        """Number of items."""
        return len(self.code)

    def children(self, v: int) -> I64:
        """The nodes right below v, commonest first."""
        return self.child[self.child_ptr[v] : self.child_ptr[v + 1]]


def build_tree(taxonomy: Taxonomy, codes: Sequence[int], labels: Sequence[str], supports: I64) -> Tree:
    """The part of a taxonomy that is above these items; several tops get one that has no name."""
    number: dict[str, int] = {}
    parent: list[int] = []
    code: list[int] = []
    for item in codes:
        below = -1
        for name in taxonomy.path(labels[item]):
            known = number.setdefault(name, len(parent))
            if below >= 0:
                parent[below] = known
            if known < len(parent):
                break
            parent.append(-1)
            code.append(item if below < 0 else -1)
            below = known
    names: list[str | None] = list(number)
    tops = [v for v, above in enumerate(parent) if above < 0]
    if len(tops) > 1:
        parent, code, names = [*parent, -1], [*code, -1], [*names, None]
        for v in tops:
            parent[v] = len(parent) - 1
    return arrange(parent, code, names, supports)


def arrange(parent: list[int], code: list[int], names: list[str | None], supports: I64) -> Tree:
    """Number the nodes from the top down, commonest first, and the leaves in that order."""
    below: list[list[int]] = [[] for _ in parent]
    top = 0
    for v, above in enumerate(parent):
        if above < 0:
            top = v
        else:
            below[above].append(v)
    order = [top]
    for v in order:  # grows while it is walked
        order += below[v]
    weight = [int(supports[item]) if item >= 0 else 0 for item in code]
    width = [int(item >= 0) for item in code]
    for v in reversed(order[1:]):
        weight[parent[v]] += weight[v]
        width[parent[v]] += width[v]
    rank = {v: i for i, v in enumerate(order)}
    first = np.zeros(len(order), dtype=np.int64)
    children: list[list[int]] = []
    for v in order:
        kids = sorted(below[v], key=lambda c: (-weight[c], c))
        children.append([rank[c] for c in kids])
        at = first[rank[v]]
        for c in kids:
            first[rank[c]], at = at, at + width[c]
    leaves = sorted((first[rank[v]], v) for v in order if code[v] >= 0)
    return Tree(
        parent=np.array([rank[parent[v]] if parent[v] >= 0 else -1 for v in order], dtype=np.int64),
        first=first,
        last=first + np.array([width[v] for v in order], dtype=np.int64),
        child_ptr=np.concatenate([[0], np.cumsum([len(kids) for kids in children])]).astype(np.int64),
        child=np.array([c for kids in children for c in kids], dtype=np.int64),
        code=np.array([code[v] for _, v in leaves], dtype=np.int64),
        node=np.array([rank[v] for _, v in leaves], dtype=np.int64),
        weight=np.array([weight[v] for v in order], dtype=np.int64),
        names=tuple(names[v] for v in order),
    )


def spread(starts: I64, lengths: I64) -> I64:
    """The positions start, start + 1, ... of each stretch, one stretch after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(int(ends[-1]) if len(ends) else 0)
