"""Basic and reinterrogation privacy of Table 3.1's settings beside the printed ones, and how fast the second is found.

`python -m benchmarks collect.privacy`. Privacy in percent. `weighted` is basic privacy weighted by support and the
reinterrogation privacy that goes with it; `as_printed` takes the basic privacy at the paper's mean support instead,
which promises more. The rival is section 2.2 word by word, on the first thousand records.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tests.oracles import collect_privacy as oracles

from benchmarks.collect.databases import DATABASES
from confide.collect import Emask, basic_privacy, reinterrogation_privacy
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining import frequent_itemsets

__all__ = ["run"]

TWIN = 1000

# support the itemsets have, printed BP and RP
CASES = ((0.003, (92.5, 71.3)), (0.003, (89.23, 74.14)), (0.001, (91.4, 75.7)))


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each dataset."""
    for database, (support, printed) in zip(DATABASES, CASES, strict=True):
        tx, scheme = database.read(data), database.scheme
        seen = scheme.perturb(tx, randomness=Randomness.seeded(1))
        reinterrogation_privacy(scheme, tx.take(np.arange(10)), min_support=1)  # compiles, or loads, the kernel
        began = time.perf_counter()
        found = reinterrogation_privacy(scheme, tx, min_support=support, perturbed=seen)
        seconds = time.perf_counter() - began
        slow = _twin(scheme, tx, seen, support)
        at_mean = float(basic_privacy(scheme, database.avg_support))
        printed_way = found.privacy + found.flipped * (at_mean - found.basic)
        yield {
            "claim": f"basic and reinterrogation privacy of {database.name}",
            "ours": {
                "weighted": [round(100 * found.basic, 1), round(100 * found.privacy, 1)],
                "as_printed": [round(100 * at_mean, 1), round(100 * printed_way, 1)],
                "worst_breach": round(100 * found.worst_breach, 1),
                "seconds": round(seconds, 2),
            },
            "rival": {"name": "printed; time: section 2.2 word by word", "as_printed": printed},
            "ratio": round(slow / TWIN / (seconds / len(tx)), 1),
            "spread": None,
            "settings": {
                "p": database.p,
                "q": database.q,
                "records": len(tx),
                "itemsets": found.itemsets,
                "min_support": support,
                "seed": 1,
                "records of the rival": TWIN,
            },
        }


def _twin(scheme: Emask, tx: Transactions, seen: Transactions, support: float) -> float:
    few = np.arange(TWIN)
    frequent = [frozenset(items) for items, _ in frequent_itemsets(tx, min_support=support)]
    true, sent = [set(row) for row in tx.take(few)], [set(row) for row in seen.take(few)]
    basic = basic_privacy(scheme, tx)
    basic_of = dict(zip(tx.labels, basic.per_item, strict=True))
    began = time.perf_counter()
    oracles.reinterrogation_privacy(true, sent, frequent, basic.privacy, basic_of)
    return time.perf_counter() - began
