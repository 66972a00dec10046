"""Numbers, tables and charts as data, each with a declared unit: no page has to guess from a name what 0.8 means.

    Figures(Figure("rows_left_out", 12, "count"), Figure("share_left_out", 0.1, "share", "of all rows left out"))

is the mapping {"rows_left_out": 12, "share_left_out": 0.1}, which also knows how to be read. A stage says what to draw
(`Chart`, `Diagram`, `Table`), the report draws it; a `Study` is what one page shows. Units are a closed set:

count       a whole number of things              number      a plain number (a ratio, a parameter, a logarithm)
share       a part of one, 0 to 1                  seconds     a duration
percent     the same times 100                     bytes       a size
points      a difference of two percentages        kilobytes   the same divided by 1,000
text        words, labels, yes or no
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

from confide.core.errors import UsageError
from confide.core.runtime.lazy import call

__all__ = [
    "UNITS",
    "Box",
    "Chart",
    "Column",
    "Diagram",
    "Figure",
    "Figures",
    "Shown",
    "ShownFields",
    "Study",
    "Table",
    "Unit",
    "UnitOf",
]

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

    def __str__(self) -> str:
        lines = [[column.name for column in self.columns], *([str(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        """For notebooks: a table, too."""
        return str(call("confide.report.notebook:table_html", [column.name for column in self.columns], self.rows))


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


@dataclass(frozen=True, kw_only=True)
class Box:
    """A box in a row (0 is the lowest): two short texts one above the other, and `words` for whoever points at it.

    A `plain` box is pale, a `good` one filled, the `best` one stands out; `marked` gives it a thick edge.
    """

    row: int
    text: str
    below: str
    words: str
    state: Literal["plain", "good", "best"] = "plain"
    marked: bool = False


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """Boxes, and pairs of them (by number) with a line between. `legend` says what a state or a thick edge ("marked")
    means; `table` has the same in figures, for those who do not see the picture."""

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[tuple[int, int], ...]
    legend: dict[str, str]
    table: Table
    note: str = ""


class Shown(ABC):
    """Gives a result with `to_dict` its look in notebooks."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What it says, as plain data."""

    def _repr_html_(self) -> str:
        """For notebooks: each entry in a row, lists of entries as tables below."""
        return str(call("confide.report.notebook:facts_html", type(self).__name__, self.to_dict()))


class ShownFields:
    """Gives a result that is a dataclass its look in notebooks: a sentence, if it sums itself up, and its fields."""

    def _repr_html_(self) -> str:
        """For notebooks: the sentence, and each field in a row."""
        shown: Any = self
        facts = {entry.name: getattr(self, entry.name) for entry in fields(shown) if not entry.name.startswith("_")}
        lead = shown.summary() if callable(getattr(self, "summary", None)) else ""
        return str(call("confide.report.notebook:facts_html", type(self).__name__, facts, lead))


@dataclass(frozen=True, kw_only=True)
class Study:
    """A title, a lead in words, figures, tables, charts and diagrams.

    `private` when true records, or a person's queries, were looked at for it: then it is the owner's. `warning` where
    what is planned hardly protects.
    """

    title: str
    lead: str
    facts: Figures
    tables: Mapping[str, Table]
    charts: tuple[Chart, ...]
    diagrams: tuple[Diagram, ...] = ()
    private: bool = True
    warning: str = ""

    def shown(self) -> dict[str, Any]:
        """All but the title, as `confide.report.write_study` takes it."""
        return {name: value for name, value in vars(self).items() if name != "title"}
