"""`confide collect privacy`: how much a scheme protects, in several tongues side by side."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from confide.cli.options import EXISTING, SUPPORT, note, print_json

__all__ = ["privacy"]

USELESS = 1e4  # a gamma above this lets a prior of 1% rise above 99%


@click.command(
    epilog="""\b
Examples:
  confide collect privacy baskets.scheme.json --data baskets.csv --min-support 2% --seed 1
  confide collect privacy answers.scheme.json --prior 0.05
"""
)
@click.argument("scheme_file", metavar="SCHEME", type=EXISTING)
@click.option("--prior", type=float, multiple=True, help="Priors to bound the posterior of [1% 5% 10% 25% 50%].")
@click.option("--max-length", type=click.IntRange(min=1), help="Items of the longest true record.")
@click.option("--data", type=EXISTING, help="True records, for the averages that need them (an owner's simulation).")
@click.option("--min-support", type=SUPPORT, help="With --data: itemsets the attacker knows, such as 1%.")
@click.option("--columns", metavar="NAME,...", help="Columns of a table, where it has more than the scheme's fields.")
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

    The first hold for everybody, whatever is known about them. The last two are averages over people and no guarantee.
    """
    from confide.collect.planning.privacy_measures import PRIORS, breach_table
    from confide.collect.schemes.scheme import read_scheme
    from confide.core.bounds import at_most
    from confide.core.errors import UsageError

    if min_support is not None and data is None:
        raise UsageError("--min-support goes with --data: reinterrogation needs the true records")
    scheme: Any = read_scheme(scheme_file)
    records = None if data is None else _records(scheme, data, columns)
    scheme, longest = _bound(scheme, records, max_length)
    amplified = scheme.amplification(longest)
    gamma = amplified.gamma if math.isfinite(amplified.gamma) else None  # JSON knows no infinity
    answer: dict[str, Any] = {"scheme": scheme.kind, "gamma": gamma, "epsilon": amplified.epsilon}
    note(
        f"gamma {at_most(amplified.gamma)} (epsilon {at_most(amplified.epsilon, 5)}): no answer is more than that many "
        "times likelier for one truth than another"
    )
    if amplified.per_item is not None:
        answer |= {"gamma_per_swapped_item": amplified.per_item, "max_length": amplified.max_length}
        each = at_most(amplified.per_item, 4)
        note(f"for one item swapped: {each}; true records hold up to {amplified.max_length} items")
    answer["posteriors"] = breach_table(amplified.gamma, prior or PRIORS)
    if amplified.gamma > USELESS:
        note("so large a gamma bounds no posterior that matters: what protects here are averages, see --data")
    else:
        for row in answer["posteriors"]:
            note(f"a property of prior {row['rho1']:.3g} never rises above {at_most(row['rho2'], 3)}")
    if getattr(scheme, "alpha", 0):
        answer["posterior_range"] = _ranges(scheme, prior or PRIORS)
        note("r is drawn by each client and seen by nobody: alpha adds no privacy that could be promised")
    if records is not None:
        answer |= _averages(scheme, records, min_support, seed)
    note("for one submission; t fresh ones of the same person give gamma to the power t, so send the same one again")
    print_json(answer)


def _bound(scheme: Any, records: Any, max_length: int | None) -> tuple[Any, int | None]:
    """The scheme over the items of the records, where it names none; without records, for one item."""
    if getattr(scheme, "fields", None) is not None or scheme.universe is not None:
        return scheme, max_length
    if records is not None:
        return scheme.for_items(records.labels), max_length
    if max_length is None and scheme.max_length is None:
        note("the scheme names neither items nor a longest record: gamma is for one item; see --max-length")
        return scheme, 1
    return scheme, max_length


def _ranges(scheme: Any, priors: tuple[float, ...]) -> list[dict[str, float]]:
    from confide.collect.planning.privacy_measures import posterior_range

    found = []
    for prior in priors:
        low, high = posterior_range(prior, gamma=scheme.gamma, alpha=scheme.alpha, cells=scheme.cells)
        found.append({"rho1": prior, "low": low, "high": high})
    return found


def _records(scheme: Any, data: Path, columns: str | None) -> Any:
    from confide.cli.collect.files import read_records

    fields = getattr(scheme, "fields", None)
    if fields is None:
        return read_records(data, kind="transactions")
    return read_records(data, columns=columns or ",".join(fields.names), kind="table")


def _averages(scheme: Any, records: Any, min_support: int | float | None, seed: int | None) -> dict[str, Any]:
    from confide.collect.planning.privacy_measures import basic_privacy
    from confide.collect.planning.reinterrogation import reinterrogation_privacy
    from confide.core.randomness import Randomness

    basic = basic_privacy(scheme, records)
    note(f"basic privacy {basic.privacy:.1%}: on average a true 1 is read back with the chance {basic.breach:.1%}")
    answer: dict[str, Any] = {"basic_privacy": basic.privacy, "basic_privacy_at_mean_support": basic.at_mean_support}
    if min_support is not None:
        randomness = None if seed is None else Randomness.seeded(seed)
        found = reinterrogation_privacy(scheme, records, min_support=min_support, randomness=randomness)
        note(
            f"reinterrogation privacy {found.privacy:.1%}, once {found.itemsets:,} itemsets are known; the worst "
            f"breach among them is {found.worst_breach:.1%}"
        )
        answer["reinterrogation"] = asdict(found)
    note("averages over people, not guarantees")
    return answer
