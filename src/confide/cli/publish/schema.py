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
    help="Folder for schema.toml and the hierarchies beside it [none: only look].",
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
def schema(source: Path, output: Path | None, hierarchies: Path | None, replace: bool, form: str) -> None:
    """Propose a schema for the table IN: what each column is, and how its values could be made coarser.

    It goes by names, types and numbers of values, and says why. Check every role before you publish: a column that
    others know and that is not called a quasi-identifier protects nobody.
    """
    from confide.core.errors import UsageError
    from confide.core.tables.frames import read_table
    from confide.publish.tables.proposal.proposal import propose_schema, read_hierarchies

    if output is not None and output.suffix.lower() in _FILES and not output.is_dir():
        raise UsageError(
            f"{output} is named like a file, but schema.toml and the hierarchies beside it need a folder; "
            f"say -o {output.with_suffix('')}"
        )
    table = read_table(source)
    given = {} if hierarchies is None else read_hierarchies(hierarchies, table.column_names)
    proposal = propose_schema(table, hierarchies=given)
    written = None if output is None else proposal.write(output, replace=replace)
    rows = proposal.rows()
    if form == "table":
        left_out = {"kind"} if any(row["missing_rows"] for row in rows) else {"kind", "missing_rows"}
        left_out |= {"unique_rows"} if any("unique_people" in row for row in rows) else set()
        rows = [_fitting(row, left_out) for row in rows]
    print_rows(rows, form=form, title="What each column seems to be")
    for text in proposal.notes:
        note(text)
    if written is None:
        note("nothing was written; -o FOLDER keeps the proposal as schema.toml, with the hierarchies beside it")
    else:
        note(f"{written} and {len(proposal.files)} hierarchies written; check every role, then edit the files")


_FILES = (".toml", ".json", ".csv", ".tsv", ".txt", ".yaml", ".yml")
_SHORT = {"different": "values", "unique_rows": "unique", "unique_people": "unique people", "missing_rows": "missing"}


def _fitting(row: dict[str, Any], left_out: set[str]) -> dict[str, Any]:
    """What fits 80 columns; the reasons in full are in the file, and in JSON."""
    why = row["why"].partition(";")[0].removeprefix("its name says that ")
    return {_SHORT.get(name, name): value for name, value in row.items() if name not in left_out} | {"why": why}
