"""One rule for support thresholds, everywhere: an int is a count, a float in (0, 1] a fraction of the records."""

import math
from fractions import Fraction
from numbers import Integral, Real

from confide.core.errors import RequirementError

__all__ = ["Threshold", "support_count"]

Threshold = int | float


def support_count(min_support: Threshold, n: int) -> int:
    """Turn a threshold into the smallest count that satisfies it among `n` records.

    A fraction is rounded up, in exact arithmetic on the decimal as written: 0.001 of 88,000 is 88, not 89.
    A fraction never gives less than 1.

    >>> support_count(5, 1000), support_count(0.001, 88_000), support_count(0.001, 88_162), support_count(1.0, 7)
    (5, 88, 89, 7)
    """
    given: object = min_support  # numpy's numbers are welcome too
    if isinstance(given, bool):
        raise RequirementError(f"min_support must be an int (count) or a float in (0, 1], not {given}")
    if isinstance(given, Integral):
        if given < 1:
            raise RequirementError(
                f"min_support={min_support} would count every itemset; use a count of 1 or more",
                parameter="min_support",
                value=min_support,
            )
        return int(given)
    if isinstance(given, Real):
        if not 0 < min_support <= 1:
            raise RequirementError(
                f"min_support={min_support} is neither a count nor a share; use a whole number, or a share above 0 and "
                "up to 1",
                parameter="min_support",
                value=min_support,
            )
        return max(1, math.ceil(Fraction(repr(float(min_support))) * n))
    raise RequirementError(f"min_support must be an int (count) or a float in (0, 1], not {min_support!r}")
