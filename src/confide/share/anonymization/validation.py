"""How strongly to prune, decided on records that a tree has not seen: cross-validation within the owner's own records.

    all records --> 10 parts --> ten trees, each grown on nine parts, tried on the tenth after every amount of pruning
                                 --> the amount that is right most often --> the tree of all records, pruned so

A tree is grown once a part and pruned several times, so this costs about ten growths. With few records, where chance
has much to say, they are dealt to parts five times over; with many, five parts are enough. The parts are the same every
time, whatever chance does elsewhere: the same records give the same tree.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.share.anonymization.growth import Growth

__all__ = ["AMOUNTS", "USUAL", "best_confidence"]

AMOUNTS: tuple[float, ...] = (0.1, 0.05, 0.01, 0.25, 0.5)
"""Confidences of pessimistic pruning that are tried; of several that do equally well, the first is taken."""

USUAL = AMOUNTS[0]
_FEW, _MANY = 2_500, 10_000


def best_confidence(growth: Growth, *, amounts: Sequence[float] = AMOUNTS) -> float:
    """The confidence whose trees are right most often on records they were not grown on.

    A part without which the other records do not keep the requirement is left out; without any part left, the usual
    confidence is taken.
    """
    n, classes = len(growth.y), len(growth.classes)
    times, parts = (5, 10) if n < _FEW else (1, 10) if n < _MANY else (1, 5)
    rng = np.random.default_rng(0)
    dealt = [part for _ in range(times) for part in np.array_split(rng.permutation(n), min(parts, n))]
    right = np.zeros(len(amounts), dtype=np.int64)
    for part in dealt if n > 1 else ():
        kept = np.ones(n, dtype=np.bool_)
        kept[part] = False
        rows = np.flatnonzero(kept)
        if growth.test.passes(len(rows), np.bincount(growth.y[rows], minlength=classes).astype(np.int64)):
            right += _right(growth, rows, part, amounts)
    return amounts[int(np.argmax(right))] if right.any() else USUAL


def _right(growth: Growth, rows: NDArray[np.int64], part: NDArray[np.int64], amounts: Sequence[float]) -> list[int]:
    """Of the records of `part`, how many a tree of `rows` gets right after each amount of pruning."""
    grown = growth.grow(rows)
    ends, labels = grown.locate(part), grown.labels
    truth = growth.y[part]
    return [int((labels[grown.leaf_above(confidence)[ends]] == truth).sum()) for confidence in amounts]
