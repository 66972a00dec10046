"""A site's table engine: it can also take decided splits again, and count what a summary stands on and shows."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.join.tree.entries import SplitSummary
from confide.join.tree.split_scores import Scores
from confide.join.tree.table_engine import Children, TableEngine

__all__ = ["SiteEngine"]

I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


class SiteEngine(TableEngine):
    """A table engine that can also take decided splits again, and count what a summary stands on and shows.

    From `open` on, `together` marks for each neighbour the join values whose side no split has shown yet, and whose
    records are all at some open node: these alone have to be looked at. `undivided` is the same for what neighbours
    split: join values of which some record still stands for all it stood for at the root.
    """

    def open(self) -> None:
        """Open node 0; all records of each join value are together there."""
        super().open()
        self._at_root = self.level.counts.sum(axis=1)
        self._behind = {
            name: np.bincount(codes, minlength=self.shared[name]).astype(np.int64) for name, codes in self.keys.items()
        }
        self.together = {name: behind > 0 for name, behind in self._behind.items()}
        self.undivided = {name: behind > 0 for name, behind in self._behind.items()}

    # -- sides of hidden splits -----------------------------------------------------------------------------------

    def one_sided(self, neighbour: str, nodes: I64, summary: SplitSummary) -> Flags:
        """Join values all of whose own records were at one of `nodes` and fall on one side of its split.

        `summary` is the split summary of these nodes to `neighbour`. Children that are leaves are not in it: what is
        in no child of it counts as on one side.
        """
        return self._sides(neighbour, nodes, summary, self.together[neighbour], self._behind[neighbour])

    def find_seen_sides(self, neighbour: str, nodes: I64, summary: SplitSummary) -> Flags:
        """The same of a summary that a neighbour sent about `nodes`: join values that it shows on one side.

        How many records the neighbour has is not known here; what own records stand for shows whether it divided them.
        """
        unknown = np.zeros_like(self._behind[neighbour])
        return self._sides(neighbour, nodes, summary, self.undivided[neighbour], unknown)

    def _sides(self, neighbour: str, nodes: I64, summary: SplitSummary, wanted: Flags, behind: I64) -> Flags:
        """Join values that are shown; `wanted`, those worth looking at, becomes what is left of them."""
        from confide.join.site import _side_kernels as kernels

        found, left = np.zeros_like(wanted), np.zeros_like(wanted)
        if not wanted.any():
            return found
        level = self.level
        first = np.full(len(level.nodes), -1, dtype=np.int64)
        after = np.full(len(level.nodes), -1, dtype=np.int64)
        first[np.isin(level.nodes, nodes)] = after[np.isin(level.nodes, nodes)] = 0  # split, into leaves only
        at = np.searchsorted(level.nodes, summary.parents)
        here = at < len(level.nodes)
        here[here] = level.nodes[at[here]] == summary.parents[here]
        ends = np.cumsum(summary.n_children)
        first[at[here]], after[at[here]] = (ends - summary.n_children)[here], ends[here]
        values = kernels.JoinValues(self.keys[neighbour], behind, self._at_root)
        marks = kernels.Marks(wanted, found, left)
        kernels.mark_one_sided(values, level, first, after, summary.for_kernels(), marks)
        wanted[:] = left & ~found
        return found

    # -- decided splits -------------------------------------------------------------------------------------------

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

    def renumber(self, made: Children, place: I64) -> Children:
        """Number the children of the last `split` otherwise: the i-th of them gets the number of the place[i]-th."""
        born = self.born[-1]
        numbers = made.numbers[place[np.searchsorted(made.numbers, born.nodes)]]
        order = np.argsort(numbers)
        self.born[-1] = born._replace(nodes=numbers[order], start=born.start[order], stop=born.stop[order])
        old = np.argsort(place)
        return replace(made, values=made.values[old], counts=made.counts[old])

    def taking_part(self) -> Flags:
        """Which own records stand for any record of the join, as far as class summaries have come."""
        return self._propagation().alive()

    def behind_class(self, neighbour: str, *, by_class: bool) -> I64:
        """Own records behind each entry of a class summary that is not empty; by class too, if asked."""
        assert self.weights is not None
        return _behind(self.keys[neighbour], self.weights.counts, by_class=by_class)

    def behind_root(self) -> I64:
        """Own records at the root, of each class that occurs."""
        by_class = np.count_nonzero(self.level.counts, axis=0)
        return by_class[by_class > 0].astype(np.int64)

    def behind_root_keys(self, neighbour: str, *, by_class: bool) -> I64:
        """Own records of each join value at the root; by class too, if asked."""
        return _behind(self.keys[neighbour], self.level.counts, by_class=by_class)

    def behind_children(self, children: I64) -> I64:
        """Own records, not joined ones, at each of `children`, of each class that occurs there."""
        born = self.children()
        which = born.find(children)
        there = np.zeros((len(born.counts) + 1, self.n_classes), dtype=np.int64)
        np.cumsum(born.counts > 0, axis=0, out=there[1:])
        by_class = (there[born.stop] - there[born.start])[which]
        return by_class[by_class > 0]

    def let_go(self, children: I64) -> None:
        """Forget the records of these children, so that no summary includes them."""
        self.born = [piece.without(children) for piece in self.born]

    def behind_split(self, neighbour: str, children: I64, *, by_class: bool) -> I64:
        """Own records behind each (child, join value) of a split summary; by class too, if asked."""
        born = self.children()
        which = born.find(children)
        size = born.sizes[which]
        child = np.repeat(np.arange(len(which)), size)
        entries = np.repeat(born.start[which] - (np.cumsum(size) - size), size) + np.arange(size.sum())
        keys = self.keys[neighbour][born.rows[entries]].astype(np.int64)
        pairs = child * (self.shared[neighbour] + 1) + keys
        return _behind(np.unique(pairs, return_inverse=True)[1], born.counts[entries], by_class=by_class)


def _behind(groups: NDArray[np.integer[Any]], counts: I64, *, by_class: bool) -> I64:
    """How many records each group has, -1 being none; those that stand for nothing do not count."""
    there = [counts[:, c] > 0 for c in range(counts.shape[1])] if by_class else [counts.any(axis=1)]
    behind = [np.bincount(groups[(groups >= 0) & some], minlength=1) for some in there]
    return np.concatenate([found[found > 0] for found in behind]).astype(np.int64)
