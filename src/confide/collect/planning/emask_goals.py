"""What is asked of a plan for Emask: records and supports, goals and bounds, weights; each checked once."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.transactions.container import Transactions

__all__ = ["GOALS", "asked_goals", "asked_weights", "commonest_support", "planned_data", "visible_bound"]

_SMALLEST_SUPPORT = 1e-9  # an item of one person on earth has more; smaller ones underflow

GOALS: dict[str, float | None] = {
    "breach": 0.06, "error": 0.03, "slowdown": 5.0, "visible": 0.2, "worst_visible": None, "absent": 100.0,
}  # fmt: skip
"""The paper's goals; bounds on how sure a 1 that is seen may be, on average and for the commonest item; and one on how
much likelier someone lacks an item that was not sent."""

_CHANCES = ("visible", "worst_visible")


def planned_data(
    avg_support: float | None, records: int | None, sample: Transactions | None
) -> tuple[float, int, NDArray[np.float64] | None]:
    """Average support, number of records and, from a sample, the support of each item."""
    supports = None
    if sample is not None:
        if len(sample) == 0 or len(sample.indices) == 0:
            raise UsageError("the sample holds no item, so nothing can be planned from it")
        if avg_support is not None:
            raise UsageError(
                "avg_support comes from the sample; give one of the two", parameter="avg_support", value=avg_support
            )
        used = sample.supports()
        supports = used[used > 0] / len(sample)
        avg_support = float(supports.mean())
        records = len(sample) if records is None else records
    if avg_support is None or records is None:
        raise UsageError("say avg_support and records, or give a sample", parameter="avg_support", value=avg_support)
    if not 0 < avg_support < 1:
        raise RequirementError(
            f"avg_support={avg_support} is not a share of records; use a number in (0, 1)",
            parameter="avg_support",
            value=avg_support,
        )
    if avg_support < _SMALLEST_SUPPORT:
        raise RequirementError(
            f"avg_support={avg_support} is too small to plan for; use {_SMALLEST_SUPPORT:g} or more",
            parameter="avg_support",
            value=avg_support,
        )
    if records < 1:
        raise RequirementError(f"records={records}: one record at least", parameter="records", value=records)
    return float(avg_support), int(records), supports


def commonest_support(given: float | None, s: float, supports: NDArray[np.float64] | None) -> float | None:
    """The support of the commonest item, if it is known."""
    if given is None:
        return None if supports is None else float(supports.max())
    if supports is not None:
        raise UsageError("max_support comes from the sample; give one of the two", parameter="max_support", value=given)
    if not s <= given < 1:
        raise RequirementError(
            f"max_support={given} must lie between avg_support={s:g} and 1", parameter="max_support", value=given
        )
    return float(given)


def asked_goals(given: Mapping[str, float | None] | None) -> tuple[dict[str, float], dict[str, float]]:
    """Wishes, and bounds on visible; None means no bound."""
    goals: dict[str, float | None] = {**GOALS, **(given or {})}
    unknown = set(goals) - set(GOALS)
    if unknown:
        raise UsageError(f"no goal {sorted(unknown)[0]!r}; goals are: {', '.join(GOALS)}")
    wanted, bounds = {}, {}
    for name, goal in goals.items():
        if name == "absent":
            if goal is not None and not goal > 1:
                raise RequirementError(
                    f"absent={goal} is not a factor above 1; use such as {GOALS['absent']:g}",
                    parameter="absent",
                    value=goal,
                )
            bounds[name] = math.inf if goal is None else float(goal)
        elif name in _CHANCES:
            if goal is not None and not 0 < goal <= 1:
                raise RequirementError(
                    f"{name}={goal} is not a chance; use a number above 0 and at most 1", parameter=name, value=goal
                )
            bounds[name] = 1.0 if goal is None else float(goal)
        elif goal is None or not goal > 0:
            raise RequirementError(f"the goal {name}={goal} cannot be reached; use a number above 0")
        else:
            wanted[name] = float(goal)
    return wanted, {name: bound for name, bound in bounds.items() if name == "visible" or goals[name] is not None}


def visible_bound(bounds: Mapping[str, float], s: float, commonest: float | None) -> float:
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
                parameter=name,
                value=bound,
                cures=[{name: float(f"{min(1.0, 2 * support):.2g}")}],
            )
        likelier = math.inf if bound == 1 else bound * (1 - support) / ((1 - bound) * support)  # p/(1-q)
        found.append(1.0 if likelier == math.inf else likelier * s / (likelier * s + 1 - s))
    return min(found)


def asked_weights(given: Mapping[str, float] | None, wanted: Mapping[str, float]) -> dict[str, float]:
    """The weight of each wish, by default the wish itself; 0 makes it hard."""
    scale = {**wanted, **(given or {})}
    unknown = set(scale) - set(wanted)
    if unknown:
        raise UsageError(f"no weight for {sorted(unknown)[0]!r}; weights go with: {', '.join(wanted)}")
    if any(not weight >= 0 for weight in scale.values()):
        raise RequirementError("weights must be 0 (a hard goal) or more", parameter="weights", value=dict(scale))
    return scale
