"""What a release with default options loses, and how long it takes, beside the thesis' greedy rule at either price.

`python -m benchmarks publish.exchange`. No private items, h = 1. Rivals in the same run: `method="tree"` with `cost` of
"support" and of "one". Seconds are processor time of whole releases, verified, the smaller of two calls. Ratios are of
the rule by support, and of both rules one after the other, over ours.
"""

import pathlib
import time
from collections.abc import Iterator
from typing import Any

from confide import Coherence, Transactions
from confide.publish import suppress

FILES = ("bms/BMS-WebView-1.dat.gz", "bms/BMS-WebView-2.dat.gz", "retail/retail.dat.gz")
SETTINGS = ((20, 3), (5, 3), (20, 2))


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each database, k and p."""
    for file in FILES:
        tx = Transactions.read(data / file)
        for k, p in SETTINGS:
            requirement = Coherence(h=1.0, k=k, p=p)
            ours = _measure(tx, requirement)
            rules = {cost: _measure(tx, requirement, method="tree", cost=cost) for cost in ("support", "one")}
            seconds = [rule["seconds"] for rule in rules.values()]
            yield {
                "claim": f"entries lost: {pathlib.Path(file).name.partition('.')[0]}, k = {k}, p = {p}",
                "ours": ours,
                "rival": rules,
                "ratio": round(seconds[0] / ours["seconds"], 2),
                "ratio_to_both": round(sum(seconds) / ours["seconds"], 2),
                "settings": {**requirement.to_dict(), "records": len(tx), "unit": "seconds of processor time"},
            }


def _measure(tx: Transactions, requirement: Coherence, **options: Any) -> dict[str, float]:
    seconds, lost = [], 0.0
    for _ in range(2):
        began = time.process_time()
        lost = suppress(tx, requirement, **options).loss["share_of_occurrences_lost"]
        seconds.append(time.process_time() - began)
    return {"share_of_occurrences_lost": round(lost, 4), "seconds": round(min(seconds), 2)}
