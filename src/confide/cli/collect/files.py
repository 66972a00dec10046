"""Files of records that `collect` commands read: a table of fields, or transactions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.cli.options import note

if TYPE_CHECKING:
    from confide.core.transactions.container import Transactions

__all__ = ["chosen_columns", "parsed_bins", "parsed_values", "read_records", "warn_of_lengths"]


def read_records(source: Path, *, columns: str | None = None, kind: str | None = None) -> "Transactions | Any":
    """A table when the file is one (or `kind` says so, or columns are named), else transactions.

    A CSV counts as a table when all its lines have as many cells as the first, two at least, and it is no long file
    of `id` and `item`. One that looks like a table but for a few lines is refused: taken for baskets, its header would
    count as a record.
    """
    from confide.core.errors import InputError, UsageError
    from confide.core.tables.frames import read_table
    from confide.core.transactions.container import Transactions

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
            _check_no_broken_table(source)
        found = Transactions.read(source)
    note(f"read {source}: {len(found):,} records, {found.n_items:,} items")
    return found


def _check_no_broken_table(source: Path) -> None:
    """Refuse a CSV whose first line reads like a header: no cell of it comes again, and most lines are as long."""
    import csv

    from confide.core.errors import InputError
    from confide.core.files import compression_of

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
            f"has {broken[1]} cells where the first line has {len(header)}; mend it, or say --kind transactions if the "
            "file holds baskets",
            source=source,
            line=broken[0],
        )


def _separator(first: str) -> str:
    return max(",;\t", key=first.count)


def warn_of_lengths(scheme: Any, records: Any = None) -> None:
    """Say so when Cut-and-Paste over plain items meets records that it can perturb and nobody can mine afterwards.

    `records` are true ones (transactions) where there are any to look at.
    """
    if getattr(scheme, "K", None) is None or scheme.fields is not None:
        return
    if records is None:
        note("Cut-and-Paste over items can be mined only if all true records hold equally many (mine --record-length)")
    elif len(records) and records.lengths.min() < records.lengths.max():
        note(
            f"warning: the records hold {records.lengths.min()} to {records.lengths.max()} items; what Cut-and-Paste "
            "perturbs can be mined only if all hold equally many, so take mask or emask if it is to be mined"
        )


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


def parsed_values(texts: Sequence[str]) -> dict[str, list[str]]:
    """`sex=female,male` as {"sex": ["female", "male"]}; a value with a comma stands in quotes, as in a CSV."""
    import csv

    from confide.core.errors import UsageError

    found = {}
    for text in texts:
        name, sign, values = text.partition("=")
        listed = [value.strip() for value in next(csv.reader([values], skipinitialspace=True), [])]
        if not sign or not name or len(listed) < 2 or not all(listed):
            raise UsageError(f"--values {text!r}: write NAME=VALUE,VALUE,..., such as sex=female,male")
        found[name] = listed
    return found


def _edge(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)
