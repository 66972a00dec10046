"""Itemsets and all sets inside them: what inclusion and exclusion make of supports, for many itemsets at once.

For an itemset J with items numbered from 0, a subset is a mask of bits. The support of the pattern "all of I, none of
the rest of J" is the sum over I <= X <= J of (-1)^|X - I| T(X): for all I at once a Moebius transform over the masks.

    T over masks   00 01 10 11      for each bit: f[without] -= f[with]      f over masks   00 01 10 11
                    H  a  b ab      ----------------------------------->                    exactly these of J

With T known only to lie between two numbers, the same transform on intervals gives the tightest bounds that one such
sum has, since each support occurs in it once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.itemsets.container import Itemsets

__all__ = ["Lattices", "exact_cells", "interval_cells", "lattices", "set_hashes"]

_CELLS = 1 << 22  # masks looked at together

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Lattices:
    """Itemsets of one length with all their subsets.

    `codes[r]` are the items of itemset r; `at[r, mask]` is where its subset stands among the known sets, -1 if it is
    not among them. The empty set is the last of the known.
    """

    codes: NDArray[np.int32]
    at: Ints

    @property
    def length(self) -> int:
        """Number of items."""
        return int(self.codes.shape[1])


def set_hashes(itemsets: Itemsets) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """(a random word for each item, the exclusive or of the words of each set).

    Two of a million sets agree by chance with probability 3e-8; the words are fixed, so a run can be repeated.
    """
    words = np.random.default_rng(0x5E7).integers(0, 2**64, len(itemsets.labels), dtype=np.uint64)
    offsets, items = itemsets.coded()
    if not len(items):
        return words, np.zeros(len(itemsets), dtype=np.uint64)
    return words, np.bitwise_xor.reduceat(np.append(words[items], np.uint64(0)), offsets[:-1]).astype(np.uint64)


def lattices(known: Itemsets, wanted: Itemsets, *, max_length: int) -> Iterator[Lattices]:
    """All subsets of the wanted itemsets, by ascending length, in blocks; `wanted` has the labels of `known`.

    Neither may hold the empty set.
    """
    words, hashes = set_hashes(known)
    order = np.argsort(hashes)
    ranked = hashes[order]
    for length in sorted(wanted.level_counts()):
        if length > max_length:
            return
        level = wanted.level(length)
        codes = level.coded()[1].reshape(-1, length)
        rows = max(_CELLS >> length, 1)
        for start in range(0, len(codes), rows):
            block = codes[start : start + rows]
            at = np.empty((len(block), 1 << length), dtype=np.int64)
            mixed = np.zeros((len(block), 1 << length), dtype=np.uint64)
            for bit in range(length):  # masks that end with this bit, from those before it
                half = 1 << bit
                mixed[:, half : 2 * half] = mixed[:, :half] ^ words[block[:, bit]][:, None]
            place = np.minimum(np.searchsorted(ranked, mixed), max(len(ranked) - 1, 0))
            at[:] = np.where(ranked[place] == mixed, order[place], -1) if len(ranked) else -1
            at[:, 0] = len(known)
            yield Lattices(codes=block, at=at)


def exact_cells(supports: Floats) -> Floats:
    """How many records hold exactly each subset, from supports over masks; unknown ones are NaN and spread."""
    cells = supports.copy()
    for bit in range(int(cells.shape[1]).bit_length() - 1):
        halves = cells.reshape(len(cells), -1, 2, 1 << bit)
        halves[:, :, 0] -= halves[:, :, 1]
    return cells


def interval_cells(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The least and the most that `exact_cells` can be, with supports anywhere between `low` and `high`."""
    least, most = low.copy(), high.copy()
    for bit in range(int(low.shape[1]).bit_length() - 1):
        a, b = (x.reshape(len(x), -1, 2, 1 << bit) for x in (least, most))
        without_least, without_most = a[:, :, 0] - b[:, :, 1], b[:, :, 0] - a[:, :, 1]
        a[:, :, 0], b[:, :, 0] = without_least, without_most
    return least, most
