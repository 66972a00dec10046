"""The neighbour: knows in which group of each release one person is, and how often each value stands in these groups.

    2025: flu, flu, gout, cold        2026: gout, gout, asthma
    A person in both has gout: it is the only value that both groups have.

The neighbour keeps the values that all groups of the person have. Of the rows of a group those with such a value
still fit. The chance of a value is its share of these, in the release where that is largest: shares of two releases are
not multiplied, since both may count the same rows.
"""

from dataclasses import dataclass

import numpy as np

from confide.audit.adversaries.together.cohorts import Cohorts

__all__ = ["NeighbourView", "ask_neighbour"]


@dataclass(frozen=True, kw_only=True)
class NeighbourView:
    """`certain`: people of whom a sensitive value is certain. `fewest_rows`: the fewest rows of a group that still fit
    somebody. `best_chance`: the largest chance of a value, over people; `mean_chance`: on average over people."""

    people: int
    certain: int
    fewest_rows: int
    best_chance: float
    mean_chance: float


def ask_neighbour(cohorts: Cohorts) -> NeighbourView:
    """What a neighbour of each person learns.

    >>> import numpy as np
    >>> from confide.core.series.release_history import History
    >>> groups = np.array([[0, 0, 0, 0, -1, -1], [0, -1, -1, -1, 0, 0]], dtype=np.int32)
    >>> history = History(groups=groups, values=np.array([1, 0, 0, 2, 1, 3], dtype=np.int32))
    >>> ask_neighbour(Cohorts.of_history(history)).certain
    1
    """
    values, slots = cohorts.common
    certain = cohorts.settled(np.ones(len(values), dtype=np.bool_))
    rows = np.full(len(cohorts.people), np.iinfo(np.int64).max, dtype=np.int64)
    chance = np.zeros(len(cohorts.people))
    starts = cohorts.ptr[:-1]
    for release in range(cohorts.history.releases):
        own = np.where(slots[release] >= 0, cohorts.slot_rows[slots[release]], 0)
        there = cohorts.groups[release] >= 0
        fit = np.add.reduceat(own, starts) if len(starts) else own
        rows = np.where(there, np.minimum(rows, fit), rows)
        for column in cohorts.history.columns:
            most = _commonest(cohorts, own, column)
            chance = np.where(there, np.maximum(chance, most / np.maximum(1, fit)), chance)
    people = max(1, int(cohorts.people.sum()))
    return NeighbourView(
        people=cohorts.history.people,
        certain=cohorts.count_people(certain),
        fewest_rows=int(rows.min(initial=0)) if not len(rows) else int(rows.min()),
        best_chance=float(chance.max(initial=0.0)),
        mean_chance=float(chance @ cohorts.people / people),
    )


def _commonest(
    cohorts: Cohorts,
    rows: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    column: "np.ndarray[tuple[int], np.dtype[np.int32]]",
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """For each cohort the rows of the commonest value of a sensitive column, among those that fit."""
    width = int(column.max(initial=0)) + 1
    keys = cohorts.entry_cohort * width + column[cohorts.common[0]]
    different, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=rows, minlength=len(different)).astype(np.int64)
    most = np.zeros(len(cohorts.people), dtype=np.int64)
    np.maximum.at(most, different // width, sums)
    return most
