"""What a whole run leaves to adversaries who know every rule: noise by blocks beside `basic`, the paper's noise.

Windows of 2,000 records, C = 25, K = 5. Larger errors are better for people; the relative error is what readers pay.
"""

import pathlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.stream.windows import SIZE, streams
from confide import Randomness, Transactions
from confide.audit.adversaries.runs.run_errors import attack_run
from confide.core.itemsets.container import Itemsets
from confide.mining import SlidingWindow
from confide.stream import Butterfly, StreamRelease
from confide.stream.blocks.precision import likely_supports, support_slope
from confide.stream.pipeline.opening import header_of, requirement_of

RELEASES, SEED, LOOKED_AT = 600, 1, 2  # rare patterns are looked for in every second window
CASES = ((0.4, 100), (1.0, 100), (0.4, 10))


def slid(tx: Transactions, least: int, every: int, count: int) -> list[Itemsets]:
    """The itemsets of windows `every` records apart."""
    window = SlidingWindow(size=SIZE, min_support=least)
    window.learn_many(tx.take(np.arange(SIZE)))
    found = [window.frequent()]
    for start in range(SIZE, min(len(tx) - every + 1, SIZE + (count - 1) * every), every):
        window.learn_many(tx.take(np.arange(start, start + every)))
        found.append(window.frequent())
    return found


def relative(true: list[Itemsets], published: list[Itemsets]) -> tuple[float, float]:
    """The mean and the 95th percentile of the relative error of what is published."""
    off = [
        abs(value - known[items]) / known[items]
        for one, out in zip(true, published, strict=True)
        for known in [one.as_dict()]
        for items, value in out.as_dict().items()
    ]
    return float(np.mean(off)), float(np.quantile(off, 0.95))


def covered(made: Butterfly, true: list[Itemsets], published: list[Itemsets]) -> tuple[float, float]:
    """The share of stated intervals that hold the support: of all, and near the threshold."""
    inside, near = [], []
    for one, out in zip(true, published, strict=True):
        known, slope = one.as_dict(), support_slope(out.supports.astype(np.int64))
        for items, value in out.as_dict().items():
            low, high = likely_supports(
                value, made.run_noise.chances, slope=slope, least=made.mining_support, records=SIZE
            )
            inside.append(low <= known[items] <= high)
            near.append(value < made.threshold + 5)
    return float(np.mean(inside)), float(np.mean(np.array(inside)[np.array(near)]))


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream, delta and distance of releases."""
    for name, read, least in streams(data):
        if "closed" in name:
            continue
        tx = read()
        for delta, every in CASES:
            began = time.process_time()
            asked = {"records": "-", "min_support": least, "delta": delta, "window": SIZE, "every": every, "seed": SEED}
            request, paper = StreamRelease(**asked), StreamRelease(**asked, scheme="basic")
            made = Butterfly(requirement_of(request), blocks=request.blocks, randomness=Randomness.seeded(SEED))
            true = slid(tx, made.mining_support, every, RELEASES)
            blocks = [request.blocks - 1 + i for i in range(len(true))]
            out = [made.release(x, block=b).data for x, b in zip(true, blocks, strict=True)]
            rival = Butterfly(requirement_of(paper), scheme="basic", randomness=Randomness.seeded(SEED))
            before = [rival.release(x).data for x in true]
            ours = attack_run(header_of(request), blocks, true, out, every=LOOKED_AT)
            theirs = attack_run(header_of(paper), blocks, true, before, every=LOOKED_AT)
            yield {
                "claim": f"squared error of a rare pattern, smoothed, {name}, delta {delta}, every {every}",
                "ours": _rounded(next(x.patterns for x in ours if x.name == "all releases smoothed")),
                "rival": {
                    "name": "basic",
                    "error": _rounded(next(x.patterns for x in theirs if x.name == "all releases smoothed")),
                },
                "settings": {
                    "releases": len(true),
                    "supports, rare patterns and spread, ours": _table(ours),
                    "supports, rare patterns and spread, basic": _table(theirs),
                    "variance of the noise": round(float(made.run_noise.variance), 2),
                    "relative error, mean and 95th percentile": [round(x, 3) for x in relative(true, out)],
                    "the same, basic": [round(x, 3) for x in relative(true, before)],
                    "intervals that hold, all and near the threshold": [round(x, 3) for x in covered(made, true, out)],
                    "seconds": round(time.process_time() - began, 1),
                },
            }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _table(found: Any) -> dict[str, list[float | None]]:
    return {x.name: [_rounded(x.supports), _rounded(x.patterns), _rounded(x.spread)] for x in found}
