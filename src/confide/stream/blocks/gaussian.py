"""Discrete Gaussian laws: the whole number x with a probability in proportion to exp(-x^2 / (2 width)).

Weights are whole and sum to 2^53, so 53 random bits draw from the law exactly. They come from decimals of 50 digits,
never from a machine's own exp: the same variance gives the same weights everywhere, and a run goes on wherever it
likes. What is rounded away lies beyond eight standard deviations, and the variance is that of the weights as they are.
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from confide.core.errors import RequirementError
from confide.stream.noise import NoiseLaw

__all__ = ["TOTAL", "discrete_gaussian"]

TOTAL = 1 << 53
_DIGITS = Context(prec=50)
_STEPS = 1 << 24  # widths are multiples of 1 / _STEPS
_WIDEST = 40_000  # of the variance, so that a law fits into the span that `NoiseLaw` allows


@lru_cache(maxsize=256)
def discrete_gaussian(variance: Fraction) -> NoiseLaw:
    """The narrowest discrete Gaussian law, in steps of 2^-24 of its width, whose variance is `variance` or more.

    >>> law = discrete_gaussian(Fraction(5))
    >>> law.mean, law.variance >= 5, float(law.variance) < 5.000001
    (Fraction(0, 1), True, True)
    """
    if not 0 < variance <= _WIDEST:
        raise RequirementError(
            f"noise of variance {float(variance):.6g} is asked for; from 0 to {_WIDEST:,} can be drawn",
            parameter="delta",
        )
    low, high = 0, int((variance + 2) * _STEPS)
    while low + 1 < high:
        middle = (low + high) // 2
        weights = _half_weights(middle)
        low, high = (low, middle) if _variance(weights) >= variance else (middle, high)
    half = _half_weights(high)
    return NoiseLaw(first=-(len(half) - 1), weights=(*half[:0:-1], *half))


def _half_weights(width: int) -> tuple[int, ...]:
    """The weights of 0, 1, 2, ... of the law whose width is so many steps; that of 0 takes what rounding leaves."""
    base = _DIGITS.exp(_DIGITS.divide(Decimal(-_STEPS), Decimal(2 * width)))  # exp(-1 / (2 width)), whose x^2-th power
    square = _DIGITS.multiply(base, base)
    powers, factor = [Decimal(1)], base
    while powers[-1] * TOTAL > Decimal("0.001"):
        powers.append(_DIGITS.multiply(powers[-1], factor))  # x^2 grows by 2 x + 1
        factor = _DIGITS.multiply(factor, square)
    whole = Decimal(1)
    for power in powers[1:]:
        whole = _DIGITS.add(whole, 2 * power)
    tail = [int(_DIGITS.divide(power * TOTAL, whole)) for power in powers[1:]]
    while tail and not tail[-1]:
        tail.pop()
    return (TOTAL - 2 * sum(tail), *tail)


def _variance(half: tuple[int, ...]) -> Fraction:
    return Fraction(2 * sum(x * x * weight for x, weight in enumerate(half)), TOTAL)
