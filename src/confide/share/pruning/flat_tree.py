"""A published tree as flat arrays for the pruning kernels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.trees.published import PublishedTree
from confide.share.pruning.leaf_tests import LARGEST, LeafTest, Mode, mode_code

__all__ = ["FlatTree", "estimates"]

I64 = NDArray[np.int64]
Bits = NDArray[np.bool_]
MOST_CELLS = 1 << 28  # nodes x classes: 2 GB


@dataclass
class FlatTree:
    """Nodes by number: children child[start[i]:start[i + 1]], records, class, hit, and `x`: a number for each class.

    `e`, in sound mode, is the estimate of each class, times m - 1.

    After `prune`: `into` says which sibling a node was merged into, `leaf` what is a leaf now, `fails` whether it
    may not be published.
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

    @classmethod
    def of(cls, tree: PublishedTree, mode: Mode) -> "FlatTree":
        """Lay a tree out; what its leaves say decides, inner nodes follow from them."""
        from confide.share.pruning import pruning_kernels as kernels

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
        from confide.share.pruning import pruning_kernels as kernels

        self.into, self.leaf, self.fails = kernels.prune(
            self.start, self.child, self.total, self.label, self.hit, self.x, self.e, test
        )


def _leaf_numbers(tree: PublishedTree, mode: Mode, leaf: Bits) -> tuple[I64, I64, I64, I64, I64]:
    """Records, class, hit, the number of each class, and its estimate where that is kept; of leaves only."""
    from confide.share.pruning import leaf_kernels as kernels

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
                "mode='estimated' or 'sound'",
                parameter="mode",
                value="exact",
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
    return total, label, hit, x, estimates(leaf, total, label, hit, x.shape, mode)


def estimates(leaf: Bits, total: I64, label: I64, hit: I64, shape: tuple[int, ...], mode: Mode) -> I64:
    """Equation 2 times m - 1 for each leaf, where it is kept."""
    from confide.share.pruning import leaf_kernels as kernels

    e = np.zeros(shape if mode == "sound" else (1, 1), dtype=np.int64)
    if mode == "sound":
        kernels.fill_all(e, np.flatnonzero(leaf), total, hit, label, mode_code("estimated"))
    return e
