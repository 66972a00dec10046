"""`confide join predict`: classify records whose parts lie at several sites."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, note, output_options

__all__ = ["predict"]


@click.command(
    epilog="""\b
Example:
  confide join predict ids.csv --config join.toml --tree chain-tree.json --with-site T1.toml --with-site T2.toml
"""
)
@click.argument("ids", metavar="IDS.CSV", type=EXISTING)
@click.option("--config", type=EXISTING, required=True, help="join.toml of the run that made the tree.")
@click.option("--tree", "tree_file", type=EXISTING, required=True, help="The tree that join train wrote.")
@click.option(
    "--by",
    type=click.Choice(["auto", "id", "row"]),
    default="auto",
    show_default=True,
    help="What cells are: values of the site's id column, or row numbers from 0. auto: ids where a site has them.",
)
@click.option("--skip-unknown", is_flag=True, help="Leave records that a site does not know without a class.")
@click.option("--with-site", "hosted", type=EXISTING, multiple=True, help="Also serve this site.toml, here, meanwhile.")
@output_options
def predict(
    ids: Path,
    config: Path,
    tree_file: Path,
    by: str,
    skip_unknown: bool,
    hosted: tuple[Path, ...],
    output: Path | None,
    replace: bool,
) -> None:
    """Classify the records of IDS.CSV, which has a column of ids for each site, named like the site.

    Prints the same lines as CSV, with two columns more: class, and sure, the share of joined records in training that
    were of this class where the record ends. Each site is sent ids of its own records and answers which way they go
    at its own nodes. Nothing else crosses.
    """
    import sys

    from confide.core.tables.frames import csv_blocks, read_table, write_table
    from confide.join.configuration.tasks import predict_table
    from confide.join.coordinator.secure_tree import SecureTree

    tree = SecureTree.read(tree_file)
    predicted = predict_table(config, tree, read_table(ids), by=by, skip_unknown=skip_unknown, with_sites=hosted)
    for line in predicted.notes:
        note(line)
    table = predicted.to_arrow()
    if output is not None:
        write_table(table, output, replace=replace)
        return
    for block in csv_blocks(table):
        sys.stdout.write(block.decode())
