"""Choosing Emask's p and q: goal attainment, in closed form except for one number.

With d = p + q - 1 and P1 = Pr(V=1) = s p + (1-s)(1-q), the squared correlation of a true entry and its perturbed one is

    c = s (1-s) d^2 / (P1 (1-P1)),   and        breach R1 = s + (1-s) c          (Eq. 3.2)
                                                error^2   = (1-s)/(N s) (1/c - 1) (Eq. 3.7, which lost a factor s)
                                                slowdown  = P1 / s                (Eq. 3.8)

So breach and error depend on (p, q) only through c: the optimum of the paper is a whole curve, and it runs to q = 1,
where *every* 1 that is seen is true. A fourth goal therefore bounds v = Pr(U=1|V=1) = p s/P1, the chance that a 1 that
is seen is true. In (c, v) everything is simple: P1/(1-P1) = c s (1-s)/(v-s)^2, so a larger v is cheaper, and the
cheapest point within the bound lies on it. What is left is to choose c: breach and slowdown grow with it, error falls;
p < 1 bounds it from above.

v is an average over all 1s that are seen. Of an item that more people have, a 1 is likelier true: with support t it is
L t/(L t + 1 - t), where L = p/(1-q) is how much likelier a true item is sent than a false one. A bound on the commonest
item is therefore a bound on L, and so on v: the tighter of the two counts.

An item that is *not* sent tells something too: that someone lacks it is then q/(1-p) times likelier. Where the goals
exclude each other the optimum would run to p = 1, and every item that is not sent would surely be lacking. A fifth
bound therefore holds this ratio; along the bound on v it grows with c, so it bounds c from above.

Source: paper 003, section 3.3.5; the goal attainment method is Gembicki's (1974).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.planning.privacy_measures import reconstruction_probability
from confide.collect.schemes.mask import Emask
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.figures import Shown
from confide.core.figures.charts import Chart
from confide.core.transactions.container import Transactions

__all__ = ["EmaskPlan", "plan_emask"]

_SMALLEST_SUPPORT = 1e-9  # an item of one person on earth has more; smaller ones underflow

GOALS: dict[str, float | None] = {
    "breach": 0.06, "error": 0.03, "slowdown": 5.0, "visible": 0.2, "worst_visible": None, "absent": 100.0,
}  # fmt: skip
"""The paper's goals; bounds on how sure a 1 that is seen may be, on average and for the commonest item; and one on how
much likelier someone lacks an item that was not sent."""

_CHANCES = ("visible", "worst_visible")

DIGITS = 8  # of p and q in a plan; both are rounded down, which never raises `visible`
_LARGEST = 1 - 10**-DIGITS  # of p and q: a scheme takes neither 1


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
    s, n, supports = _data(avg_support, records, sample)
    commonest = _commonest(max_support, s, supports)
    wanted, bounds = _goals(goals)
    visible = _bound(bounds, s, commonest)
    scale = _weights(weights, wanted)

    def point(c: float) -> tuple[float, float]:
        return _parameters(s, c, visible)

    def attained(c: float) -> dict[str, float]:
        return _attained(*point(c), s, n, supports)

    def excess(c: float, names: tuple[str, ...]) -> float:
        now = attained(c)
        return max((now[name] - wanted[name]) / scale[name] for name in names if scale[name] > 0)

    most = _most_correlated(s, visible, bounds.get("absent", math.inf))
    low, high = _hard_limits(attained, wanted, scale, most)
    best = _level(
        lambda c: _soft(c, excess, scale, ("error",)),
        lambda c: _soft(c, excess, scale, ("breach", "slowdown")),
        low,
        high,
    )
    p, q = (_down(value) for value in point(best))
    final = _attained(p, q, s, n, supports)
    if commonest is not None:
        final["worst_visible"] = _visible(p, q, commonest)
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


def _data(
    avg_support: float | None, records: int | None, sample: Transactions | None
) -> tuple[float, int, NDArray[np.float64] | None]:
    supports = None
    if sample is not None:
        if len(sample) == 0 or len(sample.indices) == 0:
            raise UsageError("the sample holds no item, so nothing can be planned from it")
        if avg_support is not None:
            raise UsageError("avg_support comes from the sample; give one of the two")
        used = sample.supports()
        supports = used[used > 0] / len(sample)
        avg_support = float(supports.mean())
        records = len(sample) if records is None else records
    if avg_support is None or records is None:
        raise UsageError("say avg_support and records, or give a sample")
    if not 0 < avg_support < 1:
        raise RequirementError(f"avg_support={avg_support} is not a share of records; use a number in (0, 1)")
    if avg_support < _SMALLEST_SUPPORT:
        raise RequirementError(f"avg_support={avg_support} is too small to plan for; use {_SMALLEST_SUPPORT:g} or more")
    if records < 1:
        raise RequirementError(f"records={records}: one record at least")
    return float(avg_support), int(records), supports


def _commonest(given: float | None, s: float, supports: NDArray[np.float64] | None) -> float | None:
    """The support of the commonest item, if it is known."""
    if given is None:
        return None if supports is None else float(supports.max())
    if supports is not None:
        raise UsageError("max_support comes from the sample; give one of the two")
    if not s <= given < 1:
        raise RequirementError(f"max_support={given} must lie between avg_support={s:g} and 1")
    return float(given)


def _goals(given: Mapping[str, float | None] | None) -> tuple[dict[str, float], dict[str, float]]:
    """Wishes, and bounds on visible; None means no bound."""
    goals: dict[str, float | None] = {**GOALS, **(given or {})}
    unknown = set(goals) - set(GOALS)
    if unknown:
        raise UsageError(f"no goal {sorted(unknown)[0]!r}; goals are: {', '.join(GOALS)}")
    wanted, bounds = {}, {}
    for name, goal in goals.items():
        if name == "absent":
            if goal is not None and not goal > 1:
                raise RequirementError(f"absent={goal} is not a factor above 1; use such as {GOALS['absent']:g}")
            bounds[name] = math.inf if goal is None else float(goal)
        elif name in _CHANCES:
            if goal is not None and not 0 < goal <= 1:
                raise RequirementError(f"{name}={goal} is not a chance; use a number above 0 and at most 1")
            bounds[name] = 1.0 if goal is None else float(goal)
        elif goal is None or not goal > 0:
            raise RequirementError(f"the goal {name}={goal} cannot be reached; use a number above 0")
        else:
            wanted[name] = float(goal)
    return wanted, {name: bound for name, bound in bounds.items() if name == "visible" or goals[name] is not None}


def _bound(bounds: Mapping[str, float], s: float, commonest: float | None) -> float:
    """The tightest bound there is, as one on an item of average support."""
    found = []
    for name, bound in ((name, bounds[name]) for name in _CHANCES if name in bounds):
        support = s if name == "visible" else commonest
        if support is None:
            raise UsageError(
                f"{name} bounds the commonest item; say max_support, its share of the records, or a sample"
            )
        if bound <= support:
            whose = "items stand" if name == "visible" else "the commonest item stands"
            raise CannotMeetError(
                f"{name}={bound:g}: {whose} in {support:g} of the records, so a 1 that is seen is true with at least "
                "that chance whatever is sent",
                nearest=f"{name} above {support:g}, such as {min(1.0, 2 * support):.2g}",
            )
        likelier = math.inf if bound == 1 else bound * (1 - support) / ((1 - bound) * support)  # p/(1-q)
        found.append(1.0 if likelier == math.inf else likelier * s / (likelier * s + 1 - s))
    return min(found)


def _weights(given: Mapping[str, float] | None, wanted: Mapping[str, float]) -> dict[str, float]:
    scale = {**wanted, **(given or {})}
    unknown = set(scale) - set(wanted)
    if unknown:
        raise UsageError(f"no weight for {sorted(unknown)[0]!r}; weights go with: {', '.join(wanted)}")
    if any(not weight >= 0 for weight in scale.values()):
        raise RequirementError("weights must be 0 (a hard goal) or more")
    return scale


def _most_correlated(s: float, visible: float, absent: float) -> float:
    """The c at which p is as large as it can be, from p = v P1/s and, for q too, q/(1-p) <= absent."""
    one = min(_LARGEST * s / visible, 1 - 1e-9)
    if absent < math.inf:  # (1 - f P1)/(1 - t P1) <= absent
        t, f = visible / s, (1 - visible) / (1 - s)
        one = min(one, (absent - 1) / (absent * t - f))
    return one / (1 - one) * (visible - s) ** 2 / (s * (1 - s))


def _parameters(s: float, c: float, visible: float) -> tuple[float, float]:
    """(p, q) with correlation^2 c at which a 1 that is seen is true with the chance `visible`."""
    odds = c * s * (1 - s) / (visible - s) ** 2
    one = odds / (1 + odds)
    return min(_LARGEST, visible * one / s), min(_LARGEST, 1 - one * (1 - visible) / (1 - s))


def _visible(p: float, q: float, support: float) -> float:
    """The chance that a 1 that is seen is true, for an item of this support."""
    one = support * p + (1 - support) * (1 - q)
    return p * support / one if one else 0.0


def _attained(p: float, q: float, s: float, n: int, supports: NDArray[np.float64] | None) -> dict[str, float]:
    one = s * p + (1 - s) * (1 - q)
    every = np.array([s]) if supports is None else supports
    breach = float(np.average(reconstruction_probability(every, p=p, q=q), weights=every))
    spread = math.sqrt((s * p * (1 - p) + (1 - s) * q * (1 - q)) / n)
    d = abs(p + q - 1)
    return {
        "breach": breach,
        "error": spread / (s * d) if d else math.inf,
        "slowdown": one / s,
        "visible": _visible(p, q, s),
        "absent": q / (1 - p),
    }


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
                nearest=f"error={_up(attained(most)['error'])}",
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
                    nearest=f"{name}={_up(least_possible)}",
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


def _down(value: float) -> float:
    """Rounded down, but never to 0, which no scheme takes."""
    return max(10**-DIGITS, float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-DIGITS), rounding=ROUND_FLOOR)))


def _up(value: float) -> str:
    """Three digits, rounded up, so that the advice is not just out of reach again."""
    if not math.isfinite(value):
        return "none"
    step = 10 ** (math.floor(math.log10(value)) - 2)
    return f"{math.ceil(value / step) * step:.6g}"
