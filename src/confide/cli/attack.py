"""`confide attack transactions|table`: what someone who knows a little of a person learns from a file."""

from dataclasses import asdict
from pathlib import Path

import click

from confide.cli.options import EXISTING, note, print_json, private_labels, private_options

__all__ = ["attack"]


@click.group(
    epilog="""\b
Example:
  confide attack transactions baskets.csv --known 3 --private-prefix s:
"""
)
def attack() -> None:
    """Play the attacker against a file. The answers are for the owner: they estimate risk and prove nothing."""


@attack.command(
    epilog="""\b
Example:
  confide attack transactions baskets.csv --known 2 --private-prefix s: --samples 2000 --seed 1
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option("--release", type=EXISTING, help="Look the items up here instead: the file published from IN.")
@click.option("--known", type=click.IntRange(min=1), default=3, show_default=True, help="Items the attacker knows.")
@click.option("--samples", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), help="Which people; give the same for a before and after.")
@private_options
def transactions(
    source: Path,
    release: Path | None,
    known: int,
    samples: int,
    seed: int | None,
    private: Path | None,
    private_prefix: tuple[str, ...],
) -> None:
    """Tell the attacker a few items of random people of IN: how often is the record, or a private item, pinned down?

    For a before and after, run it twice with the same --seed, the second time with --release. Knowing more items than
    a release's p goes beyond its promise.
    """
    from confide.audit.linkage import link_transactions
    from confide.core.transactions import Transactions

    original = Transactions.read(source)
    found = link_transactions(
        original,
        private=private_labels(original.items, private, private_prefix),
        known=known,
        release=Transactions.read(release) if release else None,
        samples=samples,
        seed=seed,
    )
    note(
        f"knowing {known} items, {found.identified:.1%} of {samples:,} people are found, and of "
        f"{found.private_certain:.1%} a private item is certain"
    )
    print_json(asdict(found))


@attack.command(
    epilog="""\b
Example:
  confide attack table registry.csv --schema registry.schema.toml
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option("--schema", type=EXISTING, required=True, help="Roles of the columns, as TOML.")
def table(source: Path, schema: Path) -> None:
    """Tell the attacker the quasi-identifiers of each row of IN: who is unique, whose sensitive value is certain?"""
    from confide.audit.linkage import link_table
    from confide.core.schema import Schema
    from confide.core.tables import read_table

    found = link_table(read_table(source), roles=Schema.read(schema).roles)
    certain = ", ".join(f"{name} of {share:.1%}" for name, share in found.certain.items())
    note(f"{found.unique:.1%} of {found.rows:,} rows are unique; certain: {certain or 'nothing'}")
    print_json(asdict(found))
