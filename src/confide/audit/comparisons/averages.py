"""Whether released numbers are what the schema calls them: means, medians, or midpoints of a range.

Rows that look alike have one number. It is their mean if it differs from that of what was read by no more than its
rounding; their median if half of the values read lie at or below it, and half at or above; a midpoint if some range
around it, within the declared one, holds every value. A number may be rounded: to a multiple of the schema's `round`,
to whole numbers in a column of those, to the digits that a column of text or decimals shows. Values count as limited by
`top` and `bottom`. Where one of the group is missing, all are.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.audit.comparisons.values import Values
from confide.core.tables.schema import Column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["wrong_numbers"]

_FLOATS = 1e-9  # of the range: what sums of floats may differ by
_SHORT_FLOATS = 1e-6  # the same of floats of 32 bits or fewer


def wrong_numbers(
    spec: Column, read: NDArray[np.float64], released: Values, kind: "pa.DataType", group: NDArray[np.int64]
) -> int:
    """In how many rows a column of numbers does not hold what it should.

    `read[row]` is what a released row had, nan where it was missing; `group[row]` numbers the rows that look alike;
    `kind` is the type of the released column.
    """
    assert spec.range is not None
    low, high = spec.range
    low, high = (low if spec.bottom is None else spec.bottom), (high if spec.top is None else spec.top)
    values = np.clip(read, low, high)
    shown = released.numbers[released.codes]
    count = int(group.max(initial=-1)) + 1
    sizes = np.bincount(group, minlength=count)
    gaps = np.bincount(group, weights=np.isnan(read), minlength=count)[group] > 0
    half = _rounding(spec, released, kind) / 2 + _slack(kind) * max(abs(low), abs(high), high - low)
    if spec.release == "mean":
        means = low + np.bincount(group, weights=np.nan_to_num(values) - low, minlength=count) / np.maximum(sizes, 1)
        ok = np.abs(shown - means[group]) <= half
    elif spec.release == "median":
        below = np.bincount(group, weights=values <= shown + half, minlength=count)
        above = np.bincount(group, weights=values >= shown - half, minlength=count)
        ok = (2 * np.minimum(below, above) >= sizes)[group]
    else:
        reach = np.minimum(shown - spec.range[0], spec.range[1] - shown)
        ok = np.abs(values - shown) <= reach + 2 * half
    missing = np.isnan(shown) & released.missing[released.codes]
    return int((~np.where(gaps, missing, ok)).sum())


def _rounding(spec: Column, released: Values, kind: "pa.DataType") -> float:
    """How far apart neighbouring numbers of a column may be."""
    import pyarrow as pa

    if spec.round is not None:
        return float(spec.round)
    if pa.types.is_integer(kind):
        return 1.0
    if pa.types.is_floating(kind):
        return 0.0
    digits = max((len(text.partition(".")[2]) for text in released.texts if "e" not in text), default=0)
    return float(10.0**-digits)


def _slack(kind: "pa.DataType") -> float:
    import pyarrow as pa

    return _SHORT_FLOATS if pa.types.is_floating(kind) and kind.bit_width < 64 else _FLOATS
