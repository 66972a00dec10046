"""Which of some sets of items each basket holds."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.transactions.container import Transactions

__all__ = ["list_held"]


def list_held(
    baskets: Transactions, codes: Mapping[str, int], sets: Sequence[tuple[int, ...]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of the sets that each basket holds, end to end, and where each basket's begin.

    Sets are positions of items, `codes` the position of each label; a label without one is refused.
    """
    place = np.array([codes.get(label, -1) for label in baskets.labels], dtype=np.int64)
    items = place[baskets.indices]
    if len(items) and items.min() < 0:
        line = int(np.searchsorted(baskets.indptr, np.argmin(items), side="right"))
        raise InputError("an item is not one of the scheme's items", source="records", line=line)
    order = np.argsort(items, kind="stable")
    bounds = np.searchsorted(items[order], np.arange(len(codes) + 1))
    holders = np.repeat(np.arange(len(baskets)), baskets.lengths)[order]
    rows = []
    for one in sets:
        both, *others = (holders[bounds[i] : bounds[i + 1]] for i in one)
        for other in others:
            both = np.intersect1d(both, other, assume_unique=True)
        rows.append(both)
    every = np.concatenate(rows)
    numbers = np.repeat(np.arange(len(sets)), [len(one) for one in rows])
    starts = np.concatenate([[0], np.cumsum(np.bincount(every, minlength=len(baskets)))])
    return starts, numbers[np.argsort(every, kind="stable")]
