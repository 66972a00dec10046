"""`confide join ...`: organisations that may not pool their tables train one decision tree."""

import click

from confide.cli.lazy import LazyGroup

__all__ = ["COMMANDS", "join"]

COMMANDS = {
    "check": ("confide.cli.join.check:check", "Look at tables and joins before any training."),
    "tree": ("confide.cli.join.tree:tree", "Grow a tree over tables in files, all seen by one person."),
    "keys": ("confide.cli.join.keys:keys", "Make certificates for a trial."),
    "site": ("confide.cli.join.site:site", "Serve one private table to a join."),
    "train": ("confide.cli.join.train:train", "Grow one tree over the tables of several sites."),
    "predict": ("confide.cli.join.predict:predict", "Classify records whose parts lie at several sites."),
    "evaluate": ("confide.cli.join.evaluate:evaluate", "Try a tree on records that the sites held out."),
    "intersect": ("confide.cli.join.intersect:intersect", "Find the join values two sites share, or how many."),
    "simulate": ("confide.cli.join.simulate:simulate", "Run all sites in one process, with the ledger."),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    epilog="""\b
Example:
  confide join simulate join.toml --report join.html
""",
)
def join() -> None:
    """Train one decision tree for organisations that may not pool their tables."""
