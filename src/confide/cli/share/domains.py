"""`confide share domains`: a first draft of what owners agree on."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, NEW, note, text_options

__all__ = ["domains"]


@click.command(
    epilog="""\b
Example:
  confide share domains patients.csv --class diagnosis -o draft.toml
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@text_options
@click.option("--class", "target", metavar="COLUMN", required=True, help="The column that trees predict.")
@click.option("-o", "--output", type=NEW, required=True, help="Where to write the TOML file.")
@click.option("--leave-out", metavar="COLUMN", multiple=True, help="A column no tree may use. Once for each.")
@click.option("--replace", is_flag=True, help="Overwrite a file that exists.")
def domains(source: Path, target: str, output: Path, leave_out: tuple[str, ...], replace: bool) -> None:
    """Draft the file that owners agree on before they learn: classes, categories, bins of numbers.

    The draft shows values of IN. Replace by public knowledge what is not known to everybody, above all the bounds of
    numbers, before you hand it to the other owners.
    """
    from confide.core.errors import InputError
    from confide.core.file_groups import check_outputs
    from confide.core.tables.sources import load_table
    from confide.share.domains import Domains

    check_outputs([output], inputs=[source], replace=replace)
    table = load_table(file=source, text=[target])
    for name in leave_out:
        if name not in table.column_names:
            raise InputError(f"no column {name!r} to leave out; columns are: {', '.join(table.column_names)}")
    draft = Domains.propose(table.drop_columns(list(leave_out)), target=target)
    draft.write(output, replace=replace)
    note(f"{len(draft.attributes)} attributes and {len(draft.classes)} classes written to {output}")
    known = {attribute.name for attribute in draft.attributes}
    names = [name for name in table.column_names if name not in {*known, *leave_out, target}]
    if names:
        note(f"left out, since they hold too many different values: {', '.join(names)}")
    note("warning: the draft shows values and rounded extremes of your table; edit it before you show it to others")
