"""A table as K-Optimize sees it: every column a row of places, and cuts between neighbouring ones.

    age       20-24 | 25-29 | 30-34 ...        a set of cuts, over all columns, is a recoding: what lies between two
    country   Europe | Asia | ...              cuts becomes one value

The places of a column are the nodes of the lowest level allowed, in the order of the hierarchy or of the numbers. Cuts
between different nodes of the highest level allowed are in every set (`fixed`).
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.coding import CodedTable, QuasiIdentifier
from confide.publish.tables.group_tests import GroupTest

__all__ = ["CutProblem"]

_LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class CutProblem:
    """`at[cell, column]` is the place of a cell; cut t parts column `column[t]` before place `before[t]`.

    `counts[cell, class]` are its rows by class (one class if no matter), `held[cell, value]` by sensitive value.
    `places` says how many there are in each column, `of_leaf` which one each leaf is at; `rank[t]` is the highest level
    of the hierarchy at which a cut parts two nodes.
    """

    at: NDArray[np.int32]
    counts: NDArray[np.int64]
    held: NDArray[np.int64]
    places: NDArray[np.int64]
    column: NDArray[np.int64]
    before: NDArray[np.int64]
    rank: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    of_leaf: tuple[NDArray[np.int32], ...]

    @classmethod
    def of(cls, table: CodedTable, test: GroupTest, classes: NDArray[np.int32] | None) -> "CutProblem":
        """The problem of a table; `classes` is the class of each row if the loss asks for it."""
        of_leaf = tuple(_places(column) for column in table.quasi)
        places = [int(leaf.max()) + 1 for leaf in of_leaf]
        if prod(places) >= _LARGEST_KEY:
            raise UsageError(
                f"{len(places)} quasi-identifiers have too many combinations for KOptimize; raise the lowest levels "
                "in the schema, or use Mondrian"
            )
        cells = Cells.of(table, test)
        grouping = cells.rechosen([(leaf,) for leaf in of_leaf]).grouped((0,) * len(places))
        few = cells.merged(grouping)
        cell = grouping.of[cells.of_row]
        codes = np.zeros(len(table), dtype=np.int32) if classes is None else classes
        at = np.stack([leaf[few.codes[:, j]] for j, leaf in enumerate(of_leaf)], axis=1)
        held = np.zeros((len(few), few.tokens.width), dtype=np.int64)
        owner = np.repeat(np.arange(len(few)), np.diff(few.tokens.ptr))
        np.add.at(held, (owner, few.tokens.tokens), few.tokens.counts)
        cuts = [
            (j, *cut)
            for j, (column, leaf) in enumerate(zip(table.quasi, of_leaf, strict=True))
            for cut in _cuts(table.tally(leaf[column.codes], places[j]), _ranks(column, leaf), column.highest)
        ]
        return cls(
            at=np.ascontiguousarray(at),
            counts=_tallied(table, cell, codes, len(few)),
            held=held,
            places=np.array(places, dtype=np.int64),
            column=np.array([j for j, _, _, _ in cuts], dtype=np.int64),
            before=np.array([place for _, place, _, _ in cuts], dtype=np.int64),
            rank=np.array([rank for _, _, rank, _ in cuts], dtype=np.int64),
            fixed=np.array([is_fixed for _, _, _, is_fixed in cuts], dtype=np.bool_),
            of_leaf=of_leaf,
        )

    def segments(self, chosen: NDArray[np.bool_]) -> list[NDArray[np.int32]]:
        """For each column the segment that each leaf is in."""
        found = []
        for j, leaf in enumerate(self.of_leaf):
            starts = np.zeros(int(self.places[j]), dtype=np.int32)
            starts[self.before[(self.column == j) & chosen]] = 1
            found.append(np.cumsum(starts, dtype=np.int32)[leaf])
        return found


def _places(column: QuasiIdentifier) -> NDArray[np.int32]:
    """The place of each leaf: its node at the lowest level, nodes in the order of their first leaves."""
    if column.missing >= 0:
        raise UsageError(
            f"KOptimize cannot put the missing values of {column.name!r} in an order; use missing='drop'",
            parameter="missing",
        )
    nodes = column.maps[column.lowest]
    _, first, place = np.unique(nodes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[place.reshape(-1)].astype(np.int32)


def _cuts(rows: NDArray[np.int64], ranks: NDArray[np.int64], highest: int) -> list[tuple[int, int, bool]]:
    """The cuts of a column that differ: the place each is before, its rank, and whether it is in every set.

    Cuts between which no row lies part the rows alike; of those the middle one is taken, so that a bound is not
    somebody's value if it need not be.
    """
    before = np.cumsum(rows)[:-1]
    fixed = ranks >= highest
    cuts = []
    for same in np.split(np.arange(len(before)), np.flatnonzero(np.diff(before)) + 1):
        if fixed[same].any():
            cuts += [(int(i) + 1, int(ranks[i]), True) for i in same[fixed[same]]]
        elif len(same) and 0 < before[same[0]] < rows.sum():
            cuts.append((int(same[len(same) // 2]) + 1, int(ranks[same].max()), False))
    return cuts


def _ranks(column: QuasiIdentifier, leaf: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each place but the first, the highest level at which it is in another node than the place before it."""
    ranks = np.zeros(int(leaf.max()), dtype=np.int64)
    for level in range(column.lowest, column.height + 1):
        nodes = np.empty(len(ranks) + 1, dtype=np.int32)
        nodes[leaf] = column.maps[level]
        ranks[nodes[1:] != nodes[:-1]] = level
    return ranks


def _tallied(table: CodedTable, cell: NDArray[np.int32], codes: NDArray[np.int32], cells: int) -> NDArray[np.int64]:
    width = int(codes.max()) + 1
    return table.tally(cell.astype(np.int64) * width + codes, cells * width).reshape(cells, width)
