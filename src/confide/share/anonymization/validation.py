"""Whether to merge and how strongly to prune, decided on records that a tree has not seen: cross-validation within the
owner's own records.

    all records --> 10 parts --> ten trees, each grown on nine parts, tried on the tenth after every amount of pruning
                                 --> the amount that is right most often --> the tree of all records, pruned so

The same for trees that merge children and for trees that do not: merging lets the attribute that tells most be asked
first, even if it then tells less, and every attribute below has to make do with what is left. Sometimes a tree that
asks about others does better (Nursery: docs/reproduction/share.md).

A tree is grown once a part and pruned several times, so this costs about ten growths a kind. With few records, where
chance has much to say, they are dealt to parts five times over; with many, five parts are enough. The parts are the
same every time, whatever chance does elsewhere: the same records give the same tree.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.share.anonymization.leaf_growth import TreeGrower

__all__ = ["AMOUNTS", "USUAL", "best_of"]

AMOUNTS: tuple[float, ...] = (0.1, 0.05, 0.01, 0.25, 0.5)
"""Confidences of pessimistic pruning that are tried; of several that do equally well, the first is taken."""

USUAL = AMOUNTS[0]
_FEW, _MANY = 2_500, 10_000


def best_of(
    growths: Sequence[TreeGrower], amounts: Sequence[float | None] = AMOUNTS
) -> tuple[TreeGrower, float | None]:
    """The way to grow and the confidence whose trees are right most often on records they were not grown on.

    All growths are of the same records. Of several that do equally well, the first is taken. A part without which the
    other records do not keep the requirement is left out; without any part left, the first of both is taken.
    """
    if len(growths) * len(amounts) == 1:
        return growths[0], amounts[0]
    n, classes = len(growths[0].y), len(growths[0].classes)
    times, parts = (5, 10) if n < _FEW else (1, 10) if n < _MANY else (1, 5)
    rng = np.random.default_rng(0)
    dealt = [part for _ in range(times) for part in np.array_split(rng.permutation(n), min(parts, n))]
    right = np.zeros((len(growths), len(amounts)), dtype=np.int64)
    for part in dealt if n > 1 else ():
        kept = np.ones(n, dtype=np.bool_)
        kept[part] = False
        rows = np.flatnonzero(kept)
        if growths[0].test.passes(len(rows), np.bincount(growths[0].y[rows], minlength=classes).astype(np.int64)):
            right += [_right(growth, rows, part, amounts) for growth in growths]
    kind, amount = divmod(int(np.argmax(right)), len(amounts))
    return growths[kind], amounts[amount]


def _right(
    growth: TreeGrower, rows: NDArray[np.int64], part: NDArray[np.int64], amounts: Sequence[float | None]
) -> list[int]:
    """Of the records of `part`, how many a tree of `rows` gets right after each amount of pruning."""
    grown = growth.grow(rows)
    ends, labels = grown.locate(part), grown.labels
    truth = growth.y[part]
    return [int((labels[grown.leaf_above(confidence)[ends]] == truth).sum()) for confidence in amounts]
