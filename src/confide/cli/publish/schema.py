"""`confide publish schema`: propose roles and hierarchies for a table, to be read and edited."""

from pathlib import Path
from typing import Any

import click

from confide.cli.options import EXISTING, form_options, note, print_rows, text_options

__all__ = ["schema"]


@click.command(
    epilog="""\b
Example:
  confide publish schema registry.csv -o proposed --table
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder for schema.toml and the hierarchies beside it.",
)
@click.option(
    "--hierarchies",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of ARX hierarchies: COLUMN.csv or TABLE_hierarchy_COLUMN.csv.",
)
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
@text_options
@form_options
def schema(source: Path, output: Path, hierarchies: Path | None, replace: bool, form: str) -> None:
    """Propose a schema for the table IN: what each column is, and how its values could be made coarser.

    It goes by names, types and numbers of values, and says why. Check every role before you publish: a column that
    others know and that is not called a quasi-identifier protects nobody.
    """
    from confide.core.tables.frames import read_table
    from confide.publish.tables.proposal.proposal import propose_schema, read_hierarchies

    table = read_table(source)
    given = {} if hierarchies is None else read_hierarchies(hierarchies, table.column_names)
    proposal = propose_schema(table, hierarchies=given)
    written = proposal.write(output, replace=replace)
    shown = [_fitting(row) for row in proposal.rows()] if form == "table" else proposal.rows()
    print_rows(shown, form=form, title="What each column seems to be")
    note(f"{written} and {len(proposal.files)} hierarchies written; check every role, then edit the files")


def _fitting(row: dict[str, Any]) -> dict[str, Any]:
    """What fits 80 columns; the reasons in full are in the file, and in JSON."""
    short = {"different": "values", "unique_rows": "unique", "missing_rows": "missing"}
    why = row["why"].partition(";")[0]
    return {short.get(name, name): value for name, value in row.items() if name != "kind"} | {"why": why}
