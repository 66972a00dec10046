"""SecureMultiTbl against MultiTbl (thesis, Figure 9): two tables, each in a process of its own, over mutual TLS.

Both grow the same tree (depth 6) from the same chain tables, by turns in one run. The secure side is timed without the
private intersection, which is a row of its own: one run finds the shared join values, later ones take them up again
from the sites' state and grow the whole tree anew.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from confide.core.samples.chain import chain_tables
from confide.core.samples.chain_sites import chain_files
from confide.core.tables import write_table
from confide.join.certificates import make_certificates
from confide.join.config import JoinConfig
from confide.join.configured import coordinator_of
from confide.join.graph import JoinGraph
from confide.join.join_tree import JoinTree
from confide.join.messages import Message

ROUNDS = 5
DEPTH = 6
PORT = 17311


def forget_levels(state: pathlib.Path) -> None:
    """Leave nothing of a run but its root, so that taking it up again grows everything."""
    file = state / "run.json"
    record = json.loads(file.read_text())
    root = record["nodes"][0] | {"site": -1, "first": -1, "children": 0}
    file.write_text(json.dumps(record | {"nodes": [root], "levels": []}))


def lay_out(folder: pathlib.Path, rows: int) -> Any:
    """Tables as Parquet, configurations and certificates of both sites and the coordinator."""
    chain = chain_tables(2, rows=rows)
    for name, table in chain.tables.items():
        write_table(table, folder / f"{name}.parquet")
    for name, text in chain_files(chain, depth=DEPTH, port=PORT).items():
        lines = [line for line in text.splitlines() if not line.startswith("types")]
        (folder / name).write_text("\n".join(lines).replace(".csv", ".parquet") + "\n")
    make_certificates(folder / "keys", ["T1", "T2", "registry"])
    return chain


def start(folder: pathlib.Path, name: str) -> subprocess.Popen[str]:
    """A site in a process of its own, serving."""
    command = [sys.executable, "-m", "confide", "join", "site", "--config", str(folder / f"{name}.toml")]
    site = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert site.stderr is not None
    line = site.stderr.readline()
    if "serving" not in line:
        raise RuntimeError(line)
    return site


def run(data: pathlib.Path, rows: tuple[int, ...] = (200_000, 1_000_000)) -> Iterator[dict[str, Any]]:
    """A row for each size, and one for the round trip."""
    for size in rows:
        with tempfile.TemporaryDirectory() as home:
            folder = pathlib.Path(home)
            chain = lay_out(folder, size)
            graph = JoinGraph(**chain._asdict())
            sites = [start(folder, name) for name in chain.tables]
            try:
                yield from measure(folder, graph, size)
            finally:
                for site in sites:
                    site.terminate()
                    site.wait(30)


def measure(folder: pathlib.Path, graph: JoinGraph, rows: int) -> Iterator[dict[str, Any]]:
    """Both sides by turns, after one whole run of each."""
    config = JoinConfig.read(folder / "join.toml")
    plain = JoinTree(max_depth=DEPTH).fit(graph)
    began = time.perf_counter()
    secure = coordinator_of(config).train()
    whole = time.perf_counter() - began
    same = [node.counts for node in secure.nodes] == [list(node.counts or ()) for node in plain.tree_.nodes]
    pairs = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        JoinTree(max_depth=DEPTH).fit(graph)
        middle = time.perf_counter()
        forget_levels(config.path(config.state))
        coordinator = coordinator_of(config)
        started = time.perf_counter()
        coordinator.train(resume=True)
        pairs.append((middle - began, time.perf_counter() - started))
    ratios = [secure_time / plain_time for plain_time, secure_time in pairs]
    growing = statistics.median(secure_time for _, secure_time in pairs)
    yield {
        "claim": f"two tables of {rows:,} rows, depth {DEPTH}: SecureMultiTbl over TLS takes at most 1.6 times JoinTree",
        "ours": statistics.median(plain_time for plain_time, _ in pairs),
        "rival": growing,
        "ratio": statistics.median(ratios),
        "spread": (max(ratios) - min(ratios)) / statistics.median(ratios),
        "settings": f"ours: JoinTree in one process; rival: SecureMultiTbl in three; same tree: {same}; "
        f"{len(secure.nodes):,} nodes; {sum(line.bytes for line in secure.ledger):,} bytes; first run with the private "
        f"intersection {whole:.1f} s; median of {ROUNDS}",
    }
    link = coordinator_of(config).link
    trips = []
    for _ in range(300):
        began = time.perf_counter()
        link.call("T1", Message("ping"), timeout=5)
        trips.append(time.perf_counter() - began)
    yield {
        "claim": "a round trip between sites takes less than a millisecond on the loopback",
        "ours": statistics.median(trips),
        "rival": 0.001,
        "ratio": 0.001 / statistics.median(trips),
        "spread": (sorted(trips)[285] - sorted(trips)[15]) / statistics.median(trips),
        "settings": "ping and pong by Arrow Flight over mutual TLS; median of 300, spread of the middle 90 %",
    }
