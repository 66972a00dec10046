"""What raw supports give away: rare patterns from single windows of each stream, and from neighbouring windows by lag.

No noise here: this is why noise is needed. Windows of 2,000 records, C = 25, K = 5.
"""

import pathlib
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.stream.windows import SIZE, streams
from confide import Transactions
from confide.audit import claim_by_membership, infer_between_windows, infer_patterns
from confide.core.itemsets.container import Itemsets
from confide.mining import SlidingWindow

K, STEP = 5, 100
LAGS, PAIRS = (1, 5, 20, 100), 100


def slid(tx: Transactions, min_support: int, step: int) -> Iterator[Itemsets]:
    """The frequent itemsets of every window, `step` records apart."""
    window = SlidingWindow(size=SIZE, min_support=min_support)
    window.learn_many(tx.take(np.arange(SIZE)))
    yield window.frequent()
    for start in range(SIZE, len(tx) - step + 1, step):
        window.learn_many(tx.take(np.arange(start, start + step)))
        yield window.frequent()


def at_least(itemsets: Itemsets, support: int) -> Itemsets:
    """Those of this support or more."""
    return itemsets.take(np.flatnonzero(itemsets.supports >= support))


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream; then one for each lag on BMS-WebView-1."""
    for name, read, min_support in streams(data):
        if "closed" in name:
            continue
        began = time.process_time()
        counts = [len(infer_patterns(itemsets, vulnerable=K).patterns) for itemsets in slid(read(), min_support, STEP)]
        yield {
            "claim": f"patterns of 1 to {K} records that follow from raw supports, {name}, every {STEP} records",
            "ours": sum(counts),
            "settings": {
                "windows": len(counts),
                "a window, mean and most": [round(float(np.mean(counts)), 1), max(counts)],
                "milliseconds a window": round(1000 * (time.process_time() - began) / len(counts), 1),
            },
        }
    _, read, min_support = next(streams(data))
    tx = read()
    for lag in LAGS:
        found, claims, pairs = 0, 0, 0
        below = []
        for itemsets in slid(tx, min_support - 1, lag):
            below.append(itemsets)
            if len(below) > PAIRS:
                break
        for before, now in pairwise(below):
            said = [at_least(one, min_support) for one in (before, now)]
            found += len(infer_between_windows(*said, lag=lag, vulnerable=K, min_support=min_support).patterns)
            claims += claim_by_membership([before, now], said, min_support=min_support).appeared_right
            pairs += 1
        yield {
            "claim": f"patterns that follow from two windows but not from one, BMS-WebView-1, lag {lag}",
            "ours": found,
            "settings": {"pairs of windows": pairs, "supports rightly claimed from who appeared": claims},
        }
