"""Estimated supports made consistent: none below 0, none above the number of records, none above that of a part of it.

True supports are so; estimates, each with an error of its own, need not be: a set may seem commoner than its parts. The
projection gives the nearest supports that are consistent, an estimate counting by its precision (1/variance), so sure
ones hardly move and unsure ones give way. That is the likeliest consistent answer if errors are normal and independent;
they are only nearly so. It is no longer unbiased: it trades a little bias for less error.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.item_search import Found, ItemsetLevel
from confide.mining.counting.candidates import find_sets

__all__ = ["consistent"]

_ROUNDS = 2000
_TOLERANCE = 1e-3  # of a record


def consistent(levels: Found, *, records: int) -> list[NDArray[np.float64]]:
    """The nearest consistent estimates, level by level.

    Every part of a set, but the empty one, must be among the levels, as a level-wise search leaves them.
    """
    from confide.collect.estimating import _consistency_kernels as kernels

    sizes = [len(level.sets) for level in levels]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    pairs = [_part_pairs(levels[i], levels[i + 1], starts[i], starts[i + 1]) for i in range(len(levels) - 1)]
    edges = np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)
    above, below = np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1])
    values = np.concatenate([level.estimates for level in levels])
    variances = np.concatenate([level.variances for level in levels])
    precision = 1 / np.maximum(variances, 1e-9)
    # What lies outside 0..records is cut off last: for a monotone projection that is the nearest point, too.
    nearest = np.clip(
        kernels.project_monotone(above, below, values, precision / precision.max(), _TOLERANCE, _ROUNDS), 0, records
    )
    # Rounding may leave a set a hair above a part; from short sets to long ones, nothing exceeds its parts.
    for edge in pairs:
        np.minimum.at(nearest, edge[:, 1], nearest[edge[:, 0]])
    return [nearest[a:b] for a, b in pairwise(starts)]


def _part_pairs(
    shorter: ItemsetLevel, longer: ItemsetLevel, first_shorter: int, first_longer: int
) -> NDArray[np.int64]:
    """(part, whole) for each set of a level and each of its parts one item shorter."""
    n = longer.sets.shape[1]
    pairs = []
    for skip in range(n):
        at = find_sets(shorter.sets, np.delete(longer.sets, skip, axis=1))
        pairs.append(np.column_stack([at + first_shorter, np.arange(len(at), dtype=np.int64) + first_longer]))
    return np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)
