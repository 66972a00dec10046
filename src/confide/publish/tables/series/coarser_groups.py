"""Coarser groups of cells: those that fail are joined with the others that both lose least with."""

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.runtime.threads import cores, in_threads
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.series._matching_kernels import Reach

__all__ = ["join_cells"]


def join_cells(
    test: GroupTest, reach: Reach, cell: NDArray[np.integer], rows: NDArray[np.int64], regions: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Join cells until all groups pass; returns the group of each of the `rows`, and the region of each group.

    `cell` is that of each row, `regions` those of the cells.
    """
    from confide.publish.tables.series._joining_kernels import join_regions

    used, group = np.unique(cell, return_inverse=True)
    group, regions = group.reshape(-1), regions[used].copy()
    while True:
        count = len(regions)
        passes = test.passes(group.astype(np.int32), count, rows=rows)
        if passes.all():
            return group, regions
        if count == 1:
            raise CannotMeetError("all rows as one group fail")
        sizes = np.bincount(group, minlength=count)
        failing = np.flatnonzero(~passes)
        partner, cost = _find_partners(reach, regions, sizes, failing)
        if (partner < 0).all():
            raise CannotMeetError("the highest levels that the schema allows keep groups apart that fail")
        target = np.arange(count)
        met = np.zeros(count, dtype=np.bool_)
        for i in np.argsort(cost, kind="stable").tolist():
            one, other = int(failing[i]), int(partner[i])
            if other < 0 or met[one] or met[other]:
                continue
            met[one] = met[other] = True
            join_regions(reach, regions[other], regions[one])
            target[one] = other
        kept, place = np.unique(target, return_inverse=True)
        group, regions = place.reshape(-1)[group], regions[kept]


def _find_partners(
    reach: Reach, regions: NDArray[np.int32], sizes: NDArray[np.int64], failing: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    from confide.publish.tables.series._joining_kernels import find_partners

    barred = np.zeros(len(regions), dtype=np.bool_)
    shares = [share for share in np.array_split(failing, cores()) if len(share)]
    found = in_threads(lambda share: find_partners(reach, regions, sizes, share, barred), shares)
    return np.concatenate([one for one, _ in found]), np.concatenate([cost for _, cost in found])
