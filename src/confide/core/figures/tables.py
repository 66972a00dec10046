"""A table whose columns have a name and a unit."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from confide.core.errors import UsageError
from confide.core.figures.units import UNITS, Unit

__all__ = ["Column", "Table"]


@dataclass(frozen=True)
class Column:
    """One column: its name as a reader sees it, and the unit of its values. Cells may also be text or None."""

    name: str
    unit: Unit

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise UsageError(f"column {self.name!r} has no unit {self.unit!r}; units are: {', '.join(UNITS)}")


class Table(NamedTuple):
    """A table for a page: its columns, and rows of plain values."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
