"""What Emask's p and q attain, and the curve along which a plan moves.

With d = p + q - 1 and P1 = Pr(V=1) = s p + (1-s)(1-q), the squared correlation of a true entry and its perturbed one is

    c = s (1-s) d^2 / (P1 (1-P1)),   and        breach R1 = s + (1-s) c          (Eq. 3.2)
                                                error^2   = (1-s)/(N s) (1/c - 1) (Eq. 3.7, which lost a factor s)
                                                slowdown  = P1 / s                (Eq. 3.8)

So breach and error depend on (p, q) only through c: the optimum of the paper is a whole curve, and it runs to q = 1,
where *every* 1 that is seen is true. A fourth goal therefore bounds v = Pr(U=1|V=1) = p s/P1, the chance that a 1 that
is seen is true. In (c, v) everything is simple: P1/(1-P1) = c s (1-s)/(v-s)^2, so a larger v is cheaper, and the
cheapest point within the bound lies on it. What is left is to choose c: breach and slowdown grow with it, error falls;
p < 1 bounds it from above.

v is an average over all 1s that are seen. Of an item that more people have, a 1 is likelier true: with support t it is
L t/(L t + 1 - t), where L = p/(1-q) is how much likelier a true item is sent than a false one. A bound on the commonest
item is therefore a bound on L, and so on v: the tighter of the two counts.

An item that is *not* sent tells something too: that someone lacks it is then q/(1-p) times likelier. Where the goals
exclude each other the optimum would run to p = 1, and every item that is not sent would surely be lacking. A fifth
bound therefore holds this ratio; along the bound on v it grows with c, so it bounds c from above.

Source: paper 003, section 3.3.5.
"""

import math
from decimal import ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

from confide.collect.planning.privacy_measures import reconstruction_probability

__all__ = ["attained_by", "most_correlated", "parameters_at", "rounded_down", "visible_of"]

DIGITS = 8  # of p and q in a plan; both are rounded down, which never raises `visible`
_LARGEST = 1 - 10**-DIGITS  # of p and q: a scheme takes neither 1


def most_correlated(s: float, visible: float, absent: float) -> float:
    """The c at which p is as large as it can be, from p = v P1/s and, for q too, q/(1-p) <= absent."""
    one = min(_LARGEST * s / visible, 1 - 1e-9)
    if absent < math.inf:  # (1 - f P1)/(1 - t P1) <= absent
        t, f = visible / s, (1 - visible) / (1 - s)
        one = min(one, (absent - 1) / (absent * t - f))
    return one / (1 - one) * (visible - s) ** 2 / (s * (1 - s))


def parameters_at(s: float, c: float, visible: float) -> tuple[float, float]:
    """(p, q) with correlation^2 c at which a 1 that is seen is true with the chance `visible`."""
    odds = c * s * (1 - s) / (visible - s) ** 2
    one = odds / (1 + odds)
    return min(_LARGEST, visible * one / s), min(_LARGEST, 1 - one * (1 - visible) / (1 - s))


def visible_of(p: float, q: float, support: float) -> float:
    """The chance that a 1 that is seen is true, for an item of this support."""
    one = support * p + (1 - support) * (1 - q)
    return p * support / one if one else 0.0


def attained_by(p: float, q: float, s: float, n: int, supports: NDArray[np.float64] | None) -> dict[str, float]:
    """What p and q attain for n records and average support s; the breach is weighted by `supports` if known."""
    one = s * p + (1 - s) * (1 - q)
    every = np.array([s]) if supports is None else supports
    breach = float(np.average(reconstruction_probability(every, p=p, q=q), weights=every))
    spread = math.sqrt((s * p * (1 - p) + (1 - s) * q * (1 - q)) / n)
    d = abs(p + q - 1)
    return {
        "breach": breach,
        "error": spread / (s * d) if d else math.inf,
        "slowdown": one / s,
        "visible": visible_of(p, q, s),
        "absent": q / (1 - p),
    }


def rounded_down(value: float) -> float:
    """Rounded down, but never to 0, which no scheme takes."""
    return max(10**-DIGITS, float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-DIGITS), rounding=ROUND_FLOOR)))
