"""The arrays behind a sliding window, and the labels of the items in them.

The kernels know items as slots; here slots get their labels, and arrays that a kernel found too small are grown. Every
array is at most about twice as large as the fullest window so far has needed, however long the stream.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.transactions.labels import label_order
from confide.mining.window import _layout as layout
from confide.mining.window._layout import (
    BLOCK,
    CODE,
    COUNT,
    DIRTY,
    FREE_BLOCK,
    FREE_ROW,
    FREE_SLOT,
    HEAD,
    KEY,
    LENGTH,
    LOG,
    MIN_SUPPORT,
    N_SETS,
    NEXT,
    PHASE,
    RECORDS,
    SIZE,
    SUPPORT,
    TOUCHED,
)
from confide.mining.window._set_kernels import rehash
from confide.mining.window._window_kernels import learn

__all__ = ["WindowState"]

I64 = NDArray[np.int64]
I32 = NDArray[np.int32]

_CHUNK = 1 << 14  # records between two chances for Ctrl-C


class WindowState:
    """Window contents and their closed frequent itemsets, for a fixed size and threshold (a count)."""

    def __init__(self, size: int, min_count: int):
        first = min(size, 64)
        self.meta: I64 = np.zeros(layout.META, dtype=np.int64)
        self.meta[SIZE], self.meta[MIN_SUPPORT] = size, min_count
        self.meta[[FREE_SLOT, FREE_ROW]] = -1
        self.meta[FREE_BLOCK : layout.FORGET] = -1
        self.item: I64 = _with_keys(np.zeros((64, 8), dtype=np.int64), 0)
        self.ring: I64 = np.zeros((first, 3), dtype=np.int64)
        self.entry: I32 = np.zeros((256, 3), dtype=np.int32)
        self.bitmap: NDArray[np.uint64] = np.zeros((16, 1), dtype=np.uint64)
        self.stamp: I64 = np.zeros(64, dtype=np.int64)
        self.sets: I64 = np.zeros((64, 5), dtype=np.int64)
        self.table: I32 = np.full(256, -1, dtype=np.int32)
        self.pool: I32 = np.zeros(256, dtype=np.int32)
        self.tids: NDArray[np.uint64] = np.zeros((16, 1), dtype=np.uint64)
        self.cand: I64 = np.zeros((16, 2), dtype=np.int64)
        self.work: I64 = np.zeros((16, 6), dtype=np.int64)
        self.label_of: list[str | None] = []
        self.slot_of: dict[str, int] = {}

    def __len__(self) -> int:
        return int(self.meta[RECORDS])

    @property
    def nbytes(self) -> int:
        """Bytes held in arrays."""
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    # -- learning -------------------------------------------------------------------------------------------------

    def learn_row(self, labels: Sequence[str]) -> None:
        """Learn one record, given by its labels, each once; `learn` would spend most of the time on preparations."""
        n = len(labels)
        slots = np.array([self.slot_of.get(label, -1) for label in labels], dtype=np.int32)
        self._learn(np.array([0, n], dtype=np.int64), np.arange(n, dtype=np.int32), slots, labels, n)

    def learn(self, indptr: I64, codes: I32, labels: Sequence[str]) -> None:
        """Learn records in compressed rows; `labels[code]` is the label of a code, each label once."""
        # Read-only arrays are another type to numba, and would have everything compiled once more.
        indptr, codes = np.require(indptr, np.int64, ["C", "A", "W"]), np.require(codes, np.int32, ["C", "A", "W"])
        used = np.unique(codes).tolist() if len(codes) < len(labels) else range(len(labels))
        slots = np.full(len(labels), -1, dtype=np.int32)
        slots[used] = [self.slot_of.get(labels[code], -1) for code in used]
        self._learn(indptr, codes, slots, labels, int(np.diff(indptr).max(initial=0)))

    def forget(self, count: int) -> None:
        """Let the oldest records out."""
        self._check_whole()
        none = np.zeros(0, dtype=np.int32)
        while count:
            some = min(count, _CHUNK)
            self.meta[[layout.FORGET, layout.AT]] = some, 0
            while need := self._run(np.zeros(1, dtype=np.int64), none, none, 0):
                self._grow(need)
            if self.meta[TOUCHED]:
                self._rename(())
            count -= some

    def _learn(self, indptr: I64, codes: I32, slots: I32, labels: Sequence[str], longest: int) -> None:
        self._check_whole()
        live = np.flatnonzero(slots >= 0)
        self.item[slots[live], CODE] = live
        if longest >= len(self.work):
            self.work = _grown(self.work, 2 * longest)
        self.meta[layout.AT] = 0
        n = len(indptr) - 1
        try:
            for until in range(min(_CHUNK, n), n + _CHUNK, _CHUNK):
                while need := self._run(indptr, codes, slots, min(until, n)):
                    self._grow(need)
        finally:
            if self.meta[TOUCHED]:
                self._rename(labels)
            # Codes mean something within one call only; an item of no code is one that these records do not hold.
            self.item[slots[slots >= 0], CODE] = -1

    def _run(self, indptr: I64, codes: I32, slots: I32, until: int) -> int:
        window = layout.Window(
            self.meta,
            self.item,
            self.ring,
            self.entry,
            self.bitmap,
            self.stamp,
            self.sets,
            self.table,
            self.pool,
            self.tids,
            self.cand,
            self.work,
        )
        return int(learn(window, indptr, codes, slots, until))

    def _grow(self, need: int) -> None:
        if need == layout.RING:
            rows = min(int(self.meta[SIZE]), 2 * len(self.ring))
            self.ring = _grown(self.ring, rows)
            more = -(-rows // 64) - self.bitmap.shape[1]
            self.bitmap = np.pad(self.bitmap, ((0, 0), (0, more)))
            self.tids = np.pad(self.tids, ((0, 0), (0, more)))
        elif need == layout.ENTRIES:
            old = self.entry
            self.entry = np.zeros((2 * len(old), 3), dtype=np.int32)
            # Positions count up for ever; what lies in the circle are the last len(old) of them.
            kept = np.arange(max(0, int(self.meta[HEAD]) - len(old)), int(self.meta[HEAD]))
            self.entry[kept & (len(self.entry) - 1)] = old[kept & (len(old) - 1)]
        elif need == layout.ITEMS:
            self.item = _with_keys(_grown(self.item), len(self.item))
            self.stamp = _grown(self.stamp)
        elif need == layout.ROWS:
            self.bitmap = _grown(self.bitmap)
        elif need == layout.TIDS:
            rows = 2 * max(len(self.tids), len(self.work))
            self.tids, self.cand = _grown(self.tids, rows), _grown(self.cand, rows)
        elif need == layout.SETS:
            self.sets = _grown(self.sets)
            self.table = np.full(4 * len(self.sets), -1, dtype=np.int32)
            rehash(self.sets, int(self.meta[N_SETS]), self.table)
        else:
            self.pool = _grown(self.pool, 2 * max(len(self.pool), len(self.work)))

    def _rename(self, labels: Sequence[str]) -> None:
        """Bring `label_of` and `slot_of` up to date with the slots that changed hands."""
        touched = self.item[: self.meta[TOUCHED], LOG]
        self.label_of.extend([None] * (int(touched.max(initial=-1)) + 1 - len(self.label_of)))
        for slot in touched:
            former = self.label_of[slot]
            if former is not None:
                del self.slot_of[former]
                self.label_of[slot] = None
        for slot in touched[self.item[touched, COUNT] > 0]:
            label = labels[self.item[slot, CODE]]
            self.label_of[slot] = label
            self.slot_of[label] = int(slot)
        self.item[touched, DIRTY] = 0
        self.meta[TOUCHED] = 0

    def _check_whole(self) -> None:
        if self.meta[PHASE] != layout.IDLE:  # an exception, such as MemoryError, came between two calls of the kernel
            raise UsageError("learning was broken off inside a record; load the window from its last save")

    # -- looking --------------------------------------------------------------------------------------------------

    def records(self) -> tuple[I64, I32, tuple[str, ...]]:
        """The window, oldest record first: (indptr, codes, labels), codes in label order, rows not sorted."""
        self._check_whole()
        n = len(self)
        rows = self.ring[(self.meta[NEXT] - n + np.arange(n)) % self.meta[SIZE]]
        indptr = _offsets(rows[:, 1])
        first = rows[0, 0] if n else 0
        slots = self.entry[(first + np.arange(indptr[-1])) & (len(self.entry) - 1), layout.ITEM]
        return indptr, *self._labelled(slots)

    def closed(self) -> tuple[I64, I32, I64, tuple[str, ...]]:
        """The closed frequent itemsets: (offsets, items, supports, labels), items ascending in label order."""
        self._check_whole()
        sets = self.sets[: self.meta[N_SETS]]
        offsets = _offsets(sets[:, LENGTH])
        places = np.repeat(sets[:, BLOCK] - offsets[:-1], sets[:, LENGTH]) + np.arange(offsets[-1])
        items, labels = self._labelled(self.pool[places])
        keys = np.repeat(np.arange(len(sets), dtype=np.int64) << 32, sets[:, LENGTH]) | items
        keys.sort()
        return offsets, (keys & 0xFFFFFFFF).astype(np.int32), sets[:, SUPPORT].copy(), labels

    def _labelled(self, slots: I32) -> tuple[I32, tuple[str, ...]]:
        """Slots as codes in label order, with the labels of those that occur."""
        used = np.zeros(len(self.label_of), dtype=np.bool_)
        used[slots] = True
        named: list[tuple[Any, int]] = [(label_order(str(self.label_of[s])), s) for s in np.flatnonzero(used).tolist()]
        named.sort()
        rank = np.zeros(len(self.label_of), dtype=np.int32)
        rank[[s for _, s in named]] = np.arange(len(named), dtype=np.int32)
        return rank[slots], tuple(str(self.label_of[s]) for _, s in named)


def _offsets(lengths: I64) -> I64:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _grown(array: NDArray[Any], rows: int | None = None) -> NDArray[Any]:
    """The array with zeros below it, up to `rows` or twice as many as it has."""
    rows = 2 * len(array) if rows is None else rows
    return np.concatenate([array, np.zeros((rows - len(array), *array.shape[1:]), dtype=array.dtype)])


def _with_keys(item: I64, first: int) -> I64:
    """Give the slots from `first` on the 64 random-looking bits that hashes of sets are made of (splitmix64)."""
    x = np.arange(first + 1, len(item) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    item[first:, KEY] = (x ^ (x >> np.uint64(31))).view(np.int64)
    return item
