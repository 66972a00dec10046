"""Types of options and output that commands share, so that one word means one thing everywhere."""

import io
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from confide.core.runtime.terminal import safe_json, safe_text

__all__ = [
    "ADDRESS",
    "EXISTING",
    "NEW",
    "note",
    "print_json",
    "print_rows",
    "rich_text",
    "table_text",
]

EXISTING = click.Path(path_type=Path, dir_okay=False)
NEW = click.Path(path_type=Path, dir_okay=False)


class _Address(click.ParamType[str]):
    """A file, or the address of a server without a password: the list of processes shows commands to everybody."""

    name = "address"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        return click.Path().shell_complete(ctx, param, incomplete)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from confide.core.tables.sources import has_password

        if "://" in value and has_password(value):
            kinds = {"redis": "put it into REDISCLI_AUTH", "unix": "put it into REDISCLI_AUTH", "kafka": "none is sent"}
            kind = value.partition("://")[0].removesuffix("s")
            what = kinds.get(kind, "put it into PGPASSWORD, or its file in PGPASSFILE")
            self.fail(f"leave the password out, since every process list shows it; {what}", param, ctx)
        return value


ADDRESS = _Address()


def note(text: str, *, reword: bool = True) -> None:
    """Words for the person, with options in place of arguments: to stderr, unless --quiet. Warnings are said anyway.

    `reword=False` for what is no advice: "k=5" that was found in a file is nobody's option.
    """
    from confide.cli.endings.wording import in_options

    context = click.get_current_context(silent=True)
    quiet = context is not None and context.find_root().params.get("quiet", False)
    if not quiet or text.startswith("warning"):
        said = in_options(text, context.command) if reword and context is not None else text
        print(safe_text(said), file=sys.stderr)


def print_json(data: Any) -> None:
    """One JSON value on stdout."""
    print(safe_json(json.dumps(data, indent=2, ensure_ascii=False)))


def print_rows(rows: Iterable[Mapping[str, Any]], *, form: str, title: str = "") -> None:
    """Rows on stdout as JSON lines, CSV, or a table for reading."""
    if form == "json":
        for row in rows:
            print(safe_json(json.dumps(row, ensure_ascii=False)))
    elif form == "csv":
        import csv

        from confide.core.itemsets.itemset_files import csv_cell

        writer = None
        for row in rows:
            flat = {key: csv_cell(v) if isinstance(v, list | tuple) else v for key, v in row.items()}
            if writer is None:
                writer = csv.DictWriter(sys.stdout, fieldnames=list(flat), lineterminator="\n")
                writer.writeheader()
            writer.writerow(flat)
    else:
        print(table_text(list(rows), title=title, styled=sys.stdout.isatty()))


def rich_text(table: Any, *, styled: bool = False) -> str:
    """A table of rich as text, as wide as the terminal; `styled`: with a terminal's codes for bold and colours."""
    from rich.console import Console

    console = Console(file=io.StringIO(), force_terminal=styled)
    with console.capture() as text:
        console.print(table)
    return text.get().rstrip("\n")


def table_text(rows: list[Mapping[str, Any]], *, title: str = "", styled: bool = False) -> str:
    """Rows as a table for reading; where the columns do not fit, each row's cells stand below each other."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title=title or None)
    keys = list(dict.fromkeys(key for row in rows for key in row))  # rows of a stranger's passport may differ
    first = {key: next(row[key] for row in rows if key in row) for key in keys}
    shown = [[_cell_text(row.get(key, "")) for key in keys] for row in rows]
    names = [key.replace("_", " ") for key in keys]
    columns = list(zip(names, *shown, strict=True))
    words = [max(map(_longest_word, cells)) for cells in columns]
    widths = _widths(words, console.width - 3 * len(words) - 1)
    if widths is None:
        return _rows_below_each_other(names, shown, title, styled=styled)
    for cells, value, word, width in zip(columns, first.values(), words, widths, strict=True):
        side: Any = "right" if isinstance(value, int | float) else "left"
        fixed = width if max(map(len, cells)) == word else None  # single words; sentences share what is left
        table.add_column(cells[0], justify=side, overflow="fold", width=fixed, min_width=None if fixed else width)
    for row_shown in shown:
        table.add_row(*row_shown)
    return rich_text(table, styled=styled)


_NARROWEST = 8


def _rows_below_each_other(names: list[str], rows: list[list[str]], title: str, *, styled: bool) -> str:
    from rich.table import Table

    table = Table(title=title or None, show_header=False)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for cells in rows:
        for name, cell in zip(names, cells, strict=True):
            table.add_row(name, cell)
        table.add_section()
    return rich_text(table, styled=styled)


def _widths(words: list[int], room: int) -> list[int] | None:
    """The width each column needs for its longest word; of a table too wide the widest column alone breaks words, and
    None if even that is not enough."""
    over = sum(words) - room
    narrowed = list(words)
    if over > 0:
        widest = words.index(max(words))
        narrowed[widest] = max(words[widest] - over, _NARROWEST)
    return narrowed if sum(narrowed) <= room else None


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _cell_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return safe_text(", ".join(map(str, value)))
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"  # 10,320, not 1.032e+04
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else safe_text(str(value))
