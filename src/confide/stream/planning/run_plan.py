"""`plan_run`: a promise by blocks, tried on a sample: noise is raised until adversaries are left what is asked."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import CannotMeetError, InputError
from confide.core.figures import Chart, Figure, Figures, ShownFields
from confide.core.randomness import Randomness
from confide.core.requirements.output_privacy import OutputPrivacy, Span
from confide.core.stages import named, stage_named
from confide.core.transactions.container import Transactions
from confide.mining.window.sliding import SlidingWindow
from confide.stream.blocks.block_precision import PublishedPrecision, published_precision
from confide.stream.blocks.law import RunNoise, least_block_epsilon
from confide.stream.planning.tradeoff import USUAL_DELTA, usual_block_epsilon

if TYPE_CHECKING:
    from confide.stream.jobs.requests import StreamRelease

__all__ = ["RunPlan", "TriedNoise", "plan_run"]

_DELTAS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_ANY = 1e9
_STEPS = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
_MOST_WINDOWS = 60
_ENOUGH = 0.95  # of s: a sample has a spread of its own
_SEED = 1


@dataclass(frozen=True, kw_only=True)
class TriedNoise(ShownFields):
    """What adversaries of the sample were left with under noise for `delta`: squared errors of rare patterns, and, of
    `smoothed_simple`, of those that as few supports as any give, which carry the least noise. `same_records`: sets that
    the same records hold were averaged."""

    delta: float
    smoothed: float | None
    smoothed_simple: float | None
    same_records: float | None
    smoothed_and_projected: float | None
    wanted: float
    wanted_projected: float | None

    @property
    def enough(self) -> bool:
        """Whether all are left with as much as one reading with an error of the variance asked for leaves."""
        if self.smoothed is None or self.smoothed_and_projected is None or self.wanted_projected is None:
            return True  # no rare pattern follows from what is published
        found = (self.smoothed, self.smoothed_simple, self.same_records)
        least = min(error for error in found if error is not None)
        return least >= _ENOUGH * self.wanted and self.smoothed_and_projected >= _ENOUGH * self.wanted_projected


@dataclass(frozen=True, kw_only=True)
class RunPlan(ShownFields):
    """A requirement that can be met, its noise, how precise it is, and what was tried on a sample."""

    requirement: OutputPrivacy
    noise: RunNoise
    window: int
    every: int
    trade_off: dict[float, float]
    tried: tuple[TriedNoise, ...] = ()

    @property
    def precision(self) -> tuple[PublishedPrecision, ...]:
        """How far off published supports are, at C and some multiples."""
        return published_precision(self.noise)

    @property
    def answer(self) -> dict[str, Any]:
        """Plain data."""
        factor = self.noise.factor
        return {
            "requirement": self.requirement.to_dict(),
            "promise": self.requirement.promise(),
            "window": self.window,
            "every": self.every,
            "noise": {
                "variance": round(float(self.noise.variance), 4),
                "factor": None if factor is None else float(factor),
                "reach": self.noise.reach,
            },
            "least value published": self.noise.threshold,
            "precision": [asdict(row) for row in self.precision],
            "least epsilon for each delta": {str(delta): value for delta, value in self.trade_off.items()},
            "tried on the sample": [asdict(row) for row in self.tried],
        }

    def request(self, records: Any, noise_key: Any) -> "StreamRelease":
        """The release that this plans."""
        from confide.stream.jobs.requests import StreamRelease

        asked = self.requirement
        return StreamRelease(
            records=records,
            noise_key=noise_key,
            min_support=asked.min_support,
            vulnerable=asked.vulnerable,
            epsilon=asked.epsilon,
            delta=asked.delta,
            promise=asked.span,
            window=self.window,
            every=self.every,
        )

    def facts(self) -> Figures:
        """For a page."""
        within = self.precision[1]
        return Figures(
            Figure("epsilon", self.requirement.epsilon, "number", "bound on the mean squared relative error"),
            Figure("delta", self.requirement.delta, "number", "variance of one reading, as a share of K squared"),
            Figure("variance", float(self.noise.variance), "number", "variance of the noise"),
            Figure("within", within.within, "count", f"records: 95 of 100 supports of {within.support} are within"),
        )

    def charts(self) -> tuple[Chart, ...]:
        """The trade-off."""
        return (
            Chart(
                title="Protection costs precision",
                x=tuple(self.trade_off),
                series={"least epsilon": tuple(self.trade_off.values())},
                y_unit="number",
                kind="line",
                x_label="delta: variance left of a rare pattern, over K squared",
                y_label="epsilon: mean squared relative error of a support",
            ),
        )


def plan_run(
    *,
    min_support: int,
    vulnerable: int = 5,
    window: int = 2000,
    every: int = 100,
    span: Span = "run",
    epsilon: float | None = None,
    delta: float | None = None,
    error: float | None = None,
    sample: Transactions | None = None,
) -> RunPlan:
    """Fill in what is missing: the largest delta within `epsilon`, or an epsilon a little above the least for `delta`.

    `error` is wanted precision in plain terms: the root mean square by which a support of `min_support` is off, as a
    share of it. With a `sample`, adversaries play against its windows, and delta is raised until what they are left
    with is what was asked for; CannotMeetError if no delta up to three times as large does.

    >>> plan_run(min_support=25, error=0.15).requirement.delta
    0.53
    """
    if window % every:
        raise CannotMeetError(
            f"window={window} is not a multiple of every={every}", parameter="window", cures=[{"window": every}]
        )
    blocks = window // every
    wide = OutputPrivacy(
        epsilon=_ANY, delta=delta or USUAL_DELTA, min_support=min_support, vulnerable=vulnerable, span=span
    )
    bound = epsilon if error is None else error * error
    if bound is not None and delta is None:
        delta = _largest_delta(wide, blocks, bound, "epsilon" if error is None else "error")
    delta = USUAL_DELTA if delta is None else delta
    if bound is None:
        names: dict[str, Any] = {"min_support": min_support, "vulnerable": vulnerable, "delta": delta}
        bound = usual_block_epsilon(**names, span=span, blocks=blocks)
    requirement = replace(wide, epsilon=float(f"{bound:.6g}"), delta=delta)
    noise = RunNoise.of(requirement, blocks=blocks)
    curve = {d: least_block_epsilon(replace(wide, delta=d), blocks) for d in sorted({*_DELTAS, delta})}
    tried: list[TriedNoise] = []
    if sample is not None:
        tried = _try_on(sample, requirement, window, every)
        raised = tried[-1].delta
        if raised != delta:
            wider = max(bound, 1.25 * least_block_epsilon(replace(wide, delta=raised), blocks))
            requirement = replace(requirement, delta=raised, epsilon=float(f"{wider:.2g}"))
            noise = RunNoise.of(requirement, blocks=blocks)
    return RunPlan(
        requirement=requirement, noise=noise, window=window, every=every, trade_off=curve, tried=tuple(tried)
    )


def _largest_delta(wide: OutputPrivacy, blocks: int, bound: float, name: str) -> float:
    """The largest delta, in hundredths, whose noise is within the bound."""
    low, high = 0, 1000
    while low < high:
        middle = (low + high + 1) // 2
        fits = least_block_epsilon(replace(wide, delta=middle / 100), blocks) <= bound
        low, high = (middle, high) if fits else (low, middle - 1)
    if not low:
        least = least_block_epsilon(replace(wide, delta=0.01), blocks)
        works = least if name == "epsilon" else math.ceil(1000 * math.sqrt(least)) / 1000
        asked = bound if name == "epsilon" else math.sqrt(bound)
        raise CannotMeetError(
            f"{name}={asked:.4g} leaves room for no noise at min_support={wide.min_support}",
            parameter=name,
            value=asked,
            cures=[{name: works}],
        )
    return low / 100


def _try_on(sample: Transactions, requirement: OutputPrivacy, window: int, every: int) -> list[TriedNoise]:
    """Raise delta until adversaries of the sample are left with what was asked for."""
    if len(sample) < window + every:
        raise InputError(f"the sample has {len(sample):,} records, too few for two windows of {window:,}; give more")
    tried: list[TriedNoise] = []
    for step in _STEPS:
        tried.append(_tried(sample, requirement, round(step * requirement.delta, 6), window, every))
        if tried[-1].enough:
            return tried
    raise CannotMeetError(
        f"on this sample, noise for delta={tried[-1].delta:g} still leaves less than delta={requirement.delta:g} asks "
        "for: its sets lie too closely inside each other",
        parameter="delta",
        value=requirement.delta,
        cures=[{"delta": round(requirement.delta / 2, 3)}],
    )


def _tried(sample: Transactions, asked: OutputPrivacy, delta: float, window: int, every: int) -> TriedNoise:
    from confide.stream.butterfly import Butterfly
    from confide.stream.jobs.requests import StreamRelease
    from confide.stream.pipeline.opening import header_of

    wider = replace(asked, delta=delta, epsilon=_ANY)
    made = Butterfly(wider, blocks=window // every, randomness=Randomness.seeded(_SEED))
    held = SlidingWindow(size=window, min_support=made.mining_support)
    held.learn_many(sample.take(np.arange(window)))
    true, numbers = [held.frequent()], [window // every - 1]
    for start in range(window, min(len(sample) - every + 1, window + (_MOST_WINDOWS - 1) * every), every):
        held.learn_many(sample.take(np.arange(start, start + every)))
        true.append(held.frequent())
        numbers.append(numbers[-1] + 1)
    published = [made.release(x, block=b).data for x, b in zip(true, numbers, strict=True)]
    names: dict[str, Any] = {"min_support": asked.min_support, "vulnerable": asked.vulnerable, "delta": delta}
    header = header_of(
        StreamRelease(records="-", **names, epsilon=_ANY, promise=asked.span, window=window, every=every, seed=_SEED)
    )
    path = stage_named("stream").run_attack
    assert path is not None
    left = {one.name: one for one in named(path)(header, numbers, true, published, every=2)}
    s = float(asked.noise_variance())
    projected = left["smoothed and projected"].patterns
    return TriedNoise(
        delta=delta,
        smoothed=left["all releases smoothed"].patterns,
        smoothed_simple=left["all releases smoothed"].simple,
        same_records=left["sets of the same records averaged"].simple,
        smoothed_and_projected=projected,
        wanted=s,
        wanted_projected=None if projected is None else _cut_reading(s, range(1, asked.vulnerable + 1)),
    )


def _cut_reading(variance: float, counts: Sequence[int]) -> float:
    """The mean squared error of one reading with a Gaussian error of this variance, cut at 0, over these counts."""
    x = np.linspace(-8, 8, 4001)
    weights = np.exp(-(x**2) / 2)
    weights /= weights.sum()
    shown = [np.maximum(count + x * math.sqrt(variance), 0.0) - count for count in counts]
    return float(np.mean([(weights * off**2).sum() for off in shown]))
