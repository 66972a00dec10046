"""Tables that were taken for baskets: recognised by what no basket file looks like.

A table read as baskets makes items of its header and of cells such as "0" and "1", and would be published with a
valid passport. Two things give it away when every line has the same number of cells:

- the first line's cells stand nowhere else: they are names of columns;
- cells are repeated within many lines, which a set of items has no reason to do.

Baskets of ours that look so all the same are written with an empty cell at the end of their first line: then lines
differ in length, and nothing is refused.
"""

import csv
import io
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np

from confide.core.errors import InputError
from confide.core.tables.formats.workbook import sheet_named
from confide.core.transactions.container import Transactions
from confide.core.transactions.one_hot import BIT_WORDS

__all__ = ["check_baskets", "looks_like_table", "reading_notes"]

_LOOKED_AT = 1000


def check_baskets(found: Transactions, text: bytes, source: Path, delimiter: str) -> None:
    """Refuse a file that is a table, with what to do; `format="basket"` overrides it."""
    rows = _first_rows(text, delimiter)
    if len(rows) < 3 or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return
    body = rows[1:]
    repeated = sum(len(set(row)) < len(row) for row in body)
    supports = found.supports()
    codes = [found.codes.get(cell.strip()) for cell in rows[0]]
    header = all(code is not None and supports[code] == 1 for code in codes)
    others = [name for place, name in enumerate(rows[0]) if not _all_bits(row[place] for row in body)]
    if not others or (header and len(others) == 1 and len(rows[0]) > 2):
        records = f", id={others[0].strip()}" if others else ""
        raise InputError(
            f"is a table with a 0/1 column for each item, not a file of baskets; say format=one-hot{records}",
            source=source,
        )
    if header:
        names = ", ".join(repr(cell.strip()) for cell in rows[0][:8])
        also = "" if len(rows[0]) == 2 else "; to publish it as a table, use `confide publish table`"
        raise InputError(
            f"is a table with the columns {names}, not a file of baskets; name the record's and the item's column with "
            f"id= and item=, or say format=basket if the first line is a record{also}",
            source=source,
        )
    if repeated * 5 > len(body):
        raise InputError(
            "is a table, not a file of baskets (every line has as many cells as the first); publish it as a table, or "
            "say format=basket if its lines are sets of items",
            source=source,
        )


def _all_bits(cells: Iterable[str]) -> bool:
    return all(cell.strip().lower() in BIT_WORDS for cell in cells)


def looks_like_table(transactions: Transactions, *, elsewhere: Collection[str] = ()) -> bool:
    """Whether `check_baskets` could refuse these records once they are written as lines of cells; empty ones aside.

    Where they are the first of many, `elsewhere` are labels that others hold.
    """
    held = np.flatnonzero(transactions.lengths[:_LOOKED_AT])[:3]
    lengths = transactions.lengths[held]
    if len(held) < 3 or lengths[0] < 2 or (lengths != lengths[0]).any():
        return False
    first, second = (transactions.indices[transactions.indptr[i] : transactions.indptr[i + 1]] for i in held[:2])
    names = bool(transactions.supports()[first].max() == 1)
    names = names and not any(transactions.labels[code] in elsewhere for code in first)
    return names or all(transactions.labels[code].lower() in BIT_WORDS for code in second)


def reading_notes(
    found: Transactions, source: Path, *, format: str | None, columns: bool = False, sheet: str | None = None
) -> tuple[str, ...]:
    """What a person should know of records just read from `source`: how many, and doubt where they may be a table.

    `format` is what the person said the file is, `columns` whether columns were named, which says it too, `sheet`
    the sheet asked for. A file without records is refused.
    """
    if len(found) == 0:
        raise InputError("holds no records", source=source)
    said = f"read {source}{sheet_named(source, sheet)}: {len(found):,} records, {found.n_items:,} items"
    cells = not {".csv", ".xlsx"}.isdisjoint(source.suffixes)  # a record is a line of cells: it may be a table's
    if not cells or format is not None or columns or not found.lengths.min() == found.lengths.max() == 2:
        return (said,)
    doubt = (
        "warning: every line was read as a record of two items; if the file is a table with a row per item, name its "
        "columns with --id and --item"
    )
    return said, doubt


def _first_rows(text: bytes, delimiter: str) -> list[list[str]]:
    end = -1
    for _ in range(_LOOKED_AT):
        after = text.find(b"\n", end + 1)
        if after < 0:
            end = len(text)
            break
        end = after
    lines = io.StringIO(text[:end].decode(errors="replace"), newline="")
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []
