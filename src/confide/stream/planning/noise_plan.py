"""`plan_stream`: from C, K and wanted precision to epsilon, delta and a scheme, with what each choice buys."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from confide.core.errors import CannotMeetError, RequirementError
from confide.core.figures import Chart, Figure, Figures, ShownFields
from confide.core.requirements import OutputPrivacy
from confide.core.requirements.weakening import follow_cures
from confide.core.transactions.container import Transactions
from confide.stream.planning.scheme_worth import SchemeWorth, sample_windows, scheme_worth
from confide.stream.planning.tradeoff import USUAL_DELTA, largest_delta, least_epsilon, usual_epsilon
from confide.stream.setting import Setting

__all__ = ["PromisePlan", "plan_stream"]

_DELTAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


@dataclass(frozen=True, kw_only=True)
class PromisePlan(ShownFields):
    """A requirement that can be met, the trade-off around it, and what schemes keep of a sample, if there is one."""

    requirement: OutputPrivacy
    noise: str
    trade_off: dict[float, float]
    worth: tuple[SchemeWorth, ...] = ()

    @property
    def answer(self) -> dict[str, Any]:
        """Plain data."""
        setting = Setting.of(self.requirement, self.noise)
        law = setting.law
        return {
            "requirement": self.requirement.to_dict(),
            "promise": self.requirement.promise(),
            "noise": {"law": self.noise, "from": law.first, "to": law.last, "variance": float(law.variance)},
            "a support is off by, as a root mean square": round(float(law.variance + law.mean**2) ** 0.5, 2),
            "largest shift at min_support": setting.shifts(self.requirement.min_support)[1],
            "least value published": {
                "basic": setting.threshold(shifted=False),
                "other schemes": setting.threshold(shifted=True),
            },
            "least epsilon for each delta": {str(delta): value for delta, value in self.trade_off.items()},
            "schemes": [asdict(worth) for worth in self.worth],
        }

    def facts(self) -> Figures:
        """For a page."""
        law = Setting.of(self.requirement, self.noise).law
        return Figures(
            Figure("epsilon", self.requirement.epsilon, "number", "largest relative squared error of a support"),
            Figure("delta", self.requirement.delta, "number", "least relative squared error of a rare pattern"),
            Figure("variance", float(law.variance), "number", "variance of the noise"),
        )

    def charts(self) -> tuple[Chart, ...]:
        """The trade-off, and what lambda buys."""
        charts = [
            Chart(
                title="Protection costs precision",
                x=tuple(self.trade_off),
                series={"least epsilon": tuple(self.trade_off.values())},
                y_unit="number",
                kind="line",
                x_label="delta: error of an inferred rare pattern",
                y_label="epsilon: error of a published support",
            )
        ]
        mixed = [worth for worth in self.worth if worth.lam is not None]
        if mixed:
            charts.append(
                Chart(
                    title="What lambda buys",
                    x=tuple(float(worth.lam or 0.0) for worth in mixed),
                    series={
                        "pairs in order": tuple(worth.order_kept for worth in mixed),
                        "pairs with their ratio": tuple(worth.ratio_kept for worth in mixed),
                        "itemsets published": tuple(worth.published for worth in mixed),
                    },
                    y_unit="share",
                    kind="line",
                    x_label="lambda: 0 keeps ratios, 1 keeps order",
                    y_label="kept",
                )
            )
        return tuple(charts)


def plan_stream(
    *,
    min_support: int,
    vulnerable: int,
    epsilon: float | None = None,
    delta: float | None = None,
    error: float | None = None,
    noise: str = "uniform",
    sample: Transactions | None = None,
    records: int = 2000,
) -> PromisePlan:
    """Fill in what is missing: the largest delta within `epsilon`, or an epsilon a little above the least for `delta`.

    `error` is wanted precision in plain terms: by how much a support of `min_support` may be off, as a share of it
    (0.15: 15%); epsilon is its square. With a `sample`, every scheme is tried on its windows of `records` records.

    >>> plan_stream(min_support=25, vulnerable=5, error=0.15).requirement.delta
    0.56
    """
    asked: dict[str, Any] = {
        "min_support": min_support,
        "vulnerable": vulnerable,
        "epsilon": epsilon,
        "delta": delta,
        "error": error,
        "noise": noise,
    }

    def attempt(settings: Mapping[str, Any]) -> PromisePlan:
        return _plan(**{**asked, **settings}, sample=None, records=records)

    try:
        return _plan(**asked, sample=sample, records=records)
    except (CannotMeetError, RequirementError) as refusal:
        cures = follow_cures(refusal, attempt) if refusal.cures else ()
        raise type(refusal)(refusal.what, parameter=refusal.parameter, value=refusal.value, cures=cures) from None


def _plan(
    *,
    min_support: int,
    vulnerable: int,
    epsilon: float | None,
    delta: float | None,
    error: float | None,
    noise: str,
    sample: Transactions | None,
    records: int,
) -> PromisePlan:
    bound = epsilon if error is None else error * error
    if bound is not None and delta is None:
        delta = largest_delta(min_support=min_support, vulnerable=vulnerable, epsilon=bound, noise=noise)
        if delta is None:
            least = least_epsilon(min_support=min_support, vulnerable=vulnerable, delta=0.01, noise=noise)
            name, asked, works = "epsilon", bound, least
            if error is not None:
                name, asked, works = "error", error, math.ceil(1000 * math.sqrt(least)) / 1000
            raise CannotMeetError(
                f"{name}={asked:.4g} leaves room for no noise at min_support={min_support}",
                parameter=name,
                value=asked,
                cures=[{name: works}],
            )
    delta = USUAL_DELTA if delta is None else delta
    if bound is None:
        bound = usual_epsilon(min_support=min_support, vulnerable=vulnerable, delta=delta, noise=noise)
    try:
        requirement = OutputPrivacy(
            epsilon=float(f"{bound:.6g}"), delta=delta, min_support=min_support, vulnerable=vulnerable
        )
        Setting.of(requirement, noise)
    except RequirementError as refusal:
        if error is None:
            raise
        raise RequirementError(refusal.what, parameter="error", value=error, cures=_as_errors(refusal)) from None
    curve = {
        d: least_epsilon(min_support=min_support, vulnerable=vulnerable, delta=d, noise=noise)
        for d in sorted({*_DELTAS, delta})
    }
    worth: list[SchemeWorth] = []
    if sample is not None:
        windows = sample_windows(sample, records=records, min_support=min_support)
        worth = scheme_worth(windows, requirement, noise=noise)
    return PromisePlan(requirement=requirement, noise=noise, trade_off=curve, worth=tuple(worth))


def _as_errors(refusal: RequirementError) -> list[dict[str, object]]:
    """The cures of a refusal, where an epsilon was asked for as the `error` whose square it is."""
    found = []
    for cure in refusal.cures:
        plain = dict(cure)
        if "epsilon" in plain:
            plain["error"] = math.ceil(1000 * math.sqrt(float(str(plain.pop("epsilon"))))) / 1000
        found.append(plain)
    return found
