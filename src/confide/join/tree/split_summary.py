"""What one table sends a neighbour about splits: class counts by join value, child by child (thesis, Definition 4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SplitSummary"]


@dataclass(frozen=True, eq=False)
class SplitSummary:
    """SS(T_i -> T_j) for all nodes of a level that were split on T_i's side.

    parents       the nodes that were split, ascending.
    n_children    how many children of each it describes; children that are leaves may be left out.
    children      their numbers, parent by parent, ascending.
    start         child k has the entries start[k]:start[k + 1].
    keys          join values, as indices into the list both tables share, ascending within a child.
    counts        class counts of each entry, one column a class.
    """

    parents: NDArray[np.int64]
    n_children: NDArray[np.int64]
    children: NDArray[np.int64]
    start: NDArray[np.int64]
    keys: NDArray[np.int32]
    counts: NDArray[np.int64]
