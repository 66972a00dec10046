"""Hidden comparison of scores among three parties on this machine: a whole level at once, against node by node.

Two sites and a helper, one process each, on loopback. Scores have 41 bits, as gains do. The rival is our own plain
version: the same comparison, one node at a time. The time to start the three processes is a row of its own.
"""

import pathlib
import statistics
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from confide.join.hidden.winner import LocalComparison

SIZES, ROUNDS, ONE_BY_ONE, SEED, LARGEST = (1, 64, 256), 3, 8, 1, (1 << 41)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Starting, then one row for each number of nodes."""
    began = time.perf_counter()
    with LocalComparison(["T1", "T2"], helper="T3", largest=LARGEST) as local:
        started = time.perf_counter() - began
        yield {
            "claim": "start three parties of a hidden comparison",
            "ours": round(started, 3),
            "rival": None,
            "ratio": None,
            "spread": None,
            "settings": "once per training run",
        }
        for nodes in SIZES:
            scores = np.random.default_rng(SEED).integers(0, LARGEST, (2, nodes))
            ours, rival, right = [], [], True
            for _ in range(ROUNDS):
                began = time.perf_counter()
                right &= bool((local.winners(scores) == scores.argmax(axis=0)).all())
                ours.append(time.perf_counter() - began)
                some = min(nodes, ONE_BY_ONE)
                began = time.perf_counter()
                for node in range(some):
                    local.winners(scores[:, node : node + 1])
                rival.append((time.perf_counter() - began) / some * nodes)
            ratios = [b / a for a, b in zip(ours, rival, strict=True)]
            yield {
                "claim": f"choose the winners of {nodes} nodes, hidden, " + ("all right" if right else "WRONG WINNERS"),
                "ours": round(statistics.median(ours), 3),
                "rival": round(statistics.median(rival), 3),
                "ratio": round(statistics.median(ratios), 2),
                "spread": round((max(ratios) - min(ratios)) / statistics.median(ratios), 3),
                "settings": f"rival: node by node, from {some} nodes; median of {ROUNDS}; seed {SEED}",
            }
