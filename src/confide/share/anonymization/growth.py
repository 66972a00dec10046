"""Growing a tree every leaf of which keeps a requirement (paper 002, section 6.2: LDM), and merging as it grows (ours).

At each node a split competes only if all its children pass. With `merge`, children of a categorical split that fail
are first merged, as pruning does, and the split competes with what is left, if that is more than one. By exact counts
whatever joins passing leaves passes too, so nothing above a split needs to be tested again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from confide.core.trees.nodes import Edge, Node
from confide.mining.trees.arrays import threshold
from confide.mining.trees.coding import ranked
from confide.mining.trees.splits import Criterion, Split, choose, criterion_code, grid
from confide.mining.trees.table import Column
from confide.share.anonymization.leaf_tests import LeafTest

__all__ = ["Growth"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class _Cut:
    """A numeric split: the last code that goes left, the first that goes right, and where missing numbers go."""

    low: int
    high: int
    missing: int | None  # 0 left, 1 right


@dataclass(frozen=True)
class _Found:
    split: Split
    how: "_Cut | list[list[int]]"  # of categories: the codes of each child


@dataclass
class Growth:
    """Columns and classes of the records, and how to grow; `grow` gives the nodes of a tree on some of the records.

    `unused` are columns never to split on.
    """

    columns: Sequence[Column]
    y: I32
    classes: Sequence[str]
    test: LeafTest
    criterion: Criterion
    merge: bool
    min_leaf: int = 1
    min_branch: int = 1
    max_depth: int | None = None
    unused: frozenset[str] = frozenset()
    codes: list[I32] = field(init=False)
    numbers: list[NDArray[np.float64]] = field(init=False)

    def __post_init__(self) -> None:
        self.codes, self.numbers = [], []
        for column in self.columns:
            if column.kind == "numeric":
                codes, _, numbers = ranked(column)
            else:
                codes, numbers = column.data.astype(np.int32, copy=False), np.zeros(len(column.values))
            self.codes.append(codes)
            self.numbers.append(numbers)

    def grow(self, rows: I64) -> list[Node]:
        """The nodes of the tree on these records, parents first."""
        exponent = grid(max(1, len(rows)))
        nodes: list[Node] = []
        queue = [(rows, 0)]
        waiting = 0
        while waiting < len(queue):
            rows, depth = queue[waiting]
            queue[waiting] = (rows[:0], depth)  # its records are in its children's now
            waiting += 1
            counts = np.bincount(self.y[rows], minlength=len(self.classes))
            best = self._best(rows, counts, exponent) if self._open(counts, depth) else None
            edges: list[Edge] = []
            attribute = None
            if best is not None:
                column = self.columns[best.split.order]
                attribute = column.name
                for edge, part in self._parts(best, rows, first=len(queue)):
                    edges.append(edge)
                    queue.append((part, depth + 1))
            own = tuple(counts.tolist())
            hit = max(own)
            nodes.append(
                Node(
                    label=self.classes[own.index(hit)],
                    hit=hit,
                    miss=len(rows) - hit,
                    counts=own,
                    attribute=attribute,
                    edges=tuple(edges),
                )
            )
        return nodes

    def _open(self, counts: I64, depth: int) -> bool:
        least = max(self.min_leaf, self.min_branch, 1)
        below = self.max_depth is None or depth < self.max_depth
        return below and int(np.count_nonzero(counts)) > 1 and int(counts.sum()) >= 2 * least

    def _best(self, rows: I64, counts: I64, exponent: int) -> _Found | None:
        found = {}
        for j, column in enumerate(self.columns):
            if column.name not in self.unused:
                split = (self._numeric if column.kind == "numeric" else self._categorical)(j, rows, counts, exponent)
                if split is not None:
                    found[j] = split
        best = choose((f.split for f in found.values()), criterion=self.criterion)
        return None if best is None else found[best.order]

    # -- categories -----------------------------------------------------------------------------------------------

    def _categorical(self, j: int, rows: I64, counts: I64, exponent: int) -> _Found | None:
        avc = self._avc(self.codes[j][rows], rows, len(self.columns[j].values))
        present = np.flatnonzero(avc.sum(axis=1))
        families = [[int(v)] for v in present]
        table = avc[present]
        if len(families) > 1 and self.merge:
            families, table = self._merged(families, table)
        if len(families) < 2 or not self._allowed(table).all():
            return None
        sizes = table.sum(axis=1)
        if np.count_nonzero(sizes >= self.min_branch) < 2:
            return None
        gain = int(self._mass(counts[None], exponent)[0] - self._mass(table, exponent).sum())
        info = self._info(sizes[None], exponent)
        return _Found(Split(order=j, kind="categorical", gain=gain, info=int(info[0])), families)

    def _merged(self, families: list[list[int]], table: I64) -> tuple[list[list[int]], I64]:
        """Merge children that fail, as pruning does; the one child left, or families that all pass."""
        from confide.share.anonymization import _pruning_kernels as kernels

        table = table.copy()
        total = table.sum(axis=1)
        label = table.argmax(axis=1)
        hit = table.max(axis=1)
        fails = ~self._allowed(table)
        if not fails.any():
            return families, table
        into = np.arange(len(families))
        nothing = np.zeros((1, 1), dtype=np.int64)
        kernels.merge_children(total, label, hit, table, nothing, fails, into, *self.test.arguments)
        while not np.array_equal(into, into[into]):
            into = into[into]
        kept = np.unique(into)
        joined = [sorted(v for i in np.flatnonzero(into == a) for v in families[i]) for a in kept]
        return joined, table[kept]

    # -- numbers --------------------------------------------------------------------------------------------------

    def _numeric(self, j: int, rows: I64, counts: I64, exponent: int) -> _Found | None:
        absent = len(self.numbers[j])  # the code of a missing number
        distinct, codes = np.unique(self.codes[j][rows], return_inverse=True)
        if len(distinct) < 2:
            return None
        avc = self._avc(codes, rows, len(distinct))
        gone = avc[-1] if distinct[-1] == absent else None
        left = np.cumsum(avc, axis=0)[:-1]
        sides = [(left, None if gone is None else 1)]
        if gone is not None and len(distinct) > 2:
            sides.append((left[:-1] + gone, 0))
        best: _Found | None = None
        for lefts, missing in sides:
            found = self._best_cut(j, lefts, counts, exponent, distinct, missing)
            if found is not None and (best is None or _quantised(found.split.gain) > _quantised(best.split.gain)):
                best = found
        return best

    def _best_cut(
        self, j: int, left: I64, counts: I64, exponent: int, distinct: I32, missing: int | None
    ) -> _Found | None:
        right = counts - left
        sizes = np.stack([left.sum(axis=1), right.sum(axis=1)], axis=1)
        ok = (sizes.min(axis=1) >= max(self.min_leaf, self.min_branch)) & self._allowed(left) & self._allowed(right)
        if not ok.any():
            return None
        left, right, sizes, places = left[ok], right[ok], sizes[ok], np.flatnonzero(ok)
        gains = self._mass(counts[None], exponent)[0] - self._mass(left, exponent) - self._mass(right, exponent)
        at = int(np.argmax([_quantised(int(gain)) for gain in gains]))
        info = int(self._info(sizes[at : at + 1], exponent)[0])
        low = int(places[at])
        split = Split(order=j, kind="numeric", gain=int(gains[at]), info=info, position=low)
        return _Found(split, _Cut(int(distinct[low]), int(distinct[low + 1]), missing))

    # -- both -----------------------------------------------------------------------------------------------------

    def _parts(self, found: _Found, rows: I64, *, first: int) -> list[tuple[Edge, I64]]:
        """The edges of a split and the records that take each; children are numbered from `first`."""
        j = found.split.order
        column, codes = self.columns[j], self.codes[j][rows]
        if isinstance(found.how, _Cut):
            cut = found.how
            at = threshold(column, self.numbers[j], cut.low, cut.high)
            lost = codes == len(self.numbers[j])
            right = np.where(lost, cut.missing == 1, codes > cut.low)
            above = ((at, np.inf),) if np.isfinite(at) else ()
            low = Edge(to=first, intervals=((-np.inf, at),), missing=cut.missing == 0)
            high = Edge(to=first + 1, intervals=above, missing=cut.missing == 1)
            return [(low, rows[~right]), (high, rows[right])]
        whose = np.zeros(len(column.values), dtype=np.int64)
        for k, family in enumerate(found.how):
            whose[family] = k
        return [
            (Edge(to=first + k, values=tuple(column.values[v] for v in family)), rows[whose[codes] == k])
            for k, family in enumerate(found.how)
        ]

    def _avc(self, codes: NDArray[np.integer], rows: I64, width: int) -> I64:
        m = len(self.classes)
        cells = codes.astype(np.int64) * m + self.y[rows]
        return np.bincount(cells, minlength=width * m).reshape(width, m).astype(np.int64, copy=False)

    def _allowed(self, table: I64) -> NDArray[np.bool_]:
        """Which rows of class counts may be a leaf."""
        from confide.share.anonymization import _leaf_kernels as kernels

        totals = table.sum(axis=1)
        ok: NDArray[np.bool_] = kernels.pass_each(totals, np.ascontiguousarray(table), *self.test.arguments)
        return ok & (totals >= self.min_leaf)

    def _mass(self, table: I64, exponent: int) -> I64:
        from confide.mining.trees import _tree_kernels as kernels

        return kernels.masses(np.ascontiguousarray(table), criterion_code(self.criterion), 2.0**exponent)

    def _info(self, sizes: I64, exponent: int) -> I64:
        from confide.mining.trees import _tree_kernels as kernels

        return kernels.masses(np.ascontiguousarray(sizes), criterion_code("information_gain"), 2.0**exponent)


def _quantised(gain: int) -> int:
    from confide.mining.trees import _tree_kernels as kernels

    return int(kernels.quantised(gain))
