"""Building a profile: 100,000 documents of 50 terms, in seconds and megabytes; and against a plain version.

The rival is the slow twin of the tests, written from the chapter with sets and fractions, on 1,000 of the documents.
"""

import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from statistics import median
from typing import Any

from tests.oracles import searching

from benchmarks.search.generated import topics
from confide.search import Profile

_CHILD = """
import json, resource, time
from benchmarks.search.generated import topics
from confide.core.samples import quest
from confide.search import Profile
made = topics(100_000) if NAME == "topics" else list(quest(NAME))
Profile.build(made[:2000], minsup=5)  # kernels are loaded
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begin, used = time.perf_counter(), time.process_time()
profile = Profile.build(made, minsup=0.001)
print(json.dumps({
    "seconds": time.perf_counter() - begin, "processor": time.process_time() - used, "interests": len(profile),
    "before_mb": before / 1024, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def measured(name: str) -> dict[str, float]:
    """One build in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD.replace("NAME", repr(name))], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Two generators at full size, and the plain version on less."""
    for name in ("topics", "T50I8D100KN20KL5K"):
        runs = [measured(name) for _ in range(3)]
        seconds = median(one["seconds"] for one in runs)
        yield {
            "claim": f"profile of 100,000 documents of 50 terms ({name}), minsup 0.1%, defaults: under 10 s and 1 GB",
            "ours": round(seconds, 2),
            "rival": {"name": "bound", "seconds": 10},
            "ratio": round(10 / seconds, 1),
            "spread": round(max(o["seconds"] for o in runs) - min(o["seconds"] for o in runs), 2),
            "settings": {
                "processor seconds": round(median(one["processor"] for one in runs), 2),
                "interests": runs[0]["interests"],
                "megabytes, lists of the caller included": round(max(one["peak_mb"] for one in runs)),
                "megabytes before": round(max(one["before_mb"] for one in runs)),
            },
        }
    made = topics(1_000)
    times: dict[str, list[float]] = {"ours": [], "twin": []}
    for _ in range(3):
        begin = time.process_time()
        ours = Profile.build(made, minsup=5, max_depth=3)
        times["ours"].append(time.process_time() - begin)
        begin = time.process_time()
        twin = searching.build(made, 5, Fraction(3, 5), Fraction(1, 1000), 3)
        times["twin"].append(time.process_time() - begin)
    assert len(ours.root.children) == len(twin[3])
    yield {
        "claim": "profile of 1,000 such documents, minsup 5, depth 3, against the plain version",
        "ours": round(median(times["ours"]), 3),
        "rival": {"name": "slow twin (sets and fractions)", "seconds": round(median(times["twin"]), 2)},
        "ratio": round(median(times["twin"]) / median(times["ours"]), 1),
        "spread": round(max(times["ours"]) - min(times["ours"]), 3),
        "settings": {"clock": "processor time"},
    }
