"""What the publisher costs beside the window: a release by `Butterfly`, against letting 100 records in and reading.

Medians over all windows of a stream, each release right after its window was read, with the memory of a running stream.
"""

import pathlib
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks.stream.windows import SIZE, streams
from confide import OutputPrivacy
from confide.mining import SlidingWindow
from confide.stream import Butterfly
from confide.stream.biases import SCHEMES

EVERY, MOST = 100, 300


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream and scheme."""
    for name, read, min_support in streams(data):
        if "closed" in name:
            continue
        tx = read()
        stops = list(range(SIZE + EVERY, len(tx) + 1, EVERY))[:MOST]
        for scheme in SCHEMES:
            requirement = OutputPrivacy(epsilon=0.24, delta=0.4, min_support=min_support, vulnerable=5)
            window = SlidingWindow(size=SIZE, min_support=min_support)
            window.learn_many(tx.take(np.arange(SIZE)))
            made = Butterfly(requirement, scheme=scheme)
            made.release(window.frequent())
            mining, publishing, fresh, sets = [], [], 0, 0
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
            ratios = sorted(b / a for a, b in zip(mining, publishing, strict=True))
            yield {
                "claim": f"a release by {scheme}, {name}, min support {min_support}, microseconds",
                "ours": round(1e6 * median(publishing), 1),
                "rival": {"name": "100 records in, itemsets out", "microseconds": round(1e6 * median(mining), 1)},
                "ratio": round(median(publishing) / median(mining), 3),
                "spread": [round(ratios[len(ratios) // 4], 3), round(ratios[3 * len(ratios) // 4], 3)],
                "settings": {
                    "windows": len(stops),
                    "itemsets a window": round(sets / len(stops)),
                    "new classes a release": round(fresh / len(stops), 1),
                },
            }
