"""A collection planned from what people want to know, as an answer, a page and a scheme file."""

from typing import Any

from confide.collect.designs.collection_plan import plan_collection
from confide.collect.jobs.plan_domain import domain_of, promised
from confide.collect.jobs.requests import CollectPlan
from confide.collect.planning.charts import promise_charts
from confide.core.errors import UsageError

__all__ = ["plan_asked"]


def plan_asked(request: CollectPlan) -> dict[str, Any]:
    """Plan for `people`, `within`, or both; returns what `Planned` is made of."""
    promise = promised(request.gamma, request.rho1, request.rho2, request.epsilon)
    domain = domain_of(
        request.sample, columns=request.columns, kind=request.kind, bins=request.bins or {}, values=request.values or {}
    )
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
