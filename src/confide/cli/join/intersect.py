"""`confide join intersect`: the join values two sites share, or only how many."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, note, output_options, print_json

__all__ = ["intersect"]


@click.command(
    epilog="""\b
Examples:
  confide join intersect --config T1.toml --with T2 --with-site T2.toml --size-only
  confide join intersect --config T1.toml --with T2 --with-site T2.toml -o shared.csv
"""
)
@click.option("--config", type=EXISTING, required=True, help="site.toml of the asking site.")
@click.option("--with", "neighbour", metavar="NAME", required=True, help="The neighbour to ask; it must be serving.")
@click.option("--size-only", is_flag=True, help="Learn how many values both have, and not which.")
@click.option("--with-site", "hosted", type=EXISTING, multiple=True, help="Also serve this site.toml, here, meanwhile.")
@output_options
def intersect(
    config: Path, neighbour: str, size_only: bool, hosted: tuple[Path, ...], output: Path | None, replace: bool
) -> None:
    """Find the join values a site shares with a neighbour, or how many; outside any run, and without a coordinator.

    Neither learns the other's remaining values. Both learn how many different values each has. The shared values go to
    the file of -o, and at the neighbour to its state folder. Both policies must allow it: intersections = "size" or
    "values" (exit status 1 if one does not, 3 if the neighbour does not answer).
    """
    from confide.core.errors import UsageError
    from confide.core.files import check_new
    from confide.core.runtime.progress import on_terminal
    from confide.core.tables.frames import format_of, write_table
    from confide.join.configuration import intersecting

    if size_only == (output is not None):
        raise UsageError("say where the shared values go with -o FILE, or ask for their number alone with --size-only")
    if output is not None:
        format_of(output)
        check_new(output, replace=replace)
    with on_terminal():
        found = intersecting.intersect(config, neighbour, size_only=size_only, with_sites=hosted)
    if output is not None and found.values is not None:
        write_table(found.values, output, replace=replace, private=True)
        note(f"{output} is for this site's owner; {neighbour} keeps the same values in its state folder")
    print_json(found.summary())
