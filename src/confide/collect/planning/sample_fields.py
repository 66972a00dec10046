"""Fields taken from a sample: which columns can be fields, with which values, and which values are too rare to publish.

A scheme file is public, and with it every value it lists.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from confide.collect.fields.field import Bins
from confide.collect.fields.fields import Fields
from confide.core.errors import InputError, RequirementError
from confide.core.tables.frames import to_table
from confide.core.transactions.labels import label_order

__all__ = ["MOST_VALUES", "RARE", "fields_of", "rare_values", "usable_columns"]

MOST_VALUES = 64
"""A column with more values is not taken for categories: give it bins, or leave it out."""

RARE = 5
"""A value that fewer records hold may point at one of them."""


def fields_of(
    frame: Any,
    *,
    columns: Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> Fields:
    """Fields from a frame: the values of each column in label order; `bins` gives the edges of numeric columns and
    `values` the values of columns where you declare them.

    Values that are not declared come from the frame, and a scheme makes them public: so only from a sample whose values
    are public (see `rare_values`); a value it lacks is refused later. A column of more than 64 values without bins
    is refused: it would be noise, or point at people.
    """
    table = to_table(frame)
    names = table.column_names if columns is None else list(columns)
    for declared, what in ((bins, "bins"), (values, "values")):
        unknown = set(declared or {}) - set(names)
        if unknown:
            raise InputError(
                f"{what} for {sorted(unknown)[0]!r}, which is not a chosen column; columns are: {', '.join(names)}"
            )
    twice = set(bins or {}) & set(values or {})
    if twice:
        raise RequirementError(f"column {sorted(twice)[0]!r} is given both bins and values; give one of the two")
    domains: dict[str, Any] = {}
    for name in names:
        if name not in table.column_names:
            raise InputError(f"no column {name!r}; columns are: {', '.join(table.column_names)}")
        _check_none_missing(table[name], name)
        if bins and name in bins:
            _check_numbers(table[name], name)
            domains[name] = Bins(tuple(bins[name]))
        elif values and name in values:
            domains[name] = list(values[name])
        else:
            domains[name] = _checked_values({str(value) for value in table[name].unique().to_pylist()}, name)
            domains[name].sort(key=label_order)
    return Fields.of(domains)


def _checked_values(present: set[str], name: str) -> list[str]:
    if len(present) > MOST_VALUES:
        raise RequirementError(
            f"column {name!r} has {len(present):,} values; give edges to cut it at (bins=), or leave it out (columns=)"
        )
    if len(present) < 2:
        raise RequirementError(f"column {name!r} has one value only, so there is nothing to ask; leave it out")
    return list(present)


def _check_none_missing(column: Any, name: str) -> None:
    first = _first(column, _is_missing)
    if first is not None:
        raise InputError(
            f"a value of column {name!r} is missing; fill it in, write a value for it (such as unknown), or leave the "
            "column out",
            source=f"record {first:,}",
        )


def _check_numbers(column: Any, name: str) -> None:
    """Refuse to cut a column at edges that holds no numbers."""
    first = _first(column, lambda value: not _is_number(value))
    if first is not None:
        raise InputError(
            f"a value of column {name!r} is not a number (decimals have a point), so the column cannot be cut at "
            "edges; leave out its bins",
            source=f"record {first:,}",
        )


def _first(column: Any, wrong: Callable[[Any], bool]) -> int | None:
    """The first record, from 1, whose value is wrong; different values are looked at once."""
    if not any(wrong(value) for value in column.unique().to_pylist()):
        return None
    return next(i for i, value in enumerate(column.to_pylist(), start=1) if wrong(value))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or (value == "" or str(value).isspace())


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and math.isfinite(float(value))
    except (TypeError, ValueError):
        return False


def rare_values(frame: Any, fields: Fields, *, declared: Iterable[str] = (), fewer_than: int = RARE) -> dict[str, int]:
    """{column: how many of its values fewer than this many records hold}, for columns that are not declared.

    Such values may point at a person, and a scheme that lists them is public.
    """
    table = to_table(frame)
    found = {}
    for field in fields:
        if field.edges is None and field.name not in set(declared):
            counts = table[field.name].value_counts().field("counts").to_pylist()
            found[field.name] = sum(count < fewer_than for count in counts)
    return {name: count for name, count in found.items() if count}


def usable_columns(
    frame: Any,
    *,
    bins: Mapping[str, Sequence[float]] | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """The columns that can be fields as they are, or through `bins` or `values`: no value missing, two at least and 64
    at most."""
    table = to_table(frame)
    declared = {*(bins or {}), *(values or {})}
    return [
        name
        for name in table.column_names
        if name in declared
        or (2 <= len(table[name].unique()) <= MOST_VALUES and _first(table[name], _is_missing) is None)
    ]
