"""A tree of items that nobody has put in order: groups are merged that keep each other from being published.

Two names that are in some records together, but in fewer than k, may not both be published: they are a *mole* (of two).
Merging a and b breaks the moles that neither leaves behind:

          y1   y2   y3                      y1   y2   y3
    a      3    0   40        k = 20   ab   32    5   41       of the moles (a, y1), (b, y2) one is broken:
    b     29    5    2                                         (ab, y1) is none; (b, y3) is gone as well

Again and again the group that is in most moles for its entries joins the partner that breaks most moles for what the
merger costs. When no mole is left, k doubles; so the tree has groups for every k from the first on. The rarest items
are put together before that, the two rarest first, until `_GROUPS` groups are left: counts of all pairs then fit a
table.

Cost: about _GROUPS ** 3 / 3 in numpy, and one pass over the records.
"""

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from confide.core.runtime.progress import task
from confide.publish.jobs.loss_names import NameCost
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.generalisation.name_cost import merging_cost
from confide.publish.transactions.generalisation.tree import Tree, arrange, spread

__all__ = ["merge_items"]

I64 = NDArray[np.int64]
_GROUPS = 1_000


def merge_items(codes: Sequence[int], declared: Declared, *, k: int, cost: NameCost) -> Tree:
    """A binary tree of these items for releases that ask for k records or more; `cost` says what a merger costs."""
    forest = _Forest(codes, declared.supports)
    forest.bin_rarest(_GROUPS)
    pairs = _Pairs(forest, declared)
    with task("merging items", total=pairs.number - 1) as step:
        while pairs.number > 1:
            if 2 * pairs.number < len(pairs.alive):
                pairs.shrink()
            moles = pairs.count_moles(k)
            if not moles.any():
                k *= 2
                continue
            a = int(np.argmax(moles / pairs.entries * pairs.alive))
            b = pairs.best_partner(a, k, moles, cost)
            pairs.merge(a, b, forest.join(int(pairs.root[a]), int(pairs.root[b])))
            step(1)
    return arrange(forest.parent, forest.code, [None] * forest.size, declared.supports)


class _Forest:
    """Trees that grow together: `parent[v]` is -1 for a root."""

    def __init__(self, codes: Sequence[int], supports: I64) -> None:
        self.parent = [-1] * len(codes)
        self.code = list(codes)
        self.entries = [int(supports[item]) for item in codes]
        self.width = [1] * len(codes)

    @property
    def size(self) -> int:
        """Number of nodes so far."""
        return len(self.parent)

    @property
    def roots(self) -> list[int]:
        """The nodes that nothing is above."""
        return [v for v, above in enumerate(self.parent) if above < 0]

    def join(self, a: int, b: int) -> int:
        """A new root above two roots."""
        new = self.size
        self.parent[a] = self.parent[b] = new
        self.parent.append(-1)
        self.code.append(-1)
        self.entries.append(self.entries[a] + self.entries[b])
        self.width.append(self.width[a] + self.width[b])
        return new

    def bin_rarest(self, most: int) -> None:
        """Join the two rarest roots until at most so many are left."""
        rarest = [(self.entries[v], v) for v in self.roots]
        heapq.heapify(rarest)
        while len(rarest) > most:
            (_, a), (_, b) = heapq.heappop(rarest), heapq.heappop(rarest)
            new = self.join(a, b)
            heapq.heappush(rarest, (self.entries[new], new))

    def root_of_items(self) -> dict[int, int]:
        """The root above each item."""
        above = list(range(self.size))
        for v in range(self.size - 1, -1, -1):  # a parent has the larger number
            if self.parent[v] >= 0:
                above[v] = above[self.parent[v]]
        return {item: above[v] for v, item in enumerate(self.code) if item >= 0}


