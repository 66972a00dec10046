"""What counting certain classes and sides costs a run: computing time within the counts, and of the whole training.

Two sites in this process. The private intersection is left out of the training's time: it is ten times the rest.
"""

import pathlib
import statistics
import threading
import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from confide.core.samples.chain import chain_tables
from confide.join import Policy, Site, SiteGraph, simulated
from confide.join.coordinator import run_opening
from confide.join.protocol.certain_watch import CertainWatch
from confide.join.site.site_engine import SiteEngine

ROWS, DEPTH, ROUNDS = 200_000, 6, 3
COUNTING = {
    SiteEngine: ("one_sided", "find_seen_sides"),
    CertainWatch: ("before_classes", "before_sides", "heard_classes", "heard_sides"),
}


class Spent:
    """Seconds of computing within some functions, whatever thread they run in."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    def within(self, call: Any, clock: Any = time.thread_time) -> Any:
        """The same function, its time added up."""

        def timed(*arguments: Any, **options: Any) -> Any:
            began = clock()
            try:
                return call(*arguments, **options)
            finally:
                with self._lock:
                    self.seconds += clock() - began

        return timed


def grow(tables: Any) -> tuple[float, float]:
    """Computing time of the counts, and of the training they are part of."""
    # All records of a join value have one class in these tables.
    policy = Policy(certain_classes=1.0)
    near = {"T1": {"T2": ["j1"]}, "T2": {"T1": ["j1"]}}
    sites = [
        Site("T1", tables["T1"], neighbours=near["T1"], coordinator="C", class_column="class", policy=policy),
        Site("T2", tables["T2"], neighbours=near["T2"], coordinator="C"),
    ]
    graph = SiteGraph(["T1", "T2"], [("T1", "T2")], target="T1")
    coordinator = simulated(graph, sites, name="C", max_depth=DEPTH)
    counting, intersecting = Spent(), Spent()
    patches = [patch.object(run_opening, "_intersect", intersecting.within(run_opening._intersect, time.process_time))]
    for cls, names in COUNTING.items():
        patches += [patch.object(cls, name, counting.within(getattr(cls, name))) for name in names]
    for one in patches:
        one.start()
    try:
        began = time.process_time()
        coordinator.train()
        whole = time.process_time() - began - intersecting.seconds
    finally:
        for one in patches:
            one.stop()
    return counting.seconds, whole


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """A row for join values of four records on average, and one for mostly unique ones."""
    for size in (4.0, 1.0):
        tables = chain_tables(2, rows=ROWS, group_size=size).tables
        grow(tables)
        found = [grow(tables) for _ in range(ROUNDS)]
        shares = [counting / whole for counting, whole in found]
        yield {
            "claim": f"counting certain classes and sides, {size:g} records to a join value",
            "ours": round(statistics.median(counting for counting, _ in found), 3),
            "rival": round(statistics.median(whole for _, whole in found), 3),
            "ratio": round(statistics.median(shares), 3),
            "spread": round((max(shares) - min(shares)) / statistics.median(shares), 3),
            "settings": f"rival: the whole training without the intersection; seconds of computing; {ROWS:,} records "
            f"at each site, depth {DEPTH}; median of {ROUNDS}",
        }
