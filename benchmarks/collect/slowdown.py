"""How much longer distorted data take to mine than the original (paper 003, sections 3.5.3 to 3.5.5, and Figure 3.1).

`python -m benchmarks collect.slowdown`. One record for each database and threshold, everything interleaved in one run,
medians. All times include everything from compressed rows in memory to the finished result: counting single items,
building rows or columns, all passes, and the reconstruction. Ratios are slowdowns (distorted / original), so smaller is
better, and below 1 mining the distorted data is the faster. All is what a user calls. They are given against

    same code             `scheme.mine` of a scheme that keeps everything but one entry in 10**9
    frequent_itemsets     `confide.mining.frequent_itemsets`, which knows of no scheme
    fastest               the faster of the two

and for MASK at p = 0.9, where Figure 3.1 has two to three orders of magnitude, against the same. (MASK on
BMS-WebView-2 x50 would hold 1.3 billion entries, and is left out.)
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.collect.databases import DATABASES, Database
from confide.collect import Emask, Mask
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining import frequent_itemsets

PRINTED = {
    ("T10I4D1M (ours)", 0.003): 3.94,
    ("T10I4D1M (ours)", 0.005): 2.91,
    ("BMS-WebView-1 x10", 0.003): 2.03,
    ("BMS-WebView-1 x10", 0.005): 1.58,
    ("BMS-WebView-2 x50", 0.003): 2.21,
    ("BMS-WebView-2 x50", 0.005): 2.17,
}
ROUNDS = 9


PLAIN = Emask(p=1 - 1e-9, q=1 - 1e-9)


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
    sides: dict[str, Callable[[], Any]] = {
        "original": lambda: PLAIN.mine(tx, min_support=support),
        "distorted": lambda: scheme.mine(distorted, min_support=support),
        "frequent_itemsets": lambda: frequent_itemsets(tx, min_support=support),
    }
    times = _times(sides)
    return {
        "claim": f"slowdown on {database.name} at {support:.1%}",
        "ours": {
            "same code": _ratio(times, "distorted", "original"),
            "frequent_itemsets": _ratio(times, "distorted", "frequent_itemsets"),
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
            "same code": _ratio(times, "distorted", "original"),
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
