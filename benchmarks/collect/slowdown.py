"""How much longer distorted data take to mine than the original (paper 003, sections 3.5.3 to 3.5.5, and Figure 3.1).

`python -m benchmarks collect.slowdown`. One record for each database and threshold, everything interleaved in one run,
medians. All times include everything from compressed rows in memory to the finished result: counting single items,
building rows or columns, all passes, and the reconstruction. Ratios are slowdowns (distorted / original), so smaller is
better, and below 1 mining the distorted data is the faster. They are given against

    columns     the same counting code on both sides, column bitmaps: what distortion costs when density costs nothing
    auto        `scheme.mine` on both sides, each side counting pairs as is best for it: what a user calls
    fastest     the fastest miner we have for the original: that code, or confide.mining.frequent_itemsets
    building    seconds of building the columns alone, which grow with density and are part of all of the above

and for MASK at p = 0.9, where Figure 3.1 has two to three orders of magnitude, against the same. (MASK on
BMS-WebView-2 x50 would hold 1.3 billion entries, and is left out.)
"""

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.collect.databases import DATABASES, Database
from confide.collect import Emask, Mask
from confide.collect.estimating.reconstruction import mine
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining import frequent_itemsets
from confide.mining.counting.memory import MemoryCounts

PRINTED = {
    ("T10I4D1M (ours)", 0.003): 3.94,
    ("T10I4D1M (ours)", 0.005): 2.91,
    ("BMS-WebView-1 x10", 0.003): 2.03,
    ("BMS-WebView-1 x10", 0.005): 1.58,
    ("BMS-WebView-2 x50", 0.003): 2.21,
    ("BMS-WebView-2 x50", 0.005): 2.17,
}
ROUNDS = 9


class Untouched(Emask):
    """EMASK that changes nothing, so that the same code can mine the original."""

    def __post_init__(self) -> None:
        """No checks: p = q = 1 would be refused, since it protects nobody."""

    def keeps(self) -> tuple[Fraction, Fraction]:
        """Everything stays."""
        return Fraction(1), Fraction(1)


PLAIN = Untouched(p=1.0, q=1.0)


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each database and threshold, then MASK's."""
    for database in DATABASES:
        tx = database.read(data)
        distorted = database.scheme.perturb(tx, randomness=Randomness.seeded(1))
        for support in (0.003, 0.005):
            yield _emask(database, tx, distorted, support)
        if len(tx) * tx.n_items < 2e9:
            scheme = Mask(p=0.9)
            yield _mask(database, tx, scheme, scheme.perturb(tx, randomness=Randomness.seeded(1)))


def _emask(database: Database, tx: Transactions, distorted: Transactions, support: float) -> dict[str, Any]:
    scheme = database.scheme
    sides = {
        "original by columns": lambda: mine(PLAIN, tx, min_support=support, way="columns"),
        "distorted by columns": lambda: mine(scheme, distorted, min_support=support, way="columns"),
        "original": lambda: PLAIN.mine(tx, min_support=support),
        "distorted": lambda: scheme.mine(distorted, min_support=support),
        "frequent_itemsets": lambda: frequent_itemsets(tx, min_support=support),
        "building, original": _building(tx, support, PLAIN),
        "building, distorted": _building(distorted, support, scheme),
    }
    times = _times(sides)
    exact = PLAIN.mine(tx, min_support=support) == frequent_itemsets(tx, min_support=support)
    return {
        "claim": f"slowdown on {database.name} at {support:.1%}" + ("" if exact else "; ORIGINAL SETS DIFFER"),
        "ours": {
            "columns": _ratio(times, "distorted by columns", "original by columns"),
            "auto": _ratio(times, "distorted", "original"),
            "fastest": _ratio(times, "distorted", _fastest(times)),
        },
        "rival": {"name": "printed", "slowdown": PRINTED[database.name, support]},
        "ratio": round(PRINTED[database.name, support] / _ratio(times, "distorted", _fastest(times)), 2),
        "spread": {name: [round(min(t), 4), round(max(t), 4)] for name, t in times.items()},
        "settings": {
            "seconds": {name: round(median(t), 4) for name, t in times.items()},
            "items a record": [round(float(x.lengths.mean()), 1) for x in (tx, distorted)],
            "p": database.p, "q": database.q, "rounds": ROUNDS, "seed": 1,
        },
    }  # fmt: skip


def _mask(database: Database, tx: Transactions, scheme: Mask, distorted: Transactions) -> dict[str, Any]:
    support = 0.003
    times = _times(
        {
            "original": lambda: PLAIN.mine(tx, min_support=support),
            "distorted": lambda: scheme.mine(distorted, min_support=support),
            "frequent_itemsets": lambda: frequent_itemsets(tx, min_support=support),
        }
    )
    return {
        "claim": f"slowdown of MASK at p = 0.9 on {database.name} at {support:.1%} (Figure 3.1)",
        "ours": {
            "auto": _ratio(times, "distorted", "original"),
            "fastest": _ratio(times, "distorted", _fastest(times)),
        },
        "rival": {"name": "Figure 3.1", "slowdown": "two to three orders of magnitude"},
        "ratio": round(100 / _ratio(times, "distorted", "original"), 1),
        "spread": {name: [round(min(t), 4), round(max(t), 4)] for name, t in times.items()},
        "settings": {
            "seconds": {name: round(median(t), 4) for name, t in times.items()},
            "items a record": [round(float(x.lengths.mean()), 1) for x in (tx, distorted)],
            "rounds": ROUNDS, "seed": 1, "ratio": "100 / slowdown",
        },
    }  # fmt: skip


def _building(tx: Transactions, support: float, scheme: Any) -> Callable[[], None]:
    """Only the building of columns, for the items that are frequent."""
    kept = np.asarray(scheme.mine(tx, min_support=support, max_length=1).items, dtype=np.int32)
    return lambda: MemoryCounts(tx, way="columns").keep(kept)


def _times(sides: dict[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """Seconds of every side, by turns, after one turn that is not counted."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(ROUNDS + 1):
        for name, call in sides.items():
            began = time.perf_counter()
            call()
            if turn:
                times[name].append(time.perf_counter() - began)
    return times


def _fastest(times: dict[str, list[float]]) -> str:
    return min(("original", "frequent_itemsets"), key=lambda name: median(times[name]))


def _ratio(times: dict[str, list[float]], ours: str, other: str) -> float:
    """The median over the turns of the ratio within a turn."""
    return round(median(a / b for a, b in zip(times[ours], times[other], strict=True)), 3)
