"""Records from files, or as the caller has them, with what the person should know about them.

A source is a path, `Transactions`, or any frame. Each reader returns the records and its notes.
"""

import csv
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.datasets.intake import as_records, as_rows, in_files
from confide.core.datasets.loading import is_loaded
from confide.core.datasets.spark.frames import is_spark_frame
from confide.core.errors import InputError, UsageError
from confide.core.files import compression_of
from confide.core.tables.formats.workbook import sheet_named
from confide.core.tables.frames import read_table, to_table
from confide.core.tables.reading import PLAIN, Reading
from confide.core.transactions.container import Transactions
from confide.core.transactions.guesses import reading_notes

__all__ = ["Noted", "read_fields", "read_items", "read_records"]

Noted = tuple[Any, tuple[str, ...]]
"""Records, and what to know about them."""


def read_records(
    source: Any, *, columns: Sequence[str] | None = None, kind: str | None = None, reading: Reading = PLAIN
) -> Noted:
    """A table when the file is one (or `kind` says so, or columns are named), else transactions.

    A CSV counts as a table when all its lines have as many cells as the first, two at least, and it is not a long file
    of `id` and `item`. One that looks like a table except for a few lines is refused: read as baskets, its header would
    count as a record.
    """
    if isinstance(source, Transactions):
        return source, ()
    if not isinstance(source, str | PathLike):
        return _selected(to_table(source), columns), ()
    path = Path(source)
    if kind != "transactions":
        try:
            table = read_table(path, **reading.options)
            if kind == "table" or columns or (table.num_columns > 1 and set(table.column_names) != {"id", "item"}):
                size = f"a table of {table.num_rows:,} rows, {table.num_columns} columns"
                said = f"read {path}{sheet_named(path, reading.sheet)}: {size}"
                return _selected(table, columns), (said,)
        except (InputError, UsageError) as error:
            if kind == "table" or columns or "no such file" in str(error):
                raise
            _check_no_broken_table(path)
    cells = kind == "transactions" and _has_cells(path)  # said by the person, so not doubted
    found = Transactions.read(path, format="basket" if cells else None, **reading.options)
    size = f"{len(found):,} records, {found.n_items:,} items"
    return found, (f"read {path}{sheet_named(path, reading.sheet)}: {size}",)


def read_fields(source: Any, *, columns: Sequence[str] | None = None, reading: Reading = PLAIN) -> Noted:
    """A table for a scheme over fields; only these columns of it, where some are named."""
    if is_spark_frame(source) or not is_loaded(source):
        return _selected(as_rows(source, reading=reading), columns), ()
    if not isinstance(source, str | PathLike):
        return (source if columns is None else _narrowed(source, columns)), ()
    table = as_rows(source, reading=reading)
    width = len(table.column_names)
    said = f"read {source}{sheet_named(source, reading.sheet)}: {len(table):,} records, {width} fields"
    if columns is not None and len(set(columns)) < width:
        said += f", {width - len(set(columns))} of them left out"
    return _selected(table, columns), (said,)


def read_items(
    source: Any,
    *,
    format: str | None = None,
    id: str | None = None,
    item: str | None = None,
    reading: Reading = PLAIN,
) -> Noted:
    """Transactions; `format`, `id` and `item` as `Transactions.read` takes them."""
    if not isinstance(source, str | PathLike):
        return (as_records(source, id=id, item=item) if is_spark_frame(source) else source), ()
    path = Path(source)
    if in_files(path) and format in (None, "parquet"):
        stored = as_records(path, id=id, item=item, reading=reading)
        if not stored.in_memory or path.is_dir():
            return stored, (f"read {path}: {len(stored):,} records",)
    found = Transactions.read(path, format=format, id=id, item=item, **reading.options)
    columns = id is not None or item is not None
    return found, reading_notes(found, path, format=format, columns=columns, sheet=reading.sheet)


def _has_cells(path: Path) -> bool:
    """Whether a record of this file is a line of cells, so that it may be a table instead."""
    return not {".csv", ".xlsx"}.isdisjoint(path.suffixes)


def _selected(table: Any, columns: Sequence[str] | None) -> Any:
    for name in columns or ():
        if name not in table.column_names:
            raise UsageError(f"no column {name!r}; columns are: {', '.join(table.column_names)}")
    return table.select(list(columns)) if columns else table


def _narrowed(frame: Any, columns: Sequence[str]) -> Any:
    """The same kind of frame, with these columns."""
    _selected(to_table(frame), columns)  # are they there?
    return frame.select(list(columns)) if hasattr(frame, "select") else frame[list(columns)]


def _check_no_broken_table(source: Path) -> None:
    """Refuse a CSV whose first line reads like a header: no cell of it comes again, and most lines are as long."""
    if source.suffix.lower() != ".csv" or compression_of(source):
        return
    with source.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = csv.reader(file, delimiter=_separator(file.readline()))
        file.seek(0)
        header = next(lines, [])
        own, alike, broken = set(header), 0, None
        for cells in lines:
            if not own.isdisjoint(cells):
                return
            if len(cells) == len(header):
                alike += 1
            elif broken is None and cells:
                broken = lines.line_num, len(cells)
    if len(header) > 1 and broken is not None and 2 * alike >= lines.line_num - 1:
        raise InputError(
            f"has {broken[1]} cells where the first line has {len(header)}; correct it, or say that its kind is "
            "transactions if the file holds baskets",
            source=source,
            line=broken[0],
        )


def _separator(first: str) -> str:
    return max(",;\t", key=first.count)
