"""What a node does in each of the three searches on bitmaps: for all itemsets, the closed ones, the maximal ones.

Each walks a tree of sets without calling itself, with a stack of levels. A level holds the items that may join the set
of the node, ascending by support, three numbers each:

    ids        the item's bit
    supports   the records that hold the set and the item
    places     where in the arena the column of these records begins

    search    first_level      the items of the root, each with its own column
                 |
              take the next item of the level; none: one level up
                 |
              join             the items behind it that stay frequent, as the level below; others are perfect extensions
                 |
              what is noted, and what is cut, is the search's own: that part is in its own file
                 |
              one level down, if any item is left

What is here is called once a node, or less, so that calling it costs nothing that can be measured. The loop around it
stays in each search: a loop that took the searches' own parts as functions would have to be compiled for each of them
anyway.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO, Bitmaps, and_count, lowest

__all__ = ["Branch", "Notes", "first_level", "join", "sort_level"]

Longs = NDArray[np.int64]


class Branch(NamedTuple):
    """Where a search begins, as words of bits: items of every set, items that may be added to any of them without
    changing its support, items to try, and items tried before, which rule sets out that they can join."""

    fixed: np.uint64
    optional: np.uint64
    candidates: np.uint64
    killers: np.uint64


class Notes(NamedTuple):
    """Where a search puts what it finds: as records (see `_record_kernels`), of which there are `n`, if `keep`; else
    counted in `table[length of the fixed part, number of optional items]`."""

    keep: bool
    table: NDArray[np.int64]
    records: NDArray[np.uint64]
    n: int


@kernel
def sort_level(levels: Longs, level: int, n: int) -> None:
    """Sort the first `n` items of a level by ascending support, stably. Levels are short: insertion."""
    ids, supports, places = levels[0, level], levels[1, level], levels[2, level]
    for i in range(1, n):
        b, support, place = ids[i], supports[i], places[i]
        j = i - 1
        while j >= 0 and supports[j] > support:
            ids[j + 1], supports[j + 1], places[j + 1] = ids[j], supports[j], places[j]
            j -= 1
        ids[j + 1], supports[j + 1], places[j + 1] = b, support, place


@kernel
def first_level(levels: Longs, branch: Branch, item_supports: Longs, width: int) -> int:
    """Fill level 0 with the candidates, whose columns are the first in the arena; give their number."""
    candidates, size = branch.candidates, 0
    while candidates:
        b = lowest(candidates)
        candidates &= candidates - ONE
        levels[0, 0, size], levels[1, 0, size], levels[2, 0, size] = b, item_supports[b], b * width
        size += 1
    sort_level(levels, 0, size)
    return size


@kernel
def join(
    bitmaps: Bitmaps, levels: Longs, level: int, i: int, n: int, out: int, min_support: int, shortcuts: bool
) -> Any:
    """Fill the level below item `i` of a level of `n`: each later item that stays frequent, its column from `out` on.

    Those in all records of the node are left out if `shortcuts` are taken. Gives (their bits, how many items the level
    below has, where the arena is free behind them); the level below is not yet sorted.
    """
    ids, supports, places = levels[0], levels[1], levels[2]
    support, place = supports[level, i], places[level, i]
    perfect, size = ZERO, 0
    for j in range(i + 1, n):
        both = and_count(bitmaps, place, places[level, j], out)
        if shortcuts and both == support:
            perfect |= ONE << np.uint64(ids[level, j])
        elif both >= min_support:
            ids[level + 1, size], supports[level + 1, size], places[level + 1, size] = ids[level, j], both, out
            size += 1
            out += bitmaps.width
    return perfect, size, out
