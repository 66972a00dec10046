"""p = infinity: how long `suppress` takes to release, or to refuse with the largest p that can be searched.

`python -m benchmarks publish.refusals`. Private items as in section 4.5.1 of the thesis, k = 10. Seconds are processor
time of all threads, the smaller of two calls: an idle machine takes no longer than that by the clock.
"""

import math
import pathlib
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.publish.experiment_items import copy_private_items
from confide import Coherence, Transactions
from confide.core.errors import CannotMeetError, show_cures
from confide.publish import suppress

FILES = (
    "chess/chess.dat.gz",
    "connect/connect.dat.gz",
    "accidents/accidents_first15224.dat.gz",
    "kosarak/kosarak_first36682.dat.gz",
    "bms/BMS-WebView-1.dat.gz",
    "retail/retail.dat.gz",
    "mushroom/mushroom.dat.gz",
)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each database and h."""
    for file in FILES:
        made = copy_private_items(Transactions.read(data / file))
        for h in (0.6, 0.9, 1.0):
            seconds, outcome = [], ""
            for _ in range(2):
                began = time.process_time()
                try:
                    suppress(made.transactions, Coherence(h=h, k=10, p=math.inf), private=made.private)
                    outcome = "released"
                except CannotMeetError as refusal:
                    outcome = f"refused; nearest {show_cures(refusal.cures)}"
                seconds.append(time.process_time() - began)
            yield {
                "claim": f"p = infinity: {pathlib.Path(file).name.partition('.')[0]}, h = {h}",
                "ours": round(min(seconds), 2),
                "outcome": outcome,
                "settings": {"k": 10, "records": len(made.transactions), "unit": "seconds of processor time"},
            }
