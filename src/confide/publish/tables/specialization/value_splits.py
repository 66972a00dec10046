"""The values of a column as they are now, and how each can be divided.

A column with a hierarchy divides a node into its children. A column with a declared range and no hierarchy divides a
range in two, where that tells most; the missing values leave the top as a value of their own. Bounds are those of the
declared cells, no finer than the lowest level allowed. Both halves hold rows; where no row lies between several bounds,
the middle one is taken, so that a bound is not somebody's value if it need not be.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from confide.core.tables.hierarchy import TOP
from confide.publish.tables.coding import QuasiIdentifier
from confide.publish.tables.coding.quasi import ncp
from confide.publish.tables.recoding import LeafMap

__all__ = ["Gain", "Value", "first_values", "leaf_map"]

Gain = Callable[[list[NDArray[np.int64]]], float]
"""What dividing a value into these sets of leaves gains, for the column it belongs to."""


@dataclass(frozen=True, eq=False)
class Value:
    """A value: the leaves it stands for; its `level` in the hierarchy, or -1 for a range of numbers."""

    column: QuasiIdentifier
    leaves: NDArray[np.int64]
    level: int

    def divided(self, gain: Gain, rows: NDArray[np.int64]) -> "list[Value]":
        """The values it would be divided into, none if it cannot be; `rows` are those of each leaf of the column."""
        return self._children if self.level >= 0 else self._halves(gain, rows)

    @cached_property
    def label(self) -> str:
        """What it is called."""
        column = self.column
        if self.level >= 0:
            return column.labels[self.level][column.maps[self.level][self.leaves[0]]]
        if len(self.leaves) == column.leaves:
            return column.labels[-1][0] if len(column.labels[-1]) == 1 else TOP
        assert column.domain is not None
        if self.leaves[0] == column.missing:
            return column.labels[0][column.maps[0][column.missing]]
        return column.domain.label(int(self.leaves[0]), int(self.leaves[-1]))

    @property
    def _children(self) -> "list[Value]":
        """The nodes one level down; levels on which it is not divided are passed over."""
        column, level = self.column, self.level
        while level > column.lowest:
            level -= 1
            nodes = column.maps[level][self.leaves]
            if (nodes != nodes[0]).any():
                return [Value(column, self.leaves[nodes == node], level) for node in dict.fromkeys(nodes.tolist())]
        return []

    def _halves(self, gain: Gain, rows: NDArray[np.int64]) -> "list[Value]":
        column = self.column
        missing = self.leaves[self.leaves == column.missing]
        numbers = self.leaves[self.leaves != column.missing]
        if not len(numbers):
            return []
        apart = [missing] if len(missing) and len(numbers) else []
        finest = column.maps[column.lowest][numbers]
        best, parts = -inf, [numbers] if apart else []
        before = np.cumsum(rows[numbers])
        places = np.flatnonzero(np.diff(finest)) + 1
        places = places[(before[places - 1] > 0) & (before[places - 1] < before[-1])]
        for same in np.split(places, np.flatnonzero(np.diff(before[places - 1])) + 1) if len(places) else ():
            place = same[len(same) // 2]
            tried = [numbers[:place], numbers[place:], *apart]
            if (found := gain(tried)) > best:
                best, parts = found, tried[:2]
        return [Value(column, leaves, -1) for leaves in (*parts, *apart)]


def first_values(column: QuasiIdentifier, *, numeric: bool) -> list[Value]:
    """The coarsest values allowed: the nodes of the highest level, as ranges if the column is divided as numbers."""
    tops = column.maps[column.highest]
    values = []
    for node in dict.fromkeys(tops.tolist()):
        leaves = np.flatnonzero(tops == node)
        values.append(Value(column, leaves, -1 if numeric else column.highest))
    return values


def leaf_map(column: QuasiIdentifier, values: list[Value]) -> LeafMap:
    """What each leaf becomes."""
    codes = np.empty(column.leaves, dtype=np.int32)
    for code, value in enumerate(values):
        codes[value.leaves] = code
    sizes = np.array([len(value.leaves) for value in values])
    return codes, tuple(value.label for value in values), ncp(sizes, column.leaves)
