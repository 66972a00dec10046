"""How fast the sample generators are. The bounds are our own promises: no rival generates the same data."""

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from confide.core.samples import baskets, chain_tables, documents, people, quest

RUNS = 5


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim; `data` is not needed, all of it is generated."""
    quest("T10I4D1K")  # compiles, or loads, the kernel
    people(10)  # imports pyarrow
    yield _against_a_bound("T10I4D1M is generated in under 20 s", lambda: quest("T10I4D1M"), 20.0)
    yield _against_a_bound("100,000 invented people in under 5 s", lambda: people(100_000), 5.0)
    yield _against_a_bound("100,000 baskets with private items in under 5 s", lambda: baskets(100_000), 5.0)
    yield _against_a_bound(
        "two chain-join tables of 1,000,000 rows in under 20 s", lambda: chain_tables(2, rows=1_000_000), 20.0
    )
    yield _against_a_bound("10,000 documents in under 5 s", lambda: documents(10_000), 5.0)


def _against_a_bound(claim: str, generate: Callable[[], object], bound: float) -> dict[str, Any]:
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        generate()
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds)
    return {
        "claim": claim,
        "ours": round(median, 3),
        "rival": bound,
        "ratio": round(bound / median, 2),
        "spread": round((max(seconds) - min(seconds)) / median, 3),
        "settings": {"unit": "s", "rival": "the bound itself", "runs": RUNS, "cores": 1, "seed": 1},
    }
