"""Growing the tree level by level: who wins each node, into how many children, and the children's class counts.

    per level:   score (all sites) -> the winner of each node -> won (winners) -> split (all sites)

A resumed run first replays its recorded levels: sites split those nodes as their own lists say, without scoring.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UnreachableError, UsageError
from confide.join.coordinator.inquiry import check_nodes
from confide.join.coordinator.run_record import GrownNode
from confide.join.coordinator.run_state import Run
from confide.join.protocol.messages import Message
from confide.join.tree.level_growth import is_open
from confide.join.tree.split_scores import winners
from confide.mining.trees.splits import grid

__all__ = ["grow", "replay"]

I64 = NDArray[np.int64]


def replay(run: Run) -> None:
    """Bring the sites to where the run had got to: recorded nodes are split as recorded."""
    record = run.record
    for number, level in enumerate(record.levels):
        split = np.array(level, dtype=np.int64)
        won = np.array([record.nodes[node].site for node in level])
        for site, children in _ask_winners(run, number, split, won, replay=True).items():
            if any(record.nodes[node].children != n for node, n in children.items()):
                raise UsageError(f"{site} splits differently than when the run began; train again without resuming")
        _order_split(run, number, split)


def grow(run: Run, step: Callable[[float], None]) -> None:
    """Grow from the last recorded level on until nothing more can be split; `step` is called after every level."""
    record = run.record
    level = _open(run, record.levels[-1] if record.levels else None)
    while len(level):
        records = sum(record.nodes[0].counts)
        won = _winners(run, level, records)
        split = level[won >= 0]
        step(1.0)
        if len(split) == 0:
            return
        _number_children(run, split, won[won >= 0])
        answers = _order_split(run, len(record.levels), split)
        for place, site in enumerate(run.graph.sites):
            _take_counts(run, site, answers[site], [n for n in split.tolist() if record.nodes[n].site == place])
        record.levels.append(split.tolist())
        record.save()
        level = _open(run, split.tolist())


def _open(run: Run, parents: list[int] | None) -> I64:
    """The children of a level that may be split further, ascending."""
    record = run.record
    numbers = [0] if parents is None else [child for node in parents for child in record.children(node)]
    if not numbers or (run.max_depth is not None and record.nodes[numbers[0]].depth >= run.max_depth):
        return np.empty(0, dtype=np.int64)
    counts = np.array([record.nodes[n].counts for n in numbers], dtype=np.int64)
    exponent = grid(sum(record.nodes[0].counts))
    least = {"min_leaf": run.min_leaf, "min_branch": run.min_branch}
    opened = is_open(counts, criterion=run.criterion, exponent=exponent, **least)
    return np.array(numbers, dtype=np.int64)[opened]


def _winners(run: Run, level: I64, records: int) -> I64:
    """For each node of the level the place of the site that splits it best, -1 where none can."""
    record = run.record
    header = {"run": record.run, "level": len(record.levels), "records": records}
    node = {"node": level.astype(np.int32)}
    if run.hiding is not None:
        return run.hiding.winners(Message("compare", header, node), run.asker)
    sums, numbers = np.zeros(len(level), dtype=np.int64), np.zeros(len(level), dtype=np.int64)
    if run.criterion == "gain_ratio":
        answers = run.asker.ask_all(dict.fromkeys(run.graph.sites, Message("gains", header, node)))
        for site, answer in answers.items():
            check_nodes(site, answer, level)
            sums += answer.columns["sum"]
            numbers += answer.columns["number"]
    order = Message("score", header, {**node, "sum": sums, "number": numbers.astype(np.int32)})
    answers = run.asker.ask_all(dict.fromkeys(run.graph.sites, order))
    for site, answer in answers.items():
        check_nodes(site, answer, level)
    return winners([answers[site].columns["score"] for site in run.graph.sites])


def _ask_winners(run: Run, level: int, split: I64, won: I64, *, replay: bool) -> dict[str, dict[int, int]]:
    """Let the sites know which nodes they split; for each site, how many children each of its nodes gets."""
    header = {"run": run.record.run, "level": level, "replay": replay}
    asked = {
        site: Message("won", header, {"node": split[won == place].astype(np.int32)})
        for place, site in enumerate(run.graph.sites)
        if (won == place).any()
    }
    found = {}
    for site, answer in run.asker.ask_all(asked).items():
        check_nodes(site, answer, asked[site].columns["node"])
        if answer.entries and answer.columns["children"].min() < 2:
            raise UnreachableError(f"{site} splits a node into fewer than two children, which is impossible")
        columns = answer.columns
        found[site] = dict(zip(columns["node"].tolist(), columns["children"].tolist(), strict=True))
    return found


def _number_children(run: Run, split: I64, won: I64) -> None:
    """Ask the winners how many children each node gets, and make these nodes."""
    record = run.record
    asked = _ask_winners(run, len(record.levels), split, won, replay=False)
    made = {node: n for children in asked.values() for node, n in children.items()}
    depth = record.nodes[int(split[0])].depth + 1
    for number, place in zip(split.tolist(), won.tolist(), strict=True):
        node = record.nodes[number]
        node.site, node.first, node.children = place, len(record.nodes), made[number]
        for _ in range(node.children):
            record.nodes.append(GrownNode(parent=number, counts=[0] * len(record.classes), depth=depth))


def _order_split(run: Run, level: int, split: I64) -> dict[str, Message]:
    """Let all sites split the nodes of a level as recorded; what they answer."""
    nodes, sites = [run.record.nodes[node] for node in split.tolist()], run.graph.sites
    last = run.max_depth is not None and nodes[0].depth + 1 >= run.max_depth
    towards = {place: run.graph.directions(sites[place]) for place in {node.site for node in nodes}}
    header = {"run": run.record.run, "level": level, "last": last}
    first = np.array([node.first for node in nodes], dtype=np.int32)
    children = np.array([node.children for node in nodes], dtype=np.int32)
    orders = {}
    for site in sites:
        places = {name: place for place, name in enumerate(run.graph.neighbours[site])}
        source = [-1 if (name := towards[node.site][site]) is None else places[name] for node in nodes]
        body = {
            "node": split.astype(np.int32),
            "source": np.array(source, dtype=np.int32),
            "first": first,
            "children": children,
        }
        orders[site] = Message("split", header, body)
    return run.asker.ask_all(orders)


def _take_counts(run: Run, site: str, answer: Message, parents: list[int]) -> None:
    """Take the class counts of the children of nodes that a site split, if they can be true."""
    record = run.record
    expected = [child for parent in parents for child in record.children(parent)]
    check_nodes(site, answer, np.array(expected, dtype=np.int64))
    counts = answer.counts()
    if len(expected) and (counts.shape[1] != len(record.classes) or counts.min() < 0):
        raise UnreachableError(f"{site} sent impossible class counts")
    for child, row in zip(expected, counts.tolist(), strict=True):
        record.nodes[child].counts = row
        if sum(row) < run.min_leaf:
            raise UnreachableError(f"{site} makes a node of fewer records than min_leaf allows")
    for parent in parents:
        together = np.sum([record.nodes[child].counts for child in record.children(parent)], axis=0)
        if together.tolist() != record.nodes[parent].counts:
            raise UnreachableError(f"{site} sent class counts of children that do not add up to their parent's")
