"""`confide join simulate`: all sites of a run in one process, with the ledger."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, form_options, note, print_rows
from confide.cli.release_files import ReleaseFiles, release_options

__all__ = ["simulate"]


@click.command(
    epilog="""\b
Examples:
  confide join simulate join.toml --table
  confide join simulate join.toml -o tree.json --report join.html
"""
)
@click.argument("config", metavar="JOIN.TOML", type=EXISTING)
@release_options(owner=False)
@form_options
def simulate(
    config: Path, output: Path | None, report: Path | None, sign: Path | None, replace: bool, form: str
) -> None:
    """Run the whole protocol with all sites in this process, and print who learned what.

    Sites and coordinator exchange the same messages as in a real run, so this shows beforehand what each party would
    learn, and how much. Every site's configuration must be named in JOIN.TOML.
    """
    from confide.core.runtime.progress import on_terminal
    from confide.join.configuration import tasks

    files = ReleaseFiles.checked(output, report=report, sign=sign, replace=replace, inputs=[config])
    with on_terminal():
        trained = tasks.simulate(config)
    if output is not None or report is not None:
        files.hand_out(trained.release)
        for line in trained.notes:
            note(line)
    else:
        note(f"{len(trained.tree.nodes):,} nodes, depth {trained.tree.depth}; use -o FILE to keep the tree")
    for told in trained.tree.certain:
        note(told.counted.line)
    print_rows(trained.who_learned_what(), form=form, title="Who learned what")
