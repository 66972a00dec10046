"""The declared range of a numeric column, divided into cells: the finest ranges that may be released.

The bounds come from the schema, never from the data: the smallest and the largest value of a table are somebody's.
Whole numbers in cells of one are themselves ("23"), in wider cells "20-24"; other numbers are "[1.5, 2)".
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.requirements.base import exact

__all__ = ["Domain"]

MOST_CELLS = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Numbers from `low` to `high` in cells of width `step`; `whole` if only whole numbers occur.

    With a `grid`, ranges of several cells end at its multiples, or where the domain does.

    >>> ages = Domain.of((17, 90), step=1, column="age")
    >>> ages.cells, ages.label(0, 0), ages.label(3, 7)
    (74, '17', '20-24')
    >>> Domain.of((0, 1), step=0.25, column="share").label(1, 3)
    '[0.25, 1]'
    """

    low: Fraction
    high: Fraction
    step: Fraction
    whole: bool
    grid: Fraction | None = None

    @classmethod
    def of(
        cls,
        bounds: tuple[float, float],
        *,
        step: float | Fraction,
        column: str,
        whole: bool = True,
        grid: float | None = None,
    ) -> "Domain":
        """The domain a schema declares. Whole numbers only if the column (`whole`), the bounds and the step are."""
        low, high = exact(bounds[0]), exact(bounds[1])
        width = step if isinstance(step, Fraction) else exact(step)
        whole = whole and all(number.denominator == 1 for number in (low, high, width))
        lines = None if grid is None else exact(grid)
        whole = whole and (lines is None or lines.denominator == 1)
        if lines is not None:
            if lines % width or low % width:
                raise InputError(
                    f"grid = {grid:g} has lines within steps; both it and the least of the range must be multiples of "
                    f"step = {float(width):g}",
                    column=column,
                )
            if -(-low // lines) * lines > high or (low // lines + 1) * lines > high:
                raise InputError(f"grid = {grid:g} has no multiple within the range; use a smaller one", column=column)
        made = cls(low=low, high=high, step=width, whole=whole, grid=lines)
        if made.cells > MOST_CELLS:
            raise InputError(f"the range has {made.cells:,} steps; use a larger step", column=column)
        if made.cells < 2:
            raise InputError("the range is a single step; use a smaller step", column=column)
        return made

    @cached_property
    def cells(self) -> int:
        """How many cells there are; the last may be narrower."""
        return int(-(-(self.high - self.low + self.whole) // self.step))

    @cached_property
    def grid_cells(self) -> tuple[int, int]:
        """How many cells lie between two lines of the grid, and how many below the first line in the range."""
        assert self.grid is not None
        return int(self.grid / self.step), int(-self.low % self.grid / self.step)

    @cached_property
    def grid_places(self) -> NDArray[np.int64]:
        """For each cell, between which lines of the grid it lies; without a grid each cell is a place of its own."""
        cells = np.arange(self.cells)
        if self.grid is None:
            return cells
        width, below = self.grid_cells
        return np.where(cells < below, 0, (cells - below) // width + (below > 0))

    def widened(self, first: int, last: int) -> tuple[int, int]:
        """The first and the last cell of the smallest range that holds these and may be released: one cell alone, or
        from one line of the grid to another.

        >>> Domain.of((17, 90), step=1, grid=5, column="age").widened(1, 5)
        (0, 7)
        """
        if first == last:
            return first, last
        cells, below = self.grid_cells
        begin = 0 if first < below else below + (first - below) // cells * cells
        end = below if last < below else min(below + ((last - below) // cells + 1) * cells, self.cells)
        return begin, end - 1

    def lines(self) -> dict[str, Any]:
        """The range, the step and the grid, as a passport tells them."""
        assert self.grid is not None
        low, high, step, grid = (
            int(number) if number.denominator == 1 else float(number)
            for number in (self.low, self.high, self.step, self.grid)
        )
        return {"range": [low, high], "step": step, "grid": grid}

    def place(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The cell of each value, -1 for one outside the range."""
        cells = np.floor((values - float(self.low)) / float(self.step))
        # a float on the edge of a cell may fall to the wrong side by a rounding: compare with the edges themselves
        edges = self._edges
        cells = np.clip(cells, 0, self.cells - 1).astype(np.int64)
        cells -= (values < edges[cells]).astype(np.int64)
        cells = np.clip(cells, 0, self.cells - 1)
        last = cells == self.cells - 1
        cells += (~last & (values >= edges[cells + 1])).astype(np.int64)
        inside = (values >= float(self.low)) & (values <= float(self.high))
        return np.where(inside, np.clip(cells, 0, self.cells - 1), -1).astype(np.int32)

    @cached_property
    def _edges(self) -> NDArray[np.float64]:
        return np.array([float(self.low + i * self.step) for i in range(self.cells)] + [float(self.high)])

    def middle(self, first: int, last: int) -> float:
        """The middle of the cells from `first` to `last`: of whole numbers, of the smallest and the largest."""
        low = self.low + first * self.step
        above = self.low + (last + 1) * self.step - self.whole
        return float((low + min(above, self.high)) / 2)

    def label(self, first: int, last: int) -> str:
        """What the cells from `first` to `last` are called together."""
        if self.whole:
            start, step = int(self.low), int(self.step)
            lowest = start + first * step
            highest = min(start + (last + 1) * step - 1, int(self.high))
            both = f"{lowest}-{highest}" if lowest >= 0 else f"{lowest} to {highest}"
            return f"{lowest}" if lowest == highest else both
        low = self.low + first * self.step
        if last == self.cells - 1:
            return f"[{_decimal(low)}, {_decimal(self.high)}]"
        return f"[{_decimal(low)}, {_decimal(self.low + (last + 1) * self.step)})"

    def span(self, label: str) -> tuple[int, int] | None:
        """The first and the last cell of what `label` called so; None for any other text.

        >>> Domain.of((17, 90), step=1, column="age").span("20-24")
        (3, 7)
        """
        text = label.strip("[])")
        parts = text.split(", ") if label.startswith("[") else text.split(" to ") if " to " in text else [text]
        if len(parts) == 1 and "-" in text[1:]:
            parts = [text[: text.index("-", 1)], text[text.index("-", 1) + 1 :]]
        try:
            numbers = np.array([float(part) for part in parts])
        except ValueError:
            return None
        first = int(self.place(numbers[:1])[0])
        last = int(self.place(numbers[-1:])[0])
        if label.startswith("[") and label.endswith(")"):
            last -= 1  # the bound is that of the next cell
        return (first, last) if 0 <= first <= last and self.label(first, last) == label else None


def _decimal(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{float(number):.15g}"
