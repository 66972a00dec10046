"""A site's table engine: it can also take decided splits again, and count the records behind a summary."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.join.tree.table_engine import Scores, TableEngine

__all__ = ["SiteEngine"]

I64 = NDArray[np.int64]


class SiteEngine(TableEngine):
    """A table engine that can also take decided splits again, and count the records behind a summary."""

    def settle(self, decided: Scores) -> None:
        """Take splits decided in an earlier run as the best ones, for `split`."""
        self._best = decided

    def decided(self, nodes: I64) -> tuple[Scores, I64]:
        """The best splits, and the places of `nodes` among them; an error if a node has none."""
        best: Scores | None = getattr(self, "_best", None)
        if best is None or not np.isin(nodes, best.nodes).all():
            raise UsageError("a node is to be split that was not scored")
        at = np.searchsorted(best.nodes, nodes).astype(np.int64)
        if (best.score[at] <= 0).any():
            raise UsageError("a node is to be split that has no split here")
        return best, at

    def behind_class(self, neighbour: str) -> NDArray[np.int64]:
        """Own records behind each entry of a class summary that is not empty."""
        assert self._weights is not None
        keys = self._keys[neighbour][self._weights.any(axis=1)]
        behind = np.bincount(keys[keys >= 0], minlength=1)
        return behind[behind > 0]

    def behind_children(self, children: I64) -> NDArray[np.int64]:
        """Own records, not joined ones, at each of `children`."""
        level = self._gathered()
        which = level.find(children)
        return level.stop[which] - level.start[which]

    def let_go(self, children: I64) -> None:
        """Forget the records of these children: no summary is to speak of them."""
        pieces = []
        for piece in self._next:
            stay = ~np.isin(piece.nodes, children)
            pieces.append(replace(piece, nodes=piece.nodes[stay], start=piece.start[stay], stop=piece.stop[stay]))
        self._next = pieces

    def behind_split(self, neighbour: str, children: I64) -> NDArray[np.int64]:
        """Own records behind each (child, join value) of a split summary."""
        level = self._gathered()
        which = level.find(children)
        size = level.stop[which] - level.start[which]
        child = np.repeat(np.arange(len(which)), size)
        entries = np.repeat(level.start[which] - (np.cumsum(size) - size), size) + np.arange(size.sum())
        keys = self._keys[neighbour][level.rows[entries]].astype(np.int64)
        pairs = child * (self._shared[neighbour] + 1) + keys
        return np.unique(pairs, return_counts=True)[1]
