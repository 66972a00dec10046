"""The trade-off of a stream: how much precision each degree of protection costs, at best."""

import math
from fractions import Fraction

from confide.core.errors import RequirementError
from confide.core.requirements.base import exact, is_number
from confide.core.requirements.output_privacy import OutputPrivacy, Span
from confide.stream.blocks.law import least_block_epsilon
from confide.stream.setting import least_law

__all__ = ["USUAL_DELTA", "largest_delta", "least_epsilon", "usual_block_epsilon", "usual_epsilon"]

USUAL_DELTA = 0.4
"""How wrong an attacker stays about a rare pattern, where nobody says otherwise."""

_ANY = 1e9  # an epsilon that is above whatever noise needs
_ROOM = 1.25  # above the least epsilon, so that biases have room to keep order or ratios


def least_epsilon(*, min_support: int, vulnerable: int, delta: float, noise: str = "uniform") -> float:
    """The smallest epsilon that `delta` leaves possible: (variance + mean^2) / C^2 of the narrowest law that is enough.

    >>> least_epsilon(min_support=25, vulnerable=5, delta=0.4)
    0.016
    """
    if not is_number(delta) or delta <= 0:
        raise RequirementError(f"delta={delta} sets no bound; use a number above 0", parameter="delta", value=delta)
    if vulnerable < 1 or min_support <= vulnerable:
        raise RequirementError(
            f"min_support={min_support} would publish vulnerable patterns; use more than vulnerable={vulnerable}",
            parameter="min_support",
            value=min_support,
        )
    law = least_law(noise, exact(delta) * vulnerable**2)
    return _rounded_up((law.variance + law.mean**2) / min_support**2)


def usual_epsilon(*, min_support: int, vulnerable: int, delta: float, noise: str = "uniform") -> float:
    """A little more than the least epsilon, in two digits: what is taken where nobody says otherwise.

    >>> usual_epsilon(min_support=25, vulnerable=5, delta=0.4)
    0.02
    """
    return float(
        f"{_ROOM * least_epsilon(min_support=min_support, vulnerable=vulnerable, delta=delta, noise=noise):.2g}"
    )


def usual_block_epsilon(*, min_support: int, vulnerable: int, delta: float, span: Span, blocks: int) -> float:
    """A little more than the least epsilon of the scheme `blocks`, in two digits.

    >>> usual_block_epsilon(min_support=25, vulnerable=5, delta=0.4, span="run", blocks=20)
    0.021
    """
    wide = OutputPrivacy(epsilon=_ANY, delta=delta, min_support=min_support, vulnerable=vulnerable, span=span)
    return float(f"{_ROOM * least_block_epsilon(wide, blocks):.2g}")


def largest_delta(*, min_support: int, vulnerable: int, epsilon: float, noise: str = "uniform") -> float | None:
    """The largest delta, in hundredths, that fits within `epsilon`; None if not even 0.01 does."""
    least, most = 0, 1000
    while least < most:
        middle = (least + most + 1) // 2
        needed = least_epsilon(min_support=min_support, vulnerable=vulnerable, delta=middle / 100, noise=noise)
        least, most = (middle, most) if needed <= epsilon else (least, middle - 1)
    return least / 100 if least else None


def _rounded_up(value: Fraction) -> float:
    """Four digits, never less than the value."""
    digits = 4 - math.floor(math.log10(float(value))) - 1
    return math.ceil(value * 10**digits) / 10**digits
