"""How much a scheme protects: the same promise in several terms, and averages where true records are given."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from confide.collect.jobs.record_files import read_records
from confide.collect.jobs.requests import CollectPrivacy
from confide.collect.planning.privacy_measures import basic_privacy
from confide.collect.planning.reinterrogation import reinterrogation_privacy
from confide.collect.schemes.promise import PRIORS, breach_table
from confide.collect.schemes.scheme import Amplified, Scheme, read_scheme
from confide.core.bounds import at_most
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.tables.reading import Reading

__all__ = ["Privacy", "privacy"]

USELESS = 1e4  # a gamma above this lets a prior of 1% rise above 99%


@dataclass(frozen=True, kw_only=True)
class Privacy(Outcome):
    """`amplified` holds for everybody; `measures` are all numbers, fit for JSON, and `notes` what they mean."""

    scheme: Scheme
    amplified: Amplified
    measures: Mapping[str, Any]


def privacy(request: CollectPrivacy, host: Host = QUIET) -> Privacy:
    """Say how much a scheme protects: gamma, epsilon, posteriors; with records, basic and reinterrogation privacy.

    The first hold for everybody, whatever is known about them. The last two are averages over people, not guarantees.

    >>> from confide.collect import GammaDiagonal
    >>> found = privacy(CollectPrivacy(scheme=GammaDiagonal(domains=[2, 2], gamma=19), priors=(0.05,)))
    >>> print(found.notes[1])
    a property of prior 0.05 never rises above 0.5
    """
    scheme = read_scheme(request.scheme)
    records, notes = (None, ()) if request.data is None else _records(scheme, request, request.reading())
    longest = request.max_length
    if scheme.universe is None and records is not None:
        scheme = scheme.bound_to(records)
    elif scheme.universe is None and longest is None and scheme.longest is None:
        notes += ("the scheme names neither items nor a longest record: gamma is for one item; give max_length",)
        longest = 1
    amplified = scheme.amplification(longest)
    priors = request.priors or PRIORS
    gamma = amplified.gamma if math.isfinite(amplified.gamma) else None  # JSON knows no infinity
    measures: dict[str, Any] = {"scheme": scheme.kind, "gamma": gamma, "epsilon": amplified.epsilon}
    if amplified.per_item is not None:
        measures |= {"gamma_per_swapped_item": amplified.per_item, "max_length": amplified.max_length}
    measures["posteriors"] = breach_table(amplified.gamma, priors)
    notes += _promise_notes(amplified, measures["posteriors"])
    ranges = scheme.posterior_ranges(priors)
    if ranges:
        measures["posterior_range"] = ranges
        notes += ("each client draws r and nobody sees it: alpha adds no privacy that can be promised",)
    if records is not None:
        averages, said = _averages(scheme, records, request)
        measures, notes = measures | averages, notes + said
    last = "for one submission; t fresh ones of the same person give gamma to the power t, so send the same one again"
    return Privacy(
        scheme=scheme,
        amplified=amplified,
        measures=measures,
        answer=measures,
        document=measures,
        notes=(*notes, last),
    )


def _records(scheme: Scheme, request: CollectPrivacy, reading: Reading) -> tuple[Any, tuple[str, ...]]:
    if scheme.fields is None:
        return read_records(request.data, kind="transactions", reading=reading)
    columns = request.columns or scheme.fields.names
    return read_records(request.data, columns=columns, kind="table", reading=reading)


def _promise_notes(amplified: Amplified, posteriors: list[dict[str, float]]) -> tuple[str, ...]:
    bound = f"gamma {at_most(amplified.gamma)} (epsilon {at_most(amplified.epsilon, 5)})"
    notes: tuple[str, ...] = (f"{bound}: an answer shifts anyone's odds by at most that factor",)
    if amplified.per_item is not None:
        each = at_most(amplified.per_item, 4)
        notes += (f"for one item swapped: {each}; true records hold up to {amplified.max_length} items",)
    if amplified.gamma > USELESS:
        return (*notes, "so large a gamma bounds no posterior that matters: only averages protect here; give data")
    return notes + tuple(
        f"a property of prior {row['rho1']:.3g} never rises above {at_most(row['rho2'], 3)}" for row in posteriors
    )


def _averages(scheme: Scheme, records: Any, request: CollectPrivacy) -> tuple[dict[str, Any], tuple[str, ...]]:
    from confide.core.randomness import Randomness

    basic = basic_privacy(scheme, records)
    said: tuple[str, ...] = (
        f"basic privacy {basic.privacy:.1%}: on average a true 1 is read back with the chance {basic.breach:.1%}",
    )
    found: dict[str, Any] = {"basic_privacy": basic.privacy, "basic_privacy_at_mean_support": basic.at_mean_support}
    if request.min_support is not None:
        randomness = None if request.seed is None else Randomness.seeded(request.seed)
        again = reinterrogation_privacy(scheme, records, min_support=request.min_support, randomness=randomness)
        line = (
            f"reinterrogation privacy {again.privacy:.1%}, once {again.itemsets:,} itemsets are known; the worst "
            f"breach among them is {again.worst_breach:.1%}"
        )
        said += (line,)
        found["reinterrogation"] = asdict(again)
    return found, (*said, "averages over people, not guarantees")
