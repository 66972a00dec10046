"""`confide join predict`: classify records whose parts lie at several sites."""

from pathlib import Path
from typing import Any

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
    type=click.Choice(["row", "id"]),
    default="row",
    show_default=True,
    help="What ids are: row numbers, or ids.",
)
@click.option("--with-site", "hosted", type=EXISTING, multiple=True, help="Also serve this site.toml, here, meanwhile.")
@output_options
def predict(
    ids: Path,
    config: Path,
    tree_file: Path,
    by: str,
    hosted: tuple[Path, ...],
    output: Path | None,
    replace: bool,
) -> None:
    """Classify the records of IDS.CSV, which has a column of ids for each site; prints a class for each line, as CSV.

    Each site is sent ids of its own records and answers which way they go at its own nodes. Nothing else crosses.
    """
    import sys

    import pyarrow as pa

    from confide.core.tables.frames import read_table, write_table
    from confide.join.configuration.tasks import predict_table
    from confide.join.coordinator.secure_tree import SecureTree

    tree = SecureTree.read(tree_file)
    predicted = predict_table(config, tree, read_table(ids), by=by, with_sites=hosted)
    for line in predicted.notes:
        note(line)
    if output is not None:
        write_table(pa.table({"class": pa.array(predicted.labels, pa.string())}), output, replace=replace)
        return
    _print_csv(predicted.labels, sys.stdout)


def _print_csv(labels: list[str], stream: Any) -> None:
    import csv

    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["class"])
    writer.writerows([label] for label in labels)
