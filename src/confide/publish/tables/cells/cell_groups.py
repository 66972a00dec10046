"""Groups of cells that look alike under a choice for each column, found by hashing.

`Layout` holds what all groupings of a table share: what each leaf becomes, by column and choice, and room to work in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import getitem
from threading import local

import numpy as np
from numpy.typing import NDArray

__all__ = ["Grouping", "Layout"]

_LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class Grouping:
    """Cells that look alike: `of[cell]` is the group of a cell, `sizes[group]` its rows, `first[group]` one cell."""

    of: NDArray[np.int32]
    sizes: NDArray[np.int64]
    first: NDArray[np.int32]
    _order: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def order(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where each group begins, and the cells in the order of their groups."""
        from confide.publish.tables.cells.grouping_kernels import by_group

        return self._order or by_group(self.of, len(self.sizes))


class _Room(local):
    """Room for the hash table of `Layout.group`, for each thread its own."""

    def __init__(self) -> None:
        self.keys = self.sizes = np.empty(0, dtype=np.int64)
        self.slots = self.first = np.empty(0, dtype=np.int32)

    def of(self, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Keys, sizes and first cells of at most n groups; and slots, a power of two that is at least twice n."""
        slots = 1 << (2 * n - 1).bit_length()
        if len(self.keys) < n:
            self.keys, self.sizes = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
            self.first = np.empty(n, dtype=np.int32)
            self.slots = np.empty(slots, dtype=np.int32)
        return self.keys, self.sizes, self.first, self.slots[:slots]


class Layout:
    """Maps of all columns and choices one after the other, and room for the hash table of `group`."""

    def __init__(self, maps: Sequence[Sequence[NDArray[np.int32]]]) -> None:
        self.nodes = np.concatenate([map_ for column in maps for map_ in column]).astype(np.int64)
        self.starts: list[list[int]] = [[] for _ in maps]
        self.radices = [[int(map_.max()) + 1 for map_ in column] for column in maps]
        begin = 0
        for j, column in enumerate(maps):
            for map_ in column:
                self.starts[j].append(begin)
                begin += len(map_)
        self._room = _Room()

    def base(self, choices: Sequence[int]) -> NDArray[np.int64]:
        """Where the map of each column's choice begins."""
        return np.array(list(map(getitem, self.starts, choices)), dtype=np.int64)

    def group(
        self, codes: NDArray[np.int32], rows: NDArray[np.int64], choices: Sequence[int], leaving: int = -1
    ) -> Grouping:
        """Group by all columns, or by all but the one left aside."""
        from confide.publish.tables.cells.grouping_kernels import GroupRoom, NodeChoices, group_cells

        n = len(codes)
        keys, sizes, first_cell, slots = self._room.of(n)
        base = self.base(choices)
        groups, of = 1, np.zeros(n, dtype=np.int32)
        for first, last, strides in self._blocks(choices, n, leaving):
            groups, of = group_cells(
                codes[:, first:last],
                NodeChoices(self.nodes, base[first:last], np.array(strides, dtype=np.int64)),
                of,
                rows,
                GroupRoom(keys, slots, sizes, first_cell),
            )
        return Grouping(of, sizes[:groups].copy(), first_cell[:groups].copy())

    def _blocks(self, choices: Sequence[int], n: int, leaving: int) -> Iterator[tuple[int, int, list[int]]]:
        """Columns in blocks whose keys fit a machine word, each beginning with the groups of the blocks before it."""
        radices = list(map(getitem, self.radices, choices))
        if leaving >= 0:
            radices[leaving] = 1
        strides: list[int] = []
        first, room = 0, 1
        for j, radix in enumerate(radices):
            if room * radix >= _LARGEST_KEY:
                yield first, j, strides
                first, strides, room = j, [], n
            strides.append(0 if j == leaving else room)
            room *= radix
        yield first, len(choices), strides
