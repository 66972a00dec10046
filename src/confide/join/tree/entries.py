"""Records at nodes with the class counts they carry there, and what a table sends a neighbour about their splits."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError

__all__ = ["Entries", "SplitSummary", "gather_entries", "holds"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


class Entries(NamedTuple):
    """Records at nodes: those of nodes[i] are rows[start[i]:stop[i]], with their class counts; nodes ascend.

    A tuple of arrays, so that kernels take it as it is.
    """

    nodes: I64
    start: I64
    stop: I64
    rows: I32
    counts: I64

    @property
    def sizes(self) -> I64:
        """How many records each node has."""
        return self.stop - self.start

    def find(self, nodes: I64) -> I64:
        """The places of `nodes`; an error if one of them is not here."""
        at = np.searchsorted(self.nodes, nodes)
        if len(nodes) and (
            len(self.nodes) == 0 or not np.array_equal(self.nodes[np.minimum(at, len(self.nodes) - 1)], nodes)
        ):
            raise UsageError(f"a node of {nodes.tolist()} is not open at this level")
        return at.astype(np.int64)

    def without(self, nodes: I64) -> "Entries":
        """The same without some nodes; their records stay in memory, and nothing leads to them."""
        stay = ~np.isin(self.nodes, nodes)
        return self._replace(nodes=self.nodes[stay], start=self.start[stay], stop=self.stop[stay])


class SplitSummary(NamedTuple):
    """SS(T_i -> T_j), what a table sends a neighbour about splits: all nodes of a level that were split on T_i's side.

    Thesis, Definition 4.

    parents       the nodes that were split, ascending.
    n_children    how many children of each it describes; children that are leaves may be left out.
    children      their numbers, parent by parent, ascending.
    start         child k has the entries start[k]:start[k + 1].
    keys          join values, as indices into the list both tables share, ascending within a child.
    counts        class counts of each entry, one column a class.
    """

    parents: I64
    n_children: I64
    children: I64
    start: I64
    keys: I32
    counts: I64

    def for_kernels(self) -> "SplitSummary":
        """The same in contiguous arrays of the declared types, whatever a message or a caller brought."""
        whole = (np.ascontiguousarray(array, dtype=np.int64) for array in (*self[:4], self.counts))
        parents, n_children, children, start, counts = whole
        return SplitSummary(parents, n_children, children, start, np.ascontiguousarray(self.keys, np.int32), counts)


def gather_entries(pieces: Sequence[Entries], n_classes: int) -> Entries:
    """Concatenate the entries of several pieces; nodes ascend."""
    if len(pieces) == 1:
        return pieces[0]
    if not pieces:
        none = np.empty(0, dtype=np.int64)
        return Entries(none, none, none, np.empty(0, np.int32), np.empty((0, n_classes), np.int64))
    nodes = np.concatenate([piece.nodes for piece in pieces])
    order = np.argsort(nodes, kind="stable")
    offset = np.cumsum([0, *(len(piece.rows) for piece in pieces)])
    start = np.concatenate([piece.start + offset[i] for i, piece in enumerate(pieces)])
    stop = np.concatenate([piece.stop + offset[i] for i, piece in enumerate(pieces)])
    rows = np.concatenate([piece.rows for piece in pieces])
    counts = np.concatenate([piece.counts for piece in pieces])
    return Entries(nodes[order], start[order], stop[order], rows, counts)


def holds(nodes: I64, first_child: I64, n_children: I64) -> bool:
    """Whether any of `nodes` is among the children first_child[i], ..., first_child[i] + n_children[i] - 1."""
    at = np.searchsorted(first_child, nodes, side="right") - 1
    return bool(np.any((at >= 0) & (nodes < (first_child + n_children)[at])))
