"""A logarithm against a bound, decided exactly.

The natural logarithm of a fraction other than 1 is irrational, and so is no decimal that anybody can write down as a
bound: enough digits always decide. Digits are added until they do.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import fsum, gcd, log

__all__ = ["entropy_reaches", "log_at_most"]

_DIGITS = (30, 100, 1000)
_LARGEST_POWER = 100_000  # rows of a group up to which n**n is compared in whole numbers


def log_at_most(ratio: Fraction, bound: Fraction) -> bool:
    """Whether ln(ratio) <= bound, for a ratio above 0.

    >>> log_at_most(Fraction(272, 100), Fraction(1)), log_at_most(Fraction(271, 100), Fraction(1))
    (False, True)
    """
    if ratio == 1:
        return bound >= 0
    for digits in _DIGITS:
        context = Context(prec=digits, Emax=999_999, Emin=-999_999)
        above, below = _ln(ratio.numerator, context), _ln(ratio.denominator, context)
        limit = context.divide(Decimal(bound.numerator), Decimal(bound.denominator))
        difference = context.subtract(context.subtract(above, below), limit)
        # each of the four steps is off by at most one unit in its last digit
        doubt = max(abs(above), abs(below), abs(limit)).scaleb(2 - digits)
        if abs(difference) > doubt:
            return difference < 0
    return False  # closer than 1,000 digits can tell, which no bound is that somebody wrote: the strict side


def entropy_reaches(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741 - the paper's letter
    """Whether the entropy of these counts is at least that of `l` equally common values.

    -sum p ln p >= ln l  is  n**n >= l**n * product of c**c, for counts c that sum to n. Rounded logarithms decide
    unless the two sides nearly agree; then whole numbers do, or, in groups too large for that, it counts as missed.

    >>> entropy_reaches([5, 5, 5], Fraction(3)), entropy_reaches([5, 5, 6], Fraction(3))
    (True, False)
    """
    present = [count for count in counts if count]
    if not present:
        return True
    shared = gcd(*present)
    kept = [count // shared for count in present]
    n = sum(kept)
    if l > n:  # the entropy of n rows is at most ln n; also keeps huge numbers out of what follows
        return False
    spare = n * (log(n) - log(l)) - fsum(count * log(count) for count in kept)
    # float rounding of each term is below 1e-15 of the largest, n log n
    if abs(spare) > 1e-12 * (1 + n * log(n)):
        return spare > 0
    if n > _LARGEST_POWER:
        return False
    product = 1
    for count in kept:
        product *= count**count
    return bool(n**n * l.denominator**n >= l.numerator**n * product)


def _ln(value: int, context: Context) -> Decimal:
    return context.ln(context.create_decimal(value))
