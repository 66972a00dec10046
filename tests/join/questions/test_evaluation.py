"""Trying a tree on held-out records: the counts of one process, and nothing but them reaches the coordinator."""

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.join.schemas import graph_of, random_schema
from tests.join.sites import allowing, graph_of_sites

from confide.core.errors import CannotMeetError, ConfideError, InputError, UnreachableError, UsageError
from confide.join import JoinTree, Policy, Site, simulated
from confide.join.protocol.messages import Message

JOINS = [(("T", ("k",)), ("S", ("k",)))]
TRAIN = {
    "T": pa.table({"k": [*range(8)] * 5, "class": ["a", "b"] * 20}),
    "S": pa.table({"k": [*range(8)], "colour": ["red", "blue"] * 4}),
}
HELD = {
    "T": pa.table({"k": [*range(8), 9] * 5, "class": ["a", "b", "a", "a", "b", "a", "a", "b", "b"] * 5}),
    "S": pa.table({"k": [*range(8), 7, 7], "colour": ["red", "blue"] * 3 + ["green", "blue", "red", "red"]}),
}


def over(train, held, joins, target, *, policies=None, exclude=(), categorical=(), heard=None, state=None, **options):
    """A coordinator over sites that hold both tables, and the sites."""
    on = {name: {} for name in train}
    for (left, columns), (right, others) in joins:
        on[left][right], on[right][left] = list(columns), list(others)

    def own(names, site):
        return [name.removeprefix(f"{site}.") for name in names if name.startswith(f"{site}.")]

    sites = [
        Site(
            name,
            train[name],
            held_out=held.get(name),
            neighbours=on[name],
            coordinator="coordinator",
            class_column=target[1] if name == target[0] else None,
            categorical=own(categorical, name),
            policy=allowing((policies or {}).get(name) or Policy(forbid=own(exclude, name))),
            state=None if state is None else state / name,
        )
        for name in train
    ]
    return simulated(graph_of_sites(train, joins, target), sites, heard=heard, **options), sites


def simple(**options):
    forbid = {name: options.pop(name, Policy(forbid=["k"])) for name in ("T", "S")}
    return over(TRAIN, HELD, JOINS, ("T", "class"), policies=forbid, confidence=None, **options)


def again(frame, draw):
    """Other records with the same columns: some twice, some not at all, and now and then a new word."""
    rows = [draw.randrange(frame.num_rows) for _ in range(frame.num_rows + 3)]
    taken = frame.take(pa.array(rows))
    for place, field in enumerate(taken.schema):
        if pa.types.is_string(field.type) and field.name not in ("class",) and not field.name.startswith("j"):
            words = [word if draw.random() < 0.8 else "new" for word in taken.column(place).to_pylist()]
            taken = taken.set_column(place, field, pa.array(words, pa.string()))
    return taken


@pytest.mark.parametrize("seed", range(60))
def test_the_counts_are_those_of_join_tree_in_one_process(seed):
    _, _, train, joins, target, options, exclude = random_schema(seed)
    if not joins or any("." in name for name in train):
        return
    held = {name: again(frame, random.Random(f"{seed} {name}")) for name, frame in train.items()}
    coordinator, _ = over(train, held, joins, target, exclude=exclude, **options)
    try:
        tree = coordinator.train()
    except ConfideError:
        return
    grown = JoinTree(**options, exclude=exclude).fit(graph_of(train, joins, target))
    new = graph_of(held, joins, target)
    try:
        votes = grown.votes(new)
    except InputError:
        return
    if not votes.any():
        with pytest.raises(ConfideError, match=r"nothing joins|join is empty"):
            coordinator.evaluate(tree)
        return
    found = coordinator.evaluate(tree)
    truth = [str(value) for value in held[target[0]].column("class").to_pylist()]
    labels = [str(label) for label in grown.classes_]
    records, rows = ({} for _ in range(2))
    for own, vote in zip(truth, votes, strict=True):
        if vote.any():
            records[own, labels[int(vote.argmax())]] = records.get((own, labels[int(vote.argmax())]), 0) + 1
        for label, number in zip(labels, vote.tolist(), strict=True):
            if number:
                rows[own, label] = rows.get((own, label), 0) + number
    cells = found.cells()
    assert {(cell["class"], cell["classed_as"]): cell["joined_rows"] for cell in cells} == rows
    assert {(c["class"], c["classed_as"]): c["records"] for c in cells if c["records"]} == records
    assert found.accuracy == pytest.approx(
        sum(n for (own, label), n in records.items() if own == label) / sum(records.values())
    )


