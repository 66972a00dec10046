"""Options and output that commands share, so that one word means one thing everywhere."""

import io
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confide.core.runtime.terminal import safe_json, safe_text

if TYPE_CHECKING:
    from confide.core.datasets.transactions import StoredTransactions
    from confide.core.transactions.container import Transactions

__all__ = [
    "ADDRESS",
    "DELIMITER",
    "EXISTING",
    "NEW",
    "NUMBER",
    "SHARE",
    "SUPPORT",
    "drawn",
    "engine_for_parquet_only",
    "engine_options",
    "form_options",
    "input_options",
    "note",
    "output_options",
    "print_json",
    "print_rows",
    "private_options",
    "read_transactions",
    "sheet_option",
    "table_text",
    "text_options",
]

C = TypeVar("C", bound=Callable[..., Any])

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
            variables = (
                "REDISCLI_AUTH" if value.startswith(("redis", "unix")) else "PGPASSWORD, or its file in PGPASSFILE"
            )
            self.fail(f"leave the password out, since every process list shows it; put it into {variables}", param, ctx)
        return value


ADDRESS = _Address()


class _Support(click.ParamType[int | float]):
    """An int is a count, a float in (0, 1] a share: `5` and `5.0` differ, as in Python."""

    name = "support"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        if isinstance(value, int | float):
            return value
        text = str(value).strip()
        try:
            if text.endswith("%"):
                return _finite(text[:-1]) / 100
            return int(text) if text.lstrip("+-").isdigit() else _finite(text)
        except ValueError:
            self.fail(f"{value!r} is neither a count (5), a share (0.01) nor a percentage (1%)", param, ctx)


SUPPORT = _Support()


class _Share(click.ParamType[float]):
    """A share as a number (0.5) or in percent (50%)."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        text = str(value).strip()
        try:
            return _finite(text[:-1]) / 100 if text.endswith("%") else _finite(text)
        except ValueError:
            self.fail(f"{value!r} is neither a share (0.5) nor a percentage (50%)", param, ctx)


SHARE = _Share()


class _Number(click.ParamType[float]):
    """A number; click's own takes "nan" and "inf" for one."""

    name = "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return _finite(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)


NUMBER = _Number()


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


class _Delimiter(click.ParamType[str]):
    """What divides the cells of a CSV file, by name or as it is."""

    name = "mark"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from confide.core.tables.formats.csv_text import MARKS

        known = {name: mark for mark, name in MARKS.items()} | {mark: mark for mark in MARKS} | {"\\t": "\t"}
        if value not in known:
            self.fail(f"{value!r} is none of: {', '.join(MARKS.values())}", param, ctx)
        return known[value]


DELIMITER = _Delimiter()


def output_options(command: C) -> C:
    """`-o FILE` and `--replace`."""
    command = click.option("--replace", is_flag=True, help="Overwrite files that exist.")(command)
    return click.option("-o", "--output", type=NEW, help="Write here instead of to stdout.")(command)


def form_options(command: C) -> C:
    """`--csv` and `--table` instead of JSON on stdout."""
    command = click.option("--table", "form", flag_value="table", help="Print a table for reading.")(command)
    command = click.option("--csv", "form", flag_value="csv", help="Print CSV.")(command)
    return click.option("--json", "form", flag_value="json", default="json", help="Print JSON lines (default).")(
        command
    )


def private_options(command: C) -> C:
    """`--private FILE` of labels, and `--private-prefix TEXT`."""
    command = click.option(
        "--private-prefix", metavar="TEXT", multiple=True, help="Items whose label starts so are private."
    )(command)
    return click.option("--private", type=EXISTING, help="File of private item labels, one per line.")(command)


