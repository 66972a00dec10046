"""What the publisher costs beside the window: a release by `Butterfly`, against letting 100 records in and reading.

Medians over windows of a stream, each release right after its window was read, with the memory of a running stream. The
paper's Figure 11 has windows of 5,000 and C from 20 to 40.
"""

import pathlib
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks.stream.windows import SIZE, streams
from confide import OutputPrivacy, Transactions
from confide.mining import SlidingWindow
from confide.stream import Butterfly
from confide.stream.paper.biases import SCHEMES, Scheme

EVERY, MOST = 100, 300
FIGURE_11 = (5000, (20, 25, 30, 40))


def measured(tx: Transactions, scheme: Scheme, size: int, min_support: int) -> dict[str, Any]:
    """Microseconds of both sides, and what there was to do."""
    requirement = OutputPrivacy(epsilon=0.24, delta=0.4, min_support=min_support, vulnerable=5)
    window = SlidingWindow(size=size, min_support=min_support)
    window.learn_many(tx.take(np.arange(size)))
    made = Butterfly(requirement, scheme=scheme)
    made.release(window.frequent())
    mining, publishing, fresh, sets = [], [], 0, 0
    stops = list(range(size + EVERY, len(tx) + 1, EVERY))[:MOST]
    for stop in stops:
        part = tx.take(np.arange(stop - EVERY, stop))
        began = time.perf_counter()
        window.learn_many(part)
        found = window.frequent()
        read_at = time.perf_counter()
        release = made.release(found)
        publishing.append(time.perf_counter() - read_at)
        mining.append(read_at - began)
        fresh += int(release.owner.fresh.sum())
        sets += len(found)
    ratios = sorted(a / b for a, b in zip(mining, publishing, strict=True))
    return {
        "ours": round(1e6 * median(publishing), 1),
        "rival": {"name": "100 records in, itemsets out", "microseconds": round(1e6 * median(mining), 1)},
        "ratio": round(median(mining) / median(publishing), 1),
        "spread": [round(ratios[len(ratios) // 4], 1), round(ratios[3 * len(ratios) // 4], 1)],
        "settings": {
            "share of the rival's time": round(median(publishing) / median(mining), 3),
            "windows": len(stops),
            "itemsets a window": round(sets / len(stops)),
            "new classes a release": round(fresh / len(stops), 1),
        },
    }


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream and scheme, then Figure 11."""
    for name, read, min_support in streams(data):
        if "closed" in name:
            continue
        tx = read()
        for scheme in SCHEMES:
            claim = f"a release by {scheme}, {name}, min support {min_support}, window {SIZE:,}, microseconds"
            yield {"claim": claim, **measured(tx, scheme, SIZE, min_support)}
        if name == "BMS-WebView-1":
            size, supports = FIGURE_11
            for min_support in supports:
                for scheme in SCHEMES:
                    claim = f"a release by {scheme}, {name}, min support {min_support}, window {size:,}, microseconds"
                    yield {"claim": claim, **measured(tx, scheme, size, min_support)}
