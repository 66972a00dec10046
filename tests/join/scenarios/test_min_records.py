"""`min_records`: every entry and every node stands on that many records of each site that asks for it."""

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.join.schemas import graph_of
from tests.join.sites import assembled, in_order, run_of
from tests.oracles.joining import materialise

from confide.core.errors import CannotMeetError, InputError
from confide.join import JoinTree
from confide.join.protocol.policy import Policy

JOINS = [(("A", ("k",)), ("B", ("k",)))]
TARGET = ("A", "class")


def fan(**columns):
    """40 records at A and two join values, each with ten records at B: every record of A is ten joined ones."""
    at_a = {"k": ["p", "q"] * 20, "x": list(range(40)), "class": ["yes"] + ["no"] * 39, **columns}
    return {"A": pa.table(at_a), "B": pa.table({"k": ["p", "q"] * 10, "y": list(range(20))})}


def run(frames, joins=JOINS, *, ask, least=5, **options):
    keys = {"k", "j"}
    policies = {
        name: Policy(
            min_records=least if name in ask else 1, forbid=[c for c in frame.column_names if c in keys | {"row"}]
        )
        for name, frame in frames.items()
    }
    return run_of(frames, joins, TARGET, policies=policies, min_branch=1, confidence=None, **options)


def test_a_leaf_on_one_record_stops_the_run_however_many_joined_records_it_has():
    coordinator, _ = run(fan(), ask=("A", "B"), max_depth=1)
    with pytest.raises(CannotMeetError, match="A: the policy asks for entries of at least 5 records, but 1 of 2"):
        coordinator.train()
    coordinator, _ = run(fan(), ask=("A",))
    with pytest.raises(CannotMeetError, match="1 of 2 entries of a class count to coordinator"):
        coordinator.train()


def test_a_site_that_asks_for_nothing_gets_its_leaf_on_one_record():
    coordinator, _ = run(fan(), ask=(), max_depth=1)
    assert [node.counts for node in coordinator.train().nodes] == [[390, 10], [0, 10], [390, 0]]


def test_a_deep_tree_with_records_enough_is_the_same_tree():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 6, 3000)
    noisy = (x + rng.integers(0, 4, 3000)) > 4
    frames = {
        "A": pa.table({"k": rng.integers(0, 4, 3000), "x": x, "class": np.where(noisy, "yes", "no")}),
        "B": pa.table({"k": rng.integers(0, 4, 3000), "y": rng.integers(0, 6, 3000)}),
        "C": pa.table({"k": rng.integers(0, 4, 3000), "z": rng.integers(0, 6, 3000)}),
    }
    joins = [*JOINS, (("A", ("k",)), ("C", ("k",)))]
    same = JoinTree(min_branch=1, max_depth=4, confidence=None, exclude=["A.k", "B.k", "C.k"])
    expected = same.fit(graph_of(frames, joins, TARGET)).tree_.nodes
    assert len(expected) > 9
    coordinator, sites = run(frames, joins, ask=("A", "B", "C"), max_depth=4)
    assert assembled(coordinator.train(), sites) == in_order(expected)
    assert coordinator.min_records == 5


def random_chain(seed):
    """Three tables in a row, few join values; the class is at any of them (table A, wherever it stands)."""
    draw = random.Random(seed)

    def table(rows, **more):
        signal = [draw.randrange(4) for _ in range(rows)]
        made = {"row": list(range(rows)), "x": signal, "y": [draw.choice("uvw") for _ in range(rows)]}
        return made | {name: draw.choices(range(draw.choice([1, 2])), k=rows) for name in more}, signal

    rows = [draw.randrange(8, 16) for _ in range(3)]
    names = draw.choice([["A", "B", "C"], ["B", "A", "C"]])
    parts = {names[0]: ["k"], names[1]: ["k", "j"], names[2]: ["j"]}
    tables = {}
    for name, size in zip(names, rows, strict=True):
        tables[name], signal = table(size, **dict.fromkeys(parts[name]))
        if name == "A":
            tables[name]["class"] = ["yes" if value + draw.randrange(2) > 2 else "no" for value in signal]
    joins = [((names[0], ("k",)), (names[1], ("k",))), ((names[1], ("j",)), (names[2], ("j",)))]
    return tables, joins, draw.randrange(2, 4)


def records_at_nodes(nodes, tables, joins):
    """For each node and table, how many of the table's records its joined records come from."""
    names, records, _, chosen = materialise(tables, joins, TARGET)
    found = [{table: set() for table in tables} for _ in nodes]
    for record, rows in zip(records, chosen, strict=True):
        at = 0
        while at is not None:
            for table, row in rows.items():
                found[at][table].add(row)
            node = nodes[at]
            value = None if node.attribute is None else record[names.index(node.attribute)]
            at = next(
                (
                    edge.to
                    for edge in node.edges
                    if value in edge.values or any(low < value <= high for low, high in edge.intervals)
                ),
                None,
            )
    return [{table: len(rows) for table, rows in one.items()} for one in found]


def test_every_node_of_a_tree_stands_on_enough_records_of_every_site_that_asks():
    # Nobody tells a leaf to a site that did not make it; yet each has records enough there, or the run was stopped.
    grown = stopped = 0
    for seed in range(400):
        if seed >= 150 and grown >= 15:
            break
        tables, joins, least = random_chain(seed)
        ask = [name for name in tables if random.Random(seed).random() < 0.6] or ["B"]
        frames = {name: pa.table(columns) for name, columns in tables.items()}
        coordinator, sites = run(frames, joins, ask=ask, least=least, max_depth=3)
        try:
            tree = coordinator.train()
        except CannotMeetError:
            stopped += 1
            continue
        except InputError:  # one class only
            continue
        grown += len(tree.nodes) > 3
        for counts in records_at_nodes(assembled(tree, sites), tables, joins):
            assert all(counts[name] >= least for name in ask), seed
    assert grown >= 15
    assert stopped >= 15
