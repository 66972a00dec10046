"""Records at nodes: which of a table's records are at which node, with the class counts they carry there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError

__all__ = ["Entries", "gathered", "holds"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Entries:
    """Records at nodes: those of nodes[i] are rows[start[i]:stop[i]], with their class counts; nodes ascend."""

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
            raise UsageError("a node that is not open at this level was asked for")
        return at.astype(np.int64)

    def without(self, nodes: I64) -> "Entries":
        """The same without some nodes; their records stay in memory, and nothing leads to them."""
        stay = ~np.isin(self.nodes, nodes)
        return replace(self, nodes=self.nodes[stay], start=self.start[stay], stop=self.stop[stay])


def gathered(pieces: Sequence[Entries], n_classes: int) -> Entries:
    """The nodes of several pieces as one, by number."""
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
