"""The closed set of units.

count       a whole number of things              number      a plain number (a ratio, a parameter, a logarithm)
share       a part of one, 0 to 1                  seconds     a duration
percent     the same times 100                     bytes       a size
points      a difference of two percentages        kilobytes   the same divided by 1,000
text        words, labels, yes or no
"""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal, get_args

from confide.core.errors import UsageError

__all__ = ["UNITS", "Unit", "UnitOf", "check_value"]

Unit = Literal["count", "share", "percent", "points", "number", "seconds", "bytes", "kilobytes", "text"]
UNITS: tuple[str, ...] = get_args(Unit)

UnitOf = Unit | Mapping[str, Unit]
"""One unit for all values below a name, or one for each column of the small table below it."""


def check_value(name: str, value: Any, unit: UnitOf) -> None:
    """Refuse a value that cannot have this unit: text for a number, 80 for a share, a column nobody declared."""
    if isinstance(unit, Mapping):
        _check_rows(name, value, unit)
    elif unit not in UNITS:
        raise UsageError(f"figure {name!r} has no unit {unit!r}; units are: {', '.join(UNITS)}")
    elif isinstance(value, Mapping):
        for inner in value.values():
            check_value(name, inner, unit)
    elif isinstance(value, list | tuple):
        for inner in value:
            check_value(name, inner, unit)
    elif unit != "text" and value is not None:
        if isinstance(value, bool) or not isinstance(value, Real):
            raise UsageError(f"figure {name!r} is declared as {unit} but is not a number; declare it as text")
        number = float(value)
        if unit == "share" and not (0 <= number <= 1 or math.isnan(number)):
            raise UsageError(f"figure {name!r} is {number:g}, which is not a share from 0 to 1; is it in percent?")


def _check_rows(name: str, value: Any, units: Mapping[str, Unit]) -> None:
    rows = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise UsageError(f"figure {name!r} has units for columns, so it must be a list or a mapping of rows")
    for row in rows:
        for column, inner in row.items():
            if column not in units:
                raise UsageError(f"figure {name!r} has a column without a unit; declare one of: {', '.join(UNITS)}")
            check_value(name, inner, units[column])
