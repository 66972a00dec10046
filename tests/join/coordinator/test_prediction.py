"""Predictions by ids: the same classes as JoinTree gives joined records, and nothing but ids and branches crosses."""

import numpy as np
import pyarrow as pa
import pytest
from tests.join.sites import run_of

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.samples.chain import chain_tables
from confide.join import JoinGraph, JoinTree
from confide.join.coordinator.prediction import find_leaves, predict
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy

CHAIN = chain_tables(3, rows=120)
JOINS = [(("T1", ("j1",)), ("T2", ("j1",))), (("T2", ("j2",)), ("T3", ("j2",)))]
TARGET = ("T1", "class")


@pytest.fixture(scope="module")
def trained():
    said = []
    coordinator, sites = run_of(CHAIN.tables, JOINS, TARGET, max_depth=5, heard=lambda *message: said.append(message))
    tree = coordinator.train()
    said.clear()
    return coordinator, sites, tree, said


def joined_rows():
    """Row numbers of every joined record."""
    columns = {name: table.to_pydict() for name, table in CHAIN.tables.items()}
    return [
        (a, b, c)
        for a, first in enumerate(columns["T1"]["j1"])
        for b, second in enumerate(columns["T2"]["j1"])
        if first == second
        for c, third in enumerate(columns["T3"]["j2"])
        if columns["T2"]["j2"][b] == third
    ]


def test_every_joined_record_gets_the_class_join_tree_gives_it(trained):
    coordinator, _, tree, _ = trained
    rows = joined_rows()
    expected = JoinTree(max_depth=5).fit(JoinGraph(**CHAIN._asdict()))
    parts = [
        table.take(pa.array([row[place] for row in rows])).rename_columns([f"{name}.{c}" for c in table.column_names])
        for place, (name, table) in enumerate(CHAIN.tables.items())
    ]
    frame = pa.table({name: part.column(name) for part in parts for name in part.column_names if name != "T1.class"})
    ids = {name: [str(row[place]) for row in rows] for place, name in enumerate(CHAIN.tables)}
    assert predict(tree, ids, link=coordinator.link) == expected.predict(frame).tolist()


def test_only_ids_and_branches_cross_and_each_site_sees_its_own(trained):
    coordinator, _, tree, said = trained
    said.clear()
    ids = {name: [str(1 + place)] * 5 for place, name in enumerate(CHAIN.tables)}
    predict(tree, ids, link=coordinator.link)
    assert said
    for sender, receiver, verb, data in said:
        assert verb in ("route", "branches")
        message, _ = Message.from_bytes(data)
        if verb == "route":
            assert set(message.columns["id"].to_pylist()) == set(ids[receiver])
            assert all(tree.nodes[node].site == receiver for node in message.columns["node"])
        else:
            assert set(message.columns) == {"child"}
            assert receiver == "coordinator"
            assert sender in CHAIN.tables


def test_a_value_not_seen_in_training_stays_at_its_node():
    frames = {
        "T1": pa.table({"k": [1, 2, 3, 4, 9], "class": ["a", "b", "a", "a", "b"]}),
        "T2": pa.table({"k": [1, 2, 3, 4, 8], "colour": ["red", "blue", "red", "red", "green"]}),
    }
    joins = [(("T1", ("k",)), ("T2", ("k",)))]
    policies = {name: Policy(forbid=["k"]) for name in frames}
    options = {"min_branch": 1, "confidence": None, "categorical": ["T1.k", "T2.k"]}
    coordinator, _ = run_of(frames, joins, ("T1", "class"), policies=policies, **options)
    tree = coordinator.train()
    assert next(node.site for node in tree.nodes) == "T2"
    ids = {"T2": ["0", "1", "4"]}
    assert predict(tree, ids, link=coordinator.link) == ["a", "b", "a"], "green was dangling: the root's majority"


