"""SecureMultiTbl against MultiTbl (thesis, Figure 9): two tables, each in a process of its own, over mutual TLS.

Both grow the same tree (depth 6) from the same chain tables, by turns in one run. The secure side is timed without the
private intersection, which has a benchmark of its own (`join_intersection`): the shared join values are put into the
sites' state beforehand, and every round takes up the same run at its root and grows the whole tree.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from confide.core.samples.chain import chain_tables
from confide.core.samples.chain_sites import chain_files
from confide.core.tables.frames import write_table
from confide.join.configuration.files import JoinConfig, SiteConfig
from confide.join.configuration.parties import coordinator_of, site_of
from confide.join.coordinator.coordinator import Coordinator
from confide.join.coordinator.run_record import GrownNode, RunRecord
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.graph.join_graph import JoinGraph
from confide.join.graph.keys import share_keys
from confide.join.network.certificates import make_certificates
from confide.join.protocol.messages import Message
from confide.join.site.split_list import SplitList
from confide.join.tree.join_tree import JoinTree

ROUNDS = 5
DEPTH = 6
PORT = 17311


RUN, TOKEN = "5" * 32, "7" * 32


def plant_keys(folder: pathlib.Path, graph: JoinGraph) -> None:
    """Leave in the sites' state what a private intersection would have left there."""
    found = share_keys([graph.tables["T1"]["j1"]], [graph.tables["T2"]["j1"]])
    for name, other, keys in (("T1", "T2", found.left), ("T2", "T1", found.right)):
        config = SiteConfig.read(folder / f"{name}.toml")
        state = config.path(config.state) / RUN
        state.mkdir(parents=True)
        np.savez(state / f"keys-{other}.npz", token=np.array(TOKEN), shared=np.int64(found.shared), keys=keys)
        SplitList(RUN, site_of(config, state=False).own.fingerprint, folder=state).save()


def plant_root(coordinator: Coordinator, counts: list[int], classes: list[str]) -> None:
    """Leave of the run nothing but its root, so that taking it up again grows everything."""
    record = RunRecord(RUN, coordinator.question(), coordinator.state, classes, [GrownNode(-1, counts, 0)])
    record.save()
    record.saved()


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
            plant_keys(folder, graph)
            sites = [start(folder, name) for name in chain.tables]
            try:
                yield from measure(folder, graph, size)
            finally:
                for site in sites:
                    site.terminate()
                    site.wait(30)


def measure(folder: pathlib.Path, graph: JoinGraph, rows: int) -> Iterator[dict[str, Any]]:
    """Both sides by turns, after one run of each."""
    config = JoinConfig.read(folder / "join.toml")
    plain = JoinTree(max_depth=DEPTH).fit(graph)
    root, classes = list(plain.tree_.nodes[0].counts or ()), list(plain.tree_.classes)

    def grow() -> tuple[float, SecureTree]:
        coordinator = coordinator_of(config)
        plant_root(coordinator, root, classes)
        began = time.perf_counter()
        tree = coordinator.train(resume=True)
        return time.perf_counter() - began, tree

    _, secure = grow()
    same = [node.counts for node in secure.nodes] == [list(node.counts or ()) for node in plain.tree_.nodes]
    pairs = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        JoinTree(max_depth=DEPTH).fit(graph)
        pairs.append((time.perf_counter() - began, grow()[0]))
    ratios = [secure_time / plain_time for plain_time, secure_time in pairs]
    yield {
        "claim": f"two tables of {rows:,} rows, depth {DEPTH}: SecureMultiTbl by TLS takes at most 1.6 times JoinTree",
        "ours": statistics.median(plain_time for plain_time, _ in pairs),
        "rival": statistics.median(secure_time for _, secure_time in pairs),
        "ratio": statistics.median(ratios),
        "spread": (max(ratios) - min(ratios)) / statistics.median(ratios),
        "settings": f"ours: JoinTree in one process; rival: SecureMultiTbl in three; same tree: {same}; "
        f"{len(secure.nodes):,} nodes; median of {ROUNDS}",
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
