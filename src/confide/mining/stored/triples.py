"""Counts of all triples of some items, a cell each: no candidate is looked up, a record costs its triples and no more.

Either all triples of some items, or those of a private item and a pair of public ones. What does not fit is counted in
several passes, some anchors at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining.stored.lanes import Lanes

__all__ = ["Triples", "count_triples", "triple_passes"]

MOST_CELLS = 1 << 26  # of one pass: 256 MB
PRIVATE_CELLS = 1 << 20  # so few that each thread has its own


@dataclass(frozen=True, eq=False)
class Triples:
    """Counts of the triples of an anchor, number first .. last - 1, and two items behind it."""

    first: int
    last: int
    base: NDArray[np.int64]
    line: NDArray[np.int64]
    cells: NDArray[np.int32]

    def of(self, anchor: Any, low: Any, high: Any) -> NDArray[np.int32]:
        """The counts of some triples: numbers of anchors, and of items low < high."""
        found: NDArray[np.int32] = self.cells[self.base[anchor] + self.line[low] + high]
        return found


def triple_passes(n_items: int, n_anchors: int | None = None) -> int:
    """How many passes the triples of so many items take, or of each of some anchors with two of the items."""
    return len(_cuts(_room(n_items, n_anchors))) - 1


def count_triples(
    stored: StoredTransactions,
    items: NDArray[np.int32],
    anchors: NDArray[np.int32] | None = None,
    *,
    first: int = 0,
    last: int | None = None,
) -> Iterator[Triples]:
    """All triples of `items` (ascending codes), or of one of `anchors`, which are others, and two of `items`.

    One result for each pass; with no anchors given an anchor is the first item of a triple. `first` and `last` bound
    the numbers of the anchors.
    """
    room = _room(len(items), None if anchors is None else len(anchors))[:last]
    for begin, end in pairwise([first + cut for cut in _cuts(room[first:])]):
        job = CountTriples(stored.n_items, items, anchors, begin, end)
        label = f"counting triples of {end - begin:,} with {len(items):,} items"
        yield stored.fold(job, label=label).triples


def _room(n_items: int, n_anchors: int | None) -> NDArray[np.int64]:
    """The cells of each anchor."""
    behind = np.full(n_anchors, n_items) if n_anchors is not None else n_items - 1 - np.arange(n_items)
    return (behind * (behind - 1) // 2).astype(np.int64)


def _cuts(room: NDArray[np.int64]) -> list[int]:
    """Where to cut the anchors so that no pass has too many cells, unless one anchor has."""
    ends, cells = [0], 0
    for anchor, own in enumerate(room.tolist()):
        if cells and cells + own > MOST_CELLS:
            ends.append(anchor)
            cells = 0
        cells += own
    return [*ends, len(room)]


@dataclass
class _Counting:
    triples: Triples
    item_rank: NDArray[np.int32]
    anchor_rank: NDArray[np.int32] | None
    behind: NDArray[np.int32]
    lanes: Lanes


@dataclass(frozen=True, eq=False)
class CountTriples:
    """The pass that counts the triples of the anchors first .. last - 1."""

    n_items: int
    items: NDArray[np.int32]
    anchors: NDArray[np.int32] | None
    first: int
    last: int

    @property
    def shared(self) -> bool:
        """Whether one array of cells serves all threads."""
        return int(self._own().sum()) > PRIVATE_CELLS

    def _own(self) -> NDArray[np.int64]:
        room = _room(len(self.items), None if self.anchors is None else len(self.anchors))
        room[: self.first] = room[self.last :] = 0
        return room

    def begin(self) -> _Counting:
        """Cells of zeros."""
        n, own = len(self.items), self._own()
        numbers = np.arange(n, dtype=np.int64)
        lengths = n - 1 - numbers
        line = np.cumsum(lengths) - lengths - numbers - 1  # line[i] + i + 1 is where line i begins
        ends = np.cumsum(own)
        whole = n * (n - 1) // 2
        base = ends - whole  # an anchor's cells are the end of a triangle
        if self.anchors is None:
            behind, anchor_rank = np.arange(n, dtype=np.int32), None
        else:
            behind = np.full(len(self.anchors), -1, dtype=np.int32)
            anchor_rank = _ranks(self.anchors, self.n_items)
        triples = Triples(self.first, self.last, base, line, np.zeros(int(ends[-1]) + 1, dtype=np.int32))
        lanes = Lanes.over(own.astype(np.float64).tolist()) if self.shared else Lanes([0, len(own)])
        return _Counting(triples, _ranks(self.items, self.n_items), anchor_rank, behind, lanes)

    def add(self, state: _Counting, batch: Transactions) -> _Counting:
        """Count the triples of these records."""
        from confide.mining.counting._level_kernels import filter_rows
        from confide.mining.stored._triple_kernels import add_triples

        rows = filter_rows(batch.indptr, batch.indices, state.item_rank, 0, len(batch))
        anchors = rows
        if state.anchor_rank is not None:
            anchors = filter_rows(batch.indptr, batch.indices, state.anchor_rank, 0, len(batch))
        made = state.triples

        def bring(_: int, first: int, last: int) -> None:
            first, last = max(first, made.first), min(last, made.last)
            if first < last:
                add_triples(*anchors, *rows, state.behind, first, last, made.base, made.line, made.cells)

        state.lanes.visit(bring)
        return state

    def merge(self, one: _Counting, other: _Counting) -> _Counting:
        """The sum of two."""
        one.triples.cells[:] += other.triples.cells
        return one


def _ranks(codes: NDArray[np.int32], n_items: int) -> NDArray[np.int32]:
    rank = np.full(n_items, -1, dtype=np.int32)
    rank[codes] = np.arange(len(codes), dtype=np.int32)
    return rank
