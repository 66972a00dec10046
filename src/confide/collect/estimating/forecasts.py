"""How far off a support would be, before anything is collected: standard errors of one itemset, as shares of records.

`support` is the itemset's true share of the records, `records` how many will be collected.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["cut_error", "cut_matrix", "flip_error", "keep_error"]


def flip_error(p: float, q: float, *, length: int, support: float, records: int) -> float:
    """Through Mask or Emask, where records hold all of the itemset or nothing of it."""
    d = p + q - 1
    m1, m0 = 1 + p * (1 - p) / d**2, q * (1 - q) / d**2
    return math.sqrt((support * m1**length + (1 - support) * m0**length - support) / records)


def cut_error(K: int, rho: float, *, record_length: int, length: int, support: float, records: int) -> float:
    """The same through Cut-and-Paste, for records of `record_length` items."""
    law = cut_matrix(K, rho, record_length, length)
    row = np.linalg.inv(law)[-1]
    seen = support * law[:, -1] + (1 - support) * law[:, 0]
    given = support * (row @ law[:, -1]) ** 2 + (1 - support) * (row @ law[:, 0]) ** 2
    return math.sqrt(float(row**2 @ seen - given) / records)


def keep_error(gamma: float, sizes: Sequence[int], *, length: int, support: float, records: int) -> float:
    """Through gamma-diagonal, for an itemset over the first `length` fields of these sizes.

    sqrt((s a(1-a) + (1-s) b(1-b))/N) / ((gamma-1)x), b = x n/(cells of the itemset's fields), a = b + (gamma-1)x.
    It *falls* with length: fewer cells of noise fall on a longer itemset.
    """
    keep = (gamma - 1) / (gamma - 1 + math.prod(sizes))
    b = (1 - keep) / math.prod(sizes[:length])
    a = b + keep
    return math.sqrt((support * a * (1 - a) + (1 - support) * b * (1 - b)) / records) / keep


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