class _Pairs:
    """The records that two groups share, for each pair. Groups are rows of a table; a merged one is struck out."""

    def __init__(self, forest: _Forest, declared: Declared) -> None:
        tx = declared.transactions
        self.root = np.array(forest.roots, dtype=np.int64)
        place = {root: i for i, root in enumerate(forest.roots)}
        row_of = np.full(tx.n_items, -1, dtype=np.int64)
        for item, root in forest.root_of_items().items():
            row_of[item] = place[root]
        n, row = len(self.root), row_of[tx.indices]
        records = np.repeat(np.arange(len(tx)), tx.lengths)[row >= 0]
        held = csr_array((np.ones(len(records), dtype=np.int32), (records, row[row >= 0])), shape=(len(tx), n))
        held.sum_duplicates()
        held.data[:] = 1
        self.ptr, self.names = held.indptr.astype(np.int64), held.indices.astype(np.int64)
        by_group = held.tocsc()
        self.tids = [by_group.indices[by_group.indptr[i] : by_group.indptr[i + 1]] for i in range(n)]
        self.together = (held.T @ held).toarray().astype(np.int32)
        np.fill_diagonal(self.together, 0)
        self.entries = np.array([forest.entries[v] for v in self.root], dtype=np.float64)
        self.width = np.array([forest.width[v] for v in self.root], dtype=np.float64)
        self.records = np.array([len(tids) for tids in self.tids])
        self.now = np.arange(n)  # the row that each group of `names` is in by now
        self.alive = np.ones(n, dtype=np.bool_)

    @property
    def number(self) -> int:
        """How many groups there are."""
        return int(self.alive.sum())

    def count_moles(self, k: int) -> I64:
        """In how many moles each group is, itself counted if it is in fewer than k records."""
        return _is_mole(self.together, k).sum(axis=1) + (self.alive & (self.records < k))

    def best_partner(self, a: int, k: int, moles: I64, cost: NameCost) -> int:
        """The group whose merger with a breaks most moles for its cost."""
        rest = _is_mole(self.together + self.together[a], k)
        rest[:, a] = False
        np.fill_diagonal(rest, False)
        rest_alone = self.records + self.records[a] - self.together[a] < k
        broken = moles[a] + moles - _is_mole(self.together[a], k) - rest.sum(axis=1) - rest_alone
        price = merging_cost(self.entries, self.width, a, cost)
        worth = np.where(self.alive, np.maximum(broken, 1e-6) / np.maximum(price, 1e-9), -1.0)
        worth[a] = -1.0
        return int(np.argmax(worth))

    def merge(self, a: int, b: int, new: int) -> None:
        """Put b's records and items into row a, which is node `new` from now on."""
        both = np.intersect1d(self.tids[a], self.tids[b], assume_unique=True)
        places = spread(self.ptr[both], self.ptr[both + 1] - self.ptr[both])
        of = np.repeat(np.arange(len(both)), self.ptr[both + 1] - self.ptr[both])
        keys = np.sort(of * len(self.now) + self.now[self.names[places]])
        names = keys[np.diff(keys, prepend=-1) > 0] % len(self.now)  # a record holds a group once
        row = self.together[a] + self.together[b] - np.bincount(names, minlength=len(self.now)).astype(np.int32)
        row[[a, b]] = 0
        self.together[a], self.together[:, a] = row, row
        self.together[b], self.together[:, b] = 0, 0
        tids = np.sort(np.concatenate([self.tids[a], self.tids[b]]))
        self.tids[a] = tids[np.diff(tids, prepend=-1) > 0]
        self.now[self.now == b] = a
        self.root[a], self.alive[b] = new, False
        self.entries[a] += self.entries[b]
        self.width[a] += self.width[b]
        self.records[a] = len(self.tids[a])

    def shrink(self) -> None:
        """Leave out the rows that are struck out."""
        kept = np.flatnonzero(self.alive)
        place = np.cumsum(self.alive) - 1
        self.now = place[self.now]
        self.names, self.now = self.now[self.names], np.arange(len(kept))
        self.together = self.together[np.ix_(kept, kept)]
        self.tids = [self.tids[i] for i in kept]
        self.root, self.entries, self.width = self.root[kept], self.entries[kept], self.width[kept]
        self.records, self.alive = self.records[kept], self.alive[kept]


def _is_mole(together: NDArray[np.int32], k: int) -> NDArray[np.bool_]:
    """Which of these are in some records together, but in fewer than k."""
    found: NDArray[np.bool_] = (together - 1).view(np.uint32) < k - 1
    return found
