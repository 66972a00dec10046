"""Data sets larger than memory: what each million records costs, how it grows, and what streaming costs over memory.

Transactions are generated in place (T10I4, our generator) and removed afterwards. `--largest 100M` sets the largest
size (10M if not given; 100 million take 3 GB of disk); `--scratch FOLDER` says where to make them. Every call runs in a
process of its own, so that its peak of memory is its own. Times are given by the clock and as processor time: the
machine may be shared. For h below 1 every tenth item is private.
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

SIZES = {"1M": 1, "10M": 10, "100M": 100}

CALLS = {
    "item supports": "stored.supports()",
    "all itemsets at 0.2%": "frequent_itemsets(stored, min_support=0.002)",
    "minimal moles, k=50, p=2": "minimal_moles(stored, Coherence(h=1.0, k=50, p=2))",
    "closed itemsets at 0.5%": "frequent_itemsets(stored, min_support=0.005, kind='closed')",
    "minimal moles, h=0.5, k=50, p=2": "minimal_moles(stored, Coherence(h=0.5, k=50, p=2), private=tenth(stored))",
}
LARGEST = {  # of the largest size only
    "all itemsets at 0.02%": "frequent_itemsets(stored, min_support=0.0002)",
    "minimal moles, h=0.5, k=50, p=3": "minimal_moles(stored, Coherence(h=0.5, k=50, p=3), private=tenth(stored))",
}
WIDE = {"minimal moles, k=50, p=2, 10,000 items": CALLS["minimal moles, k=50, p=2"]}
COPIES = {"connect": (50, 0.6), "retail": (50, 0.0005)}
WANTED = {"item supports": 15, "all itemsets at 0.2%": 120, "minimal moles, k=50, p=2": 60}
MOST_MEMORY = 1536

ONE = """
import json, sys, time
from confide import Coherence, StoredTransactions, Transactions
from confide.mining import frequent_itemsets
from confide.publish import minimal_moles
def tenth(stored): return [label for label in stored.labels if int(label) % 10 == 0]
warm = StoredTransactions.open(sys.argv[2])
stored = warm
{warm}
began, worked = time.perf_counter(), time.process_time()
stored = StoredTransactions.open(sys.argv[1])
found = {call}
times = time.perf_counter() - began, time.process_time() - worked
# The system's ru_maxrss would be that of the process which started this one, if that was larger.
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(json.dumps([*times, peak >> 10, len(found)]))
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


def row(name: str, records: str, call: str, home: Path, small: Path) -> dict[str, Any]:
    """One call, measured."""
    warm = call.replace("0.0002", "0.002")  # of few records, so small a share is next to nothing
    clock, worked, memory, found = measured(ONE.format(call=call, warm=warm), home, small)
    return {
        "claim": f"{name}, {records} in files",
        "ours": round(clock, 2),
        "settings": {
            "processor_seconds": round(worked, 2),
            "peak_memory_mb": memory,
            "results": found,
            "wanted_at_100M": {"seconds": WANTED.get(name), "memory_mb": MOST_MEMORY},
        },
    }


def copied(source: Path, home: Path, times: int) -> int:
    """Write a file of records so many times; give how many records that are."""
    from confide import Transactions

    home.mkdir()
    records = Transactions.read(source)
    records.write(home / "00.parquet")
    for copy in range(1, times):
        (home / f"{copy:02}.parquet").hardlink_to(home / "00.parquet")
    return times * len(records)


def run(data: Path, largest: str = "10M", scratch: Path | None = None) -> Iterator[dict[str, Any]]:
    """Rows by size and call, then growth, then other data, then streaming over memory."""
    from confide.core.samples.quest import write_quest

    took: dict[str, list[tuple[int, float]]] = {}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        small = Path(folder) / "warm"
        write_quest("T10I4D20K", small)
        for millions in (size for size in SIZES.values() if size <= SIZES[largest]):
            home = Path(folder) / f"{millions}M"
            write_quest(f"T10I4D{millions}M", home)
            for name, call in (CALLS | (LARGEST if millions == SIZES[largest] else {})).items():
                made = row(name, f"{millions} million records", call, home, small)
                took.setdefault(name, []).append((millions, made["settings"]["processor_seconds"]))
                yield made
        wide = Path(folder) / "wide"
        write_quest(f"T10I4D{SIZES[largest]}MN10KL20K", wide)
        for name, call in WIDE.items():
            yield row(name, f"{SIZES[largest]} million records", call, wide, small)
        for name, (times, support) in COPIES.items():
            source = data / name / f"{name}.dat.gz"
            if not source.exists():
                raise FileNotFoundError(source)
            records = copied(source, Path(folder) / name, times)
            call = f"frequent_itemsets(stored, min_support={support})"
            claim = f"all itemsets of {name} at {support:.2%}"
            yield row(claim, f"{records:,} records", call, Path(folder) / name, small)
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
