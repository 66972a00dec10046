"""A site's table engine: it can also take decided splits again, and count the records behind a summary."""

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.join.tree.scoring import Scores
from confide.join.tree.table_engine import TableEngine

__all__ = ["SiteEngine"]

I64 = NDArray[np.int64]


class SiteEngine(TableEngine):
    """A table engine that can also take decided splits again, and count the records behind a summary."""

    def settle(self, decided: Scores) -> None:
        """Take splits decided in an earlier run as the best ones, for `split`."""
        self.chosen = decided

    def decided(self, nodes: I64) -> tuple[Scores, I64]:
        """The best splits, and the places of `nodes` among them; an error if a node has none."""
        best = self.chosen
        if best is None or not np.isin(nodes, best.nodes).all():
            raise UsageError("a node is to be split that was not scored")
        at = np.searchsorted(best.nodes, nodes).astype(np.int64)
        if (best.score[at] <= 0).any():
            raise UsageError("a node is to be split that has no split here")
        return best, at

    def has_scored(self, nodes: I64) -> bool:
        """Whether exactly these nodes were scored last."""
        return self.scored is not None and np.array_equal(self.scored.nodes, nodes)

    def behind_class(self, neighbour: str) -> I64:
        """Own records behind each entry of a class summary that is not empty."""
        assert self.weights is not None
        keys = self.keys[neighbour][self.weights.counts.any(axis=1)]
        behind = np.bincount(keys[keys >= 0], minlength=1)
        return behind[behind > 0]

    def behind_children(self, children: I64) -> I64:
        """Own records, not joined ones, at each of `children`."""
        born = self.children()
        return born.sizes[born.find(children)]

    def let_go(self, children: I64) -> None:
        """Forget the records of these children, so that no summary includes them."""
        self.born = [piece.without(children) for piece in self.born]

    def behind_split(self, neighbour: str, children: I64) -> I64:
        """Own records behind each (child, join value) of a split summary."""
        born = self.children()
        which = born.find(children)
        size = born.sizes[which]
        child = np.repeat(np.arange(len(which)), size)
        entries = np.repeat(born.start[which] - (np.cumsum(size) - size), size) + np.arange(size.sum())
        keys = self.keys[neighbour][born.rows[entries]].astype(np.int64)
        pairs = child * (self.shared[neighbour] + 1) + keys
        return np.unique(pairs, return_counts=True)[1]
