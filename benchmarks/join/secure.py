"""SecureMultiTbl against MultiTbl (thesis, Figure 9): two tables, each in a process of its own, over mutual TLS.

Both grow the same tree (depth 6) from the same chain tables, by turns in one run: `train` as the coordinator calls it,
`JoinTree` with all tables in one process. A run begins with a private intersection, which `JoinTree` has no need of and
which has a benchmark of its own (`join.intersection`): the same two sites are asked for it alone (`intersect`), and the
second row is the run without that time.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from confide.core.samples.chain import chain_tables
from confide.core.samples.chain_sites import chain_files
from confide.core.tables.frames import write_table
from confide.join import JoinGraph, JoinTree, SecureTree, intersect, train

ROUNDS = 3
DEPTH = 6
PORT = 17311


def lay_out(folder: pathlib.Path, rows: int) -> Any:
    """Tables as Parquet, configurations and certificates of both sites and the coordinator."""
    chain = chain_tables(2, rows=rows)
    for name, table in chain.tables.items():
        write_table(table, folder / f"{name}.parquet")
    for name, text in chain_files(chain, depth=DEPTH, port=PORT).items():
        lines = [line for line in text.splitlines() if not line.startswith("types")]
        (folder / name).write_text("\n".join(lines).replace(".csv", ".parquet") + "\n")
    parties = ["--site", "T1", "--site", "T2", "--coordinator", "registry"]
    keys = [sys.executable, "-m", "confide", "join", "keys", str(folder / "keys"), *parties]
    subprocess.run(keys, check=True, capture_output=True)
    return chain


def start(folder: pathlib.Path, name: str) -> subprocess.Popen[str]:
    """A site in a process of its own, serving."""
    command = [sys.executable, "-m", "confide", "join", "site", "--config", str(folder / f"{name}.toml")]
    site = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert site.stderr is not None
    for line in site.stderr:
        if "serving" in line:
            return site
    raise RuntimeError(f"{name} did not start")


def run(data: pathlib.Path, rows: tuple[int, ...] = (200_000, 1_000_000)) -> Iterator[dict[str, Any]]:
    """Two rows for each size."""
    for size in rows:
        with tempfile.TemporaryDirectory() as home:
            folder = pathlib.Path(home)
            chain = lay_out(folder, size)
            sites = [start(folder, name) for name in chain.tables]
            try:
                yield from measure(folder, JoinGraph(**chain._asdict()), size)
            finally:
                for site in sites:
                    site.terminate()
                    site.wait(30)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of one call."""
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def measure(folder: pathlib.Path, graph: JoinGraph, rows: int) -> Iterator[dict[str, Any]]:
    """Both sides by turns, after one run of each."""
    plain = JoinTree(max_depth=DEPTH).fit(graph).tree_
    secure = train(folder / "join.toml").tree
    same = shape_of(secure) == plain_shape(plain)
    times = []
    for _ in range(ROUNDS):
        own, _ = timed(lambda: JoinTree(max_depth=DEPTH).fit(graph))
        whole, _ = timed(lambda: train(folder / "join.toml"))
        # The asking site is loaded from its file first, which a run finds done: the exchange alone is what counts.
        asked, _ = timed(lambda: intersect(folder / "T1.toml", "T2", size_only=True))
        loading, _ = timed(lambda: intersect_nothing(folder))
        times.append((own, whole, asked - loading))
    settings = f"same tree: {'yes' if same else 'NO'}; {len(secure.nodes):,} nodes; median of {ROUNDS}"
    for name, seconds in (
        ("with the private intersection", [whole for _, whole, _ in times]),
        ("apart from the private intersection", [whole - asked for _, whole, asked in times]),
    ):
        ratios = [secure_time / own for (own, _, _), secure_time in zip(times, seconds, strict=True)]
        yield {
            "claim": f"two tables of {rows:,} rows, depth {DEPTH}: SecureMultiTbl by TLS against JoinTree, {name}",
            "ours": statistics.median(own for own, _, _ in times),
            "rival": statistics.median(seconds),
            "ratio": statistics.median(ratios),
            "spread": (max(ratios) - min(ratios)) / statistics.median(ratios),
            "settings": f"ours: JoinTree in one process; rival: SecureMultiTbl in three; {settings}",
        }


def intersect_nothing(folder: pathlib.Path) -> None:
    """Load the asking site, and ask a site that is none of its neighbours."""
    from confide.core.errors import UsageError

    try:
        intersect(folder / "T1.toml", "nobody", size_only=True)
    except UsageError:
        return


def shape_of(tree: SecureTree, number: int = 0) -> Any:
    """A secure tree without the order of its children, which sites draw at random."""
    node = tree.nodes[number]
    return node.label, list(node.counts), sorted((shape_of(tree, child) for child in node.children), key=repr)


def plain_shape(tree: Any, number: int = 0) -> Any:
    """The same of a tree of one process."""
    node = tree.nodes[number]
    below = sorted((plain_shape(tree, edge.to) for edge in node.edges), key=repr)
    return node.label, list(node.counts or ()), below
