"""Charts as data: a stage says what to draw, the report draws it."""

from dataclasses import dataclass, field
from typing import Literal

from confide.core.figures.units import Unit

__all__ = ["Chart"]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One chart. `series` maps a name to its y values, one for each entry of `x` (numbers, or names for bars).

    `y_unit` says what the values are; `x_unit` what the places along x are, where those are numbers. `spread` gives
    some series a distance for each value: a thin line goes so far up and down from it.
    """

    title: str
    x: tuple[float | str, ...]
    series: dict[str, tuple[float, ...]]
    y_unit: Unit
    x_unit: Unit = "number"
    kind: Literal["bar", "line"] = "bar"
    x_label: str = ""
    y_label: str = ""
    note: str = ""
    spread: dict[str, tuple[float, ...]] = field(default_factory=dict)
