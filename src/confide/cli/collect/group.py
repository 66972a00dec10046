"""`confide collect ...`: perturb at the client, mine at a server nobody has to trust."""

import click

from confide.cli.lazy import LazyGroup

__all__ = ["COMMANDS", "collect"]

COMMANDS = {
    "plan": ("confide.cli.collect.plan:plan", "Choose a scheme and its parameters for a promise."),
    "perturb": ("confide.cli.collect.perturb:perturb", "Perturb records by a scheme."),
    "mine": ("confide.cli.collect.mine:mine", "Find itemsets and rules of the true records from perturbed ones."),
    "privacy": ("confide.cli.collect.privacy:privacy", "Say how much a scheme protects, in several terms."),
    "serve": ("confide.cli.collect.serve:serve", "Collect perturbed records over HTTP."),
    "send": ("confide.cli.collect.send:send", "Perturb your own record here and send it to a collector."),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    epilog="""\b
Example:
  confide collect plan --rho1 5% --rho2 50%
""",
)
def collect() -> None:
    """Collect records that people perturb on their own devices, and mine them."""
