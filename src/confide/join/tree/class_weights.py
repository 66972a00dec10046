"""Class propagation at one table (thesis, section 3.3.1): how many joined records of each class a record stands for.

The target table knows its classes. Every other table learns class counts by join value from a neighbour, and is
corrected by later summaries until its counts are those of the whole join.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.join.graph.forecast import TOO_LARGE

__all__ = ["ClassWeights", "check_status"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


class ClassWeights:
    """Class counts of every record of a table, until `TableEngine.open`; parameters as in `TableEngine`."""

    def __init__(self, keys: Mapping[str, I32], shared: Mapping[str, int], n_classes: int, classes: I32 | None):
        self._keys, self._shared, self._n_classes = keys, shared, n_classes
        self._sent: dict[str, I64] = {}
        self._counts: I64 | None = None
        if classes is not None:
            known = np.flatnonzero(classes >= 0)
            counts = np.zeros((len(classes), n_classes), dtype=np.int64)
            counts[known, classes[known]] = 1
            self._counts = self._without_dangling(counts)

    @property
    def counts(self) -> I64:
        """Class counts, a row for each record."""
        if self._counts is None:
            raise UsageError("this table has not received any class summary yet")
        return self._counts

    def summary(self, neighbour: str) -> I64:
        """CS(this -> neighbour): class counts of every shared join value."""
        from confide.join.tree import _join_kernels as kernels

        sums = np.zeros((self._shared[neighbour], self._n_classes), dtype=np.int64)
        check_status(kernels.sum_by_key(self._keys[neighbour], self.counts, sums))
        self._sent[neighbour] = sums
        return sums

    def receive(self, neighbour: str, summary: I64) -> None:
        """Take a class summary: the first one gives every record its counts, later ones rescale them.

        A later one is divided by what this table sent that neighbour last: a record keeps its share of its join value.
        """
        from confide.join.tree import _join_kernels as kernels

        summary = np.ascontiguousarray(summary, dtype=np.int64)
        if summary.shape != (self._shared[neighbour], self._n_classes) or (summary.size and summary.min() < 0):
            raise InputError(f"the class summary from {neighbour} does not fit the join values agreed upon")
        keys = self._keys[neighbour]
        if self._counts is None:
            padded = np.concatenate([summary, np.zeros((1, self._n_classes), dtype=np.int64)])
            self._counts = self._without_dangling(padded[keys])  # key -1 is the last row: nothing
        else:
            check_status(kernels.rescale_by_key(keys, self._counts, summary, self._sent[neighbour]), neighbour)

    def alive(self) -> NDArray[np.bool_]:
        """Which records stand for any joined record."""
        counts = self.counts
        found = np.zeros(len(counts), dtype=np.bool_)
        for c in range(self._n_classes):
            found |= counts[:, c] > 0
        return found

    def _without_dangling(self, counts: I64) -> I64:
        for codes in self._keys.values():
            counts[codes < 0] = 0
        return counts


def check_status(status: int, neighbour: str = "") -> None:
    """Raise what a kernel that sums or divides counts reports."""
    from confide.join.tree import _join_kernels as kernels

    if status == kernels.TOO_LARGE:
        raise InputError(TOO_LARGE)
    if status == kernels.DOES_NOT_FIT:
        raise InputError(f"a summary from {neighbour} does not divide as counts of one join must")