def _said(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Let what was said hold for every file this call reads, so that no command must pass it on."""
    if value is not None:
        from confide.core.tables.reading import reading

        context.with_resource(reading(**{str(option.name): value}))


def sheet_option(command: C) -> C:
    """`--sheet NAME` of a workbook."""
    return click.option(
        "--sheet", metavar="NAME", expose_value=False, callback=_said, help="Sheet of an .xlsx file [the first]."
    )(command)


def text_options(command: C) -> C:
    """`--delimiter`, `--encoding` and `--sheet`: how the files of this call are read."""
    command = sheet_option(command)
    command = click.option(
        "--encoding", metavar="NAME", expose_value=False, callback=_said, help="Encoding of text files [utf-8]."
    )(command)
    return click.option(
        "--delimiter",
        type=DELIMITER,
        expose_value=False,
        callback=_said,
        help="What divides cells: comma, semicolon or tab.",
    )(command)


def engine_options(command: C) -> C:
    """`--engine` and `--spark-master`: who computes, for every data set this call reads."""
    command = click.option(
        "--spark-master", metavar="URL", expose_value=False, callback=_engine, help="Compute on this Spark cluster."
    )(command)
    return click.option(
        "--engine",
        type=click.Choice(["auto", "memory", "stream", "spark"]),
        expose_value=False,
        callback=_engine,
        help="Who computes on Parquet [auto: in memory while it fits, else in passes over the files].",
    )(command)


def _engine(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Let the engine that was asked for hold for the whole call, and say which it is."""
    asked: dict[Any, Any] = context.meta.setdefault("confide.engine", {})
    asked[option.name] = value
    if len(asked) < 2:
        return
    from confide.core.datasets.choice import using_engine

    master = asked["spark_master"]
    context.with_resource(using_engine(asked["engine"] or "auto", spark_master=master, say=note))


def input_options(command: C) -> C:
    """IN, `--format`, `--id`, `--item`, `--delimiter`, `--encoding`, `--sheet`, `--engine`: see `read_transactions`."""
    command = engine_options(command)
    command = text_options(command)
    command = click.option("--item", "item_column", metavar="NAME", help="Item column of long files [item].")(command)
    command = click.option(
        "--id", "id_column", metavar="NAME", help="Record column of long files: one id, one record [id]."
    )(command)
    command = click.option(
        "--format",
        "file_format",
        type=click.Choice(["dat", "basket", "long", "one-hot", "jsonl", "parquet"]),
        help="Format of IN, where its name does not say it.",
    )(command)
    source = click.Path(path_type=Path, allow_dash=True)
    return click.argument("source", metavar="IN", type=source)(command)


def read_transactions(
    source: Path, *, file_format: str | None, id_column: str | None, item_column: str | None
) -> "Transactions | StoredTransactions":
    """Read IN (`-`: standard input), say what was read, and warn of a table that was taken for baskets.

    A folder of Parquet files, or a file that does not fit into memory, is opened and stays where it is.
    """
    from confide.core.transactions.container import Transactions
    from confide.core.transactions.guesses import reading_notes

    if str(source) != "-" and file_format in (None, "parquet"):
        from confide.core.datasets.intake import as_records, in_files

        if in_files(source):
            stored = as_records(source, id=id_column, item=item_column)
            if not isinstance(stored, Transactions) or source.is_dir():
                note(f"read {source}: {len(stored):,} records")
            return stored
    engine_for_parquet_only()
    with _as_file(source, file_format) as file:
        found = Transactions.read(file, format=file_format, id=id_column, item=item_column)
    named = id_column is not None or item_column is not None
    for text in reading_notes(found, source, format=file_format, columns=named):
        note(text)
    return found


def engine_for_parquet_only() -> None:
    """Refuse an engine that could not be used."""
    from confide.core.errors import UsageError

    context = click.get_current_context(silent=True)
    asked = {} if context is None else context.meta.get("confide.engine", {})
    if asked.get("engine") in ("stream", "spark") or asked.get("spark_master"):
        raise UsageError("--engine stream and spark work on Parquet: give a .parquet file, or a folder of them")


@contextmanager
def _as_file(source: Path, file_format: str | None) -> Iterator[Path]:
    """The file itself; what comes by standard input as a file that is gone afterwards, for its owner only."""
    if str(source) != "-":
        yield source
        return
    import tempfile

    from confide.core.files import MAX_BYTES

    suffix = {"dat": ".dat", "jsonl": ".jsonl", "parquet": ".parquet"}.get(file_format or "", ".csv")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"stdin{suffix}"
        file.write_bytes(sys.stdin.buffer.read(MAX_BYTES))
        yield file


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

        writer = None
        for row in rows:
            flat = {key: " ".join(map(str, v)) if isinstance(v, list | tuple) else v for key, v in row.items()}
            if writer is None:
                writer = csv.DictWriter(sys.stdout, fieldnames=list(flat), lineterminator="\n")
                writer.writeheader()
            writer.writerow(flat)
    else:
        print(table_text(list(rows), title=title, styled=sys.stdout.isatty()))


def drawn(table: Any, *, styled: bool = False) -> str:
    """A table of rich as text, as wide as the terminal; `styled`: with a terminal's codes for bold and colours."""
    from rich.console import Console

    console = Console(file=io.StringIO(), force_terminal=styled)
    with console.capture() as text:
        console.print(table)
    return text.get().rstrip("\n")


def table_text(rows: list[Mapping[str, Any]], *, title: str = "", styled: bool = False) -> str:
    """Rows as a table for reading."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title=title or None)
    keys = list(dict.fromkeys(key for row in rows for key in row))  # rows of a stranger's passport may differ
    first = {key: next(row[key] for row in rows if key in row) for key in keys}
    shown = [[_shown(row.get(key, "")) for key in keys] for row in rows]
    names = [key.replace("_", " ") for key in keys]
    columns = list(zip(names, *shown, strict=True))
    words = [max(map(_longest_word, cells)) for cells in columns]
    widths = _widths(words, console.width - 3 * len(words) - 1)
    for cells, value, word, width in zip(columns, first.values(), words, widths, strict=True):
        side: Any = "right" if isinstance(value, int | float) else "left"
        fixed = width if max(map(len, cells)) == word else None  # single words; sentences share what is left
        table.add_column(cells[0], justify=side, overflow="fold", width=fixed, min_width=None if fixed else width)
    for row_shown in shown:
        table.add_row(*row_shown)
    return drawn(table, styled=styled)


_NARROWEST = 8


def _widths(words: list[int], room: int) -> list[int | None]:
    """The width each column needs for its longest word; of a table too wide the widest column alone breaks words."""
    over = sum(words) - room
    narrowed = list(words)
    if over > 0:
        widest = words.index(max(words))
        narrowed[widest] = max(words[widest] - over, _NARROWEST)
    return list(narrowed) if sum(narrowed) <= room else [None] * len(words)


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return safe_text(", ".join(map(str, value)))
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"  # 10,320, not 1.032e+04
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else safe_text(str(value))
