"""Tables larger than memory: Adult, copied, published in passes over Parquet files and verified in parts.

`CONFIDE_LARGEST=10M` sets the largest number of rows (1M if not set), `CONFIDE_LARGE=FOLDER` says where they are made;
they are removed afterwards. Every call runs in a process of its own, so that its peak of memory is its own. Times are
given by the clock and as processor time: the machine may be shared. The rival is the same call in memory, at 1M.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.publish import adult

CALLS = {
    "incognito, k=10": "Incognito(requirement=KAnonymity(k=10), suppress=0.01)",
    "incognito, k=10 and t=0.3": "Incognito(requirement=KAnonymity(k=10) & TCloseness(t=0.3))",
    "top-down, k=10": "TopDownSpecialization(requirement=KAnonymity(k=10), loss='ncp', suppress=0.01)",
}

PUBLISH = """
import json, resource, sys, time
from pathlib import Path
from benchmarks.publish import adult
from confide import KAnonymity, StoredTable, TCloseness
from confide.core.tables.frames import read_table
from confide.publish import Incognito, TopDownSpecialization
schema = adult.schema(sensitive="occupation")
warm, source, out, how = map(Path, sys.argv[1:5])
def publish(path, into):
    made = {call}
    if how.name == "stream":
        made.publish(StoredTable.open(path), schema, into=into, explain=False).write(into)
    else:
        made.publish(read_table(path), schema, explain=False).write(into.with_suffix(".parquet"))
publish(warm, out.with_name("warm-out"))
began, worked = time.perf_counter(), time.process_time()
publish(source, out)
print(json.dumps([time.perf_counter() - began, time.process_time() - worked,
                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10]))
"""

VERIFY = """
import json, resource, sys, time
from confide import verify
assert verify(sys.argv[1]).ok
began, worked = time.perf_counter(), time.process_time()
answer = verify(sys.argv[2])
assert answer.ok, answer.summary()
print(json.dumps([time.perf_counter() - began, time.process_time() - worked,
                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10]))
"""


def measured(code: str, *arguments: object) -> list[float]:
    """What a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=True, env=os.environ
    )
    found: list[float] = json.loads(done.stdout)
    return found


def copied(data: Path, rows: int, folder: Path) -> None:
    """Adult's rows again and again, a million to a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    people = adult.table(data)
    folder.mkdir()
    most = min(rows, 1_000_000)
    many = pa.concat_tables([people] * -(-most // people.num_rows)).combine_chunks()
    for number in range(rows // most):
        pq.write_table(many.slice(0, most), folder / f"{number:03d}.parquet", row_group_size=1 << 18)


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Rows by size, method and engine."""
    largest = {"1M": 1, "10M": 10, "100M": 100}[os.environ.get("CONFIDE_LARGEST", "1M")]
    with tempfile.TemporaryDirectory(dir=os.environ.get("CONFIDE_LARGE")) as folder:
        home = Path(folder)
        copied(data, 50_000, home / "warm")
        for millions in (size for size in (1, 10, 100) if size <= largest):
            source = home / f"{millions}M"
            copied(data, millions * 1_000_000, source)
            for number, (name, call) in enumerate(CALLS.items()):
                for how in ("stream", "memory") if millions == 1 else ("stream",):
                    into = home / f"out-{how}-{millions}-{number}" / "release"
                    into.parent.mkdir()
                    clock, worked, memory = measured(PUBLISH.format(call=call), home / "warm", source, into, how)
                    yield _row(f"{name}, {millions} million rows, {how}", clock, worked, memory, millions)
                    if how == "stream":
                        passports = (into.with_name("warm-out.passport.json"), into.with_name("release.passport.json"))
                        clock, worked, memory = measured(VERIFY, *passports)
                        yield _row(f"verifying that in parts ({name})", clock, worked, memory, millions)


def _row(claim: str, clock: float, worked: float, memory: float, millions: int) -> dict[str, Any]:
    return {
        "claim": claim,
        "ours": round(clock, 2),
        "settings": {
            "processor_seconds": round(worked, 2),
            "rows_a_second": round(millions * 1_000_000 / clock),
            "peak_memory_mb": memory,
        },
    }