def test_an_unknown_value_gets_the_class_of_its_node_and_votes_are_counted_by_record():
    coordinator, _ = simple()
    tree = coordinator.train()
    assert tree.nodes[0].site == "S"
    found = coordinator.evaluate(tree)
    # k=6 is green: the root's class, a. k=7 is blue once and red twice: two votes of three for a.
    counted = found.summary()
    assert [(line["to"], line["class_keys"], line["keys"]) for line in counted.pop("certain")] == [
        ("T", 0, 8),
        ("S", 8, 8),
    ]
    assert counted == {
        "records": 40,
        "accuracy": 20 / 40,
        "joined_rows": 50,
        "row_accuracy": 25 / 50,
        "commonest_class": 25 / 40,
        "cells": [
            {"class": "a", "classed_as": "a", "records": 15, "joined_rows": 15},
            {"class": "a", "classed_as": "b", "records": 10, "joined_rows": 10},
            {"class": "b", "classed_as": "a", "records": 10, "joined_rows": 15},
            {"class": "b", "classed_as": "b", "records": 5, "joined_rows": 10},
        ],
    }
    assert found.headline().startswith("right about 50.0% of 40 held-out records that join; ")
    assert found.headline().endswith("the commonest class: 62.5%")


def test_the_coordinator_hears_of_classes_and_counts_only():
    said = []
    coordinator, _ = simple(heard=lambda *message: said.append(message))
    tree = coordinator.train()
    said.clear()
    found = coordinator.evaluate(tree)
    heard = {verb for _, receiver, verb, _ in said if receiver == "coordinator"}
    assert heard == {"begun", "classes", "done", "totals", "tallied", "lines", "pong"} - {"pong"} | (heard & {"pong"})
    kinds = {line.kind for line in found.ledger if line.receiver == "coordinator"}
    assert {"confusion-counts", "class-totals", "class-labels"} <= kinds
    assert not kinds & {"scores", "prediction-path", "class-summary", "split-summary"}
    for sender, receiver, verb, data in said:
        if verb == "walk" and receiver != "T":
            assert set(Message.from_bytes(data)[0].columns["label"].tolist()) == {-1}, sender


def test_a_tree_is_tried_again_after_a_restart_from_the_state_folder(tmp_path):
    coordinator, _ = simple(state=tmp_path)
    tree = coordinator.train()
    first = coordinator.evaluate(tree)
    fresh, _ = simple(state=tmp_path)
    assert fresh.evaluate(tree).cells() == first.cells()
    # The tree can still be asked, and the owner still sees the splits: an evaluation is not the last tree.
    assert fresh.link.call(
        "S", Message("route", {"run": tree.run, "by": "row"}, {"node": np.zeros(1, np.int32), "id": pa.array(["0"])}),
        timeout=60,
    ).verb == "branches"  # fmt: skip


def test_without_held_out_records_or_the_tree_it_stops_in_one_line():
    coordinator, _ = over(TRAIN, {"T": HELD["T"]}, JOINS, ("T", "class"), exclude=["T.k", "S.k"], confidence=None)
    tree = coordinator.train()
    with pytest.raises(UsageError, match="S has no held-out records"):
        coordinator.evaluate(tree)
    other, _ = simple()
    with pytest.raises(UsageError, match="holds no finished run"):
        other.evaluate(tree)


# -- a coordinator, or a neighbour, that breaks the rules -------------------------------------------------------------


def test_every_evaluation_is_a_run_of_the_budget():
    coordinator, _ = simple(S=Policy(forbid=["k"], max_runs=3))
    tree = coordinator.train()
    for _ in range(2):
        coordinator.evaluate(tree)
    with pytest.raises(CannotMeetError, match="allows coordinator 3 runs in all"):
        coordinator.evaluate(tree)


