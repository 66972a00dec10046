"""`confide collect privacy`: how much a scheme protects, the same promise in several terms."""

from pathlib import Path

import click

from confide.cli.collect.declared import parsed_columns
from confide.cli.options import EXISTING, SHARE, SUPPORT, note, print_json, text_options

__all__ = ["privacy"]


@click.command(
    epilog="""\b
Examples:
  confide collect privacy baskets.scheme.json --data baskets.csv --min-support 2% --seed 1
  confide collect privacy answers.scheme.json --prior 0.05
"""
)
@click.argument("scheme_file", metavar="SCHEME", type=EXISTING)
@click.option("--prior", type=SHARE, multiple=True, help="Priors to bound the posterior of [1% 5% 10% 25% 50%].")
@click.option("--max-length", type=click.IntRange(min=1), help="Items of the longest true record.")
@click.option("--data", type=EXISTING, help="True records, for the averages that need them (an owner's simulation).")
@click.option("--min-support", type=SUPPORT, help="With --data: itemsets the attacker knows, such as 1%.")
@click.option("--columns", metavar="NAME,...", help="Columns of a table, where it has more than the scheme's fields.")
@text_options
@click.option("--seed", type=click.IntRange(min=0), help="Repeat the same simulation.")
def privacy(
    scheme_file: Path,
    prior: tuple[float, ...],
    max_length: int | None,
    data: Path | None,
    min_support: int | float | None,
    columns: str | None,
    seed: int | None,
) -> None:
    """Say how much the scheme in SCHEME protects: gamma, epsilon, posteriors, and with --data basic and
    reinterrogation privacy.

    The first hold for everybody, whatever is known about them. The last two are averages over people, not guarantees.
    """
    from confide.collect.tasks.privacy import PrivacyRequest
    from confide.collect.tasks.privacy import privacy as run

    request = PrivacyRequest(
        scheme=scheme_file,
        priors=prior,
        max_length=max_length,
        data=data,
        min_support=min_support,
        columns=parsed_columns(columns),
        seed=seed,
    )
    done = run(request)
    for text in done.notes:
        note(text)
    print_json(done.measures)
