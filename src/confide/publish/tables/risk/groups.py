"""Risks that follow from the sizes of the groups of rows that look alike.

Three attackers, as they are usually told apart (El Emam, Dankar 2008). With f people of a group in the table and F
people of the same description in the population:

    prosecutor    knows that a certain person is in the table and picks one of the group        1/f
    journalist    wants anybody, and does not know who is in the table                          1/F
    marketer      matches the whole table with a register and wants many right                  mean of 1/F over people

With a row per person, people are rows. A person with several rows is in several groups, and counts where the risk is
worst: in the smallest of them (`count_people`).

Without a register F is not known. The table itself is then taken for the population, F = f, which overstates the risk
and never understates it: the population holds at least the people of the table.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields

__all__ = ["CLASS_SIZES", "GroupRisk", "count_people", "group_risk"]

CLASS_SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
"""Where the classes begin in which sizes of groups are told: 1, 2, 3-4, 5-9, ..., 100 and more."""


@dataclass(frozen=True, kw_only=True)
class GroupRisk(ShownFields):
    """Risks of a table. Shares and chances are from 0 to 1, over `rows`; where people were given, rows are people.

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
    sizes: NDArray[np.integer],
    *,
    population: NDArray[np.integer] | None = None,
    below: tuple[int, ...] = (2, 5, 10),
    worst: NDArray[np.integer] | None = None,
) -> GroupRisk:
    """The risks of a table whose groups have these `sizes`; `population` gives F of each group, in the same order.

    Where people have several rows, `sizes` counts people, and `worst` says how many of them have each group as their
    smallest; `count_people` gives both.

    >>> risk = group_risk(np.array([1, 4, 5]))
    >>> risk.unique, risk.highest_prosecutor, risk.marketer, risk.below[5]
    (0.1, 1.0, 0.3, 0.5)
    """
    f = np.asarray(sizes, dtype=np.int64)
    if len(f) == 0 or f.min() < 1:
        raise InputError("there are no rows, so nobody is at risk")
    F = f if population is None else np.asarray(population, dtype=np.int64)
    if F.shape != f.shape or (f > F).any():
        raise UsageError(
            f"the population must hold, for each of {len(f):,} groups, at least the rows of the table",
            parameter="population",
        )
    people = f if worst is None else np.asarray(worst, dtype=np.int64)
    if people.shape != f.shape or (people > f).any() or people.sum() < 1:
        raise UsageError(
            f"worst must say, for each of {len(f):,} groups, how many of its people have no smaller one",
            parameter="worst",
        )
    rows = int(people.sum())
    told = []
    for low, high in pairwise((*CLASS_SIZES, int(f.max()) + CLASS_SIZES[-1])):
        label = f"{low} and more" if low == CLASS_SIZES[-1] else f"{low}" if high == low + 1 else f"{low}-{high - 1}"
        told.append((label, int(people[(f >= low) & (f < high)].sum()) / rows))
    return GroupRisk(
        rows=rows,
        groups=len(f),
        smallest=int(f.min()),
        mean=int(f.sum()) / len(f),
        largest=int(f.max()),
        unique=int(people[f == 1].sum()) / rows,
        highest_prosecutor=1 / int(f.min()),
        prosecutor=len(f) / rows if worst is None else float((people / f).sum()) / rows,
        highest_journalist=1 / int(F.min()),
        marketer=float((people / F).sum()) / rows,
        below={size: int(people[f < size].sum()) / rows for size in below},
        sizes=tuple(told),
        register=population is not None,
    )


def count_people(
    group: NDArray[np.integer], person: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each group how many people are in it, and how many of them are in no smaller one.

    `group` and `person` number the group and the person of each row from 0; every group has a row.

    >>> sizes, worst = count_people(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]))
    >>> sizes.tolist(), worst.tolist()
    ([2, 1], [1, 1])
    """
    everybody = int(person.max(initial=0)) + 1
    groups, people = np.divmod(np.unique(np.asarray(group, dtype=np.int64) * everybody + person), everybody)
    sizes = np.bincount(groups)
    order = np.lexsort((groups, sizes[groups], people))
    first = np.append(True, people[order][1:] != people[order][:-1])[: len(order)]
    return sizes, np.bincount(groups[order][first], minlength=len(sizes))
