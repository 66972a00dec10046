"""How many records of a sample hold a part of an itemset, for the exact errors of schemes that flip item by item.

The variance of an estimate counts records that hold exactly k of the itemset's items (see `estimating.forecasts`).
Which itemset will be of interest is not known before mining, so some are drawn that records of the sample really hold,
and of these the ones whose support is nearest to the one asked about are averaged.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from confide.core.transactions.container import Transactions

__all__ = ["Shares", "shares_of_fields", "shares_of_items"]

_DRAWN, _AVERAGED, _READ = 200, 20, 5000
_SEED = 1  # the same sample gives the same forecast

Shares = Callable[[int, float], NDArray[np.float64] | None]
"""(length, support) -> the shares of records that hold 0, 1, ..., length items; None where no record is that long."""


def shares_of_fields(codes: NDArray[np.int32]) -> Shares:
    """For records of one value in each field."""
    rows = _some(codes)

    def found(length: int, support: float) -> NDArray[np.float64] | None:
        if len(rows) == 0 or length > rows.shape[1]:
            return None
        draw = np.random.default_rng(_SEED)
        tried = []
        for record in draw.integers(0, len(rows), _DRAWN):
            chosen = draw.permutation(rows.shape[1])[:length]
            tried.append(_shares((rows[:, chosen] == rows[record, chosen]).sum(axis=1), length))
        return _nearest(np.array(tried), support)

    return found


def shares_of_items(tx: Transactions) -> Shares:
    """For records of items."""
    some = tx if len(tx) <= _READ else tx.take(_some(np.arange(len(tx))))
    lengths, indices = np.asarray(some.lengths, dtype=np.int64), np.asarray(some.indices)
    owner = np.repeat(np.arange(len(some)), lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)])

    def found(length: int, support: float) -> NDArray[np.float64] | None:
        able = np.flatnonzero(lengths >= length)
        if len(able) == 0:
            return None
        draw = np.random.default_rng(_SEED)
        tried = []
        for record in draw.choice(able, _DRAWN):
            items = draw.permutation(indices[starts[record] : starts[record + 1]])[:length]
            held = np.bincount(owner[np.isin(indices, items)], minlength=len(lengths))
            tried.append(_shares(held, length))
        return _nearest(np.array(tried), support)

    return found


def _some(rows: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int64]:
    """All rows, or some that are drawn where there are many."""
    if len(rows) <= _READ:
        return rows.astype(np.int64)
    return rows[np.random.default_rng(_SEED).choice(len(rows), _READ, replace=False)].astype(np.int64)


def _shares(held: NDArray[np.int64], length: int) -> NDArray[np.float64]:
    return np.bincount(held, minlength=length + 1) / len(held)


def _nearest(tried: NDArray[np.float64], support: float) -> NDArray[np.float64]:
    """The mean of those whose support is nearest, brought to just this support."""
    order = np.argsort(np.abs(np.log(tried[:, -1] / support)), kind="stable")[:_AVERAGED]
    found = tried[order].mean(axis=0)
    rest = found[:-1].sum()
    found[:-1] = found[:-1] * (1 - support) / rest if rest > 0 else (1 - support) / (len(found) - 1)
    found[-1] = support
    return found
