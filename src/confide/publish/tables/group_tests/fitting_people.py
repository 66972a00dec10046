"""People of the population who fit groups of rows, and the weights of rows that stand for them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.coding.texts import Texts
from confide.publish.tables.group_tests.rules import WEIGHT_UNITS

__all__ = ["count_fitting", "row_weights"]


def row_weights(table: CodedTable, name: str) -> NDArray[np.int64]:
    """For how many people each row stands, in `WEIGHT_UNITS`; refuses what is no weight."""
    column = Texts.of(table.table.column(name), name).at(table.rows)
    if column.numbers is None or (column.codes < 0).any():
        raise InputError("holds sampling weights, so each must be a number, and none may be missing", column=name)
    weights = column.numbers[column.codes]
    if not np.isfinite(weights).all() or weights.min(initial=1) < 1:
        raise InputError(
            "holds sampling weights: each says for how many people its row stands, so none may be below 1", column=name
        )
    return np.floor(weights * WEIGHT_UNITS).astype(np.int64)


def count_fitting(
    table: CodedTable,
    group: NDArray[np.int32],
    n_groups: int,
    rows: NDArray[np.int64] | None,
    maps: Sequence[NDArray[np.int32]],
) -> NDArray[np.int64]:
    """For each group how many people of the population become what its rows become by these maps of leaves."""
    population = table.population
    assert population is not None
    first = np.full(n_groups, -1, dtype=np.int64)
    first[group] = np.arange(len(table)) if rows is None else rows
    there = np.flatnonzero(first >= 0)
    mine = [map_[column.codes[first[there]]] for column, map_ in zip(table.quasi, maps, strict=True)]
    theirs = [map_[population.codes[:, j]] for j, map_ in enumerate(maps)]
    both = np.stack([np.append(a, b) for a, b in zip(mine, theirs, strict=True)], axis=1)
    number = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    people = np.zeros(int(number.max(initial=0)) + 1, dtype=np.int64)
    np.add.at(people, number[len(there) :], population.people)
    found = np.zeros(n_groups, dtype=np.int64)
    found[there] = people[number[: len(there)]]
    return found
