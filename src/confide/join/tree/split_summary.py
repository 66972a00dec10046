"""What one table tells a neighbour about splits: class counts by join value, child by child (thesis, Definition 4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SplitSummary"]


@dataclass(frozen=True, eq=False)
class SplitSummary:
    """SS(T_i -> T_j) for all nodes of a level that were split on T_i's side.

    parents       the nodes that were split, ascending.
    n_children    how many children of each are told of; children that are leaves need not be.
    children      their numbers, parent by parent, ascending.
    start         child k has the entries start[k]:start[k + 1].
    keys          join values, as indices into the list both tables share, ascending within a child.
    counts        class counts of each entry, one column a class.

    >>> one = SplitSummary.empty(2)
    >>> len(one)
    0
    """

    parents: NDArray[np.int64]
    n_children: NDArray[np.int64]
    children: NDArray[np.int64]
    start: NDArray[np.int64]
    keys: NDArray[np.int32]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def empty(cls, n_classes: int) -> "SplitSummary":
        """A summary of no splits."""
        none = np.empty(0, dtype=np.int64)
        start = np.zeros(1, dtype=np.int64)
        return cls(none, none, none, start, np.empty(0, np.int32), np.empty((0, n_classes), np.int64))

    def as_dict(self) -> dict[tuple[int, int], list[int]]:
        """{(child, join value): class counts}, for looking at.

        >>> SplitSummary.empty(2).as_dict()
        {}
        """
        owner = np.repeat(self.children, np.diff(self.start)).tolist()
        return dict(zip(zip(owner, self.keys.tolist(), strict=True), self.counts.tolist(), strict=True))
