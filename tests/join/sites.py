"""Helpers for tests of sites: sites out of tables, trees put together again, and parties as processes."""

import socket
import subprocess
import sys
import time
from dataclasses import replace

import pyarrow as pa

from confide.core.trees.published import Edge, Node
from confide.join.configuration.config_files import SiteConfig
from confide.join.coordinator.simulation import simulated
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.protocol.policy import Policy
from confide.join.site.site import Site

FIGURE_2 = {
    "T1": pa.table({"J1": ["a", "b", "b", "b"], "J2": ["x", "x", "y", "y"], "class": ["C1", "C2", "C1", "C2"]}),
    "T2": pa.table({"J1": ["a", "c", "b", "a"], "Age": [3, 60, 10, 40]}),
    "T3": pa.table({"J2": ["x", "y", "x"]}),
}
FIGURE_2_JOINS = [(("T1", ("J1",)), ("T2", ("J1",))), (("T1", ("J2",)), ("T3", ("J2",)))]
"""Tables and joins of the thesis's running example (Figure 2)."""


def sites_of(frames, joins, target, *, coordinator="coordinator", categorical=(), policies=None, **options):
    """Sites from {name: Arrow table}, joins ((table, columns), (table, columns)) and target (table, column)."""
    on = {name: {} for name in frames}
    for (left, left_columns), (right, right_columns) in joins:
        on[left][right], on[right][left] = list(left_columns), list(right_columns)
    return [
        Site(
            name,
            frame,
            neighbours=on[name],
            coordinator=coordinator,
            class_column=target[1] if name == target[0] else None,
            categorical=[c.removeprefix(f"{name}.") for c in categorical if c.startswith(f"{name}.")],
            policy=allowing((policies or {}).get(name)),
            **options,
        )
        for name, frame in frames.items()
    ]


def allowing(policy=None):
    """The policy, with certain_classes = 1.0 unless it says otherwise: random data tells some classes for certain."""
    policy = policy or Policy()
    return (
        policy if "certain_classes" in policy.model_fields_set else policy.model_copy(update={"certain_classes": 1.0})
    )


def graph_of_sites(frames, joins, target):
    return SiteGraph(list(frames), [(left[0], right[0]) for left, right in joins], target[0])


def run_of(frames, joins, target, *, heard=None, categorical=(), policies=None, site_options=None, **parameters):
    """A coordinator over sites in this process, and the sites."""
    sites = sites_of(frames, joins, target, categorical=categorical, policies=policies, **(site_options or {}))
    return simulated(graph_of_sites(frames, joins, target), sites, heard=heard, **parameters), sites


def small(**options):
    """The running example, grown to its end."""
    return run_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), min_branch=1, confidence=None, **options)


def assembled(tree, sites):
    """The nodes of the whole tree, as only all sites together could write them down.

    Sites number the children of categorical splits at random; here they are in the order of their values.
    """
    lists = {site.name: site.runs.current.splits.by_number() for site in sites}
    nodes = []
    for number, node in enumerate(tree.nodes):
        attribute, edges = None, ()
        if node.site is not None:
            split = lists[node.site][number]
            attribute = f"{node.site}.{split.column}"
            if split.threshold is not None:
                above = ((split.threshold, float("inf")),) if split.threshold < float("inf") else ()
                sides = [((float("-inf"), split.threshold),), above]
                edges = tuple(
                    Edge(to=to, intervals=side, missing=split.missing == child)
                    for child, (to, side) in enumerate(zip(node.children, sides, strict=True))
                )
            else:
                pairs = zip(node.children, split.values, strict=True)
                edges = tuple(Edge(to=to, values=(value,)) for to, value in pairs)
        hit = max(node.counts)
        nodes.append(
            Node(
                label=node.label,
                hit=hit,
                miss=sum(node.counts) - hit,
                counts=tuple(node.counts),
                attribute=attribute,
                edges=edges,
            )
        )
    return in_order(nodes)


def in_order(nodes):
    """The same tree with the children of each node in the order of their values, numbered from the root down."""
    made, stack = [], [0]
    place = {}
    while stack:
        number = stack.pop()
        place[number] = len(made)
        node = nodes[number]
        edges = node.edges
        if edges and edges[0].values:
            edges = tuple(sorted(edges, key=lambda edge: repr(edge.values)))
        made.append(replace(node, edges=edges))
        stack.extend(edge.to for edge in reversed(edges))
    return tuple(replace(node, edges=tuple(replace(edge, to=place[edge.to]) for edge in node.edges)) for node in made)


def shape(tree, number=0):
    """A released tree without the order of its children, which differs from run to run."""
    node = tree.nodes[number]
    return node.site, node.label, node.counts, sorted((shape(tree, child) for child in node.children), key=repr)


def confide(*arguments, cwd, **options):
    command = [sys.executable, "-m", "confide", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600, **options)


def serve(folder, name):
    """A site as a process of its own, serving."""
    command = [sys.executable, "-m", "confide", "join", "site", "--config", f"{name}.toml"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if "serving at" in line:
            return process
    raise AssertionError(f"{name} did not start: {line}")


def wait_until(condition, *, seconds=300.0):
    """Poll until something holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def on_free_ports(folder):
    """The trial's join.toml, its sites on ports of this machine that are free."""
    for place in ("T1", "T2"):
        with socket.create_server(("127.0.0.1", 0)) as found:
            port = found.getsockname()[1]
        old = SiteConfig.read(folder / f"{place}.toml").listen
        for file in folder.glob("*.toml"):
            file.write_text(file.read_text().replace(old, f"127.0.0.1:{port}"))
    return folder / "join.toml"


def without_types(trial, place, cells=None):
    """A site of the trial as a new user writes it: no types; `cells` replaces its first record's x1."""
    path = trial / f"{place}.toml"
    path.write_text("\n".join(line for line in path.read_text().splitlines() if not line.startswith("types")))
    if cells is not None:
        lines = (trial / f"{place}.csv").read_text().splitlines()
        at = lines[0].split(",").index("x1")
        first = lines[1].split(",")
        first[at] = cells
        (trial / f"{place}.csv").write_text("\n".join([lines[0], ",".join(first), *lines[2:]]) + "\n")
    return SiteConfig.read(path)
