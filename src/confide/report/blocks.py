"""Nested values (loss, context, facts) as what a page can show: a text, a short list, a small table.

Keys below the first level may be labels of the user's data, so they are shown as they are; only our own names, at the
first level, are turned into headings. What is long is cut, and says by how much.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.core.figures import Column, Figures, Table, Unit, UnitOf
from confide.report.formats import heading, is_number, scalar

__all__ = [
    "Block",
    "Cell",
    "Fact",
    "Grid",
    "Listing",
    "Text",
    "block",
    "fact_of",
    "facts",
    "figures",
    "grid",
]

LIST_SHOWN = 10
ROWS_SHOWN = 20
_PHONE, _BETWEEN, _WRAPPED = 44, 2, 18  # letters: a line on a phone, between two columns, before a cell is wrapped
COLUMNS_SHOWN = 10
TEXT_SHOWN = 200


@dataclass(frozen=True)
class Text:
    """A single value."""

    text: str
    number: bool = False


@dataclass(frozen=True)
class Listing:
    """The first few of some values, and how many more there are."""

    shown: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class Cell:
    """One cell of a table; numbers are set flush right."""

    text: str
    number: bool = False


@dataclass(frozen=True)
class Grid:
    """A table: its first column heads the rows; `columns` is empty where the heads say it all."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: int

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column, whether all its cells are numbers."""
        return tuple(all(cell.number for cell in column) for column in zip(*self.rows, strict=True))

    @property
    def broad(self) -> bool:
        """Whether a phone's width is too little for it, so that each row becomes a small card there."""
        if not self.columns:
            return False
        lengths = [max(len(cell.text) for cell in column) for column in zip(*self.rows, strict=True)]
        return sum(min(length, _WRAPPED) + _BETWEEN for length in lengths) > _PHONE


Block = Text | Listing | Grid


@dataclass(frozen=True)
class Fact:
    """A heading and what belongs under it."""

    name: str
    block: Block


def facts(values: Mapping[str, Any]) -> list[Fact]:
    """Every entry of a mapping under its heading; entries of a plain mapping have no unit."""
    if isinstance(values, Figures):
        return [fact_of(values, name) for name in values]
    return [Fact(heading(name), block(value)) for name, value in values.items()]


def fact_of(values: Figures, name: str) -> Fact:
    """One figure under its heading; "of all rows lost" goes on where the number ends, so it stays in small letters."""
    said = values.heading(name)
    shown = said if said.startswith("of ") else said[:1].upper() + said[1:]
    return Fact(shown or heading(name), block(values[name], values.unit(name)))


def figures(values: Figures) -> tuple[list[Fact], list[Fact]]:
    """The facts that are single numbers, to be set large, and the others."""
    all_facts = facts(values)
    large = [fact for fact in all_facts if isinstance(fact.block, Text) and fact.block.number]
    return large, [fact for fact in all_facts if fact not in large]


def block(value: Any, unit: UnitOf = "number") -> Block:
    """The fitting form for a value; `unit` is that of every number in it, or one for each column of a small table."""
    if isinstance(value, Mapping) and value:
        return _mapping(value, unit)
    if _is_list(value) and value:
        return _list(list(value), unit)
    return Text(_inline(value, _plain(unit)), is_number(value))


def grid(table: Table, *, most: int = ROWS_SHOWN) -> Grid:
    """A table of values, each shown by the unit of its column. Rows beyond `most` are only counted."""
    units = [column.unit for column in table.columns]
    shown = tuple(tuple(map(_cell, row, units)) for row in table.rows[:most])
    return Grid(tuple(column.name for column in table.columns), shown, max(0, len(table.rows) - most))


def _mapping(value: Mapping[Any, Any], unit: UnitOf) -> Grid:
    columns = _common_columns(list(value.values()))
    if columns:
        rows = tuple((key, *(inner.get(column) for column in columns)) for key, inner in value.items())
        return grid(Table((Column("", "text"), *(_column(name, unit) for name in columns)), rows))
    shown = tuple((Cell(scalar(key)), _cell(inner, _plain(unit))) for key, inner in list(value.items())[:ROWS_SHOWN])
    return Grid((), shown, max(0, len(value) - ROWS_SHOWN))


def _list(values: list[Any], unit: UnitOf) -> Block:
    columns = _common_columns(values)
    if columns:
        rows = tuple(tuple(row.get(column) for column in columns) for row in values)
        return grid(Table(tuple(_column(name, unit) for name in columns), rows))
    return Listing(
        tuple(_item(value, _plain(unit)) for value in values[:LIST_SHOWN]),
        max(0, len(values) - LIST_SHOWN),
    )


def _column(name: Any, unit: UnitOf) -> Column:
    return Column(str(name), unit.get(name, "number") if isinstance(unit, Mapping) else unit)


def _plain(unit: UnitOf) -> Unit:
    """The unit of a single value; what has units for columns only holds no single values."""
    return "number" if isinstance(unit, Mapping) else unit


def _item(value: Any, unit: Unit) -> str:
    """An entry of a list; one that is a list itself is kept together."""
    text = _inline(value, unit)
    return f"({text})" if _is_list(value) and value else text


def _common_columns(values: list[Any]) -> list[Any]:
    """The keys of mappings that make a table together: few, and with nothing nested below; else none."""
    if not values or not all(isinstance(value, Mapping) for value in values):
        return []
    columns = list(dict.fromkeys(key for value in values for key in value))
    nested = any(isinstance(inner, Mapping) or _is_list(inner) for value in values for inner in value.values())
    return [] if nested or len(columns) > COLUMNS_SHOWN else columns


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def _cell(value: Any, unit: Unit) -> Cell:
    """An empty cell is a dash: "none" would read like a finding."""
    if value is None or value == "":
        return Cell("\u2013", unit != "text")
    return Cell(_inline(value, unit), is_number(value))


def _inline(value: Any, unit: Unit) -> str:
    """Any value in a line."""
    if (isinstance(value, Mapping) or _is_list(value)) and not value:
        return "none"
    if _is_list(value) and not any(isinstance(inner, Mapping) or _is_list(inner) for inner in value):
        shown = ", ".join(scalar(inner, unit) for inner in list(value)[:LIST_SHOWN])
        return shown if len(value) <= LIST_SHOWN else f"{shown} and {len(value) - LIST_SHOWN:,} more"
    if isinstance(value, Mapping) or _is_list(value):
        whole = json.dumps(value, ensure_ascii=False, default=str)
        return whole if len(whole) <= TEXT_SHOWN else f"{whole[:TEXT_SHOWN]}… ({len(whole):,} characters)"
    return scalar(value, unit)
