"""Association rules against mlxtend, from the same itemsets."""

import pathlib
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd
from mlxtend.frequent_patterns import association_rules as mlxtend_rules

from benchmarks.timing import by_turns, seconds
from confide import Itemsets, Transactions
from confide.mining import association_rules, frequent_itemsets

CELLS = (("retail/retail.dat.gz", 0.002, 0.5), ("mushroom/mushroom.dat.gz", 0.35, 0.8))
LARGE = ("mushroom/mushroom.dat.gz", 0.2, 0.8)
ROUNDS = 3


def rival_rules(itemsets: Itemsets, min_confidence: float) -> Callable[[], pd.DataFrame]:
    """The rival gets its own input form ready-made; only its rules are timed."""
    frame = pd.DataFrame(
        {
            "itemsets": [frozenset(x) for x, _ in itemsets],
            "support": itemsets.supports / itemsets.n_transactions,
        }
    )
    return partial(mlxtend_rules, frame, metric="confidence", min_threshold=min_confidence)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Speed against mlxtend, then rules a second where mlxtend cannot follow."""
    for name, support, confidence in CELLS:
        itemsets = frequent_itemsets(Transactions.read(data / name), min_support=support)
        ours = partial(association_rules, itemsets, min_confidence=confidence)
        rival = rival_rules(itemsets, confidence)
        same = len(ours()) == len(rival())
        yield {
            "claim": f"rules on {name.split('/')[0]}, {len(itemsets):,} itemsets, {len(ours()):,} rules, "
            + ("as many as mlxtend" if same else "NUMBERS DIFFER"),
            **by_turns(ours, rival, rounds=ROUNDS),
            "settings": f"min_support {support}, min_confidence {confidence}, rival mlxtend; median of {ROUNDS}",
        }
    name, support, confidence = LARGE
    itemsets = frequent_itemsets(Transactions.read(data / name), min_support=support)
    times = [seconds(partial(association_rules, itemsets, min_confidence=confidence)) for _ in range(ROUNDS)]
    count = len(association_rules(itemsets, min_confidence=confidence))
    yield {
        "claim": f"{count:,} rules from {len(itemsets):,} itemsets of mushroom",
        "ours": min(times),
        "rival": None,
        "ratio": None,
        "spread": (max(times) - min(times)) / statistics.median(times),
        "settings": f"min_support {support}, min_confidence {confidence}; {count / min(times):,.0f} rules a second",
    }
