"""`confide join check`: what a join will be like, before any training."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import EXISTING, note, print_json, print_rows, text_options

if TYPE_CHECKING:
    from confide.join.graph.join_graph import JoinGraph

__all__ = ["check", "graph_by_options", "source_options"]


_SOURCE_OPTIONS = (
    click.option(
        "--source", "sources", metavar="NAME=FILE", multiple=True, help="A table: CSV or Parquet. Once for each."
    ),
    click.option(
        "--join", "joins", metavar="A.x=B.y", multiple=True, help="Columns that join; several with commas between them."
    ),
    click.option("--target", metavar="A.class", help="The class column."),
    click.option(
        "--type",
        "types",
        metavar="A.x=TYPE",
        multiple=True,
        help="The type of a CSV column, if its cells mislead: text, integer, number or date.",
    ),
)


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """Tables in files, by --source, --join, --target and --type."""
    command = text_options(command)
    for option in reversed(_SOURCE_OPTIONS):
        command = option(command)
    return command


@click.command(
    epilog="""\b
Examples:
  confide join check join.toml
  confide join check --source a=registry.csv --source b=registry.csv --join a.occupation=b.occupation --target a.income
"""
)
@click.argument("config", metavar="[JOIN.TOML]", type=EXISTING, required=False)
@source_options
@click.option("--table", "reading", is_flag=True, help="Print tables for reading.")
def check(
    config: Path | None,
    sources: tuple[str, ...],
    joins: tuple[str, ...],
    target: str | None,
    types: tuple[str, ...],
    reading: bool,
) -> None:
    """Look at tables and joins: types, shared values, dangling records, how large the join is, who could tell what.

    For someone who may see all tables, or for a trial: nothing is joined, and nothing leaves this machine. Name the
    tables by --source, --join and --target, or give the JOIN.TOML of a run if you have all its sites' configurations.
    It counts whose class, or side of a hidden split, the owner of each table could tell for certain from a neighbour's
    summaries. Exits with 2 when no tree could be grown, with 1 when that count is above what JOIN.TOML's sites allow.
    """
    from confide.core.errors import InputError, UsageError
    from confide.join.configuration.graph import check_allowed, check_join

    if (config is None) == (not sources):
        raise UsageError("give either JOIN.TOML, or --source, --join and --target")
    found = graph_by_options(sources, joins, target, types).check() if config is None else check_join(config)
    if reading:
        plain = found.as_dict()
        print_rows(plain["tables"], form="table", title="Tables")
        print_rows(plain["joins"], form="table", title="Joins")
        print_rows(plain["columns"], form="table", title="Columns, in records that join")
        print_rows(plain["certain"], form="table", title="What could be told for certain, before any split")
    else:
        print_json(found.as_dict())
    note(found.summary)
    for counted in found.certain:
        note(counted.line)
    if found.fault is not None:
        raise InputError(found.fault)
    if config is not None:
        check_allowed(config, found)


def graph_by_options(
    sources: tuple[str, ...], joins: tuple[str, ...], target: str | None, types: tuple[str, ...]
) -> "JoinGraph":
    """The graph that the options describe."""
    from confide.core.errors import UsageError
    from confide.join.configuration.graph import graph_of_files

    if target is None:
        raise UsageError("name the class column: --target TABLE.COLUMN")
    files = [_pair(text, "--source NAME=FILE") for text in sources]
    if len(dict(files)) != len(files):
        raise UsageError("two tables have the same name; give each --source a name of its own")
    pairs: list[tuple[Any, Any]] = []
    for text in joins:
        left, right = (side.split(",") for side in _pair(text, "--join A.x=B.y"))
        pairs.append((left, right))
    declared = dict(_pair(text, "--type TABLE.COLUMN=TYPE") for text in types)
    return graph_of_files(dict(files), joins=pairs, target=target, types=declared)


def _pair(text: str, form: str) -> tuple[str, str]:
    from confide.core.errors import UsageError

    left, equals, right = text.partition("=")
    if not (left and equals and right):
        raise UsageError(f"{text!r} is not of the form {form}")
    return left, right
