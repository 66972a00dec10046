"""The cells of a table: its distinct combinations of quasi-identifier leaves, with what their rows hold.

A global recoding cannot tell the rows of a cell apart, so the algorithms that search among many recodings look at
cells instead of rows. What a group test needs stands in *tokens*, one list per cell:

- without a person column a token is a sensitive value, and its count the rows of the cell that have it;
- with one, a token is a person with a value (or, for the size of a group, a person): it counts once per group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from operator import getitem, mul
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.coding import CodedTable

if TYPE_CHECKING:
    from confide.publish.tables.group_tests import GroupTest

__all__ = ["Cells", "Grouping", "Tokens"]

_LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class Tokens:
    """What cells hold: those of cell i are `tokens[ptr[i] : ptr[i + 1]]`, `counts` times each; nothing without slots.

    `slot[token]` is the place of its value in a histogram of `width` values, or `width` if it stands for a person.
    """

    ptr: NDArray[np.int64]
    tokens: NDArray[np.int32]
    counts: NDArray[np.int64]
    slot: NDArray[np.int32]
    width: int
    distinct: bool


@dataclass(frozen=True, eq=False)
class Grouping:
    """Cells that look alike: `of[cell]` is the group of a cell, `sizes[group]` its rows, `first[group]` one cell."""

    of: NDArray[np.int32]
    sizes: NDArray[np.int64]
    first: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def order(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where each group begins, and the cells in the order of their groups."""
        from confide.publish.tables.cells._grouping_kernels import by_group

        return by_group(self.of, len(self.sizes))


@dataclass(frozen=True, eq=False)
class Cells:
    """`codes[cell, column]` are leaves, `rows[cell]` how many rows have them; `tokens` what those rows hold.

    `classes[cell, class]` counts its rows by class (no classes without such a column). `maps[column][choice]` says what
    each leaf becomes: the choices a recoding has for a column. `of_row[row]` is the
    cell of a row (of merged cells: of a cell that was merged).
    """

    codes: NDArray[np.int32]
    rows: NDArray[np.int64]
    tokens: Tokens
    classes: NDArray[np.int64]
    maps: Sequence[Sequence[NDArray[np.int32]]]
    of_row: NDArray[np.int32]
    _layout: "_Layout" = field(repr=False)

    @classmethod
    def of(cls, table: CodedTable, test: "GroupTest | None" = None) -> "Cells":
        """The cells of a table, with what `test` must know of them; the choices are the levels of the hierarchies."""
        maps = tuple(column.maps for column in table.quasi)
        layout = _Layout(maps)
        codes = np.stack([column.codes for column in table.quasi], axis=1)
        grouping = layout.group(codes, np.ones(len(table), dtype=np.int64), (0,) * len(maps))
        tokens = _merged(_tokens(table, test), grouping)
        classes = _classes(table, grouping)
        return cls(codes[grouping.first], grouping.sizes, tokens, classes, maps, grouping.of, layout)

    def __len__(self) -> int:
        return len(self.rows)

    def grouped(self, choices: Sequence[int]) -> Grouping:
        """The groups of cells under one choice for each column."""
        return self._layout.group(self.codes, self.rows, choices)

    def merged(self, grouping: Grouping) -> "Cells":
        """Each group as one cell, with the leaves of its first; for choices at least as coarse as the grouping's."""
        return Cells(
            self.codes[grouping.first],
            grouping.sizes,
            _merged(self.tokens, grouping),
            self.class_counts(grouping),
            self.maps,
            grouping.of,
            self._layout,
        )

    def take(self, which: NDArray[np.int64]) -> "Cells":
        """These cells alone; which rows are theirs is not kept."""
        lengths = np.diff(self.tokens.ptr)[which] if len(self.tokens.slot) else np.zeros(len(which), dtype=np.int64)
        ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        place = np.arange(ptr[-1]) + np.repeat(self.tokens.ptr[which] - ptr[:-1], lengths) if ptr[-1] else ptr[:0]
        tokens = replace(self.tokens, ptr=ptr, tokens=self.tokens.tokens[place], counts=self.tokens.counts[place])
        nobody = np.empty(0, dtype=np.int32)
        return Cells(self.codes[which], self.rows[which], tokens, self.classes[which], self.maps, nobody, self._layout)

    def rechosen(self, maps: Sequence[Sequence[NDArray[np.int32]]]) -> "Cells":
        """The same cells with other choices."""
        return Cells(self.codes, self.rows, self.tokens, self.classes, maps, self.of_row, _Layout(maps))

    def class_counts(self, grouping: Grouping) -> NDArray[np.int64]:
        """`[group, class]`: the rows of each group by class."""
        from confide.publish.tables.cells._grouping_kernels import add_counts

        if not self.classes.shape[1]:
            return np.empty((len(grouping), 0), dtype=np.int64)
        return add_counts(grouping.of, self.classes, len(grouping))

    def bases(self, choices: Sequence[int]) -> NDArray[np.int64]:
        """Where the map of each column's choice begins, when those of all columns and choices stand in one row."""
        return self._layout.base(choices)

    def passing(self, grouping: Grouping, test: "GroupTest") -> NDArray[np.bool_]:
        """Which groups pass the test (the one whose tokens these are, or a part of it)."""
        tokens = self.tokens
        if not tokens.distinct and not test.rules.histogram:
            return grouping.sizes >= test.rules.number.max(initial=0)
        from confide.publish.tables.cells._judging_kernels import judge

        start, order = grouping.order
        return judge(
            start,
            order,
            grouping.sizes,
            tokens.ptr,
            tokens.tokens,
            tokens.counts,
            tokens.slot,
            tokens.distinct,
            tokens.width,
            test.rules,
        )


