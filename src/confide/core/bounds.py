"""Bounds as text, rounded to the safe side: a limit that is read is never better than the limit that holds."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

__all__ = ["at_least", "at_most", "share_at_least", "share_at_most"]

_NOISE = Decimal("1e-12")  # what floating point may have added or taken does not make us round further


def at_most(value: float, digits: int = 6) -> str:
    """The smallest number of so many digits that is not below the value.

    >>> at_most(19.0), at_most(19.3000001, 4), at_most(24_700_000.4, 3)
    ('19', '19.31', '2.48e+07')
    """
    up = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(repr(value)) * (1 - _NOISE))
    return f"{float(up):.{digits}g}"


def at_least(value: float, digits: int = 6) -> str:
    """The largest number of so many digits that is not above the value.

    >>> at_least(0.4), at_least(19.3099999, 4)
    ('0.4', '19.3')
    """
    down = Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(repr(value)) * (1 + _NOISE))
    return f"{float(down):.{digits}g}"


def share_at_most(value: float) -> str:
    """A share as percent, up to the next tenth of a point; close to 1 up to the next hundredth, close to 0 two digits.

    >>> share_at_most(0.5), share_at_most(0.50394), share_at_most(0.99991), share_at_most(1.0), share_at_most(0.000123)
    ('50%', '50.4%', '100%', '100%', '0.013%')
    """
    percent = Decimal(repr(value)) * 100 * (1 - _NOISE)
    if percent < 1:
        return f"{at_most(100 * value, 2)}%"
    step = Decimal("0.01") if percent > 99 else Decimal("0.1")
    up = min(percent.quantize(step, rounding=ROUND_CEILING), Decimal(100))
    return f"{up.normalize():f}%"


def share_at_least(value: float) -> str:
    """A share as percent, down to the next tenth of a point; close to 0 two digits.

    >>> share_at_least(0.3), share_at_least(0.12579), share_at_least(0.99991), share_at_least(0.000129)
    ('30%', '12.5%', '99.9%', '0.012%')
    """
    percent = Decimal(repr(value)) * 100 * (1 + _NOISE)
    if percent < 1:
        return f"{at_least(100 * value, 2)}%"
    return f"{percent.quantize(Decimal('0.1'), rounding=ROUND_FLOOR).normalize():f}%"
