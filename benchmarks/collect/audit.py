"""Auditing perturbers by sampling: 10^7 draws from each scheme do not refute its gamma; broken schemes are refuted.

`python -m benchmarks collect.audit`. `ours` has the lower bound of the realised gamma at 99.9% confidence, `rival` the
claimed gamma, and the ratio is claimed / bound: 1 or more for an honest scheme, below 1 for a broken one. Every honest
line is wrong with a chance of at most 0.1%. Schemes whose answers are too many to list are audited over a few of their
fields or items, by the same law (`smaller`).
"""

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.audit import audit_perturber
from confide.collect import (
    BasketQuestion,
    CutAndPaste,
    Emask,
    GammaDiagonal,
    LocalHashing,
    Mask,
    RandomizedResponse,
    RepeatedAnswers,
    SampledDesign,
    SubsetSelection,
    UnaryEncoding,
    perturber_of,
    plan_collection,
)
from confide.collect.planning.perturber import law_to_audit
from confide.core.randomness import Randomness

__all__ = ["run"]

SAMPLES = 10_000_000
CONFIDENCE = 0.999
ITEMS = ("a", "b", "c", "d")
SURVEY = [4, 5, 5, 5, 2, 2]
MANY = tuple(f"item {i}" for i in range(500))

HONEST: dict[str, Any] = {
    "GammaDiagonal on 2,000 cells": GammaDiagonal(domains=[4, 5, 5, 5, 2, 2], gamma=19),
    "GammaDiagonal on 8 cells": GammaDiagonal(domains=[2, 2, 2], gamma=19),
    "GammaDiagonal on 8 cells, alpha = 0.3 (RAN-GD)": GammaDiagonal(domains=[2, 2, 2], gamma=19, alpha=0.3),
    "Mask on 4 items": Mask(p=0.7, items=ITEMS),
    "Emask on 4 items": Emask(p=0.5, q=0.9, items=ITEMS, max_length=2),
    "Cut-and-Paste on 4 items": CutAndPaste(K=3, rho=0.4514, items=ITEMS),
    "RandomizedResponse, one field of 2,000 values": RandomizedResponse(domains=[2000], gamma=19),
    "RandomizedResponse on 6 fields": RandomizedResponse(domains=SURVEY, gamma=19),
    "UnaryEncoding on 2,000 cells": UnaryEncoding(domains=SURVEY, gamma=19),
    "UnaryEncoding on 2,000 cells, symmetric": UnaryEncoding(domains=SURVEY, gamma=19, symmetric=True),
    "LocalHashing on 2,000 cells": LocalHashing(domains=SURVEY, gamma=19),
    "SubsetSelection on 2,000 cells": SubsetSelection(domains=SURVEY, gamma=19),
    "SampledDesign, k-ary pairs of 6 fields": SampledDesign(domains=SURVEY, gamma=19, size=2, scheme="k-ary"),
    "SampledDesign, triples of 6 fields": SampledDesign(domains=SURVEY, gamma=19),
    "the planned design of 6 fields": plan_collection(SURVEY, gamma=19, people=50_000).scheme(),
    "BasketQuestion, one of 500 items": BasketQuestion(items=MANY, gamma=19, pad=4),
    "BasketQuestion, how many of 500 items": BasketQuestion(items=MANY, gamma=19, pad=4, asks="count"),
    "RepeatedAnswers, one day": RepeatedAnswers(domains={"mood": 5}, gamma=19, each=4).scheme,
}


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Audit every scheme with the system's randomness, then three that were broken on purpose."""
    for name, scheme in HONEST.items():
        law = law_to_audit(scheme, randomness=Randomness.system())
        claim = f"{name}{', over a few of them' if law.notes else ''}: its gamma is not refuted"
        yield _audit(claim, law.draw, law.truths, law.outputs, law.gamma, refuted=False)
    eight, many = Fraction(20, 28), Fraction(22, 2022)  # gamma 21 on 8 cells, 23 on 2,000
    yield _audit("kept too often, gamma 21 for 19, 8 cells: caught", _keeping(8, eight), 8, 8, 19, refuted=True)
    yield _audit(
        "kept too often, gamma 23 for 19, 2,000 cells: caught", _keeping(2000, many), 2000, 2000, 19, refuted=True
    )
    flipped = Mask(p=0.72, items=ITEMS)
    draw, truths, outputs = perturber_of(flipped, randomness=Randomness.system())
    claimed = Mask(p=0.7, items=ITEMS).amplification().gamma
    yield _audit("Mask on 4 items that flips with 0.28 for 0.3: caught", draw, truths, outputs, claimed, refuted=True)


def _keeping(cells: int, keep: Fraction) -> Callable[[int, int], NDArray[np.int64]]:
    source = Randomness.system()

    def draw(truth: int, times: int) -> NDArray[np.int64]:
        return np.where(source.bernoulli(keep, times), truth, source.integers(cells, times))

    return draw


def _audit(
    claim: str,
    draw: Callable[[int, int], NDArray[np.int64]],
    truths: int,
    outputs: int,
    claimed: float,
    *,
    refuted: bool,
) -> dict[str, Any]:
    began = time.perf_counter()
    found = audit_perturber(
        draw, truths=truths, outputs=outputs, samples=SAMPLES, claimed=claimed, confidence=CONFIDENCE
    )
    return {
        "claim": claim,
        "holds": found.refuted == refuted,
        "ours": {"gamma_low": round(found.gamma_low, 3), "gamma_seen": round(found.gamma_seen, 3)},
        "rival": {"name": "claimed gamma", "gamma": round(claimed, 4)},
        "ratio": round(claimed / found.gamma_low, 4),
        "spread": None,
        "settings": {
            "samples": found.samples,
            "confidence": CONFIDENCE,
            "true records": truths,
            "answers": outputs,
            "seconds": round(time.perf_counter() - began, 1),
        },
    }
