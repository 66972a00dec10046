"""A quasi-identifier that is released as numbers: the numbers it holds, and how finely new ones are written.

Whole numbers stay whole and decimals keep their type, so a mean is rounded: to whole numbers, to the digits that a
decimal type has, to one digit more than texts show, or to a multiple of what the schema calls `round`. Floats of the
machine are not rounded.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.requirements.base import exact
from confide.core.tables.row_places import name_rows
from confide.core.tables.schema import Column
from confide.publish.tables.coding.domain import MOST_CELLS, Domain
from confide.publish.tables.coding.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NumberColumn"]

_STEPS = 1000  # of a range whose step nobody named


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberColumn:
    """`values[row]` is the number of a row, nan where it is missing; `spec` is what the schema says of the column.

    Released numbers are multiples of `unit`, or any floats if that is 0.
    """

    name: str
    spec: Column
    values: NDArray[np.float64]
    unit: Fraction

    @classmethod
    def of(
        cls, column: "pa.ChunkedArray", spec: Column, name: str, times: NDArray[np.int64] | None = None
    ) -> "NumberColumn":
        """Read the numbers of a column, of text too; InputError where it holds anything else, in which rows.

        With `times`, each row stands for so many.
        """
        values, unit = _read(column, spec, name, times)
        if np.isinf(values).any():
            where = name_rows(np.isinf(values), times)
            raise InputError(f"holds numbers that are not finite, which have no mean, {where}", column=name)
        if spec.round is not None:
            if unit and exact(spec.round) % unit:
                raise InputError(
                    f"round = {spec.round:g}, but its numbers are multiples of {float(unit):g}; use a multiple of that",
                    column=name,
                )
            unit = exact(spec.round)
        return cls(name=name, spec=spec, values=values, unit=unit)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows lack a value."""
        return np.isnan(self.values)

    @property
    def limited(self) -> NDArray[np.float64]:
        """The numbers with those above `top` at `top`, those below `bottom` at `bottom`."""
        return np.clip(self.values, self.spec.bottom, self.spec.top) if self._limits else self.values

    @property
    def _limits(self) -> bool:
        return self.spec.top is not None or self.spec.bottom is not None

    def at(self, rows: NDArray[np.int64]) -> "NumberColumn":
        """The column with these rows only."""
        return self if len(rows) == len(self.values) else replace(self, values=self.values[rows])

    def placed(self, where: Callable[[NDArray[np.bool_]], str]) -> tuple[Domain, NDArray[np.int32]]:
        """The range that the schema declares, in cells, and the cell of each row, -1 where it is missing.

        `where` puts into words which rows lie outside.
        """
        assert self.spec.range is not None
        low, high = self.spec.range
        here = ~self.missing
        values = self.values[here]
        outside = (self.values < low) | (self.values > high)
        if outside.any():
            raise InputError(
                f"values lie outside the range [{low:g}, {high:g}] of the schema, {where(outside)}; widen it, or "
                "leave these rows out",
                column=self.name,
            )
        whole = bool((values == np.floor(values)).all())
        step: float | Fraction = self.spec.step
        if step == Column.step and (not whole or high - low > _STEPS):
            step = (exact(high) - exact(low)) / _STEPS
        domain = Domain.of((low, high), step=step, column=self.name, whole=whole)
        cells = np.full(len(self.values), -1, dtype=np.int32)
        cells[here] = domain.place(self.limited[here])
        return domain, cells

    def rounded(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers as they are released: multiples of the unit."""
        if not self.unit:
            return numbers
        return np.rint(numbers / float(self.unit)) * self.unit.numerator / self.unit.denominator

    def text(self, number: float) -> str:
        """A released number as text, by which it is read again; missing is empty."""
        if np.isnan(number):
            return ""
        return str(int(number)) if float(number).is_integer() and abs(number) < 2**53 else repr(float(number))


def _read(
    column: "pa.ChunkedArray", spec: Column, name: str, times: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], Fraction]:
    """The numbers of a column, and of what they are multiples."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = pc.cast(column, pa.float64(), safe=False)
        if numbers.null_count:
            numbers = pc.fill_null(numbers, float("nan"))
        values: NDArray[np.float64] = numbers.to_numpy()
        return values, Fraction(pa.types.is_integer(kind))
    texts = Texts.of(column, name)
    if texts.numbers is None or not (_is_text(kind) or pa.types.is_decimal(kind)):
        where = f", {name_rows(texts.wordy, times)}; correct these rows" if texts.wordy.any() else ""
        raise InputError(f'release = "{spec.release}" is of numbers, but it holds other values{where}', column=name)
    values = np.append(texts.numbers, np.nan)[texts.codes]
    if pa.types.is_decimal(kind):
        return values, Fraction(1, 10**kind.scale)
    used = [texts.texts[i] for i in texts.used]
    digits = max((len(text.partition(".")[2]) for text in used), default=0)
    plain = all(text.lstrip("+-").replace(".", "", 1).isdecimal() for text in used)
    return values, Fraction(1, 10 ** (digits + 1 if digits else 0)) if plain else Fraction(0)


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


assert MOST_CELLS > _STEPS
