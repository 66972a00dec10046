"""What averaging over sanitised releases of BMS-WebView-1 leaves an adversary (`raw_patterns` has what needs no noise).

Averaging asks for the count in the middle of a stretch of releases. The rival is the paper's rule for keeping values
(only while a support does not change); a larger error is better for people.
"""

import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.stream.windows import SIZE
from confide import OutputPrivacy, Randomness, Transactions
from confide.audit import average_releases
from confide.core.itemsets.container import Itemsets
from confide.mining import SlidingWindow
from confide.stream import Butterfly

RELEASES, SEEDS, WIDTHS = 150, 12, (1, 3, 5, 9, 15)


def errors(true: list[Itemsets], requirement: OutputPrivacy, epoch: int | None, seed: int) -> list[float]:
    """The squared error left by each width."""
    made = Butterfly(requirement, scheme="basic", epoch=epoch, randomness=Randomness.seeded(seed))
    said = [made.release(itemsets).data for itemsets in true]
    return list(average_releases(true, said, widths=WIDTHS, past=True).errors.values())


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Averaging at lags 10 and 100."""
    tx = Transactions.read(data / "bms" / "BMS-WebView-1.dat.gz")
    requirement = OutputPrivacy(epsilon=0.02, delta=0.4, min_support=25, vulnerable=5)
    for lag in (10, 100):
        true = []
        window = SlidingWindow(size=SIZE, min_support=25)
        window.learn_many(tx.take(np.arange(SIZE)))
        for start in range(SIZE, SIZE + RELEASES * lag, lag):
            true.append(window.frequent())
            window.learn_many(tx.take(np.arange(start, start + lag)))
        # One run has few draws, since values are kept: the mean over seeds is what counts.
        ours, paper = (
            np.array([errors(true, requirement, epoch, seed) for seed in range(SEEDS)]) for epoch in (None, 1)
        )
        best, other = ours.mean(axis=0).min(), paper.mean(axis=0).min()
        yield {
            "claim": f"least squared error left by averaging, BMS-WebView-1, a release every {lag} records",
            "ours": round(float(best), 2),
            "rival": {"name": "values kept by the paper's rule", "error": round(float(other), 2)},
            "ratio": round(float(best / other), 2),
            "settings": {
                "seeds": SEEDS,
                "by releases averaged, ours": dict(zip(WIDTHS, ours.mean(axis=0).round(2).tolist(), strict=True)),
                "deviation between seeds, ours": dict(zip(WIDTHS, ours.std(axis=0).round(2).tolist(), strict=True)),
                "by releases averaged, rival": dict(zip(WIDTHS, paper.mean(axis=0).round(2).tolist(), strict=True)),
            },
        }
