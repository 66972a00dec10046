"""Audit a perturber by sampling: how large is the ratio of likelihoods it really shows?

Any perturber will do, ours or another's, in any language behind a function: given a true record (a number) and how
many, it answers with what it would send (numbers). Half of the samples look for the records u1, u2 and the answer v
whose ratio P(v|u1)/P(v|u2) seems largest; *fresh* samples of these few then give, with confidence,

    lower bound on P(v|u1)  /  upper bound on P(v|u2)        (Clopper-Pearson, Bonferroni over all bounds taken)

A lower bound above the claimed gamma refutes the claim. One below it proves nothing: it only says that this many
samples did not refute it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.figures import Shown

__all__ = ["LikelihoodAudit", "Perturber", "audit_perturber"]

Perturber = Callable[[int, int], NDArray[np.int64]]
"""(true record, how many) -> that many answers, each a number from 0 to outputs - 1."""

CHUNK = 1 << 20  # answers asked for at once
MOST_TESTED = 16  # triples (u1, u2, v) that fresh samples are spent on,
ENOUGH = 2000  # fewer where the rarer answer would then be drawn less often than this


@dataclass(frozen=True, kw_only=True)
class LikelihoodAudit(Shown):
    """What an audit by sampling found.

    With probability `confidence` the true gamma is at least `gamma_low`. `gamma_seen` is the ratio of counts at
    `worst` = (u1, u2, v), without any allowance for chance. `refuted` says whether `claimed` lies below `gamma_low`.
    """

    gamma_low: float
    gamma_seen: float
    worst: tuple[int, int, int]
    claimed: float | None
    confidence: float
    samples: int
    tested: int

    @property
    def refuted(self) -> bool:
        """Whether the claim is false, at this confidence."""
        return self.claimed is not None and self.gamma_low > self.claimed

    def summary(self) -> str:
        """One line: refuted, or what so many draws show."""
        if self.refuted:
            return f"refuted: the real gamma is at least {self.gamma_low:.4g}, the claim was {self.claimed:.4g}"
        claim = "" if self.claimed is None else f", the claim is {self.claimed:.4g}"
        return (
            f"{'not refuted: ' if claim else ''}{self.samples:,} draws show a gamma of at least {self.gamma_low:.4g} "
            f"(at {self.confidence:.4g} confidence){claim}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values; JSON knows no infinity, so a `gamma_seen` without bound is None."""
        seen = self.gamma_seen if math.isfinite(self.gamma_seen) else None
        return {**asdict(self), "gamma_seen": seen, "refuted": self.refuted}


def audit_perturber(
    perturb: Perturber,
    *,
    truths: int | Sequence[int],
    outputs: int,
    samples: int = 1_000_000,
    claimed: float | None = None,
    confidence: float = 0.999,
) -> LikelihoodAudit:
    """Bound from below the amplification that `perturb` really has, from about `samples` draws.

    `truths` are the true records to try (a number: 0, 1, ...), `outputs` how many different answers there are. More
    samples, and fewer truths and outputs, find smaller faults: a bound comes within about 3/sqrt(k) of the truth when
    the rarer of two answers is drawn k times. Wrong alarms have a chance of at most 1 - confidence, however many
    records and answers there are.
    """
    known = list(range(truths)) if isinstance(truths, int) else [int(u) for u in truths]
    if len(set(known)) < 2 or len(set(known)) < len(known):
        raise UsageError("name two different true records or more")
    if outputs < 2:
        raise UsageError(
            f"outputs={outputs}: with a single answer there is nothing to audit", parameter="outputs", value=outputs
        )
    if not 0.5 <= confidence < 1:
        raise UsageError(
            f"confidence={confidence} must lie between 0.5 and 1, such as 0.999",
            parameter="confidence",
            value=confidence,
        )
    if claimed is not None and claimed < 1:
        raise UsageError(
            f"claimed={claimed:g} is no gamma; use a number of 1 or more, such as 19",
            parameter="claimed",
            value=claimed,
        )
    each = samples // (2 * len(known))
    if each < 1:
        raise UsageError(
            f"samples={samples} are too few for {len(known)} true records; two for each at least",
            parameter="samples",
            value=samples,
        )
    counts = np.stack([_count(perturb, u, each, outputs) for u in known])
    triples = _suspects(counts, samples - each * len(known))
    involved = sorted({u for one, other, _ in triples for u in (one, other)})
    fresh = max(1, (samples - each * len(known)) // len(involved))
    again = {u: _count(perturb, known[u], fresh, outputs) for u in involved}
    bounds = _Bounds(fresh, (1 - confidence) / (2 * len(triples)))
    lows = [bounds.low(again[one][v]) / bounds.high(again[other][v]) for one, other, v in triples]
    best = int(np.argmax(lows))
    one, other, v = triples[best]
    seen_other = int(again[other][v])
    return LikelihoodAudit(
        gamma_low=max(1.0, float(lows[best])),
        gamma_seen=float(again[one][v] / seen_other) if seen_other else float("inf"),
        worst=(known[one], known[other], v),
        claimed=claimed,
        confidence=confidence,
        samples=each * len(known) + fresh * len(involved),
        tested=len(triples),
    )


def _count(perturb: Perturber, truth: int, times: int, outputs: int) -> NDArray[np.int64]:
    found = np.zeros(outputs, dtype=np.int64)
    while times > 0:
        now = min(times, CHUNK)
        answers = np.asarray(perturb(truth, now))
        if answers.shape != (now,):
            raise UsageError(f"asked for {now:,} answers, the perturber gave an array of shape {answers.shape}")
        if answers.min() < 0 or answers.max() >= outputs:
            raise UsageError(f"the perturber gave an answer outside 0..{outputs - 1}")
        found += np.bincount(answers, minlength=outputs)
        times -= now
    return found


def _suspects(counts: NDArray[np.int64], fresh: int) -> list[tuple[int, int, int]]:
    """The triples (u1, u2, v) whose ratio seems largest, with an allowance for chance; one for each answer v."""
    high = counts + 2 * np.sqrt(counts + 1.0) + 2
    low = np.maximum(counts - 2 * np.sqrt(counts), 0.0)
    order = np.argsort(-(low.max(axis=0) / high.min(axis=0)), kind="stable")
    usual = float(np.median(counts[:, order[0]])) / max(counts[0].sum(), 1)
    many = max(1, min(MOST_TESTED, int(fresh * usual / (2 * ENOUGH))))
    return [(int(np.argmax(counts[:, v])), int(np.argmin(counts[:, v])), int(v)) for v in order[:many]]


class _Bounds:
    """One-sided Clopper-Pearson bounds on a chance, each wrong with probability `error` at most."""

    def __init__(self, trials: int, error: float):
        self.trials, self.error = trials, error

    def low(self, count: int) -> float:
        from scipy.special import betaincinv

        return float(betaincinv(count, self.trials - count + 1, self.error)) if count else 0.0

    def high(self, count: int) -> float:
        from scipy.special import betaincinv

        if count == self.trials:
            return 1.0
        return float(betaincinv(count + 1, self.trials - count, 1 - self.error))
