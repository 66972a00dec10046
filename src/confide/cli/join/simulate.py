"""`confide join simulate`: all sites of a run in one process, with the ledger."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, NEW, form_options, note, print_rows

__all__ = ["simulate"]


@click.command(
    epilog="""\b
Examples:
  confide join simulate join.toml --table
  confide join simulate join.toml -o tree.json --report join.html
"""
)
@click.argument("config", metavar="JOIN.TOML", type=EXISTING)
@click.option("-o", "--output", type=NEW, help="Write the tree here, and OUT.passport.json beside it.")
@click.option("--report", type=NEW, help="Write a page about the run here.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
@form_options
def simulate(config: Path, output: Path | None, report: Path | None, replace: bool, form: str) -> None:
    """Run the whole protocol with all sites in this process, and print who learnt what.

    Sites and coordinator are the same as in a real run and exchange the same messages, so this shows beforehand what a
    run would tell whom, and how much. Every site's configuration must be named in JOIN.TOML.
    """
    from confide.cli.join.train import check_free, hand_out, released
    from confide.core.runtime.progress import on_terminal
    from confide.join.configuration.files import JoinConfig
    from confide.join.configuration.parties import simulation_of
    from confide.join.coordinator.disclosure import who_learnt_what

    check_free([output, report], replace=replace)
    coordinator, _ = simulation_of(JoinConfig.read(config))
    with on_terminal():
        tree = coordinator.train()
    if output is not None or report is not None:
        hand_out(released(tree, coordinator), tree, output=output, report=report, sign=None, replace=replace)
    else:
        note(f"{len(tree.nodes):,} nodes, depth {tree.depth}; say -o FILE to keep the tree")
    print_rows(who_learnt_what(tree.ledger), form=form, title="Who learnt what")
