"""Which columns give people away: how many rows, or people, are unique by one column, and by two together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from confide.core.figures import ShownFields
from confide.publish.tables.risk.groups import count_people

__all__ = ["UniqueRows", "unique_rows"]


@dataclass(frozen=True, kw_only=True)
class UniqueRows(ShownFields):
    """`share` of the rows have a value, or a pair of values, in these `columns` that no other row has; where people
    have several rows, that share of the people has one that nobody else has."""

    columns: tuple[str, ...]
    share: float


def unique_rows(
    names: Sequence[str],
    codes: Sequence[NDArray[np.integer]],
    *,
    times: NDArray[np.int64] | None = None,
    persons: NDArray[np.integer] | None = None,
    pairs: bool = True,
) -> list[UniqueRows]:
    """For each column and each pair of columns the share of rows that are unique by it, the largest first.

    With `pairs=False` for columns alone; the number of pairs grows with the square of the number of columns.

    `codes[i]` numbers the values of column `names[i]` from 0. With `times`, row i stands for `times[i]` rows that are
    alike. With `persons`, which numbers the person of each row, people are counted instead. Ties stand in the order of
    the columns.

    >>> found = unique_rows(["age", "sex"], [np.array([1, 1, 2]), np.array([0, 1, 1])])
    >>> [(" and ".join(one.columns), round(one.share, 2)) for one in found]
    [('age and sex', 1.0), ('age', 0.33), ('sex', 0.33)]
    """
    if not codes or not len(codes[0]):
        return []
    rows = len(codes[0]) if times is None else int(times.sum())
    if persons is not None:
        rows = len(np.unique(persons))
    widths = [int(column.max()) + 1 for column in codes]
    found = [
        UniqueRows(columns=(name,), share=_unique(column.astype(np.int64), width, times, persons) / rows)
        for name, column, width in zip(names, codes, widths, strict=True)
    ]
    for a, b in combinations(range(len(names)), 2) if pairs else ():
        keys = codes[a].astype(np.int64) * widths[b] + codes[b]
        share = _unique(keys, widths[a] * widths[b], times, persons) / rows
        found.append(UniqueRows(columns=(names[a], names[b]), share=share))
    return sorted(found, key=lambda one: -one.share)


def _unique(
    keys: NDArray[np.int64], width: int, times: NDArray[np.int64] | None, persons: NDArray[np.integer] | None
) -> int:
    """How many rows have a key that occurs once, or how many people one that nobody else has; by counting where that
    takes little room, else by sorting."""
    if width > 8 * len(keys):
        keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
    if persons is not None:
        group = np.unique(keys, return_inverse=True)[1].reshape(-1)
        alone = count_people(group, persons)[0][group] == 1
        return len(np.unique(persons[alone]))
    counts = np.bincount(keys, weights=times)
    return int((counts == 1).sum())
