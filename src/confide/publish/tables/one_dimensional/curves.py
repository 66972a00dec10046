"""Rows on a line, so that neighbours are alike: along the Hilbert curve, or by distance to reference points.

A value is a number first: its place among the leaves in the order of the hierarchy (leaves of one node stand next to
each other), or its cell. Paper 002, section 6.1.2; Ghinita et al. 2007.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.coding import CodedTable, QuasiIdentifier

__all__ = ["Curve", "along", "leaf_order"]

Curve = Literal["hilbert", "idistance"]

_BITS = 64
_REFERENCES = 32
_LOOKED_AT = 2000  # rows among which reference points are chosen


def leaf_order(column: QuasiIdentifier) -> NDArray[np.int64]:
    """The place of each leaf in the order of the hierarchy: by its top node, then the node below, and so on."""
    if column.domain is not None:
        return np.arange(column.leaves)
    keys = tuple(column.maps)  # lexsort takes the last key first: the top level
    place = np.empty(column.leaves, dtype=np.int64)
    place[np.lexsort(keys)] = np.arange(column.leaves)
    return place


def along(table: CodedTable, curve: Curve) -> NDArray[np.uint64]:
    """A number for each row; rows with close numbers are alike."""
    from confide.publish.tables.one_dimensional._curve_kernels import hilbert, nearest

    columns = [column for column in table.quasi if column.leaves > 1]
    if not columns:
        return np.zeros(len(table), dtype=np.uint64)
    places = np.stack([leaf_order(column)[column.codes] for column in columns], axis=1)
    leaves = np.array([column.leaves for column in columns])
    if curve == "hilbert":
        used = np.argsort(-table.weights[[column.leaves > 1 for column in table.quasi]], kind="stable")[:_BITS]
        bits = int(min(max(1, _BITS // len(used)), int(leaves.max() - 1).bit_length()))
        scaled = places[:, used] * (1 << bits) // leaves[used]
        return hilbert(np.ascontiguousarray(scaled), bits)
    points = np.ascontiguousarray(places / np.maximum(1, leaves - 1))
    which, far = nearest(points, _references(points))
    steps = np.minimum(far / np.sqrt(points.shape[1]) * (1 << 32), (1 << 32) - 1).astype(np.uint64)
    return (which.astype(np.uint64) << np.uint64(32)) | steps


def _references(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points far from each other: the one nearest the middle, then always the farthest from those chosen."""
    looked = points[np.linspace(0, len(points) - 1, min(len(points), _LOOKED_AT)).astype(np.int64)]
    chosen = [looked[np.argmin(((looked - looked.mean(axis=0)) ** 2).sum(axis=1))]]
    apart = ((looked - chosen[0]) ** 2).sum(axis=1)
    while len(chosen) < _REFERENCES and apart.max() > 0:
        chosen.append(looked[np.argmax(apart)])
        apart = np.minimum(apart, ((looked - chosen[-1]) ** 2).sum(axis=1))
    return np.stack(chosen)
