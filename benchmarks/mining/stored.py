"""Data sets larger than memory: what each million records costs, how it grows, and what streaming costs over memory.

Transactions are generated in place (T10I4, our generator) and removed afterwards. `CONFIDE_LARGEST=100M` sets the
largest size (10M if not set; 100 million take 1.4 GB of disk and, on two cores, some minutes); `CONFIDE_LARGE=FOLDER`
says where to make them. Every call runs in a process of its own, so that its peak of memory is its own. Times are given
by the clock and as processor time: the machine may be shared.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CALLS = {
    "item supports": "stored.supports()",
    "all itemsets at 0.2%": "frequent_itemsets(stored, min_support=0.002)",
    "minimal moles, k=50, p=2": "minimal_moles(stored, Coherence(h=1.0, k=50, p=2))",
    "closed itemsets at 0.5%": "frequent_itemsets(stored, min_support=0.005, kind='closed')",
}
WANTED = {"item supports": 15, "all itemsets at 0.2%": 120, "minimal moles, k=50, p=2": 60}
MOST_MEMORY = 1536

ONE = """
import json, resource, sys, time
from confide import Coherence, StoredTransactions, Transactions
from confide.mining import frequent_itemsets
from confide.publish import minimal_moles
warm = StoredTransactions.open(sys.argv[2])
stored = warm
{call}
began, worked = time.perf_counter(), time.process_time()
stored = StoredTransactions.open(sys.argv[1])
found = {call}
print(json.dumps([time.perf_counter() - began, time.process_time() - worked,
                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, len(found)]))
"""

BOTH = """
import json, sys, time
from confide import StoredTransactions, Transactions
from confide.mining import frequent_itemsets
support = float(sys.argv[2])
def stored(): return frequent_itemsets(StoredTransactions.open(sys.argv[1]), min_support=support)
def memory(): return frequent_itemsets(Transactions.read(sys.argv[1]), min_support=support)
assert list(stored().sorted()) == list(memory().sorted())
pairs = []
for _ in range(5):
    pair = []
    for call in (stored, memory):
        began, worked = time.perf_counter(), time.process_time()
        call()
        pair.append((time.perf_counter() - began, time.process_time() - worked))
    pairs.append(pair)
print(json.dumps(pairs))
"""


def measured(code: str, *arguments: object) -> Any:
    """What a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=True, env=os.environ
    )
    return json.loads(done.stdout)


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Rows by size and call, then growth, then streaming over memory."""
    from confide.core.samples.quest import write_quest

    largest = {"1M": 1, "10M": 10, "100M": 100}[os.environ.get("CONFIDE_LARGEST", "10M")]
    took: dict[str, list[tuple[int, float]]] = {}
    with tempfile.TemporaryDirectory(dir=os.environ.get("CONFIDE_LARGE")) as folder:
        small = Path(folder) / "warm"
        write_quest("T10I4D20K", small)
        for millions in (size for size in (1, 10, 100) if size <= largest):
            home = Path(folder) / f"{millions}M"
            write_quest(f"T10I4D{millions}M", home)
            for name, call in CALLS.items():
                clock, worked, memory, found = measured(ONE.format(call=call), home, small)
                took.setdefault(name, []).append((millions, worked))
                yield {
                    "claim": f"{name}, {millions} million records in files",
                    "ours": round(clock, 2),
                    "settings": {
                        "processor_seconds": round(worked, 2),
                        "peak_memory_mb": memory,
                        "results": found,
                        "wanted_at_100M": {"seconds": WANTED.get(name), "memory_mb": MOST_MEMORY},
                    },
                }
        for name, points in took.items():
            if len(points) > 1:
                (few, short), (many, long) = points[0], points[-1]
                yield {
                    "claim": f"{name}: growth from {few} to {many} million records",
                    "exponent": round(math.log(long / short) / math.log(many / few), 3),
                    "settings": {"of": "processor time", "wanted": 1.05},
                }
        one = Path(folder) / "one.parquet"
        from confide.core.samples.quest import quest

        quest("T10I4D1M").write(one)
        for support in (0.002, 0.005):
            pairs = measured(BOTH, one, support)
            ratios = sorted(stored[0] / memory[0] for stored, memory in pairs)
            worked = sorted(stored[1] / memory[1] for stored, memory in pairs)
            yield {
                "claim": f"all itemsets of T10I4D1M at {support:.1%}, streamed over in memory, loading included",
                "ratio": round(ratios[2], 2),
                "spread": [round(ratios[0], 2), round(ratios[-1], 2)],
                "settings": {"processor_time_ratio": round(worked[2], 2), "wanted": 1.1, "median of": 5},
            }
