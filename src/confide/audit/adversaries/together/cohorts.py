"""Cohorts: people with the same groups in every release, and the values that all these groups have in common.

Whoever knows groups alone cannot tell people of a cohort apart, so everything is worked out for cohorts.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from confide.core.series.release_history import ABSENT, History, count_different

__all__ = ["Cohorts"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Cohorts:
    """`of[i]` is the cohort of entry i of the history, `people[c]` how many entries cohort c has.

    `groups[r, c]` is its group in release r, numbered over all releases, ABSENT where there is none. Group g holds the
    slots `slot_ptr[g]` to `slot_ptr[g + 1]`: values `slot_value`, in order, each in `slot_rows` rows.
    """

    history: History
    of: NDArray[np.int64]
    people: NDArray[np.int64]
    groups: NDArray[np.int32]
    slot_ptr: NDArray[np.int64]
    slot_value: NDArray[np.int32]
    slot_rows: NDArray[np.int64]

    @classmethod
    def of_history(cls, history: History) -> "Cohorts":
        """The cohorts of a history, and what each release counts."""
        width = max(1, history.width)
        numbered = np.full(history.groups.shape, ABSENT, dtype=np.int32)
        begins, slots, rows = 0, [], []
        for release, groups in enumerate(history.groups):
            there = groups != ABSENT
            used, place = np.unique(groups[there], return_inverse=True)
            numbered[release, there] = begins + place
            keys = (begins + place).astype(np.int64) * width + history.values[there]
            different, counts = np.unique(keys, return_counts=True)
            slots.append(different)
            rows.append(counts)
            begins += len(used)
        keys = np.concatenate(slots) if slots else np.zeros(0, dtype=np.int64)
        of = number_columns(numbered, begins)
        first = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
        first[of] = np.arange(len(of))
        return cls(
            history=history,
            of=of,
            people=np.bincount(of, minlength=len(first)).astype(np.int64),
            groups=np.ascontiguousarray(numbered[:, first]),
            slot_ptr=np.searchsorted(keys, np.arange(begins + 1) * width).astype(np.int64),
            slot_value=(keys % width).astype(np.int32),
            slot_rows=np.concatenate(rows).astype(np.int64) if rows else np.zeros(0, dtype=np.int64),
        )

    @cached_property
    def ptr(self) -> NDArray[np.int64]:
        """Where the common values of each cohort begin."""
        from confide.audit.adversaries.together._slot_kernels import count_common

        counts = count_common(self.groups, self.slot_ptr, self.slot_value)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @cached_property
    def common(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The common values, cohort after cohort, and the slot of each in each release (-1 where there is none)."""
        from confide.audit.adversaries.together._slot_kernels import list_common

        values, slots = list_common(self.groups, self.slot_ptr, self.slot_value, self.ptr)
        return values, slots

    @cached_property
    def entry_cohort(self) -> NDArray[np.int64]:
        """The cohort of each common value."""
        return np.repeat(np.arange(len(self.people)), np.diff(self.ptr))

    def settled(self, possible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each cohort, whether its `possible` common values agree in some sensitive column."""
        values = self.common[0][possible]
        cohort = self.entry_cohort[possible]
        found = np.zeros(len(self.people), dtype=np.bool_)
        if not len(values):
            return found
        starts = np.flatnonzero(np.diff(cohort, prepend=-1))
        for column in self.history.columns:
            code = column[values]
            found[cohort[starts]] |= np.minimum.reduceat(code, starts) == np.maximum.reduceat(code, starts)
        return found

    def count_people(self, cohorts: NDArray[np.bool_]) -> int:
        """How many people (not entries of changed values) are in these cohorts."""
        return self.count_entries(cohorts[self.of])

    def count_entries(self, entries: NDArray[np.bool_]) -> int:
        """How many people these entries of the history stand for."""
        return count_different(self.history.owner[entries])


def number_columns(rows: NDArray[np.int32], values: int) -> NDArray[np.int64]:
    """Number the different columns of a matrix of -1 .. values - 1; equal columns get equal numbers."""
    keys = np.zeros(rows.shape[1], dtype=np.int64)
    for row in rows:
        _, keys = np.unique(keys * (values + 1) + row + 1, return_inverse=True)
        keys = keys.reshape(-1)
    return keys
