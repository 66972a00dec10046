"""`confide publish ...`: the commands that hand out data about people."""

import click

from confide.cli.lazy import LazyGroup

__all__ = ["COMMANDS", "publish"]

COMMANDS = {
    "transactions": (
        "confide.cli.publish.transactions:transactions",
        "Suppress items until transactions are (h, k, p)-coherent.",
    ),
    "table": (
        "confide.cli.publish.table:table",
        "Make values coarser until a table identifies nobody.",
    ),
    "schema": (
        "confide.cli.publish.schema:schema",
        "Propose roles and hierarchies for a table.",
    ),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    epilog="""\b
Examples:
  confide publish transactions baskets.csv -o out.csv --k 5 --h 0.5 --p 2 --private-prefix s:
  confide publish table registry.csv -o released-k5.csv --schema registry.schema.toml --k 5
""",
)
def publish() -> None:
    """Publish data about people under a promise that others can check."""
