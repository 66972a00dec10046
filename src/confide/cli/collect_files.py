"""Files of records that `collect` commands read: a table of fields, or transactions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.cli.options import note

if TYPE_CHECKING:
    from confide.core.transactions import Transactions

__all__ = ["chosen_columns", "parsed_bins", "read_records"]


def read_records(source: Path, *, columns: str | None = None, kind: str | None = None) -> "Transactions | Any":
    """A table when the file is one (or `kind` says so, or columns are named), else transactions.

    A CSV counts as a table when all its lines have as many cells as the first, two at least, and it is no long file
    of `id` and `item`.
    """
    from confide.core.errors import InputError, UsageError
    from confide.core.tables import read_table
    from confide.core.transactions import Transactions

    if kind == "transactions":
        found = Transactions.read(source)
    else:
        try:
            table = read_table(source)
            if kind == "table" or columns or (table.num_columns > 1 and set(table.column_names) != {"id", "item"}):
                note(f"read {source}: a table of {table.num_rows:,} rows, {table.num_columns} columns")
                return table.select(chosen_columns(columns, table.column_names)) if columns else table
        except (InputError, UsageError) as error:
            if kind == "table" or columns or "no such file" in str(error):
                raise
        found = Transactions.read(source)
    note(f"read {source}: {len(found):,} records, {found.n_items:,} items")
    return found


def chosen_columns(text: str | None, known: Sequence[str]) -> list[str]:
    """`age,sex` as names; all of `known` by default."""
    from confide.core.errors import UsageError

    if text is None:
        return list(known)
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise UsageError(f"no column {name!r}; columns are: {', '.join(known)}")
    return names


def parsed_bins(texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """`age=35,55` as {"age": (35, 55)}; whole numbers stay whole."""
    from confide.core.errors import UsageError

    found = {}
    for text in texts:
        name, sign, edges = text.partition("=")
        try:
            found[name] = tuple(_edge(edge.strip()) for edge in edges.split(","))
        except ValueError:
            sign = ""
        if not sign or not name:
            raise UsageError(f"--bins {text!r}: write NAME=EDGE,EDGE,..., such as age=35,55")
    return found


def _edge(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)
