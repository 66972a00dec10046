"""The shifts each scheme gives to the classes of a release: none, for order, for ratio, or between the two.

A class is all itemsets of one support (the paper's frequency equivalence class): they share one value.
"""

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.requirements.base import exact
from confide.stream.paper.order import Kept, order_shifts

if TYPE_CHECKING:
    from confide.stream.setting import Setting

__all__ = ["SCHEMES", "Scheme", "ratio_shifts", "scheme_shifts"]

Scheme = Literal["basic", "order", "ratio", "hybrid"]
SCHEMES = get_args(Scheme)

Ints = NDArray[np.int64]


def scheme_shifts(
    scheme: Scheme,
    supports: Ints,
    sizes: Ints,
    *,
    setting: "Setting",
    lam: float,
    depth: int,
    kept: Kept,
) -> Ints:
    """The shift of each class that has no value yet; `kept` are those that have one."""
    if scheme == "basic" or not len(supports):
        return np.zeros(len(supports), dtype=np.int64)
    smallest = min(int(supports[0]), int(kept[0].min())) if len(kept[0]) else int(supports[0])
    if scheme == "ratio":
        return ratio_shifts(supports, smallest=smallest, setting=setting)
    order = order_shifts(supports, sizes, setting=setting, depth=depth, kept=kept)
    if scheme == "order":
        return order
    ratio = ratio_shifts(supports, smallest=smallest, setting=setting)
    share = exact(lam)
    a, b = share.numerator, share.denominator
    # lam order + (1 - lam) ratio to the nearest whole number; it lies between two shifts that are allowed
    mixed = [(2 * (a * x + (b - a) * y) + b) // (2 * b) for x, y in zip(order.tolist(), ratio.tolist(), strict=True)]
    return np.array(mixed, dtype=np.int64)


def ratio_shifts(supports: Ints, *, smallest: int, setting: "Setting") -> Ints:
    """Biases in proportion to supports, as large as the smallest support allows: floor(bias_1 t / t_1).

    Each is worked out from the smallest support, not from its neighbour: rounding would add up (the paper recurs).
    """
    p, q = setting.law.mean.numerator, setting.law.mean.denominator
    bias = setting.shifts(smallest)[1] * q + p  # bias_1 q
    wanted = [min((bias * t - p * smallest) // (q * smallest), setting.shifts(t)[1]) for t in supports.tolist()]
    return np.array(wanted, dtype=np.int64)
