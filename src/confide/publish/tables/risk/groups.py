"""Risks that follow from the sizes of the groups of rows that look alike.

Three attackers, as they are usually told apart (El Emam, Dankar 2008). With f rows of a group in the table and F
people of the same description in the population:

    prosecutor    knows that a certain person is in the table and picks a row of the group      1/f
    journalist    wants anybody, and does not know who is in the table                          1/F
    marketer      matches the whole table with a register and wants many right                  mean of 1/F over rows

Without a register F is not known. The table itself is then taken for the population, F = f, which overstates the risk
and never understates it: the population holds at least the people of the table.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError

__all__ = ["CLASS_SIZES", "GroupRisk", "group_risk"]

CLASS_SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
"""Where the classes begin in which sizes of groups are told: 1, 2, 3-4, 5-9, ..., 100 and more."""


@dataclass(frozen=True, kw_only=True)
class GroupRisk:
    """Risks of a table. Shares and chances are from 0 to 1.

    `unique`: share of rows that no other looks like. `highest_prosecutor` and `highest_journalist` are the worst row's;
    `prosecutor` is the mean over rows. `marketer` is the share of rows that a register would match rightly.
    `below` holds, for each size asked about, the share of rows in groups smaller than it. `sizes` holds (label, share
    of rows in groups of such a size). `register` says whether the population was known.
    """

    rows: int
    groups: int
    smallest: int
    mean: float
    largest: int
    unique: float
    highest_prosecutor: float
    prosecutor: float
    highest_journalist: float
    marketer: float
    below: dict[int, float]
    sizes: tuple[tuple[str, float], ...]
    register: bool


def group_risk(
    sizes: NDArray[np.integer], *, population: NDArray[np.integer] | None = None, below: tuple[int, ...] = (2, 5, 10)
) -> GroupRisk:
    """The risks of a table whose groups have these `sizes`; `population` gives F of each group, in the same order.

    >>> risk = group_risk(np.array([1, 4, 5]))
    >>> risk.unique, risk.highest_prosecutor, risk.marketer, risk.below[5]
    (0.1, 1.0, 0.3, 0.5)
    """
    f = np.asarray(sizes, dtype=np.int64)
    if len(f) == 0 or f.min() < 1:
        raise InputError("there are no rows, so nobody is at risk")
    F = f if population is None else np.asarray(population, dtype=np.int64)
    if F.shape != f.shape or (f > F).any():
        raise UsageError("the population must hold, for each group, at least the rows of the table")
    rows = int(f.sum())
    told = []
    for low, high in pairwise((*CLASS_SIZES, rows + 1)):
        label = f"{low} and more" if low == CLASS_SIZES[-1] else f"{low}" if high == low + 1 else f"{low}-{high - 1}"
        told.append((label, int(f[(f >= low) & (f < high)].sum()) / rows))
    return GroupRisk(
        rows=rows,
        groups=len(f),
        smallest=int(f.min()),
        mean=rows / len(f),
        largest=int(f.max()),
        unique=int((f == 1).sum()) / rows,
        highest_prosecutor=1 / int(f.min()),
        prosecutor=len(f) / rows,
        highest_journalist=1 / int(F.min()),
        marketer=float((f / F).sum()) / rows,
        below={size: int(f[f < size].sum()) / rows for size in below},
        sizes=tuple(told),
        register=population is not None,
    )
