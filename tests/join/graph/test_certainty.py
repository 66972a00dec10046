"""Whose class or side of a hidden split a neighbour could tell: our counts against the join, and against every one."""

import random
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.join.schemas import graph_of, random_schema
from tests.join.site.test_site import plain_names
from tests.join.sites import run_of
from tests.oracles.certainty import certain_classes, certain_everywhere, certain_sides
from tests.oracles.joining import materialise

from confide.join.coordinator.prediction import find_leaves
from confide.join.graph.certainty import Certain
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy
from confide.join.tree.level_growth import is_open, side_of
from confide.mining.trees.splits import grid


def drawn(number, first):
    """Random schemas of two tables or more whose join has two classes or more."""
    seed = first
    while number:
        tables, _, frames, joins, target, options, exclude = random_schema(seed)
        seed += 1
        if len(frames) < 2:
            continue
        named = plain_names(frames, joins, target, options["categorical"])
        exclude = plain_names(frames, joins, target, exclude)[3]
        tables = {new: tables[old] for new, old in zip(named[0], frames, strict=True)}
        frames, joins, target, options["categorical"] = named
        if sum(count > 0 for count in graph_of(frames, joins, target).check().class_counts.values()) < 2:
            continue
        number -= 1
        yield seed - 1, tables, frames, joins, target, {**options, "confidence": None}, exclude


def tree_ways(tree):
    """For each leaf, {node: child} from the root."""
    ways = {0: {}}
    for number, node in enumerate(tree.nodes):
        for child in node.children:
            ways[child] = {**ways[number], number: child}
    return ways


@pytest.mark.parametrize("batch", some(range(8), every=2))
def test_what_sites_count_is_what_the_joined_records_show(batch):
    classes = sides = 0
    for seed, tables, frames, joins, target, options, exclude in drawn(10, 3_000 * batch):
        policies = {
            name: Policy(forbid=[c for c in frame.column_names if f"{name}.{c}" in exclude])
            for name, frame in frames.items()
        }
        coordinator, sites = run_of(frames, joins, target, policies=policies, **options)
        tree = coordinator.train()
        expected = certain_classes(tables, joins, target)
        graph = graph_of(frames, joins, target)
        checked = {(one.sender, one.receiver): one for one in graph.check(exclude=exclude).certain}
        _, _, _, chosen = materialise(tables, joins, target)
        ids = {name: [str(rows[name]) for rows in chosen] for name in frames}
        ends = find_leaves(tree, ids, link=coordinator.link, by="row").nodes.tolist()
        ways = tree_ways(tree)
        on = {}
        for (left, left_columns), (right, right_columns) in joins:
            on[left, right], on[right, left] = left_columns, right_columns
        for line in tree.certain:
            way = line.sender, line.receiver
            behind, certain = expected[way]
            counted = line.counted
            assert (counted.keys, counted.records) == (len(behind), sum(behind.values())), seed
            assert counted.class_keys == len(certain), seed
            assert counted.class_records == sum(behind[key] for key in certain), seed
            joined = [
                (rows[way[0]], tuple(tables[way[0]][c][rows[way[0]]] for c in on[way]), ways[end])
                for rows, end in zip(chosen, ends, strict=True)
            ]
            shown = certain_sides(joined, splits_of(tree, graph.neighbours, way, options))
            if next(site for site in sites if site.name == way[0]).attributes:
                own = {}
                for row, key, _ in joined:
                    own.setdefault(key, set()).add(row)
                shown |= {key for key, number in behind.items() if number == 1}
                shown |= {key for key, rows in own.items() if len(rows) == 1}
            assert counted.side_keys == len(shown), (seed, way)
            assert counted.side_records == sum(behind[key] for key in shown), seed
            before = checked[way]
            assert (before.class_keys, before.class_records) == (counted.class_keys, counted.class_records), seed
            assert (before.keys, before.records) == (counted.keys, counted.records), seed
            assert before.side_keys <= counted.side_keys, seed
            classes, sides = classes + len(certain), sides + len(shown)
        assert tree.release(min_records=1, parameters={}).verification.ok, seed
    assert classes >= 3
    assert sides >= 3


def splits_of(tree, neighbours, way, options):
    """The split nodes that the sender's summaries describe, each with the side that every child shows as.

    Children that are leaves show as one side, since they are in no summary; on the last level there is no summary,
    and only the sender's own splits are counted.
    """
    depth = {0: 0}
    for number, node in enumerate(tree.nodes):
        depth |= dict.fromkeys(node.children, depth[number] + 1)
    behind = side_of(neighbours, *way)
    least = {name: options[name] for name in ("criterion", "min_leaf", "min_branch")}
    found = {}
    for number, node in enumerate(tree.nodes):
        last = options["max_depth"] is not None and depth[number] + 1 >= options["max_depth"]
        if node.site is None or node.site not in ({way[0]} if last else behind):
            continue
        counts = np.array([tree.nodes[child].counts for child in node.children], dtype=np.int64)
        opened = is_open(counts, exponent=grid(sum(tree.nodes[0].counts)), **least).tolist()
        named = zip(node.children, opened, strict=True)
        found[number] = {child: child if last or open_ else "leaves" for child, open_ in named}
    return found


