"""Persons in a released table: numbers that say which rows of a group belong to one person, and nothing else."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["number_persons"]


def number_persons(group: NDArray[np.integer], person: NDArray[np.integer]) -> NDArray[np.int64]:
    """For each row the number of its person within its group: 1, 2, 3, ... in order of first appearance.

    The same person has unrelated numbers in two groups, so their rows cannot be joined. Call it on the rows in the
    order in which they are released.

    >>> number_persons(np.array([0, 1, 0, 0, 1]), np.array([7, 7, 5, 7, 7])).tolist()
    [1, 1, 2, 1, 1]
    """
    if len(group) == 0:
        return np.zeros(0, dtype=np.int64)
    _, codes = np.unique(np.asarray(person), return_inverse=True)
    _, groups = np.unique(np.asarray(group), return_inverse=True)
    pairs, first, unit = np.unique(groups * (codes.max() + 1) + codes, return_index=True, return_inverse=True)
    order = np.lexsort((first, groups[first]))
    begins = np.searchsorted(groups[first][order], np.arange(groups.max() + 1))
    number = np.empty(len(pairs), dtype=np.int64)
    number[order] = np.arange(len(pairs)) - begins[groups[first][order]] + 1
    return number[unit]