@pytest.mark.parametrize("site", ["T", "S"])
def test_counts_of_few_held_out_records_do_not_leave(site):
    # Trained on enough records of each join value, then tried on one held-out record only.
    many = {"T": TRAIN["T"], "S": pa.concat_tables([TRAIN["S"]] * 4)}
    one = {"T": HELD["T"].slice(0, 1), "S": HELD["S"].slice(0, 1)}
    held = {**{name: pa.concat_tables([HELD[name]] * 4) for name in HELD}, site: one[site]}
    policies = {name: Policy(forbid=["k"], min_records=2 if name == site else 1) for name in TRAIN}
    said = []
    coordinator, _ = over(
        many, held, JOINS, ("T", "class"), policies=policies, confidence=None, heard=lambda *m: said.append(m)
    )
    tree = coordinator.train()
    said.clear()
    with pytest.raises(CannotMeetError, match="at least 2 records"):
        coordinator.evaluate(tree)
    assert not any(verb in ("totals", "tallied") and sender == site for sender, _, verb, _ in said)


class Crooked:
    """A run that evaluates, opened by an honest coordinator and then walked by a crooked one."""

    def __init__(self, **options):
        from dataclasses import replace

        from confide.join.coordinator.run_opening import open_run
        from confide.join.coordinator.run_record import RunRecord

        self.coordinator, self.sites = simple(**options)
        self.tree = self.coordinator.train()
        run = self.coordinator.run(RunRecord.new({}, None))
        self.run = replace(run, evaluates=self.tree.run, max_depth=self.tree.depth, hiding=None)
        with self.run.asker.watching():
            open_run(self.run, resume=False)

    def say(self, site, verb, header=None, **columns):
        made = {name: np.array(values, dtype=np.int32) for name, values in columns.items()}
        message = Message(verb, {"run": self.run.record.run, **(header or {})}, made)
        return self.coordinator.link.call(site, message, timeout=60)

    def end(self, site, label=0, level=0):
        ends = {"node": [0], "number": [-1], "first": [1], "children": [0], "label": [label], "source": [-2]}
        return self.say(site, "walk", {"level": level}, **ends)


def split(**changes):
    order = {"node": [0], "number": [0], "first": [1], "children": [3], "label": [-1], "source": [-1]}
    return {**order, **{name: [value] for name, value in changes.items()}}


@pytest.mark.parametrize(
    ("order", "level", "error"),
    [
        (split(number=5), 0, "a split that this site did not make"),
        (split(children=2), 0, "a split that this site did not make"),
        (split(), 1, "an order for level 1"),
        (split(node=1), 0, "leaves out open nodes"),
        (split(source=7), 0, "names a neighbour"),
        (split(first=0), 0, "in an impossible way"),
    ],
)
def test_a_walk_that_is_not_that_of_the_tree_is_refused(order, level, error):
    with pytest.raises(UnreachableError, match=error):
        Crooked().say("S", "walk", {"level": level}, **order)


def test_a_tally_is_given_once_at_the_end_and_by_the_target_alone():
    crooked = Crooked()
    with pytest.raises(UnreachableError, match="cannot take 'tally' now: the run is in phase 'open'"):
        crooked.say("T", "tally", {"labels": 2})
    crooked = Crooked()
    for site in ("T", "S"):
        crooked.end(site, label=1)
    with pytest.raises(UsageError, match="S is not the target"):
        crooked.say("S", "tally", {"labels": 2})
    assert crooked.say("T", "tally", {"labels": 2}).columns["label"].tolist() == [1, 1]
    with pytest.raises(UnreachableError, match="cannot take 'tally' now"):
        crooked.say("T", "tally", {"labels": 2})
    crooked = Crooked()
    crooked.end("T", label=9)
    with pytest.raises(UnreachableError, match="a class that the tree does not have"):
        crooked.say("T", "tally", {"labels": 2})


def test_an_evaluation_grows_no_tree_and_a_tree_is_not_walked():
    for verb, header, columns in (
        ("compare", {"level": 0, "records": 50}, {"node": [0]}),
        ("finish", {}, {"node": [], "number": []}),
    ):
        crooked = Crooked()
        with pytest.raises(UsageError, match="no tree to grow"):
            crooked.say("S", verb, header, **columns)
    from confide.join.coordinator.run_opening import open_run
    from confide.join.coordinator.run_record import RunRecord

    coordinator, _ = simple()
    run = coordinator.run(RunRecord.new({}, None))
    with run.asker.watching():
        open_run(run, resume=False)
    walk = {name: np.array(values, dtype=np.int32) for name, values in split().items()}
    with pytest.raises(UsageError, match="evaluates no tree"):
        coordinator.link.call("S", Message("walk", {"run": run.record.run, "level": 0}, walk), timeout=60)
