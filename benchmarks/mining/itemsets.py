"""Frequent itemsets against pyfim (Christian Borgelt's C programs), in each cell against its fastest algorithm.

Counting: `count_itemsets` against pyfim asked for a pattern spectrum only, which is the least it can report while
it still searches (an impossible `zmin` makes it drop the records first). Delivering: `frequent_itemsets`, columnar,
against pyfim's list of tuples.

pyfim takes Python lists and turns them into its own form on each call; ours takes `Transactions`. `rival_reading` is
the time of a pyfim call with a support nothing reaches, and `ratio_without_reading` leaves it out of the rival's
time, though ours still includes counting items and laying out rows.
"""

import gzip
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.timing import compare
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.mining import count_itemsets, frequent_itemsets

CELLS = (
    ("retail/retail", 0.001, "all"),
    ("connect/connect", 0.8, "all"),
    ("connect/connect", 0.7, "all"),
    ("mushroom/mushroom", 0.1, "all"),
    ("bms/BMS-WebView-1", 0.0006, "all"),
    ("bms/BMS-WebView-2", 0.001, "all"),
    ("quest/T10I4D100K", 0.001, "all"),
    ("kosarak/kosarak_first36682", 0.002, "all"),
    ("connect/connect", 0.6, "closed"),
    ("mushroom/mushroom", 0.05, "closed"),
    ("connect/connect", 0.4, "maximal"),
)
ALGORITHMS = ("fpgrowth s", "fpgrowth c", "eclat o", "eclat i", "eclat r", "eclat d", "sam b", "relim s")
MANY = 100_000
SLOW = "eclat o"  # minutes on closed and maximal sets of dense data


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield counting, delivery and, where there are many itemsets, memory for every cell."""
    import fim

    for name, min_support, kind in CELLS:
        rows = _read(data / f"{name}.dat.gz")
        tx = Transactions.from_lists(rows)
        count = support_count(min_support, len(tx))
        found = sum(count_itemsets(tx, min_support=count, kind=kind).values())
        cell = f"{name.split('/')[1]} at {min_support:.2%}, {kind}, {found:,} itemsets"

        calls = _Calls(fim, rows, kind, count)
        for report, ours in (("#", count_itemsets), ("a", frequent_itemsets)):
            algorithm = calls.fastest(report)
            line = compare(
                f"{'counting' if report == '#' else 'delivering'}: {cell}",
                partial(ours, tx, min_support=count, kind=kind),
                calls.rival(algorithm, report),
                rival_name=f"pyfim {algorithm}",
                repeats=7,
            )
            reading = min(_seconds(calls.rival(algorithm, report, len(tx) + 1)) for _ in range(3))
            line["settings"]["rival_reading"] = round(reading, 5)
            without = (line["rival"]["seconds"] - reading) / line["ours"]
            line["settings"]["ratio_without_reading"] = round(without, 3)
            yield line
        if found >= MANY:
            yield _memory(cell, data / f"{name}.dat.gz", count, kind, algorithm)


def _read(path: pathlib.Path) -> list[list[int]]:
    with gzip.open(path, "rt") as lines:
        return [[int(item) for item in line.split()] for line in lines]


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


@dataclass(frozen=True)
class _Calls:
    """pyfim's algorithms on one cell."""

    fim: Any
    rows: list[list[int]]
    kind: str
    count: int

    def rival(self, algorithm: str, report: str, support: int | None = None) -> Callable[[], Any]:
        """A call of `algorithm`, a function and its variant, at the cell's support or another."""
        function, variant = algorithm.split()
        target = {"all": "s", "closed": "c", "maximal": "m"}[self.kind]
        options = {"target": target, "supp": -(support or self.count), "report": report, "algo": variant}
        return partial(getattr(self.fim, function), self.rows, **options)

    def fastest(self, report: str) -> str:
        """The algorithm with the best of two runs."""
        algorithms = [a for a in ALGORITHMS if self.kind == "all" or a != SLOW]
        return min(algorithms, key=lambda a: min(_seconds(self.rival(a, report)) for _ in range(2)))


_MEASURE = """
import ctypes, gc, gzip, sys
path, count, kind, side = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
rows = [[int(x) for x in line.split()] for line in gzip.open(path, "rt")]
def status(field):
    return int(next(l for l in open("/proc/self/status") if l.startswith(field)).split()[1])
if side == "ours":
    from confide.core.transactions.container import Transactions
    from confide.mining import frequent_itemsets
    tx = Transactions.from_lists(rows)
    call = lambda: frequent_itemsets(tx, min_support=count, kind=kind)
    call()  # loads the kernels that these data take, once per process
else:
    import fim
    function, variant = side.split()
    call = lambda: getattr(fim, function)(rows, target={"all": "s", "closed": "c", "maximal": "m"}[kind],
                                          supp=-count, report="a", algo=variant)
gc.collect()
ctypes.CDLL(None).malloc_trim(0)  # or results land in memory freed before and seem to need none
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = status("VmRSS")
result = call()
print(status("VmHWM") - before)
"""


def _memory(cell: str, path: pathlib.Path, count: int, kind: str, algorithm: str) -> dict[str, Any]:
    """Peak memory above what was in use before the call, each side in a process of its own; Linux."""

    def peak(side: str) -> int:
        command = [sys.executable, "-c", _MEASURE, str(path), str(count), kind, side]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    sides = [[peak(side) for _ in range(3)] for side in ("ours", algorithm)]
    ours, theirs = (statistics.median(side) for side in sides)
    ratios = [b / a for a, b in zip(*sides, strict=True)]
    return {
        "claim": f"peak memory while delivering: {cell}",
        "ours": round(ours / 1024, 1),
        "rival": {"name": f"pyfim {algorithm}", "MiB": round(theirs / 1024, 1)},
        "ratio": round(theirs / ours, 3),
        "spread": [round(min(ratios), 3), round(max(ratios), 3)],
        "settings": {"unit": "MiB", "repeats": 3},
    }
