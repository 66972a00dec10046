"""Choosing Emask's p and q: goal attainment, in closed form except for one number.

`emask_curve` has the formulas: along the bound on what may be visible, all depends on the squared correlation c of a
true entry and its perturbed one. Breach and slowdown grow with c, error falls; what is left is to choose c.

Source: paper 003, section 3.3.5; the goal attainment method is Gembicki's (1974).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.planning.emask_curve import (
    attained_by,
    most_correlated,
    parameters_at,
    rounded_down,
    visible_of,
)
from confide.collect.planning.emask_goals import (
    asked_goals,
    asked_weights,
    commonest_support,
    planned_data,
    visible_bound,
)
from confide.collect.schemes.mask import Emask
from confide.core.errors import CannotMeetError
from confide.core.figures import Chart, Shown
from confide.core.requirements.weakening import follow_cures
from confide.core.transactions.container import Transactions

__all__ = ["EmaskPlan", "plan_emask"]


@dataclass(frozen=True, kw_only=True)
class EmaskPlan(Shown):
    """p and q, with what they attain.

    `attained` and `goals` have the keys breach (1 - basic privacy), error (relative standard error of an average
    item's support), slowdown (entries seen for each true one) and visible (chance that a 1 that is seen is true, an
    average over all that are seen) and absent (how many times likelier someone lacks an item that was not sent, as
    odds). Where the support of the commonest item is known, `attained` has worst_visible too:
    the same chance for that item, and no other item's is larger.

    `ratio` is the largest attained/goal among the first three; above 1 some goal is missed, and `missed` says by how
    much. `tradeoff` holds the points (c, breach, error, slowdown) along the bound on visible, for a plot.
    """

    p: float
    q: float
    attained: Mapping[str, float]
    goals: Mapping[str, float]
    ratio: float
    avg_support: float
    records: int
    tradeoff: tuple[tuple[float, float, float, float], ...] = field(default=(), repr=False)

    @property
    def missed(self) -> dict[str, float]:
        """Goals that are not reached: attained / goal, above 1."""
        ratios = {name: self.attained[name] / goal for name, goal in self.goals.items()}
        return {name: ratio for name, ratio in ratios.items() if ratio > 1 + 1e-6}

    @property
    def gamma_per_item(self) -> float:
        """gamma for one item swapped for another; it explodes as p or q near 1."""
        return self.p * self.q / ((1 - self.p) * (1 - self.q))

    def scheme(self, *, items: tuple[str, ...] | None = None, max_length: int | None = None) -> Emask:
        """The scheme planned, bound to a universe of items and a longest record where these are given."""
        return Emask(p=self.p, q=self.q, items=items, max_length=max_length)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "p": self.p,
            "q": self.q,
            "attained": dict(self.attained),
            "goals": dict(self.goals),
            "largest_ratio_to_goal": self.ratio,
            "missed": self.missed,
            "gamma_per_swapped_item": self.gamma_per_item,
            "avg_support": self.avg_support,
            "records": self.records,
        }

    def charts(self) -> tuple[Chart, ...]:
        """Breach, error and slowdown, as multiples of their goals, against the correlation that is left."""
        points = self.tradeoff
        names = ("breach", "error", "slowdown")
        return (
            Chart(
                title="How the goals trade off",
                kind="line",
                x=tuple(round(math.sqrt(point[0]), 4) for point in points),
                series={
                    name: tuple(point[i] / self.goals[name] for point in points) for i, name in enumerate(names, 1)
                },
                x_label="correlation left between a true entry and what is sent",
                y_label="attained / goal (1 is the goal; lower is better)",
                y_unit="number",
                note=f"Chosen: p = {_digits(self.p)}, q = {_digits(self.q)}: the largest ratio is {self.ratio:.2f}.",
            ),
        )


def _digits(chance: float) -> str:
    """Four digits, or as many as show that a chance is not 1."""
    short = f"{chance:.4g}"
    return f"{chance:.10g}" if short == "1" else short


def plan_emask(
    *,
    avg_support: float | None = None,
    records: int | None = None,
    sample: Transactions | None = None,
    max_support: float | None = None,
    goals: Mapping[str, float | None] | None = None,
    weights: Mapping[str, float] | None = None,
) -> EmaskPlan:
    """Choose Emask's p and q for `goals` on breach, error and slowdown, by goal attainment.

    `avg_support` is the mean share of records that hold an item, `records` how many will be collected; or both come
    from a `sample` of records (then the breach is weighted by support, as it should be on skewed data; say `records`
    if more will be collected than sampled). Goals left out are the paper's: breach 0.06, error 0.03, slowdown 5; and
    visible 0.2, the chance that a 1 that is seen is true, a bound rather than a wish (None: no bound, and then q is as
    near 1 as a scheme takes it).

    visible is an average: of a common item a 1 is likelier true. The goal worst_visible bounds it for the commonest
    item, and so for every item; it needs a sample, or `max_support`, the share of records that hold that item. By
    default there is no such bound, and `attained` says what came out.

    The goal absent is a bound too (default 100; None: no bound): an item that was not sent lowers the odds that someone
    has it by at most this factor, q/(1-p). It keeps p from 1, where only the items added at random hide anything.

    Goals are loose: the largest attained/goal is made as small as it can be. `weights` loosen (above the goal) or
    tighten one, as in Gembicki's method: (attained - goal)/weight is what is levelled, weights default to the goals,
    and weight 0 makes a goal hard. Hard goals that exclude each other raise CannotMeetError, with by how much.

    >>> plan = plan_emask(avg_support=0.01, records=1_000_000, goals={"breach": 0.06, "error": 0.03, "slowdown": 5})
    >>> {name: round(value, 4) for name, value in plan.attained.items()}
    {'breach': 0.075, 'error': 0.0375, 'slowdown': 1.7699, 'visible': 0.2, 'absent': 1.5258}
    """
    data = planned_data(avg_support, records, sample)

    def attempt(settings: Mapping[str, Any]) -> EmaskPlan:
        return _plan(*data, max_support, {**(goals or {}), **settings}, weights)

    try:
        return attempt({})
    except CannotMeetError as error:
        cures = follow_cures(error, attempt)
        raise CannotMeetError(error.what, parameter=error.parameter, value=error.value, cures=cures) from None


def _plan(
    s: float,
    n: int,
    supports: NDArray[np.float64] | None,
    max_support: float | None,
    goals: Mapping[str, float | None] | None,
    weights: Mapping[str, float] | None,
) -> EmaskPlan:
    commonest = commonest_support(max_support, s, supports)
    wanted, bounds = asked_goals(goals)
    visible = visible_bound(bounds, s, commonest)
    scale = asked_weights(weights, wanted)

    def point(c: float) -> tuple[float, float]:
        return parameters_at(s, c, visible)

    def attained(c: float) -> dict[str, float]:
        return attained_by(*point(c), s, n, supports)

    def excess(c: float, names: tuple[str, ...]) -> float:
        now = attained(c)
        return max((now[name] - wanted[name]) / scale[name] for name in names if scale[name] > 0)

    most = most_correlated(s, visible, bounds.get("absent", math.inf))
    low, high = _hard_limits(attained, wanted, scale, most)
    best = _level(
        lambda c: _soft(c, excess, scale, ("error",)),
        lambda c: _soft(c, excess, scale, ("breach", "slowdown")),
        low,
        high,
    )
    p, q = (rounded_down(value) for value in point(best))
    final = attained_by(p, q, s, n, supports)
    if commonest is not None:
        final["worst_visible"] = visible_of(p, q, commonest)
    along = np.geomspace(max(best / 30, most * 1e-6), min(best * 30, most), 60)
    points = [(c, attained(float(c))) for c in along]
    return EmaskPlan(
        p=p,
        q=q,
        attained=final,
        goals={**wanted, **bounds},
        ratio=max(final[name] / goal for name, goal in wanted.items()),
        avg_support=s,
        records=n,
        tradeoff=tuple((float(c), now["breach"], now["error"], now["slowdown"]) for c, now in points),
    )


def _hard_limits(
    attained: Callable[[float], dict[str, float]],
    wanted: Mapping[str, float],
    scale: Mapping[str, float],
    most: float,
) -> tuple[float, float]:
    """The c that goals of weight 0 leave; an error hard to reach bounds it from below, the others from above."""
    least = most * 1e-9
    low, high = least, most
    if scale["error"] == 0:
        if attained(most)["error"] > wanted["error"]:
            raise CannotMeetError(
                f"error={wanted['error']:g} cannot be reached while a 1 that is seen is true with at most the chance "
                "that `visible` allows, and a 0 tells no more than `absent` allows",
                parameter="error",
                value=wanted["error"],
                cures=_up("error", attained(most)["error"]),
            )
        low = _bisect(lambda c: attained(c)["error"] <= wanted["error"], least, most)
    for name in ("breach", "slowdown"):
        if scale[name] == 0:
            # Values at `low` are the smallest these two can have.
            if attained(low)[name] > wanted[name]:
                reason = "whatever is sent" if low == least else f"while error={wanted['error']:g} is hard"
                least_possible = attained(low)[name]
                raise CannotMeetError(
                    f"{name}={wanted[name]:g} cannot be reached {reason}; {least_possible / wanted[name]:.3g} times as "
                    "much is the least",
                    parameter=name,
                    value=wanted[name],
                    cures=_up(name, least_possible),
                )
            high = min(high, _last_within(attained, name, wanted[name], low, most))
    return low, high


def _last_within(
    attained: Callable[[float], dict[str, float]], name: str, goal: float, low: float, most: float
) -> float:
    if attained(most)[name] <= goal:
        return most
    return max(low, _bisect(lambda c: attained(c)[name] > goal, low, most) * (1 - 1e-9))


def _soft(
    c: float, excess: Callable[[float, tuple[str, ...]], float], scale: Mapping[str, float], names: tuple[str, ...]
) -> float:
    soft = tuple(name for name in names if scale[name] > 0)
    return excess(c, soft) if soft else -math.inf


def _level(falling: Callable[[float], float], rising: Callable[[float], float], low: float, high: float) -> float:
    """Where the larger of the two is smallest, within [low, high]."""
    if rising(high) <= falling(high):
        return high
    if rising(low) >= falling(low):
        return low
    return _bisect(lambda c: rising(c) >= falling(c), low, high)


def _bisect(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The smallest c in [low, high] from which on `holds` is true (it is at `high`), on a logarithmic scale."""
    for _ in range(200):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _up(name: str, value: float) -> list[dict[str, float]]:
    """A goal of three digits, rounded up, so that it is not just out of reach again."""
    if not math.isfinite(value):
        return []
    step = 10 ** (math.floor(math.log10(value)) - 2)
    return [{name: float(f"{math.ceil(value / step) * step:.6g}")}]
