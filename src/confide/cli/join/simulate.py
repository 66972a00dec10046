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
    """Run the whole protocol with all sites in this process, and print who learnt what.

    Sites and coordinator are the same as in a real run and exchange the same messages, so this shows beforehand what a
    run would tell whom, and how much. Every site's configuration must be named in JOIN.TOML.
    """
    from confide.cli.join.train import released, tell
    from confide.core.runtime.progress import on_terminal
    from confide.join.configuration.files import JoinConfig
    from confide.join.configuration.parties import simulation_of
    from confide.join.coordinator.disclosure import who_learnt_what

    files = ReleaseFiles.checked(output, report=report, sign=sign, replace=replace, inputs=[config])
    coordinator, _ = simulation_of(JoinConfig.read(config))
    with on_terminal():
        tree = coordinator.train()
    if output is not None or report is not None:
        release = released(tree, coordinator)
        files.hand_out(release)
        tell(release, tree)
    else:
        note(f"{len(tree.nodes):,} nodes, depth {tree.depth}; say -o FILE to keep the tree")
    print_rows(who_learnt_what(tree.ledger), form=form, title="Who learnt what")
