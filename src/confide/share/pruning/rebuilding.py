"""What pruning leaves of a tree, as a published tree again; and a tree with other counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.trees.nodes import Attribute, Edge, Node, joined
from confide.core.trees.published import PublishedTree
from confide.share.pruning.flat_tree import FlatTree, estimates
from confide.share.pruning.leaf_tests import mode_code

if TYPE_CHECKING:
    from confide.core.trees.nodes import Value

__all__ = ["rebuilt", "recounted"]

I64 = NDArray[np.int64]


def rebuilt(flat: FlatTree) -> tuple[PublishedTree, list[int]]:
    """The tree, numbered from the root down, and its leaves that stand for several nodes of the one before.

    A merged leaf stands where the failed child stood. Inner nodes say what follows from their leaves.
    """
    from confide.share.pruning import pruning_kernels as kernels

    root = flat.into
    while not np.array_equal(root, root[root]):
        root = root[root]
    order, number, start, child, plain = kernels.lay_out(flat.start, flat.child, root, flat.leaf)
    changed = flat.leaf & (np.diff(flat.start) > 0)
    changed[root[root != np.arange(len(root))]] = True
    changed = (changed & flat.leaf)[order]
    total, label, hit, x = flat.total[order], flat.label[order], flat.hit[order], flat.x[order]
    if flat.mode != "exact":  # what was merged is estimated anew, so is what is above it
        e = estimates(flat.leaf[order], total, label, hit, x.shape, flat.mode)
        kernels.propagate(start, child, total, label, hit, x, e, mode_code(flat.mode))
    with _uncollected():
        nodes = _nodes(flat, root, order, number, plain, changed, total, label, hit, x)
    return flat.tree.derived(nodes), np.flatnonzero(changed).tolist()


def _nodes(
    flat: FlatTree, root: I64, order: I64, number: I64, plain: NDArray[np.bool_], changed: NDArray[np.bool_],
    total: I64, label: I64, hit: I64, x: I64,
) -> list[Node]:  # fmt: skip
    tree, classes = flat.tree, flat.tree.classes
    exact, sound = flat.mode == "exact", flat.mode == "sound"
    numbers, untouched = number.tolist(), plain.tolist()
    unions = _Unions(tree)
    nodes = []
    rows = zip(order.tolist(), changed.tolist(), total.tolist(), label.tolist(), hit.tolist(), x.tolist(), strict=True)
    for v, merged, n, c, h, own in rows:
        old = tree.nodes[v]
        leaf = merged or not old.edges
        if leaf and not merged and (old.counts is not None) == exact and (sound or old.at_most is None):
            nodes.append(old)
            continue
        edges: tuple[Edge, ...] = ()
        if not leaf and untouched[v]:
            edges = tuple(
                [Edge(to=numbers[e.to], values=e.values, intervals=e.intervals, missing=e.missing) for e in old.edges]
            )
        elif not leaf:
            edges = unions.of(old, root, numbers)
        nodes.append(
            Node(
                label=classes[c],
                hit=h,
                miss=n - h,
                counts=tuple(own) if exact else None,
                attribute=None if leaf else old.attribute,
                edges=edges,
                at_most=tuple(own) if merged and sound else None,
            )
        )
    return nodes


class _Unions:
    """Edges of nodes some of whose children were merged."""

    def __init__(self, tree: PublishedTree):
        self.tree = tree
        self._place: dict[str, dict[Value, int]] = {}

    def of(self, node: Node, root: I64, number: list[int]) -> tuple[Edge, ...]:
        stands = [int(root[edge.to]) for edge in node.edges]
        family: dict[int, list[Edge]] = {u: [] for edge, u in zip(node.edges, stands, strict=True) if u == edge.to}
        for edge, u in zip(node.edges, stands, strict=True):
            family[u].append(edge)
        attribute = self.tree.attribute(str(node.attribute))
        return tuple(self._union(edges, number[u], attribute) for u, edges in family.items())

    def _union(self, edges: list[Edge], to: int, attribute: Attribute) -> Edge:
        if attribute.kind == "numeric":
            missing = any(edge.missing for edge in edges)
            return Edge(to=to, intervals=joined(*(edge.intervals for edge in edges)), missing=missing)
        if attribute.name not in self._place:
            self._place[attribute.name] = {value: place for place, value in enumerate(attribute.values)}
        held = [value for edge in edges for value in edge.values]
        return Edge(to=to, values=tuple(sorted(held, key=self._place[attribute.name].__getitem__)))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector, which would walk through hundreds of thousands of live nodes again and again."""
    import gc

    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def recounted(tree: PublishedTree, counts: I64, *, keep_labels: bool = False) -> tuple[Node, ...]:
    """The nodes with other class counts: those of each leaf in `counts`, which inner nodes are added to here.

    The label is the first of the commonest classes; with `keep_labels` the node's own, where that is one of them.
    """
    for i in range(len(tree.nodes) - 1, 0, -1):
        counts[tree.parents[i]] += counts[i]
    nodes = []
    for node, own in zip(tree.nodes, counts.tolist(), strict=True):
        hit = max(own)
        stays = keep_labels and own[tree.class_places[node.label]] == hit
        nodes.append(
            Node(
                label=node.label if stays else tree.classes[own.index(hit)],
                hit=hit,
                miss=sum(own) - hit,
                counts=tuple(own),
                attribute=node.attribute,
                edges=node.edges,
            )
        )
    return tuple(nodes)
