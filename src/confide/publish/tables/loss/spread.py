"""What a released label can mean: the leaves it covers, each as likely as the other.

That is how a receiver must read a release: "30-39" is any of ten ages. Queries are estimated so, and classifiers are
trained on values drawn so.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.coding import QuasiIdentifier
from confide.publish.tables.recoding import Recoding

__all__ = ["drawn_leaves", "leaf_sets"]


def leaf_sets(recoding: Recoding, number: int) -> list[NDArray[np.int64]]:
    """For each label of a column, the leaves it covers.

    A label that is no node of the hierarchy and no range covers the leaves of the released rows that have it; a number
    in place of a range the leaf it lies in.
    """
    column, labels = recoding.table.quasi[number], recoding.labels[number]
    if column.numbers is not None and recoding.numbered:
        return _cells_of(column, labels)
    nodes = {
        label: (level, node)
        for level in range(column.height, -1, -1)
        for node, label in enumerate(column.labels[level])
    }
    found: list[NDArray[np.int64]] = []
    codes, leaves = recoding.codes[number][recoding.rows], column.codes[recoding.rows]
    for code, label in enumerate(labels):
        span = None if label in nodes or column.domain is None else column.domain.span(label)
        if label in nodes:
            level, node = nodes[label]
            found.append(np.flatnonzero(column.maps[level] == node))
        elif span is not None:
            found.append(np.arange(span[0], span[1] + 1))
        else:
            found.append(np.unique(leaves[codes == code]).astype(np.int64))
    return found


def _cells_of(column: QuasiIdentifier, labels: Sequence[str]) -> list[NDArray[np.int64]]:
    """For each number that is released, the cell it lies in; everything for a missing one."""
    assert column.domain is not None
    domain = column.domain
    numbers = np.array([float(label) if label else np.nan for label in labels])
    cells = domain.place(np.clip(np.nan_to_num(numbers), float(domain.low), float(domain.high)))
    everything = np.arange(column.leaves)
    return [
        everything if missing else np.array([cell])
        for cell, missing in zip(cells.tolist(), np.isnan(numbers), strict=True)
    ]


def drawn_leaves(recoding: Recoding, *, seed: int = 0) -> list[NDArray[np.int64]]:
    """For each column, a leaf for every released row, drawn evenly from those its label covers; for experiments."""
    draw = np.random.default_rng(seed)
    drawn = []
    for number, codes in enumerate(recoding.codes):
        sets = [leaves if len(leaves) else np.zeros(1, dtype=np.int64) for leaves in leaf_sets(recoding, number)]
        sizes = np.array([len(leaves) for leaves in sets])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        mine = codes[recoding.rows]
        drawn.append(np.concatenate(sets)[starts[mine] + (draw.random(len(mine)) * sizes[mine]).astype(np.int64)])
    return drawn


def ordered_leaves(column: QuasiIdentifier) -> NDArray[np.int64]:
    """The leaves in the order of the hierarchy, those of one node next to each other."""
    if column.domain is not None:
        return np.arange(column.leaves)
    return np.lexsort(tuple(column.maps))


def share_within(sets: Sequence[NDArray[np.int64]], asked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """For each label, the share of its leaves that are among those asked for."""
    return np.array([float(asked[leaves].mean()) if len(leaves) else 0.0 for leaves in sets])
