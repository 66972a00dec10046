"""Named figures: what a release cost, or what its owner may see, each with a unit and a heading.

    Figures(Figure("rows_left_out", 12, "count"), Figure("share_left_out", 0.1, "share", "of all rows left out"))

is the mapping {"rows_left_out": 12, "share_left_out": 0.1}, which also knows how to be read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from confide.core.errors import UsageError
from confide.core.figures.units import UnitOf, check_value

__all__ = ["Figure", "Figures"]


@dataclass(frozen=True)
class Figure:
    """One figure: `name` for code, `heading` for pages (without one, the name is used)."""

    name: str
    value: Any
    unit: UnitOf
    heading: str = ""

    def __post_init__(self) -> None:
        check_value(self.name, self.value, self.unit)


def _plain_unit(value: Any) -> UnitOf:
    return "number" if isinstance(value, Real) and not isinstance(value, bool) else "text"


class Figures(Mapping[str, Any]):
    """A mapping from names to plain values, in order, that knows the unit and the heading of each.

    >>> loss = Figures(Figure("rows", 12, "count")) | Figures(Figure("kept", 0.5, "share", "of the rows kept"))
    >>> loss
    {'rows': 12, 'kept': 0.5}
    >>> loss["kept"], loss.units, loss.heading("kept")
    (0.5, {'rows': 'count', 'kept': 'share'}, 'of the rows kept')
    """

    def __init__(self, *figures: Figure):
        self._figures = {figure.name: figure for figure in figures}
        if len(self._figures) < len(figures):
            names = [figure.name for figure in figures]
            raise UsageError(f"figure {next(name for name in names if names.count(name) > 1)!r} is given twice")

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> "Figures":
        """The figures as they are. In a plain mapping nobody declared units: numbers are shown as they stand.

        >>> Figures.of({"share": 0.8, "why": "rare"}).units
        {'share': 'number', 'why': 'text'}
        """
        if isinstance(given, Figures):
            return given
        return cls(*(Figure(name, value, _plain_unit(value)) for name, value in (given or {}).items()))

    @property
    def units(self) -> dict[str, Any]:
        """{name: unit}, as plain data for a passport."""
        return {
            name: dict(figure.unit) if isinstance(figure.unit, Mapping) else figure.unit
            for name, figure in self._figures.items()
        }

    def figures(self) -> tuple[Figure, ...]:
        """Each figure with its name, unit and heading."""
        return tuple(self._figures.values())

    def unit(self, name: str) -> UnitOf:
        """The unit of a figure."""
        return self._figures[name].unit

    def heading(self, name: str) -> str:
        """What a page writes beside the figure, or an empty text where the name says it."""
        return self._figures[name].heading

    def __getitem__(self, name: str) -> Any:
        return self._figures[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __or__(self, other: "Figures") -> "Figures":
        return Figures(*(self._figures | other._figures).values())

    def __repr__(self) -> str:
        return repr(dict(self))
