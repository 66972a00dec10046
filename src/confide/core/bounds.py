"""Bounds as text, rounded to the safe side: what is read is never less than what holds."""

from decimal import ROUND_CEILING, Context, Decimal

__all__ = ["at_most", "share_at_most"]

_NOISE = Decimal(1) - Decimal("1e-12")  # what floating point may have added is no reason to round up


def at_most(value: float, digits: int = 6) -> str:
    """The smallest number of so many digits that is not below the value.

    >>> at_most(19.0), at_most(19.3000001, 4), at_most(24_700_000.4, 3)
    ('19', '19.31', '2.48e+07')
    """
    up = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(repr(value)) * _NOISE)
    return f"{float(up):.{digits}g}"


def share_at_most(value: float) -> str:
    """A share as percent, up to the next tenth of a point; close to 1 up to the next hundredth, close to 0 two digits.

    >>> share_at_most(0.5), share_at_most(0.50394), share_at_most(0.99991), share_at_most(1.0), share_at_most(0.000123)
    ('50%', '50.4%', '100%', '100%', '0.013%')
    """
    percent = Decimal(repr(value)) * 100 * _NOISE
    if percent < 1:
        return f"{at_most(100 * value, 2)}%"
    step = Decimal("0.01") if percent > 99 else Decimal("0.1")
    up = min(percent.quantize(step, rounding=ROUND_CEILING), Decimal(100))
    return f"{up.normalize():f}%"
