"""Nested values (loss, context, facts) as what a page can show: a text, a short list, a small table.

Keys below the first level may be labels of the user's data, so they are shown as they are; only our own names, at the
first level, are turned into headings. Whatever is long is cut, and says by how much.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confide.report.formats import heading, is_number, is_share, scalar

__all__ = [
    "Block",
    "Cell",
    "Fact",
    "Grid",
    "Listing",
    "Text",
    "block",
    "facts",
    "figures",
    "grid",
]

LIST_SHOWN = 10
ROWS_SHOWN = 20
COLUMNS_SHOWN = 8
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


Block = Text | Listing | Grid


@dataclass(frozen=True)
class Fact:
    """A heading with what stands under it."""

    name: str
    block: Block


def facts(values: Mapping[str, Any]) -> list[Fact]:
    """Every entry of a mapping under its heading."""
    return [Fact(heading(name), block(value, share=is_share(name))) for name, value in values.items()]


def figures(values: Mapping[str, Any]) -> tuple[list[Fact], list[Fact]]:
    """The facts that are single numbers, to be set large, and the others."""
    all_facts = facts(values)
    large = [fact for fact in all_facts if isinstance(fact.block, Text) and fact.block.number]
    return large, [fact for fact in all_facts if fact not in large]


def block(value: Any, *, share: bool = False) -> Block:
    """The fitting form for a value. `share`: numbers in [0, 1] below are shares."""
    if isinstance(value, Mapping) and value:
        return _mapping(value, share=share)
    if _is_list(value) and value:
        return _list(list(value), share=share)
    return Text(_inline(value, share=share), is_number(value))


def grid(
    columns: Iterable[str],
    rows: Sequence[Sequence[Any]],
    *,
    most: int = ROWS_SHOWN,
    share: bool = False,
) -> Grid:
    """A table of values; columns named like shares hold percentages. Rows beyond `most` are only counted."""
    names = tuple(columns)
    shares = [share or is_share(name) for name in names]
    shown = tuple(tuple(map(_cell, row, shares or [share] * len(row))) for row in rows[:most])
    return Grid(names, shown, max(0, len(rows) - most))


def _mapping(value: Mapping[Any, Any], *, share: bool) -> Grid:
    columns = _common_columns(list(value.values()))
    if columns:
        rows = [(key, *(inner.get(column) for column in columns)) for key, inner in value.items()]
        return grid(("", *map(str, columns)), rows, share=share)
    # Each row is a name and a value, so a name may speak of shares for its own row alone.
    rows_shown = tuple(
        (Cell(scalar(key)), _cell(inner, share or is_share(str(key))))
        for key, inner in list(value.items())[:ROWS_SHOWN]
    )
    return Grid((), rows_shown, max(0, len(value) - ROWS_SHOWN))


def _list(values: list[Any], *, share: bool) -> Block:
    columns = _common_columns(values)
    if columns:
        return grid(
            map(str, columns),
            [[row.get(column) for column in columns] for row in values],
            share=share,
        )
    return Listing(
        tuple(_item(value, share=share) for value in values[:LIST_SHOWN]),
        max(0, len(values) - LIST_SHOWN),
    )


def _item(value: Any, *, share: bool) -> str:
    """An entry of a list; one that is a list itself is kept together."""
    text = _inline(value, share=share)
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


def _cell(value: Any, share: bool) -> Cell:
    return Cell(_inline(value, share=share), is_number(value))


def _inline(value: Any, *, share: bool = False) -> str:
    """Any value in a line."""
    if (isinstance(value, Mapping) or _is_list(value)) and not value:
        return "none"
    if _is_list(value) and not any(isinstance(inner, Mapping) or _is_list(inner) for inner in value):
        shown = ", ".join(scalar(inner, share=share) for inner in list(value)[:LIST_SHOWN])
        return shown if len(value) <= LIST_SHOWN else f"{shown} and {len(value) - LIST_SHOWN:,} more"
    if isinstance(value, Mapping) or _is_list(value):
        whole = json.dumps(value, ensure_ascii=False, default=str)
        return whole if len(whole) <= TEXT_SHOWN else f"{whole[:TEXT_SHOWN]}… ({len(whole):,} characters)"
    return scalar(value, share=share)
