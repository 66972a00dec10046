"""A published tree as flat arrays for the pruning kernels, and what they leave of it as a published tree again."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.trees.nodes import Edge, Node, Value, joined
from confide.core.trees.published import PublishedTree
from confide.share.anonymization.leaf_tests import LARGEST, LeafTest, Mode, mode_code

__all__ = ["FlatTree"]

I64 = NDArray[np.int64]
Bits = NDArray[np.bool_]
MOST_CELLS = 1 << 28  # nodes x classes: 2 GB


@dataclass
class FlatTree:
    """Nodes by number: children child[start[i]:start[i + 1]], records, class, hit, and `x`: a number for each class.

    `e`, in sound mode, is the estimate of each class, times m - 1.

    After `prune`: `into` says which sibling a node was merged into, `leaf` what is a leaf now, `fails` whether it
    may not be published; after `published`: `merged` are the leaves of the result that stand for several nodes.
    """

    tree: PublishedTree
    mode: Mode
    start: I64
    child: I64
    total: I64
    label: I64
    hit: I64
    x: I64
    e: I64
    into: I64
    leaf: Bits
    fails: Bits
    merged: list[int] = field(default_factory=list)
    places: dict[str, dict[Value, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: PublishedTree, mode: Mode) -> "FlatTree":
        """Lay a tree out; what its leaves say decides, inner nodes follow from them."""
        from confide.share.anonymization import _pruning_kernels as kernels

        n, m = len(tree.nodes), len(tree.classes)
        if n * m > MOST_CELLS:
            raise InputError(f"{n:,} nodes of {m:,} classes are more than can be anonymised at once")
        degrees = np.array([len(node.edges) for node in tree.nodes], dtype=np.int64)
        start = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
        child = np.array([edge.to for node in tree.nodes for edge in node.edges], dtype=np.int64)
        total, label, hit, x, e = _leaf_numbers(tree, mode, degrees == 0)
        kernels.propagate(start, child, total, label, hit, x, e, mode_code(mode))
        nobody = np.zeros(n, dtype=np.bool_)
        return cls(tree, mode, start, child, total, label, hit, x, e, np.arange(n), degrees == 0, nobody)

    def prune(self, test: LeafTest) -> None:
        """Merge what fails."""
        from confide.share.anonymization import _pruning_kernels as kernels

        self.into, self.leaf, self.fails = kernels.prune(
            self.start, self.child, self.total, self.label, self.hit, self.x, self.e, *test.arguments
        )

    # -- back ---------------------------------------------------------------------------------------------------------

    def published(self) -> PublishedTree:
        """What is left, nodes numbered from the root down; inner nodes say what follows from their leaves."""
        root: I64 = self.into
        while not np.array_equal(root, root[root]):
            root = root[root]
        kept, families = self._kept(root.tolist())
        number = dict(zip(kept, range(len(kept)), strict=True))
        below = [[number[u] for u in families.get(v, ())] for v in kept]
        order = np.array(kept)
        total, label, hit, x = self.total[order], self.label[order], self.hit[order], self.x[order]
        if self.mode != "exact":  # what was merged is estimated anew, so is what is above it
            self._propagate_again(below, total, label, hit, x)
        rows = zip(total.tolist(), label.tolist(), hit.tolist(), x.tolist(), strict=True)
        classes, own = self.tree.classes, self.tree.nodes
        changed = self._changed(root)[order]
        self.merged = np.flatnonzero(changed).tolist()
        known = [node.at_most is not None for node in own]
        bounded = (changed | np.array(known)[order] if self.mode == "sound" else np.zeros_like(changed)).tolist()
        nodes = []
        for v, children, bounds, (n, c, h, numbers) in zip(kept, below, bounded, rows, strict=True):
            nodes.append(
                Node(
                    label=classes[c],
                    hit=h,
                    miss=n - h,
                    counts=tuple(numbers) if self.mode == "exact" else None,
                    attribute=own[v].attribute if children else None,
                    edges=self._edges(v, families[v], children) if children else (),
                    at_most=tuple(numbers) if bounds else None,
                )
            )
        return replace(self.tree, nodes=tuple(nodes))

    def _changed(self, root: I64) -> Bits:
        """Which leaves stand for several nodes: in sound mode their hit and miss are not the whole truth."""
        changed = self.leaf & (np.diff(self.start) > 0)
        changed[root[root != np.arange(len(root))]] = True
        return changed & self.leaf

    def _kept(self, root: list[int]) -> tuple[list[int], dict[int, dict[int, list[int]]]]:
        """The nodes that stay, parents first; of each inner one {child that stands for a family: edges of the family}.

        A family stands where the child that stands for it stood.
        """
        leaf, start, child = self.leaf.tolist(), self.start.tolist(), self.child.tolist()
        kept: list[int] = []
        families: dict[int, dict[int, list[int]]] = {}
        stack = [0]
        while stack:
            v = stack.pop()
            kept.append(v)
            if leaf[v]:
                continue
            own = child[start[v] : start[v + 1]]
            family: dict[int, list[int]] = {u: [] for u in own if root[u] == u}
            for place, u in enumerate(own):
                family[root[u]].append(place)
            families[v] = family
            stack.extend(reversed(family))
        return kept, families

    def _propagate_again(self, below: list[list[int]], total: I64, label: I64, hit: I64, x: I64) -> None:
        from confide.share.anonymization import _pruning_kernels as kernels

        start = np.concatenate([[0], np.cumsum([len(b) for b in below])]).astype(np.int64)
        child = np.array([u for b in below for u in b], dtype=np.int64)
        e = _estimates(np.diff(start) == 0, total, label, hit, x.shape, self.mode)
        kernels.propagate(start, child, total, label, hit, x, e, mode_code(self.mode))

    def _edges(self, v: int, family: dict[int, list[int]], numbers: list[int]) -> tuple[Edge, ...]:
        own = self.tree.nodes[v].edges
        return tuple(
            Edge(to=to, values=edge.values, intervals=edge.intervals, missing=edge.missing)
            if len(places) == 1
            else self._union([own[place] for place in places], to, v)
            for to, places in zip(numbers, family.values(), strict=True)
            for edge in (own[places[0]],)
        )

    def _union(self, edges: list[Edge], to: int, v: int) -> Edge:
        attribute = self.tree.attribute(str(self.tree.nodes[v].attribute))
        if attribute.kind == "numeric":
            missing = any(edge.missing for edge in edges)
            return Edge(to=to, intervals=joined(*(edge.intervals for edge in edges)), missing=missing)
        if attribute.name not in self.places:
            self.places[attribute.name] = {value: place for place, value in enumerate(attribute.values)}
        held = [value for edge in edges for value in edge.values]
        return Edge(to=to, values=tuple(sorted(held, key=self.places[attribute.name].__getitem__)))


def _leaf_numbers(tree: PublishedTree, mode: Mode, leaf: Bits) -> tuple[I64, I64, I64, I64, I64]:
    """Records, class, hit, the number of each class, and its estimate where that is kept; of leaves only."""
    from confide.share.anonymization import _leaf_kernels as kernels

    n, m = len(tree.nodes), len(tree.classes)
    place = tree.class_places
    leaves = [node for node in tree.nodes if not node.edges]
    if sum(node.total for node in leaves) * m >= LARGEST:
        raise InputError("the tree counts more records than can be anonymised")
    total, label, hit = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    total[leaf] = [node.total for node in leaves]
    label[leaf] = [place[node.label] for node in leaves]
    hit[leaf] = [node.hit for node in leaves]
    x = np.zeros((n, m), dtype=np.int64)
    if mode == "exact":
        if any(node.counts is None for node in leaves):
            raise UsageError(
                "mode='exact' needs the count of each class at every leaf; give data=(X, y) to count them, or choose "
                "mode='estimated' or 'sound'"
            )
        x[leaf] = [node.counts or () for node in leaves]
        wrong = hit[leaf] != x[leaf].max(axis=1)
    else:
        kernels.fill_all(x, np.flatnonzero(leaf), total, hit, label, mode_code(mode))
        bounded = [i for i, node in enumerate(tree.nodes) if node.at_most is not None and not node.edges]
        if mode == "sound" and bounded:
            x[bounded] = [tree.nodes[i].at_most or () for i in bounded]
        wrong = hit[leaf] * m < total[leaf]
    if wrong.any():
        raise InputError("the class of a leaf is not its commonest", source=f"nodes[{np.flatnonzero(leaf)[wrong][0]}]")
    return total, label, hit, x, _estimates(leaf, total, label, hit, x.shape, mode)


def _estimates(leaf: Bits, total: I64, label: I64, hit: I64, shape: tuple[int, ...], mode: Mode) -> I64:
    """Equation 2 times m - 1 for each leaf, where it is kept."""
    from confide.share.anonymization import _leaf_kernels as kernels

    e = np.zeros(shape if mode == "sound" else (1, 1), dtype=np.int64)
    if mode == "sound":
        kernels.fill_all(e, np.flatnonzero(leaf), total, hit, label, mode_code("estimated"))
    return e
