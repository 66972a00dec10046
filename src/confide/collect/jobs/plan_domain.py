"""What a plan is for: fields or items of a sample, or declared fields, and the promise; plans for so many people."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confide.collect.designs.collection_plan import plan_collection
from confide.collect.fields.field import Bins
from confide.collect.fields.fields import Fields
from confide.collect.jobs.record_files import read_records
from confide.collect.jobs.requests import CollectPlan
from confide.collect.planning.charts import promise_charts
from confide.collect.planning.sample_fields import MOST_VALUES, RARE, fields_of, rare_values, usable_columns
from confide.collect.planning.strict_plans import plan_gamma
from confide.collect.schemes.strict_parameters import check_gamma
from confide.core.errors import RequirementError, UsageError
from confide.core.transactions.container import Transactions

__all__ = ["PlanDomain", "Promised", "domain_of", "plan_asked", "promised", "rare_items", "usable_fields"]

USUAL_GAMMA = 19.0
_LARGEST_EPSILON = 700.0  # beyond it gamma is not a number


@dataclass(frozen=True, kw_only=True)
class PlanDomain:
    """The fields or items that a plan is for, as far as they are known; `notes` are about reading the sample.

    `sample` are the records looked at. `published` are notes that matter once the scheme is published, which lists
    values or items of the sample.
    """

    sample: Any = None
    fields: Fields | None = None
    items: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    published: tuple[str, ...] = ()


def domain_of(request: CollectPlan) -> PlanDomain:
    """From a sample, or declared by values and bins alone, or nothing."""
    bins, values = request.bins or {}, request.values or {}
    if request.sample is None:
        if not bins and not values:
            return PlanDomain()
        twice = set(bins) & set(values)
        if twice:
            raise UsageError(f"field {min(twice)!r} is given both bins and values; give one")
        edges = {name: Bins(tuple(edges)) for name, edges in bins.items()}
        return PlanDomain(fields=Fields.of({**values, **edges}))
    data, notes = read_records(request.sample, columns=request.columns, kind=request.kind, reading=request.reading())
    if isinstance(data, Transactions):
        if bins or values:
            raise UsageError("bins and values are for tables; the sample holds records of items")
        return PlanDomain(sample=data, items=data.labels, notes=notes, published=rare_items(data))
    fields = fields_of(data, bins=bins, values=values)
    rare = rare_values(data, fields, declared=values)
    return PlanDomain(sample=data, fields=fields, notes=notes, published=_rare_note(rare))


def rare_items(sample: Transactions) -> tuple[str, ...]:
    """The note on items that few records of a sample hold."""
    return _rare_note({"items": int((sample.supports() < RARE).sum())})


def _rare_note(rare: Mapping[str, int]) -> tuple[str, ...]:
    """A scheme file is public, and with it what it lists."""
    counted = ", ".join(f"{count} of {name}" for name, count in rare.items() if count)
    if not counted:
        return ()
    said = (
        f"warning: values taken from the sample that fewer than {RARE} records hold become public with the scheme "
        f"({counted}); declare the values yourself, or leave such records out"
    )
    return (said,)


def usable_fields(
    table: Any,
    *,
    columns: Sequence[str] | None,
    bins: Mapping[str, Sequence[float]],
    values: Mapping[str, Sequence[str]],
) -> tuple[Fields, tuple[str, ...]]:
    """The fields of a table that is only described: columns that cannot be fields are left out, and named."""
    notes: tuple[str, ...] = ()
    if columns is None:
        usable = usable_columns(table, bins=bins, values=values)
        left = [name for name in table.column_names if name not in usable]
        if left:
            said = (
                f"left out, because they have one value, more than {MOST_VALUES} (give bins) or missing ones: "
                f"{', '.join(left)}"
            )
            notes = (said,)
        table = table.select(usable)
    return fields_of(table, bins=bins, values=values), notes


@dataclass(frozen=True, kw_only=True)
class Promised:
    """The gamma to plan for, and how it was asked for."""

    gamma: float
    given: Mapping[str, float]


def promised(gamma: float | None, rho1: float | None, rho2: float | None, epsilon: float | None = None) -> Promised:
    """From gamma, from epsilon = ln(gamma), or from rho1 and rho2; 19 if nothing is said."""
    if epsilon is not None:
        if gamma is not None or rho1 is not None or rho2 is not None:
            raise UsageError("give epsilon=, or gamma=, or rho1= and rho2=, not several of them")
        if not 1e-12 < epsilon < _LARGEST_EPSILON:
            raise RequirementError(
                f"epsilon={epsilon} erases the data or bounds nothing; use a number such as 2.9",
                parameter="epsilon",
                value=epsilon,
            )
        found = math.nextafter(math.exp(epsilon), 1)  # rounded to the safe side
        return Promised(gamma=found, given={"gamma": found})
    if gamma is not None:
        if rho1 is not None or rho2 is not None:
            raise UsageError("give gamma=, or rho1= and rho2=, not both")
        check_gamma(gamma)
        return Promised(gamma=gamma, given={"gamma": gamma})
    if rho1 is None and rho2 is None:
        return Promised(gamma=USUAL_GAMMA, given={"gamma": USUAL_GAMMA})
    if rho1 is None or rho2 is None:
        raise UsageError("rho1= and rho2= go together, for example 0.05 and 0.5", parameter="rho1", value=rho1)
    planned = plan_gamma(rho1, rho2)
    return Promised(gamma=planned.gamma, given=planned.to_dict())


def plan_asked(request: CollectPlan) -> dict[str, Any]:
    """Plan for `people`, `within`, or both; returns what `Planned` is made of."""
    promise = promised(request.gamma, request.rho1, request.rho2, request.epsilon)
    domain = domain_of(request)
    if domain.fields is None:
        raise UsageError(
            "people= and within= plan for fields; declare them by values= and bins=, or name a sample",
            parameter="people",
            value=request.people,
        )
    found = plan_collection(domain.fields, gamma=promise.gamma, people=request.people, within=request.within)
    margins = ", ".join(f"sets of {n} to within {x:.3g} points" for n, x in found.margins.items())
    asked = ", ".join(f"{x:.0%} for {n} field{'s' * (n > 1)}" for n, x in found.shares.items())
    return {
        "name": "sampled-design",
        "scheme": found.scheme(),
        "answer": {"scheme": "sampled-design", **promise.given, **found.to_dict()},
        "draw": lambda: promise_charts(found.scheme(), found.people),
        "notes": (
            *domain.notes,
            f"{found.people:,} people give {margins} (95% intervals)",
            f"of the people, asked at random: {asked}",
            found.reason,
        ),
        "published": domain.published,
        "private": domain.sample is not None,
    }
