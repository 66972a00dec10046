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
    from confide.core.file_groups import check_outputs
    from confide.core.tables.sources import load_table
    from confide.share.tasks.draft import DraftRequest, draft_domains

    check_outputs([output], inputs=[source], replace=replace)
    draft = draft_domains(load_table(file=source, text=[target]), DraftRequest(target=target, leave_out=leave_out))
    draft.domains.write(output, replace=replace)
    note(f"written to {output}")
    for text in draft.notes:
        note(text)
