"""What a run of neighbouring values is called.

The whole domain is what the hierarchy calls it, a run that is a node of the hierarchy has that node's name, cells of a
declared range are a range. Other runs are told by the largest nodes inside them: "a | b"; whole numbers and ranges of
them that adjoin become one range.
"""

import re
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from confide.core.tables.hierarchy import TOP
from confide.publish.tables.coding import QuasiIdentifier
from confide.publish.tables.coding.quasi import ncp
from confide.publish.tables.recoding import LeafMap

__all__ = ["run_labels"]

_RANGE: Final = re.compile(r"(\d+)(?:-(\d+))?")


def run_labels(column: QuasiIdentifier, run: NDArray[np.int32]) -> LeafMap:
    """What each leaf becomes when `run[leaf]` is the run it is in: the runs, their labels and their NCP."""
    sizes = np.bincount(run)
    return run, tuple(_label(column, np.flatnonzero(run == r)) for r in range(len(sizes))), ncp(sizes, column.leaves)


def _label(column: QuasiIdentifier, leaves: NDArray[np.int64]) -> str:
    if len(leaves) == column.leaves:
        return column.labels[-1][0] if len(column.labels[-1]) == 1 else TOP
    if column.domain is not None and leaves[-1] - leaves[0] + 1 == len(leaves):
        return column.domain.label(int(leaves[0]), int(leaves[-1]))
    names = _largest(column, leaves)
    return _as_range(names) or " | ".join(names)


def _largest(column: QuasiIdentifier, leaves: NDArray[np.int64]) -> list[str]:
    """The names of the largest nodes that hold these leaves and no other, in order."""
    inside = np.zeros(column.leaves, dtype=np.bool_)
    inside[leaves] = True
    names = []
    for leaf in leaves.tolist():
        if inside[leaf]:  # not yet told by the node of an earlier one
            level = max(
                level
                for level, map_ in enumerate(column.maps)
                if inside[map_ == map_[leaf]].all() and column.sizes[level][map_[leaf]] == (map_ == map_[leaf]).sum()
            )
            node = column.maps[level][leaf]
            names.append(column.labels[level][node])
            inside[column.maps[level] == node] = False
    return names


def _as_range(names: list[str]) -> str | None:
    """One range, if these are whole numbers or ranges of them, each beginning where the last one ended.

    >>> _as_range(["20-24", "25-29", "30"])
    '20-30'
    """
    bounds = []
    for name in names:
        found = _RANGE.fullmatch(name)
        if found is None:
            return None
        bounds.append((int(found[1]), int(found[2] or found[1])))
    if any(low != high + 1 for (_, high), (low, _) in pairwise(bounds)):
        return None
    low, high = bounds[0][0], bounds[-1][1]
    return names[0] if len(names) == 1 else f"{low}-{high}"
