"""The linker: joins rows of several releases by columns that are released as they are, and so sees cohorts.

A linked row shows one person's groups in every release beside a sensitive value. Rows of people with the same groups
then stand together, so each cohort must keep by itself what each release promises of a group. Whether rows can be
linked is known when they are released: some column that is neither generalised nor sensitive tells rows apart.
"""

from dataclasses import dataclass

import numpy as np

from confide.audit.adversaries.together.cohorts import Cohorts

__all__ = ["LinkerView", "ask_linker"]


@dataclass(frozen=True, kw_only=True)
class LinkerView:
    """`alone`: people whose groups no other has. `in_small_cohorts`: people in cohorts below k rows or l values.
    `fewest`: the smallest cohort. `best_chance`: the largest share of a value in a cohort."""

    people: int
    alone: int
    in_small_cohorts: int
    fewest: int
    best_chance: float


def ask_linker(cohorts: Cohorts, k: int, l: int) -> LinkerView:  # noqa: E741 - the paper's letter
    """What a linker sees, where every release promised groups of `k` rows and `l` different sensitive values.

    >>> import numpy as np
    >>> from confide.core.series.release_history import History
    >>> groups = np.array([[0, 0, 0, 0], [0, 0, 1, 1]], dtype=np.int32)
    >>> history = History(groups=groups, values=np.array([0, 1, 1, 1], dtype=np.int32))
    >>> view = ask_linker(Cohorts.of_history(history), k=2, l=2)
    >>> view.in_small_cohorts, view.best_chance
    (2, 1.0)
    """
    most = np.zeros(len(cohorts.people), dtype=np.int64)
    fewest_values = np.full(len(cohorts.people), np.iinfo(np.int64).max)
    for column in cohorts.history.columns:
        width = int(column.max(initial=0)) + 1
        pairs, counts = np.unique(cohorts.of * width + column[cohorts.history.values], return_counts=True)
        np.maximum.at(most, pairs // width, counts)
        fewest_values = np.minimum(fewest_values, np.bincount(pairs // width, minlength=len(most)))
    small = (cohorts.people < k) | (fewest_values < l)
    return LinkerView(
        people=cohorts.history.people,
        alone=cohorts.count_people(cohorts.people == 1),
        in_small_cohorts=cohorts.count_people(small),
        fewest=int(cohorts.people.min()) if len(cohorts.people) else 0,
        best_chance=float((most / cohorts.people).max(initial=0.0)),
    )