def test_records_can_be_named_by_an_id_column():
    numbers = {
        name: table.append_column("id", pa.array([f"{name}-{i}" for i in range(120)]))
        for name, table in CHAIN.tables.items()
    }
    rows = np.arange(40)
    coordinator, _sites = run_of(numbers, JOINS, TARGET, max_depth=3)
    numbered = {name: [str(r) for r in rows] for name in numbers}
    by_row = predict(coordinator.train(), numbered, link=coordinator.link)
    coordinator, _sites = run_of(numbers, JOINS, TARGET, max_depth=3, site_options={"id_column": "id"})
    tree = coordinator.train()
    by_id = predict(tree, {name: [f"{name}-{r}" for r in rows] for name in numbers}, link=coordinator.link, by="id")
    assert by_row == by_id
    assert len(set(by_row)) == 2
    with pytest.raises(InputError, match=r"1 id is not that of a record at .*; skip_unknown leaves"):
        predict(tree, {name: ["nobody"] for name in numbers}, link=coordinator.link, by="id")
    # Row numbers can be counted through from 0; ids have to be known.
    with pytest.raises(UsageError, match="takes no row numbers; use by='id'"):
        predict(tree, numbered, link=coordinator.link, by="row")


def test_each_site_is_asked_as_it_names_its_records():
    tables = dict(CHAIN.tables)
    tables["T2"] = tables["T2"].append_column("id", pa.array([f"person {i}" for i in range(120)]))
    coordinator, sites = run_of(tables, JOINS, TARGET, policies={"T2": Policy(forbid=["id"])}, max_depth=3)
    tree = coordinator.train()
    asked = {node.site for node in tree.nodes if node.site is not None}
    assert asked > {"T2"}
    numbered = {name: [str(r) for r in range(40)] for name in tables}
    by_row = predict(tree, numbered, link=coordinator.link)
    sites[1].own.id_column = "id"  # the one site of three that has ids
    mixed = numbered | {"T2": [f"person {r}" for r in range(40)]}
    assert predict(tree, mixed, link=coordinator.link) == by_row
    ends = find_leaves(tree, mixed, link=coordinator.link)
    assert ends.by == {name: "id" if name == "T2" else "row" for name in asked}
    strange = {name: [*ids, "77777"] for name, ids in mixed.items()}
    skipped = find_leaves(tree, strange, link=coordinator.link, skip_unknown=True)
    assert skipped.by == ends.by
    assert skipped.nodes.tolist() == [*ends.nodes.tolist(), -1]
    with pytest.raises(UsageError, match="no id column"):
        predict(tree, mixed, link=coordinator.link, by="id")


def test_a_site_logs_how_many_records_were_asked_about_and_no_id(trained, caplog):
    coordinator, _, tree, _ = trained
    with caplog.at_level("INFO", logger="confide.join"):
        predict(tree, {key: ["3", "117"] for key in CHAIN.tables}, link=coordinator.link)
    root = tree.nodes[0].site
    assert caplog.messages[0] == f"{root} answered coordinator which way 2 records of its own go"
    assert not any("117" in message for message in caplog.messages)


@pytest.mark.parametrize(
    ("ids", "options", "error", "message"),
    [
        ({"T1": ["0"]}, {}, InputError, "no ids for T.*columns are: T1$"),
        ({"T1": ["0"], "T2": ["0", "1"], "T3": ["0"]}, {}, InputError, "one id for each record"),
        ({key: ["500"] for key in ("T1", "T2", "T3")}, {}, InputError, "outside the table of"),
        ({key: ["-1"] for key in ("T1", "T2", "T3")}, {}, InputError, "outside the table of"),
        ({key: ["x"] for key in ("T1", "T2", "T3")}, {}, InputError, "not a whole number"),
        ({key: ["x"] for key in ("T1", "T2", "T3")}, {"by": "id"}, UsageError, "no id column"),
        ({key: ["0"] for key in ("T1", "T2", "T3")}, {"by": "name"}, InputError, "by row, by id"),
    ],
)
def test_wrong_ids_end_in_one_clear_line(trained, ids, options, error, message):
    coordinator, _, tree, _ = trained
    with pytest.raises(error, match=message):
        predict(tree, ids, link=coordinator.link, **options)


def test_no_records_make_no_messages(trained):
    coordinator, _, tree, said = trained
    said.clear()
    assert predict(tree, {name: [] for name in CHAIN.tables}, link=coordinator.link) == []
    assert said == []


def test_a_site_that_names_a_branch_that_is_none_is_caught(trained):
    coordinator, sites, tree, _ = trained
    root = next(site for site in sites if site.name == tree.nodes[0].site)
    honest = root.router.route
    root.router.route = lambda message: Message(
        "branches", {"run": tree.run, "by": "row"}, {"child": np.array([99], dtype=np.int32)}
    )
    try:
        with pytest.raises(UnreachableError, match="a branch that the tree does not have"):
            predict(tree, {key: ["0"] for key in CHAIN.tables}, link=coordinator.link)
    finally:
        root.router.route = honest
