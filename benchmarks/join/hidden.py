"""What hiding gains costs a run: the same tree with scores compared hidden, and sent to the coordinator.

Two sites and the coordinator as the third, in this process but for the comparisons, which run in a process for each
party. The time for a level and for a node comes from trees of several depths, grown by turns.
"""

import pathlib
import statistics
import time
from collections.abc import Iterator
from typing import Any

from confide.core.samples.chain import chain_tables
from confide.join import Policy, SecureTree, Site, SiteGraph, simulated

DEPTHS, ROUNDS, ROWS = (1, 3, 6), 3, 2_000


def grow(depth: int, *, hide_gains: bool) -> tuple[float, SecureTree]:
    """Seconds of a run, and its tree."""
    chain = chain_tables(2, rows=ROWS)
    sites = [
        Site(
            "T1",
            chain.tables["T1"],
            neighbours={"T2": ["j1"]},
            coordinator="C",
            class_column="class",
            policy=Policy(certain_classes=1.0),  # all records of a join value have one class in these tables
        ),
        Site("T2", chain.tables["T2"], neighbours={"T1": ["j1"]}, coordinator="C"),
    ]
    graph = SiteGraph(["T1", "T2"], [("T1", "T2")], target="T1")
    third = {"third": "C"} if hide_gains else {}
    coordinator = simulated(graph, sites, name="C", max_depth=depth, hide_gains=hide_gains, **third)
    began = time.perf_counter()
    tree = coordinator.train()
    return time.perf_counter() - began, tree


def shape(tree: SecureTree, number: int = 0) -> Any:
    """A tree without the order of its children, which sites draw at random."""
    node = tree.nodes[number]
    return node.site, list(node.counts), sorted((shape(tree, child) for child in node.children), key=repr)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """A row for each depth."""
    grow(1, hide_gains=True)
    for depth in DEPTHS:
        pairs, same = [], True
        for _ in range(ROUNDS):
            hidden, tree = grow(depth, hide_gains=True)
            openly, plain = grow(depth, hide_gains=False)
            pairs.append((hidden, openly))
            same &= shape(tree) == shape(plain)
        ratios = [hidden / openly for hidden, openly in pairs]
        extra = statistics.median(hidden - openly for hidden, openly in pairs)
        yield {
            "claim": f"a run of depth {depth} with gains hidden, " + ("same tree" if same else "ANOTHER TREE"),
            "ours": round(statistics.median(hidden for hidden, _ in pairs), 3),
            "rival": round(statistics.median(openly for _, openly in pairs), 3),
            "ratio": round(statistics.median(ratios), 2),
            "spread": round((max(ratios) - min(ratios)) / statistics.median(ratios), 3),
            "settings": f"rival: gains sent; {len(tree.nodes)} nodes; hiding took {extra:.2f} s more, the start of "
            f"three processes included; median of {ROUNDS}",
        }
