"""What a broader name costs: the share of all items it stands for, or the bits that a reader lacks."""

import numpy as np
from numpy.typing import NDArray

from confide.publish.jobs.loss_names import NameCost

__all__ = ["merging_cost"]

F64 = NDArray[np.float64]


def merging_cost(entries: F64, width: F64, a: int, cost: NameCost) -> F64:
    """How much more all entries cost once group a is merged with each other group.

    `entries` and `width` are the entries and the items of each group. NCP: an entry costs the items of its group, none
    if it is exact. Bits: an entry costs log2(entries of the group / entries of its item).
    """
    if cost == "ncp":
        alone = np.where(width == 1, 0.0, width) * entries
        merged: F64 = (width + width[a]) * (entries + entries[a])
    else:
        alone, merged = _log_weight(entries), _log_weight(entries + entries[a])
    return merged - alone - alone[a]


def _log_weight(entries: F64) -> F64:
    found: F64 = entries * np.log2(np.maximum(entries, 1.0))
    return found
