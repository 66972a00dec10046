"""Measures of loss. Larger is worse; all are of the released rows and the number of rows left out.

ncp                  the general loss: how much of each value's detail is gone, from 0 to 1 (Xu et al. 2006)
discernibility       for each row, how many rows look like it; a suppressed row counts as all (Bayardo, Agrawal 2005)
classification       rows that are not of the commonest class of their group, or suppressed, per row (Iyengar 2002)
average-class-size   rows of a group on average, in multiples of the fewest a group may have (LeFevre et al. 2006)
entropy              bits of the values that their labels no longer carry, as a share of the bits there were
                     (non-uniform entropy; De Waal and Willenborg 1999)
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.publish.jobs.loss_names import LOSSES
from confide.publish.tables.recoding import Recoding, numbered

__all__ = ["check_loss", "classification", "discernibility", "entropy"]


def check_loss(name: str, *, among: tuple[str, ...] = LOSSES, algorithm: str = "") -> None:
    """Refuse a loss that nobody, or this algorithm, knows."""
    if name not in among:
        who = f"{algorithm} takes" if algorithm and name in LOSSES else "losses are"
        raise UsageError(f"loss={name!r}; {who}: {', '.join(among)}", parameter="loss", value=name)


def discernibility(sizes: NDArray[np.int64], left_out: int) -> int:
    """The sum of squared group sizes; each row that is left out costs the number of all rows."""
    rows = int(sizes.sum()) + left_out
    return int((sizes.astype(np.int64) ** 2).sum()) + left_out * rows


def classification(recoding: Recoding, left_out: int) -> float | None:
    """The share of rows that are not of the commonest class of their group, or left out; None without a class."""
    classes = recoding.table.classes
    rows = recoding.released + left_out
    if classes is None or not rows:
        return None
    group, count = recoding.groups
    width = len(classes.labels)
    pairs = group.astype(np.int64) * width + classes.codes[recoding.rows]
    tally = recoding.table.tally(pairs, count * width, recoding.rows)
    majority = int(tally.reshape(count, width).max(axis=1).sum())
    return (recoding.released - majority + left_out) / rows


def entropy(recoding: Recoding) -> float:
    """The share of the bits of the released rows' values that are not in their labels: H(value | label) / H(value).

    Where equal values become equal, this is the non-uniform entropy as it was defined.
    """
    before = lost = 0.0
    table, rows = recoding.table, recoding.rows
    for column, codes, labels in zip(table.quasi, recoding.codes, recoding.labels, strict=True):
        leaves, coarse = column.codes[rows], codes[rows]
        if column.leaves * len(labels) < 1 << 24:
            both = leaves * np.int64(len(labels)) + coarse
        else:
            both = numbered([(leaves, column.leaves), (coarse, len(labels))], len(leaves))[0]
        before += _bits(table.tally(leaves, rows=rows))
        lost += _bits(table.tally(both, rows=rows)) - _bits(table.tally(coarse, rows=rows))
    return min(1.0, max(0.0, lost / before)) if before else 0.0


def _bits(counts: NDArray[np.int64]) -> float:
    """-sum over rows of log2 of the share of their value."""
    seen = counts[counts > 0].astype(np.float64)
    return float(-(seen * np.log2(seen / seen.sum())).sum())
