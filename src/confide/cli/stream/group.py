"""`confide stream ...`: publish what is frequent in a live stream; no rare pattern can be inferred from it."""

import click

from confide.cli.lazy import LazyGroup

__all__ = ["COMMANDS", "stream"]

COMMANDS = {
    "plan": ("confide.cli.stream.plan:plan", "Choose epsilon, delta and a scheme; see what each buys."),
    "release": (
        "confide.cli.stream.release:release",
        "Release the frequent itemsets of a stream, window after window.",
    ),
    "look": ("confide.cli.stream.look:look", "Read a published run: top sets and rules, with bounds."),
    "attack": ("confide.cli.stream.attack:attack", "Play the adversary against a recorded stream (for its owner)."),
    "replay": ("confide.cli.stream.replay:replay", "Play a recorded stream at a chosen speed."),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    epilog="""\b
Example:
  confide stream release clicks.jsonl -o frequent.jsonl --min-support 25 --vulnerable 5 --window 1000
""",
)
def stream() -> None:
    """Publish which itemsets are frequent in a live stream; no rare pattern can be inferred from one release."""
