"""One tree over three tables at three sites, simulated; what crossed between them; the tree, released."""

from pathlib import Path

from confide import report
from confide.cli.demos import DemoPart
from confide.core.samples.chain import chain_tables
from confide.join.coordinator.simulation import simulated
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.protocol.policy import Policy
from confide.join.site.site import Site

__all__ = ["run"]

NAMES = {"T1": "hospital", "T2": "insurer", "T3": "employer"}
COORDINATOR = "registry"
DEPTH = 4
FEWEST = 50  # joined records in a leaf


def run(folder: Path) -> DemoPart:
    """Grow a tree over invented tables that join in a chain, and write report and passport."""
    chain = chain_tables(3, rows=1000)
    pairs = [(left.split("."), right.split(".")) for left, right in chain.joins]
    on: dict[str, dict[str, list[str]]] = {table: {} for table in chain.tables}
    for (left, a), (right, b) in pairs:
        on[left][NAMES[right]], on[right][NAMES[left]] = [a], [b]
    target, label = chain.target.split(".")
    sites = [
        Site(
            NAMES[table],
            frame,
            neighbours=on[table],
            coordinator=COORDINATOR,
            class_column=label if table == target else None,
            # All records of a join value have one class in this invented data, so the insurer can tell all of them.
            policy=Policy(certain_classes=1.0) if table == target else None,
        )
        for table, frame in chain.tables.items()
    ]
    edges = [(NAMES[left], NAMES[right]) for (left, _), (right, _) in pairs]
    graph = SiteGraph([site.name for site in sites], edges, NAMES[target])
    coordinator = simulated(graph, sites, name=COORDINATOR, max_depth=DEPTH, min_leaf=FEWEST)
    tree = coordinator.train()
    release = tree.release(min_records=coordinator.min_records, parameters={"max_depth": DEPTH, "min_leaf": FEWEST})
    passport = release.write(folder / "join-tree.json", replace=True)
    report.write(release, folder / "join.html", passport=passport, replace=True)
    return DemoPart(
        title="One tree for organisations that may not pool their tables",
        promise=release.passport.promise,
        summary=release.passport.headline,
        page=folder / "join.html",
        passports=(folder / "join-tree.json.passport.json",),
    )
