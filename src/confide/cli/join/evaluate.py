"""`confide join evaluate`: try a tree on records that the sites held out."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, form_options, note, print_json, print_rows

__all__ = ["evaluate"]


@click.command(
    epilog="""\b
Examples:
  confide join evaluate --config join.toml --tree chain-tree.json --with-site T1.toml --with-site T2.toml
  confide join evaluate --config join.toml --tree chain-tree.json --with-site T1.toml --with-site T2.toml --table
"""
)
@click.option("--config", type=EXISTING, required=True, help="join.toml of the run that made the tree.")
@click.option("--tree", "tree_file", type=EXISTING, required=True, help="The tree that join train wrote.")
@click.option("--with-site", "hosted", type=EXISTING, multiple=True, help="Also serve this site.toml, here, meanwhile.")
@click.option("--take-over", is_flag=True, help="End another run that the sites are busy with.")
@form_options
def evaluate(config: Path, tree_file: Path, hosted: tuple[Path, ...], take_over: bool, form: str) -> None:
    """Say how a tree classes records it was not grown from: those of the [held_out] section of every site.

    Each record of the target counts once, with the class that most of its joined records get. The coordinator learns
    how many records of each class the tree puts in which, and nothing of any record. To the sites this is one run more.
    """
    from confide.core.runtime.progress import on_terminal
    from confide.join.configuration import tasks
    from confide.join.coordinator.secure_tree import SecureTree

    tree = SecureTree.read(tree_file)
    with on_terminal():
        found = tasks.evaluate(config, tree, take_over=take_over, with_sites=hosted)
    for line in found.notes():
        note(line)
    if form == "json":
        print_json(found.summary())
    else:
        print_rows(found.cells(), form=form, title="Held-out records by class, and as classed")
