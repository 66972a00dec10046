"""What several releases say of the same people: for each release the group of everybody it speaks of.

    release:    1  2  3
    person 0    4  2  2     a group in each
    person 1    4  .  .     left after the first
    person 2    .  2  0     came with the second

Tables and trees alike: people in groups, values counted in each group. A person has one value, which lasts; somebody
whose value changed is two people here, one who left and one who came, since nobody learns the new value from the old.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

__all__ = ["ABSENT", "History", "count_different", "history_of", "sort_different"]

ABSENT = -1


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class History:
    """`groups[r, i]` is the group of person i in release r, ABSENT where the release does not speak of them.

    `values[i]` numbers the value (or combination of values) of person i; `columns[c][v]` is what value v is in
    sensitive column c. `owner[i]` is the person that entry i stands for, where some have several entries.
    """

    groups: NDArray[np.int32]
    values: NDArray[np.int32]
    columns: tuple[NDArray[np.int32], ...] = ()
    owner: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if self.groups.ndim != 2 or self.groups.shape[1] != len(self.values):
            raise InputError(f"{len(self.values)} values, but groups of shape {self.groups.shape}")
        width = int(self.values.max(initial=-1)) + 1
        if not self.columns:
            object.__setattr__(self, "columns", (np.arange(width, dtype=np.int32),))
        if not len(self.owner):
            object.__setattr__(self, "owner", np.arange(len(self.values)))

    @property
    def releases(self) -> int:
        """How many releases there are."""
        return len(self.groups)

    @property
    def width(self) -> int:
        """How many values there are."""
        return len(self.columns[0])

    @property
    def people(self) -> int:
        """How many people any release speaks of."""
        return count_different(self.owner[(self.groups != ABSENT).any(axis=0)])

    def first(self, releases: int) -> "History":
        """The same after so many releases."""
        return self.of_releases(range(releases))

    def of_releases(self, chosen: "range | list[int]") -> "History":
        """The same of some releases alone, and of the people that these speak of."""
        groups = self.groups[list(chosen)]
        there = (groups != ABSENT).any(axis=0)
        return History(
            groups=groups[:, there], values=self.values[there], columns=self.columns, owner=self.owner[there]
        )


def history_of(
    groups: list[NDArray[np.int32]], values: list[NDArray[np.int32]], columns: tuple[NDArray[np.int32], ...] = ()
) -> History:
    """The history of releases that each give the group and the value of every person (ABSENT where they have none).

    Later releases may speak of more people than earlier ones. Whoever's value changed becomes several entries.
    """
    width = max((int(own.max(initial=0)) + 1 for own in values), default=1)
    spoken = [np.flatnonzero(group != ABSENT) for group in groups]
    keys = [people * width + own[people] for people, own in zip(spoken, values, strict=True)]
    entries = sort_different(np.concatenate([np.zeros(0, dtype=np.int64), *keys]))
    found = np.full((len(groups), len(entries)), ABSENT, dtype=np.int32)
    for release, (people, group, key) in enumerate(zip(spoken, groups, keys, strict=True)):
        found[release, np.searchsorted(entries, key)] = group[people]
    return History(groups=found, values=(entries % width).astype(np.int32), columns=columns, owner=entries // width)


def sort_different(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different numbers, in order; several times faster than `np.unique`, which hashes them first."""
    ordered = np.sort(keys)
    return ordered[np.diff(ordered, prepend=-1) != 0] if len(ordered) else ordered


def count_different(numbers: NDArray[np.int64]) -> int:
    """How many different numbers, of 0 and more, there are."""
    seen = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.bool_)
    seen[numbers] = True
    return int(seen.sum())