class _Layout:
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
        self._keys = self._sizes = np.empty(0, dtype=np.int64)
        self._slots = self._first = np.empty(0, dtype=np.int32)

    def base(self, choices: Sequence[int]) -> NDArray[np.int64]:
        """Where the map of each column's choice begins."""
        return np.array(list(map(getitem, self.starts, choices)), dtype=np.int64)

    def group(self, codes: NDArray[np.int32], rows: NDArray[np.int64], choices: Sequence[int]) -> Grouping:
        from confide.publish.tables.cells._grouping_kernels import group_cells

        n = len(codes)
        if len(self._keys) < n:
            self._keys, self._sizes = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
            self._first = np.empty(n, dtype=np.int32)
            self._slots = np.empty(1 << (2 * n - 1).bit_length(), dtype=np.int32)
        slots = self._slots[: 1 << (2 * n - 1).bit_length()]
        base = self.base(choices)
        groups, of = 1, np.zeros(n, dtype=np.int32)
        for first, last, strides in self._blocks(choices, n):
            groups, of = group_cells(
                codes[:, first:last],
                self.nodes,
                base[first:last],
                np.array(strides, dtype=np.int64),
                of,
                rows,
                self._keys,
                slots,
                self._sizes,
                self._first,
            )
        return Grouping(of, self._sizes[:groups].copy(), self._first[:groups].copy())

    def _blocks(self, choices: Sequence[int], n: int) -> Iterator[tuple[int, int, list[int]]]:
        """Columns in blocks whose keys fit a machine word, each beginning with the groups of the blocks before it."""
        *strides, room = accumulate(map(getitem, self.radices, choices), mul, initial=1)
        if room < _LARGEST_KEY:
            yield 0, len(choices), strides
            return
        first, strides, room = 0, [], 1
        for j, choice in enumerate(choices):
            radix = self.radices[j][choice]
            if room * radix >= _LARGEST_KEY:
                yield first, j, strides
                first, strides, room = j, [], n
            strides.append(room)
            room *= radix
        yield first, len(choices), strides


def _tokens(table: CodedTable, test: "GroupTest | None") -> Tokens:
    """What each row holds."""
    n, persons = len(table), table.persons
    held: list[NDArray[np.int64]] = []
    slots: list[NDArray[np.int64]] = []
    width = known = 0
    for values, size in zip(test.values.T, test.widths, strict=True) if test and test.rules.histogram else ():
        if persons is None:
            held.append(values.astype(np.int64) + width)
            slots.append(width + np.arange(size))
        else:
            pairs, place = np.unique(persons.astype(np.int64) * size + values, return_inverse=True)
            held.append(place.reshape(-1) + known)
            slots.append(width + pairs % size)
        known += len(slots[-1])
        width += size
    if persons is not None:
        held.append(persons.astype(np.int64) + known)
        slots.append(np.full(int(persons.max()) + 1, width))
    tokens = np.stack(held, axis=1).astype(np.int32).ravel() if held else np.empty(0, dtype=np.int32)
    slot = np.concatenate(slots).astype(np.int32) if slots else np.empty(0, dtype=np.int32)
    ptr = np.arange(n + 1, dtype=np.int64) * len(held)
    return Tokens(ptr, tokens, np.ones(len(tokens), dtype=np.int64), slot, width, persons is not None)


def _classes(table: CodedTable, grouping: Grouping) -> NDArray[np.int64]:
    if table.classes is None:
        return np.empty((len(grouping), 0), dtype=np.int64)
    width = len(table.classes.labels)
    pairs = grouping.of.astype(np.int64) * width + table.classes.codes
    return np.bincount(pairs, minlength=len(grouping) * width).reshape(-1, width)


def _merged(held: Tokens, grouping: Grouping) -> Tokens:
    from confide.publish.tables.cells._grouping_kernels import merge_tokens

    if not len(held.slot):  # nothing is held, by as many cells as there are now
        return replace(held, ptr=np.zeros(len(grouping) + 1, dtype=np.int64))
    ptr, tokens, counts = merge_tokens(*grouping.order, held.ptr, held.tokens, held.counts, len(held.slot))
    return replace(held, ptr=ptr, tokens=tokens, counts=counts)
