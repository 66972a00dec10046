"""What leaves made by estimates really hold: for owners who anonymised by hit and miss although they have counts."""

import numpy as np

from confide.share.pruning.flat_tree import FlatTree
from confide.share.pruning.leaf_tests import LeafTest

__all__ = ["leaves_failing_in_truth"]


def leaves_failing_in_truth(pruned: FlatTree, test: LeafTest) -> int:
    """How many leaves of a pruned tree, all of which passed by its mode, fail by the counts of their records.

    `test` is that of exact counts; the tree before pruning must give them.
    """
    from confide.share.pruning import leaf_kernels as kernels

    exact = FlatTree.of(pruned.tree, "exact")
    root = pruned.into
    while not np.array_equal(root, root[root]):
        root = root[root]
    home = np.zeros(len(root), dtype=np.int64)  # the leaf each node is in, for nodes at or below one
    start, child, leaf, stands = pruned.start.tolist(), pruned.child, pruned.leaf.tolist(), root
    for v in range(len(root)):  # parents come first
        below = child[start[v] : start[v + 1]]
        home[below] = home[v] if leaf[home[v]] else stands[below]
    counts = np.zeros_like(exact.x)
    before = np.flatnonzero(np.diff(pruned.start) == 0)
    np.add.at(counts, home[before], exact.x[before])
    after = np.unique(home[before])
    ok = kernels.pass_each(counts[after].sum(axis=1), counts[after], test)
    return int((~ok).sum())
