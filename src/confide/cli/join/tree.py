"""`confide join tree`: the tree of tables in files that one person may see, grown without joining them."""

from pathlib import Path

import click

from confide.cli.join.check import graph_by_options, source_options
from confide.cli.options import note, output_options

__all__ = ["tree"]


@click.command(
    epilog="""\b
Example:
  confide join tree --source a=registry.csv --source b=registry.csv --join a.occupation=b.occupation --target a.income
"""
)
@source_options
@click.option("--criterion", type=click.Choice(["information_gain", "gain_ratio", "gini"]), default="information_gain")
@click.option(
    "--min-leaf", type=click.IntRange(1), default=1, show_default=True, help="Fewest joined records in a leaf."
)
@click.option(
    "--min-branch",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Two branches of a split have at least so many.",
)
@click.option("--max-depth", type=click.IntRange(1), help="Levels below the root; default: no limit.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.25,
    show_default=True,
    help="Smaller prunes more; 0 does not prune.",
)
@click.option("--exclude", metavar="A.x", multiple=True, help="A column not to split on. Once for each.")
@click.option("--categorical", metavar="A.x", multiple=True, help="A column of numbers that are only labels.")
@click.option("--prune-on", type=click.Choice(["rows", "targets"]), default="rows", show_default=True)
@output_options
def tree(
    sources: tuple[str, ...],
    joins: tuple[str, ...],
    target: str | None,
    types: tuple[str, ...],
    criterion: str,
    min_leaf: int,
    min_branch: int,
    max_depth: int | None,
    confidence: float,
    exclude: tuple[str, ...],
    categorical: tuple[str, ...],
    prune_on: str,
    output: Path | None,
    replace: bool,
) -> None:
    """Grow a decision tree over tables in files, without joining them; prints it as JSON.

    For someone who may see all tables: the tree names columns and values, and nothing is hidden. To let several
    organisations grow a tree without showing their tables, see confide join train.
    """
    from typing import cast

    from confide.core.files import write_text
    from confide.core.runtime.progress import on_terminal
    from confide.join.tree.join_tree import JoinTree, PruneOn
    from confide.mining.trees.splits import Criterion

    graph = graph_by_options(sources, joins, target, types)
    learner = JoinTree(
        criterion=cast(Criterion, criterion),
        min_leaf=min_leaf,
        min_branch=min_branch,
        max_depth=max_depth,
        confidence=confidence or None,
        exclude=exclude,
        categorical=categorical,
        prune_on=cast(PruneOn, prune_on),
    )
    with on_terminal():
        learner.fit(graph)
    note(learner.headline())
    text = learner.tree_.to_json(indent=2) + "\n"
    if output is None:
        print(text, end="")
    else:
        write_text(output, text, replace=replace)
