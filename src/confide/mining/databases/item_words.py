"""Each item's records as words, equal ones merged, by one pass.

In the word of an item a bit stands for each item that is frequent with it (`_pair_kernels.mask_cells`); there are far
fewer different words than records, and they are counted in hash tables, one a lane (see `lanes`). Where they do not fit
into memory after all, the items are halved and each half takes a pass.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.transactions.container import Transactions
from confide.mining.stored.lanes import Lanes, Overflow

__all__ = ["CountMasks", "CountWords", "Weighted"]

MOST_SLOTS = 1 << 25  # of all tables, 16 bytes each: 512 MB, and half as much again while one grows
_FULL = 0.7
_SMALL = 1 << 12


class Weighted(NamedTuple):
    """Words by item, those of item i from starts[i] on, with how many records have each."""

    words: NDArray[np.uint64]
    weights: NDArray[np.int32]
    starts: NDArray[np.int64]


@dataclass
class _Table:
    """A hash table of (item, word)."""

    most: int
    words: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(_SMALL, dtype=np.uint64))
    items: NDArray[np.int32] = field(default_factory=lambda: np.full(_SMALL, -1, dtype=np.int32))
    counts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(_SMALL, dtype=np.int32))
    used: int = 0

    @property
    def slots(self) -> Any:
        """The arrays as kernels take them."""
        from confide.mining.databases._item_word_kernels import Slots

        return Slots(self.words, self.items, self.counts)

    def grow(self, least: int = 0) -> None:
        from confide.mining.databases._item_word_kernels import add_slots

        size = 2 * len(self.items)
        while size * _FULL < least:
            size *= 2
        if size > self.most:
            raise Overflow
        old = self.slots
        self.words, self.counts = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int32)
        self.items = np.full(size, -1, dtype=np.int32)
        self.used = add_slots(old, self.slots)

    def add(
        self,
        rows: NDArray[np.int32],
        words: NDArray[np.uint64],
        lane_of: NDArray[np.int32],
        lane: int,
        item_of: NDArray[np.int32],
    ) -> None:
        from confide.mining.databases._item_word_kernels import insert

        at = 0
        while at < len(rows):
            room = int(_FULL * len(self.items)) - self.used
            at, taken = insert(rows, words, at, lane_of, lane, item_of, self.slots, room)
            self.used += taken
            if at < len(rows):
                self.grow()

    def take(self, other: "_Table") -> None:
        from confide.mining.databases._item_word_kernels import add_slots

        if self.used + other.used > _FULL * len(self.items):
            self.grow(self.used + other.used)
        self.used += add_slots(other.slots, self.slots)


@dataclass
class MaskState:
    """Tables, one a lane."""

    lanes: Lanes
    tables: list[_Table]


def weighted(tables: list[_Table], n_items: int) -> Weighted:
    """What the tables hold, by item; they are emptied on the way."""
    from confide.mining.databases._item_word_kernels import gather

    sizes = np.zeros(n_items, dtype=np.int64)
    for table in tables:
        sizes += np.bincount(table.items[table.items >= 0], minlength=n_items)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    words, weights = np.empty(starts[-1], dtype=np.uint64), np.empty(starts[-1], dtype=np.int32)
    fill = starts[:-1].copy()
    while tables:
        table = tables.pop()
        gather(table.slots, fill, words, weights)
    return Weighted(words, weights, starts)


@dataclass(frozen=True, eq=False)
class CountMasks:
    """The pass that makes the words of the items of some ranks.

    `number` is the number of each item code, or -1; `rank` the rank of each number; `cells` as `mask_cells` makes them.
    """

    number: NDArray[np.int32]
    rank: NDArray[np.int32]
    cells: NDArray[np.uint16]
    supports: NDArray[np.int64]  # of each rank
    least: int
    first: int
    last: int

    shared = True

    def begin(self) -> MaskState:
        """Empty tables."""
        lanes = Lanes.over(self.supports.astype(np.float64).tolist())
        return MaskState(lanes, [_Table(MOST_SLOTS // len(lanes.locks)) for _ in lanes.locks])

    def add(self, state: MaskState, batch: Transactions) -> MaskState:
        """Count the words of these records."""
        from confide.mining.counting.level_kernels import trim_rows
        from confide.mining.databases._item_word_kernels import make_words

        starts, rows = trim_rows(batch.indptr, batch.indices, self.number, self.least + 1)
        words = np.empty(len(rows), dtype=np.uint64)
        make_words(starts, rows, self.cells, self.least, words)
        lane_of = np.full(len(self.rank), -1, dtype=np.int32)
        ends = np.array(state.lanes.ends)
        inside = (self.rank >= self.first) & (self.rank < self.last)
        lane_of[inside] = (np.searchsorted(ends, self.rank[inside], side="right") - 1).astype(np.int32)

        def bring(lane: int, _: int, __: int) -> None:
            state.tables[lane].add(rows, words, lane_of, lane, self.rank)

        state.lanes.visit(bring)
        return state

    def merge(self, one: MaskState, other: MaskState) -> MaskState:
        """The sum of two."""
        for mine, theirs in zip(one.tables, other.tables, strict=True):
            mine.take(theirs)
        return one

    def weighted(self, state: MaskState) -> Weighted:
        """The words of each rank."""
        return weighted(state.tables, len(self.supports))


@dataclass(frozen=True, eq=False)
class CountWords:
    """The pass that makes one word of every record, for at most 64 items; `bits` is the bit of each item code."""

    bits: NDArray[np.uint64]

    shared = False

    def begin(self) -> _Table:
        """An empty table."""
        return _Table(MOST_SLOTS // 4)

    def add(self, state: _Table, batch: Transactions) -> _Table:
        """Count the words of these records."""
        from confide.mining.databases._item_word_kernels import whole_words

        words = np.empty(len(batch), dtype=np.uint64)
        whole_words(batch.indptr, batch.indices, self.bits, words)
        alone = np.zeros(1, dtype=np.int32)
        state.add(np.zeros(len(words), dtype=np.int32), words, alone, 0, alone)
        return state

    def merge(self, one: _Table, other: _Table) -> _Table:
        """The sum of two."""
        one.take(other)
        return one

    def weighted(self, state: _Table) -> Weighted:
        """The different words."""
        return weighted([state], 1)
