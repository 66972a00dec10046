"""The noise of one release after another, and which values may leave.

A window holds the blocks of the one before it but for one: sums over blocks are carried on for the sets that both had,
and added up afresh for the others. Either way they are the same whole numbers.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from confide.core.itemsets.container import Itemsets
from confide.stream.blocks.keyed import STAYS, KeyedNoise, slot_of
from confide.stream.blocks.law import RunNoise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Ints = NDArray[np.int64]

__all__ = ["BlockPublisher"]

_AT_ONCE = 1 << 18  # draws


class _CarriedNoise(NamedTuple):
    """Sets (their two words, the first ascending) with what stays and the sum of z over the window up to `newest`."""

    newest: int
    codes: "Words"
    stays: "Ints"
    sums: "Ints"


class BlockPublisher:
    """Noise by key for the itemsets of windows; `noise` says how much, `keyed` draws it."""

    def __init__(self, noise: RunNoise, key: bytes):
        self.noise, self.keyed = noise, KeyedNoise(key)
        self._before: _CarriedNoise | None = None

    def values(self, itemsets: Itemsets, newest: int) -> "Ints":
        """The supports with their noise, in a window whose newest block has this number."""
        codes = self._codes(itemsets)
        order = np.argsort(codes[:, 0], kind="stable")
        sums = self._sums(codes[order], newest)
        reach = self.noise.reach
        noise = np.empty(len(codes), dtype=np.int64)
        noise[order] = np.clip(sums.stays + sums.sums, -reach, reach)
        return itemsets.supports + noise

    def may_leave(self, values: "Ints", records: int) -> "NDArray[np.bool_]":
        """Which values are published, by nothing but themselves and the size of the window."""
        return (values >= self.noise.threshold) & (values <= self.noise.ceiling(records))

    def _codes(self, itemsets: Itemsets) -> "Words":
        if not len(itemsets):
            return np.zeros((0, 2), dtype=np.uint64)
        each = self.keyed.codes(itemsets.labels)[itemsets.items]
        return np.add.reduceat(each, itemsets.offsets[:-1], axis=0)

    def _sums(self, codes: "Words", newest: int) -> _CarriedNoise:
        before = self._before
        stays, sums = np.zeros(len(codes), dtype=np.int64), np.zeros(len(codes), dtype=np.int64)
        fresh = np.ones(len(codes), dtype=np.bool_)
        if before is not None and len(before.codes) and before.newest + 1 == newest and self._slides:
            at = np.minimum(np.searchsorted(before.codes[:, 0], codes[:, 0]), len(before.codes) - 1)
            known = (before.codes[at] == codes).all(axis=1)
            fresh = ~known
            stays[known], sums[known] = before.stays[at[known]], before.sums[at[known]]
            turn = self.keyed.draw(
                self.noise.block, codes[known], [slot_of(0, newest), slot_of(0, newest - self.noise.blocks)]
            )
            sums[known] += turn[:, 0] - turn[:, 1]
        if fresh.any():
            sums[fresh] = self._added_up(codes[fresh], newest)
            if self.noise.permanent is not None:
                stays[fresh] = self.keyed.draw(self.noise.permanent, codes[fresh], [STAYS])[:, 0]
        self._before = _CarriedNoise(newest, codes, stays, sums)
        return self._before

    @property
    def _slides(self) -> bool:
        return self.noise.requirement.span == "run" and self.noise.blocks > 1

    def _added_up(self, codes: "Words", newest: int) -> "Ints":
        slots = np.array([slot_of(*node) for node in self.noise.nodes(newest)], dtype=np.uint64)
        step = max(1, _AT_ONCE // len(slots))
        parts = [
            self.keyed.draw(self.noise.block, codes[i : i + step], slots).sum(axis=1)
            for i in range(0, len(codes), step)
        ]
        return np.concatenate(parts)