# -- against every database that could have been ------------------------------------------------------------------


def four_tables(draw):
    """A target of four or five records between an observer and tables beyond, some of whose values join nothing."""
    rows = draw.choice((4, 5))
    beyond = [draw.choice((0, 0, 1, 2)), draw.choice((1, 2))]  # joined records that each value beyond stands for
    return {
        "T1": pa.table(
            {
                "k": ["a", "b", *(draw.choice("ab") for _ in range(rows - 2))],
                "m": [0, 1, *(draw.randint(0, 1) for _ in range(rows - 2))],
                "x": [draw.randint(0, 1) for _ in range(rows)],
                "class": [draw.choice("NY") for _ in range(rows)],
            }
        ),
        "T2": pa.table({"k": ["a", "b", *(draw.choice("ab") for _ in range(2))]}),
        "T3": pa.table({"m": [0, 1], "q": [0, 1]}),
        "T4": pa.table({"q": [q for q in (0, 1) for _ in range(beyond[q])] + [7]}),
    }


ON = [(("T1", ("k",)), ("T2", ("k",))), (("T1", ("m",)), ("T3", ("m",))), (("T3", ("q",)), ("T4", ("q",)))]
FORBID = {"T1": Policy(forbid=["k", "m"]), "T2": Policy(forbid=["k"]), "T3": Policy(forbid=["m", "q"])}
FORBID["T4"] = Policy(forbid=["q"])


def test_counts_are_what_is_the_same_in_every_database_with_these_messages():
    """The observer T2 sees only the messages of T1; a count that becomes 0 was of records that join nothing beyond."""
    draw = random.Random(23)
    tried = exact = certain = dropped = 0
    while tried < 25:
        frames = four_tables(draw)
        check = graph_of(frames, ON, ("T1", "class")).check()
        if check.fault is not None:
            continue
        tried += 1
        heard = []
        coordinator, sites = run_of(
            frames,
            ON,
            ("T1", "class"),
            policies=FORBID,
            min_branch=1,
            max_depth=2,
            confidence=None,
            heard=lambda *told, heard=heard: heard.append(told),
        )
        tree = coordinator.train()
        line = next(one for one in tree.certain if (one.sender, one.receiver) == ("T1", "T2"))
        arrived = [Message.from_bytes(data)[0] for s, to, verb, data in heard if (s, to) == ("T1", "T2")]
        summaries = [_by_class(message.counts()) for message in arrived if message.verb == "class-counts"]
        keys = sites[1].runs.current.values.keys["T1"]
        fan_out = dict(enumerate(np.bincount(keys).tolist()))
        split, leaves = None, 0
        if tree.nodes[0].site == "T1":
            told = next(message for message in arrived if message.verb == "split-counts")
            children = [tree.nodes[child].counts for child in tree.nodes[0].children]
            leaves = sum(min(counts) == 0 for counts in children)
            split = _by_child(told, fan_out), tuple(range(1, 1 + len(children)))
        classes, sides = certain_everywhere((summaries[0], summaries[-1]), fan_out, split)
        assert line.class_keys == len(classes)
        assert line.side_keys >= len(sides)  # a value with one record counts, whether or not a split follows
        # Leaves are in no message and count as one side, so with two of them the count is an upper bound.
        assert line.seen_side_keys >= len(sides)
        if leaves < 2 and tree.nodes[0].site == "T1":
            assert line.seen_side_keys == len(sides)
            exact += 1
        certain += len(classes)
        dropped += any(first and not summaries[-1].get(way) for way, first in summaries[0].items())
    assert exact >= 5
    assert certain >= 10
    assert dropped >= 3


def _by_class(counts):
    return {(key, c): n for key, row in enumerate(counts.tolist()) for c, n in enumerate(row)}


def _by_child(message, fan_out):
    """{(child, join value, class): count} of the open children of node 0, whose own number is 0."""
    columns = message.columns
    names = sorted((name for name in columns if name[1:].isdigit()), key=lambda name: int(name[1:]))
    found = {}
    for place, child in enumerate(columns["child"].tolist()):
        found |= {(child, key, c): 0 for key in fan_out for c in range(len(names))}
        for c, name in enumerate(names):
            for key, count in zip(columns["keys"][place].as_py(), columns[name][place].as_py(), strict=True):
                found[child, key, c] = count
    return found


def test_a_share_is_the_larger_of_join_values_and_records():
    counts = {"class_keys": 1, "class_records": 7, "side_keys": 3, "side_records": 3}
    one = Certain(sender="A", receiver="B", keys=4, records=10, **counts)
    assert (one.class_share, one.side_share) == (Fraction(7, 10), Fraction(3, 4))
    assert one.line == (
        "B could tell for certain the class of 1 of 4 people by join value (7 of 10 by record of A), and the side of a "
        "hidden split of 3 of 4 people by join value (3 of 10 by record of A)"
    )
    assert Certain(sender="A", receiver="B", keys=0, records=0).class_share == 0
