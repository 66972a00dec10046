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
    """Classify the records of IDS.CSV, which has a column of ids for each site; a class for each line goes out as CSV.

    Each site is told ids of its own records and answers which way they go at its own nodes; nothing else crosses.
    """
    import sys

    import pyarrow as pa

    from confide.cli.join.train import serve_sites
    from confide.core.tables.frames import read_table, write_table
    from confide.join.configuration.files import JoinConfig
    from confide.join.configuration.parties import coordinator_of
    from confide.join.coordinator.prediction import predict as classify
    from confide.join.coordinator.secure_tree import SecureTree

    read = JoinConfig.read(config)
    tree = SecureTree.read(tree_file)
    table = read_table(ids)
    link = coordinator_of(read).link
    columns = {name: [str(value) for value in table.column(name).to_pylist()] for name in table.column_names}
    with serve_sites(hosted, read):
        labels = classify(tree, columns, link=link, by=by, timeout=read.step_deadline)
    note(f"{len(labels):,} records classified; ids and branches crossed, nothing else")
    if output is not None:
        write_table(pa.table({"class": pa.array(labels, pa.string())}), output, replace=replace)
        return
    _print_csv(labels, sys.stdout)


def _print_csv(labels: list[str], stream: Any) -> None:
    import csv

    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["class"])
    writer.writerows([label] for label in labels)
