"""How far off a support would be, before anything is collected: standard errors of one itemset, as shares of records.

`support` is the itemset's true share of the records, `records` how many will be collected. Which itemset it is matters
in two ways. Where the error depends on the fields it is over, it is the average (root mean square) over all choices of
`length` fields, so the order of fields does not count. Where it depends on how many records hold *some* of its items,
those are the shares `held` (see `partly_held`), and if they are not known the items are taken to be independent.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["column_error", "cut_error", "cut_matrix", "flip_error", "keep_error", "partly_held"]


def partly_held(length: int, support: float) -> NDArray[np.float64]:
    """Shares of records that hold exactly 0, 1, ..., `length` items of an itemset of this support, if its items are
    independent and equally common."""
    each = support ** (1 / length)
    return np.array([math.comb(length, k) * each**k * (1 - each) ** (length - k) for k in range(length + 1)])


def flip_error(
    p: float, q: float, *, length: int, support: float, records: int, held: NDArray[np.float64] | None = None
) -> float:
    """Through Mask or Emask.

    The variance of an estimate is the sum over k of held[k] m1^k m0^(n-k), less the support, over the records; a
    record that holds all of the itemset but one item adds nearly as much as one that holds all of it.
    """
    shares = partly_held(length, support) if held is None else held
    m1, m0 = _moments(p, q)
    k = np.arange(length + 1)
    return math.sqrt(float(shares @ (m1**k * m0 ** (length - k)) - support) / records)


def column_error(
    rates: Sequence[tuple[float, float]],
    *,
    length: int,
    support: float,
    records: int,
    held: NDArray[np.float64] | None = None,
) -> float:
    """Through columns that are perturbed one by one, of which each keeps a value with its p and its absence with its q.

    Averaged over the choices of `length` columns, and over which of them a record holds.
    """
    shares = partly_held(length, support) if held is None else held
    sums = np.zeros((length + 2, length + 2))  # [k, l]: products of k columns' m1 and l others' m0, added up
    sums[0, 0] = 1
    for p, q in rates:
        m1, m0 = _moments(p, q)
        more = sums.copy()
        more[1:] += m1 * sums[:-1]
        more[:, 1:] += m0 * sums[:, :-1]
        sums = more
    ways = math.comb(len(rates), length)
    moments = [sums[k, length - k] / (ways * math.comb(length, k)) for k in range(length + 1)]
    return math.sqrt(float(shares @ np.array(moments) - support) / records)


def _moments(p: float, q: float) -> tuple[float, float]:
    """The mean square of what a perturbed entry adds to an estimate, for a true 1 and for a true 0."""
    d = p + q - 1
    return 1 + p * (1 - p) / d**2, q * (1 - q) / d**2


def cut_error(
    K: int,
    rho: float,
    *,
    record_length: int,
    length: int,
    support: float,
    records: int,
    held: NDArray[np.float64] | None = None,
) -> float:
    """The same through Cut-and-Paste, for records of `record_length` items."""
    shares = partly_held(length, support) if held is None else held
    law = cut_matrix(K, rho, record_length, length)
    row = np.linalg.inv(law)[-1]  # times the law: 1 for records that hold the whole itemset, else 0
    return math.sqrt(float(row**2 @ (law @ shares) - support) / records)


def keep_error(gamma: float, sizes: Sequence[int], *, length: int, support: float, records: int) -> float:
    """Through gamma-diagonal, for itemsets over `length` of the fields of these sizes.

    Over fields with m cells in all: sqrt((s a(1-a) + (1-s) b(1-b))/N) / ((gamma-1)x), b = x n/m, a = b + (gamma-1)x.
    It *falls* with length: fewer cells of noise fall on a longer itemset.
    """
    keep = (gamma - 1) / (gamma - 1 + math.prod(sizes))
    each = [1 / size for size in sizes]
    b = (1 - keep) * _mean_product(each, length)  # the mean of b, and of its square
    square = (1 - keep) ** 2 * _mean_product([x * x for x in each], length)
    variance = b - square + support * (keep - keep**2 - 2 * keep * b)
    return math.sqrt(variance / records) / keep


def _mean_product(values: Sequence[float], length: int) -> float:
    """The mean of the product of `length` of the values, over all choices."""
    sums = [1.0] + [0.0] * length  # of the products of 0, 1, ... of the values met so far
    for value in values:
        for k in range(length, 0, -1):
            sums[k] += value * sums[k - 1]
    return sums[length] / math.comb(len(values), length)


def cut_matrix(K: int, rho: float, record_length: int, length: int) -> NDArray[np.float64]:
    """Eq. 4.12 in floating point: entry [l', l] is the chance that a record of `record_length` items, l of them of an
    itemset of `length` items, holds l' of the itemset afterwards.

    The cut takes h of the l items (hypergeometric), each other item of the itemset enters with rho: the printed sum in
    the order in which things happen, which is quick enough to try every K. `CutAndPaste.matrix` has it exactly.
    """
    m, most = record_length, min(K, record_length)
    found = np.zeros((length + 1, length + 1))
    for w in range(most + 1):
        chance = (K + 1 - w if w == most else 1) / (K + 1)
        for true in range(length + 1):
            for h in range(max(0, w - (m - true)), min(w, true) + 1):
                cut = chance * math.comb(true, h) * math.comb(m - true, w - h) / math.comb(m, w)
                rest = length - h
                for more in range(rest + 1):
                    found[h + more, true] += cut * math.comb(rest, more) * rho**more * (1 - rho) ** (rest - more)
    return found
