"""The collector over HTTP: acknowledged records a second, and what group commit is worth.

A real collector on a DuckDB file, and clients in a process of their own with a connection each, on the same machine.
Every record is acknowledged only after a sync to disk. The rival is the same collector with one transaction for each
submission, which is what a handler that writes where it stands would do.
"""

import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from confide.collect import GammaDiagonal

SCHEME = GammaDiagonal(domains=(4, 5, 5, 5, 2, 2), gamma=19)
ROUNDS = 3
# (clients at once, records in a submission, submissions in all)
LOADS = ((32, 1, 3000), (4, 100, 400), (4, 1000, 60))

_ALONE = (
    "import confide.collect.service.group_commit as r, sys; r._MOST_TOGETHER = 1; from confide.cli import main; main()"
)


@contextmanager
def collector(folder: Path, *, together: bool) -> Iterator[tuple[str, int]]:
    """A running collector's address and process; `together=False` writes one submission a transaction."""
    SCHEME.write(folder / "scheme.json", replace=True)
    start = ["-m", "confide"] if together else ["-c", _ALONE]
    store = folder / f"{uuid.uuid4().hex}.duckdb"
    command = [sys.executable, "-u", *start, "collect", "serve", str(folder / "scheme.json")]
    process = subprocess.Popen(
        [*command, "--store", str(store), "--port", "0"], stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stderr is not None
    try:
        found = (re.search(r"http://\S+", line) for line in process.stderr)
        yield next(match[0] for match in found if match), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def load(url: str, clients: int, size: int, submissions: int) -> float:
    """Seconds until every submission is acknowledged."""
    host = urlsplit(url).netloc
    record = [1, 2, 3, 4, 1, 0]

    def run(share: int) -> None:
        link = http.client.HTTPConnection(host)
        for _ in range(share):
            body = {"scheme": SCHEME.fingerprint, "submission": str(uuid.uuid4()), "records": [record] * size}
            link.request("POST", "/records", json.dumps(body), {"Content-Type": "application/json"})
            answer = link.getresponse()
            if answer.status != 200:
                raise RuntimeError(answer.read())
            answer.read()

    threads = [threading.Thread(target=run, args=(submissions // clients,)) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def processor(pid: int) -> float:
    """Seconds a process has had of a processor (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Each load by turns on both collectors."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with collector(folder, together=True) as (ours, pid), collector(folder, together=False) as (alone, _):
            for clients, size, submissions in LOADS:
                load(ours, clients, size, clients), load(alone, clients, size, clients)
                before = processor(pid)
                pairs = [
                    (load(ours, clients, size, submissions), load(alone, clients, size, submissions))
                    for _ in range(ROUNDS)
                ]
                own, other = (statistics.median(side) for side in zip(*pairs, strict=True))
                ratios = [b / a for a, b in pairs]
                records = submissions // clients * clients * size
                busy = (processor(pid) - before) / ROUNDS
                yield {
                    "claim": f"collect records over HTTP, {size} a submission: {records / own:,.0f} a second on disk, "
                    f"{records / busy:,.0f} for each second the server had a processor",
                    "ours": round(own, 4),
                    "rival": {"name": "one transaction for each submission", "seconds": round(other, 4)},
                    "ratio": round(other / own, 2),
                    "spread": [round(min(ratios), 2), round(max(ratios), 2)],
                    "settings": {"clients": clients, "submissions": submissions, "fields": 6, "repeats": ROUNDS},
                }
