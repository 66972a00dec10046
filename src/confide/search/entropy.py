"""How much a tree of interests says: self-information, entropy over leaves, and expRatio (thesis, 5.2.2).

    I(t) = log(|D| / Sup(t))      H = - sum over leaves of P(t) log P(t)      expRatio = H(U[exp]) / H(U)

Logarithms have base 10, as the chapter's figures have; the base changes no ratio and no ranking.
"""

import math
from collections.abc import Iterable

__all__ = ["entropy", "self_information"]


def self_information(units: int, total: int) -> float:
    """I(t): how surprising an interest is that weighs `units` of `total`.

    >>> round(self_information(5, 10), 3)
    0.301
    """
    return math.log10(total / units) if 0 < units < total else 0.0


def entropy(leaves: Iterable[int], total: int) -> float:
    """H over leaves that weigh so many units of `total`.

    >>> round(entropy([30, 20, 35, 15], 100), 3)
    0.58
    """
    return math.fsum(leaf / total * math.log10(total / leaf) for leaf in leaves if leaf) + 0.0
