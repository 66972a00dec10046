"""What a whole run leaves to adversaries who know every rule: noise by blocks beside `basic`, the paper's noise.

Windows of 2,000 records, C = 25, K = 5. Larger errors are better for people. Of each adversary: the squared error of
supports, of rare patterns, its spread, that of the patterns which two supports give (the least noise there is), and the
share of the variance of their counts that is explained.
"""

import pathlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.stream.windows import SIZE, streams
from confide import Randomness, Transactions
from confide.audit.adversaries.runs.handed_blocks import RecordBlocks
from confide.audit.adversaries.runs.rare_patterns import RunPatterns
from confide.audit.adversaries.runs.run_errors import attack_run, guess_from_blocks
from confide.audit.verifiers.streams.block_claims import error_after_cleaning
from confide.core.itemsets.container import Itemsets
from confide.mining import SlidingWindow
from confide.stream import Butterfly, StreamRelease
from confide.stream.pipeline.opening import header_of, requirement_of

RELEASES, SEED = 600, 1
DENSE = 14  # releases of T20I4D50K, whose windows have hundreds of rare patterns each
LOOKED_AT = 100  # windows in which rare patterns are looked for
HANDED = 12  # times that the noise of blocks is drawn for whoever is handed every block
CASES = ((0.4, 100, 100), (1.0, 100, 100), (0.4, 10, 500), (0.4, 1, 500))
"""delta, records between two releases, and between the windows that are looked at."""


def slid(tx: Transactions, least: int, step: int, count: int) -> list[Itemsets]:
    """The itemsets of windows `step` records apart."""
    window = SlidingWindow(size=SIZE, min_support=least)
    window.learn_many(tx.take(np.arange(SIZE)))
    found = [window.frequent()]
    for start in range(SIZE, min(len(tx) - step + 1, SIZE + (count - 1) * step), step):
        window.learn_many(tx.take(np.arange(start, start + step)))
        found.append(window.frequent())
    return found


def one_reading(counts: np.ndarray, variance: float) -> dict[str, float]:
    """What one reading with an error of this variance leaves: when cut at 0, and of the variance of the counts."""
    draws = np.random.default_rng(1).normal(0, variance**0.5, size=(2000, 1))
    cut = np.maximum(counts[None, :2000] + draws, 0.0) - counts[None, :2000]
    explained = counts.var() / (counts.var() + variance)
    return {"cut at 0": round(float((cut**2).mean()), 2), "explained": round(float(explained), 3)}


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream, delta and distance of releases."""
    for delta, every, step in CASES:
        for name, read, least in streams(data):
            if "closed" not in name:
                yield played(name, read(), least, delta, every, step)


def played(name: str, tx: Transactions, least: int, delta: float, every: int, step: int) -> dict[str, Any]:
    """The row of a stream."""
    began = time.process_time()
    asked = {"records": "-", "min_support": least, "delta": delta, "window": SIZE, "every": every, "seed": SEED}
    request, paper = StreamRelease(**asked), StreamRelease(**asked, scheme="basic")
    made = Butterfly(requirement_of(request), blocks=request.blocks, randomness=Randomness.seeded(SEED))
    true = slid(tx, made.mining_support, step, DENSE if "T20" in name else RELEASES)
    blocks = [request.blocks - 1 + i * step // every for i in range(len(true))]
    out = [made.release(x, block=b).data for x, b in zip(true, blocks, strict=True)]
    rival = Butterfly(requirement_of(paper), scheme="basic", randomness=Randomness.seeded(SEED))
    before = [rival.release(x).data for x in true]
    looked_at = max(1, len(true) // LOOKED_AT)
    held = RecordBlocks(parts=[tx], numbers=np.arange(len(tx)) // every)

    def counts(i: int, sets: Any) -> np.ndarray:
        return held.count(blocks[i], request.blocks, sets)

    header = header_of(request)
    ours = attack_run(header, blocks, true, out, every=looked_at, blocks=counts)
    theirs = attack_run(header_of(paper), blocks, true, before, every=looked_at)
    rare = RunPatterns.find(true, out, vulnerable=made.requirement.vulnerable, every=looked_at)
    found = rare.judge([one.as_dict() for one in out])
    values, chance = [one.as_dict() for one in out], np.random.default_rng(2)
    handed = [rare.judge(guess_from_blocks(header.noise, counts, rare, values, chance)) for _ in range(HANDED)]
    s = float(made.requirement.noise_variance())
    return {
        "claim": f"squared error of a rare pattern, smoothed, {name}, delta {delta}, every {every}",
        "ours": _rounded(next(x.simple for x in ours if x.name == "all releases smoothed")),
        "rival": {
            "name": "basic",
            "error": _rounded(next(x.simple for x in theirs if x.name == "all releases smoothed")),
        },
        "settings": {
            "releases": len(true),
            "patterns, and those of two supports": [len(found.counts), int(found.simple.sum())],
            "s": s,
            "one reading with an error of s, of all patterns and of those": [
                one_reading(counts, s) if len(counts) else None for counts in (found.counts, found.counts[found.simple])
            ],
            "every block handed over, of patterns that two supports give, over several draws": [
                round(float(f([x.simple_error for x in handed])), 2) for f in (np.mean, np.std)
            ]
            if found.simple.any()
            else None,
            "the same by the law, and one reading with an error of s for whoever knows the mean counts": by_law(
                rare, values, blocks=request.blocks, noise=float(made.run_noise.block.variance), s=s
            ),
            "ours": _table(ours),
            "basic": _table(theirs),
            "variance of the noise over s": round(float(made.run_noise.variance) / s, 3),
            "seconds": round(time.process_time() - began, 1),
        },
    }


def by_law(
    rare: RunPatterns, values: list[dict[frozenset[str], int]], *, blocks: int, noise: float, s: float
) -> list[float] | None:
    """What the law of the noise leaves of patterns that two supports give to whoever cleans every block, counts being
    Poisson; and what is left of both counts' variance after one reading of the pattern with an error of s."""
    shown: dict[frozenset[str], list[int]] = {}
    for one in values:
        for items, value in one.items():
            shown.setdefault(items, []).append(value)
    cleaned, read = [], []
    for patterns in rare.by_window.values():
        for x in patterns:
            if len(x.without) == 1:
                rates = [round(float(np.mean(shown[items]))) for _, items in x.terms()]
                cleaned.append(sum(blocks * error_after_cleaning(noise, rate / blocks) for rate in rates))
                read.append(1 / (1 / s + 1 / sum(rates)))
    return [round(float(np.mean(x)), 2) for x in (cleaned, read)] if cleaned else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _table(found: Any) -> dict[str, list[float | None]]:
    return {x.name: [_rounded(y) for y in (x.supports, x.patterns, x.spread, x.simple, x.explained)] for x in found}
