"""`confide share ...`: publish decision trees instead of records, and learn one model from several owners' trees."""

import click

from confide.cli.lazy import LazyGroup

__all__ = ["COMMANDS", "share"]

COMMANDS = {
    "domains": ("confide.cli.share.domains:domains", "Draft the file of classes and domains that owners agree on."),
    "train": ("confide.cli.share.train:train", "Learn a tree that may be published."),
    "anonymize": ("confide.cli.share.anonymize:anonymize", "Prune a tree until it may be published."),
    "generate": ("confide.cli.share.generate:generate", "Make pseudo-data from a published tree."),
    "learn": ("confide.cli.share.learn:learn", "Learn one model from several owners' trees."),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    epilog="""\b
Example:
  confide share learn north.json south.json --test held-out.csv --class diagnosis --table
""",
)
def share() -> None:
    """Publish decision trees instead of records, and learn one model from several owners' trees."""
