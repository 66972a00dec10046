"""Dropping moles that contain a smaller one, which the dense search may report."""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["Found", "without_supersets"]

Found = dict[int, tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]]
"""Moles by size: items, a row each; supports; whether breached."""

_WHOLE_SUBSETS = 16  # moles up to this size are checked against all their 2**16 subsets


def without_supersets(found: Found, n_items: int) -> Found:
    """Drop moles that contain a smaller one, which the dense search may report."""
    from confide.publish.transactions.moles.mole_kernels import hash_table, subset_moles

    kept: Found = {}
    keys = np.random.default_rng(1).integers(1, 1 << 63, size=n_items, dtype=np.uint64)  # a hash, no protection
    for size, (items, supports, breach) in sorted(found.items()):
        smaller = [level[0] for level in kept.values() if len(level[0])]
        if not smaller or not len(items):
            kept[size] = items, supports, breach
            continue
        known = np.concatenate([level.ravel() for level in smaller])
        sizes = np.concatenate([np.full(len(level), level.shape[1], dtype=np.int64) for level in smaller])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        if size <= _WHOLE_SUBSETS:
            slots = np.zeros(1 << math.ceil(math.log2(2 * len(sizes) + 2)), dtype=np.int64)
            hash_table(known, starts, sizes, keys, slots)
            superset = subset_moles(items, size, keys, slots, sizes, starts, known)
        else:
            superset = _contains_any(items, smaller, n_items)
        kept[size] = items[~superset], supports[~superset], breach[~superset]
    return kept


def _contains_any(items: NDArray[np.int32], smaller: list[NDArray[np.int32]], n_items: int) -> NDArray[np.bool_]:
    """The same for long moles, of which there are few: one smaller mole after the other."""
    held = np.zeros((len(items), n_items), dtype=np.bool_)
    held[np.arange(len(items))[:, None], items] = True
    superset = np.zeros(len(items), dtype=np.bool_)
    for level in smaller:
        for mole in level:
            superset |= held[:, mole].all(axis=1)
    return superset
