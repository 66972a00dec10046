"""Trying a tree on held-out records of all sites, at the coordinator: counts by class, and nothing about any record.

    begin, intersections, class summaries   as for a tree, over the held-out tables
    walk     level by level, every site: the tree's splits made again by the sites that made them
    tally    the target: how many of its records of each class the tree puts in which

Beside the children of a node there is one more, for values that its split does not know: there the tree's answer is
the class of the node itself.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UnreachableError
from confide.core.figures import ShownFields
from confide.join.coordinator.disclosure import word_certainty
from confide.join.coordinator.ending import ledgers
from confide.join.coordinator.run_opening import open_run
from confide.join.coordinator.run_state import Run
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.protocol.certain_lines import CertainLine
from confide.join.protocol.ledger import Line
from confide.join.protocol.messages import Message
from confide.join.questions.walking import ENDS

__all__ = ["Evaluation", "run_evaluation"]

I64 = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Evaluation(ShownFields):
    """How a tree classes held-out records: counts by true class (rows: `truths`) and the tree's (columns: `labels`).

    `records` counts records of the target that join, each classed by the vote of its joined records; `rows` counts the
    joined records themselves. `ledger` holds what crossed, `certain` who could tell what about held-out people.
    """

    truths: tuple[str, ...]
    labels: tuple[str, ...]
    records: I64
    rows: I64
    ledger: tuple[Line, ...]
    certain: tuple[CertainLine, ...] = ()

    @property
    def accuracy(self) -> float:
        """The share of the target's records that the tree puts in their class."""
        return self._right(self.records)

    @property
    def row_accuracy(self) -> float:
        """The share of joined records that the tree puts in their class."""
        return self._right(self.rows)

    @property
    def commonest(self) -> float:
        """The share of the target's records that are of the commonest class: what always guessing it is right about."""
        return float(self.records.sum(axis=1).max() / self.records.sum())

    def _right(self, counts: I64) -> float:
        right = sum(
            int(counts[i, self.labels.index(truth)]) for i, truth in enumerate(self.truths) if truth in self.labels
        )
        return right / int(counts.sum())

    def headline(self) -> str:
        """One line: how often the tree is right, beside what guessing would be."""
        return (
            f"right about {self.accuracy:.1%} of {int(self.records.sum()):,} held-out records that join; always "
            f"guessing the commonest class: {self.commonest:.1%}"
        )

    def notes(self) -> tuple[str, ...]:
        """What a reader should know: how good the tree is, and what a neighbour could tell about held-out people."""
        return self.headline(), word_certainty(self.certain)

    def summary(self) -> dict[str, Any]:
        """The evaluation as plain data for JSON."""
        return {
            "records": int(self.records.sum()),
            "accuracy": self.accuracy,
            "commonest_class": self.commonest,
            "joined_rows": int(self.rows.sum()),
            "row_accuracy": self.row_accuracy,
            "certain": [line.to_dict() for line in self.certain],
            "cells": self.cells(),
        }

    def cells(self) -> list[dict[str, Any]]:
        """A line for each class and each class the tree gives, where there are any."""
        return [
            {
                "class": truth,
                "classed_as": label,
                "records": int(self.records[i, j]),
                "joined_rows": int(self.rows[i, j]),
            }
            for i, truth in enumerate(self.truths)
            for j, label in enumerate(self.labels)
            if self.rows[i, j]
        ]


def run_evaluation(run: Run, tree: SecureTree, *, take_over: bool) -> Evaluation:
    """Carry out a run that evaluates `tree`."""
    graph = run.graph
    if set(graph.sites) != set(tree.sites) or graph.target != tree.target:
        raise InputError(f"the tree was grown by other sites, or for another target, than the run has ({graph.target})")
    open_run(run, resume=False, take_over=take_over)
    here, made = [(0, 0)], 1  # (node of the walk, node of the tree; -1 - node: it stays there)
    level = 0
    while here:
        here, made = _walk(run, tree, level, here, made)
        level += 1
    truths = tuple(run.record.classes)
    answer = run.asker.ask(graph.target, Message("tally", {"run": run.record.run, "labels": len(tree.classes)}))
    records, rows = _counts(answer, len(truths), len(tree.classes), total=sum(run.record.nodes[0].counts))
    lines, certain = ledgers(run)
    return Evaluation(truths=truths, labels=tree.classes, records=records, rows=rows, ledger=lines, certain=certain)


def _walk(
    run: Run, tree: SecureTree, level: int, here: list[tuple[int, int]], made: int
) -> tuple[list[tuple[int, int]], int]:
    """One level: what follows, and the next free number."""
    graph = run.graph
    columns: dict[str, list[int]] = {name: [] for name in ("node", "number", "first", "children", "label")}
    following: list[tuple[int, int]] = []
    owners: list[str | None] = []
    for number, at in here:
        node = tree.nodes[at if at >= 0 else -1 - at]
        ends = at < 0 or node.site is None
        owners.append(None if ends else node.site)
        beyond = [] if ends else [*node.children, -1 - at]
        following += [(made + k, child) for k, child in enumerate(beyond)]
        values = (number, -1 if ends else at, made, len(beyond), tree.classes.index(node.label) if ends else -1)
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
        made += len(beyond)
    body = {name: np.array(values, dtype=np.int32) for name, values in columns.items()}
    towards = {owner: graph.directions(owner) for owner in set(owners) if owner is not None}
    orders = {}
    for site in graph.sites:
        places = {name: place for place, name in enumerate(graph.neighbours[site])}
        source = [
            ENDS if owner is None else -1 if (way := towards[owner][site]) is None else places[way] for owner in owners
        ]
        own = {**body, "source": np.array(source, dtype=np.int32)}
        if site != graph.target:
            own["label"] = np.full(len(source), -1, dtype=np.int32)
        orders[site] = Message("walk", {"run": run.record.run, "level": level}, own)
    run.asker.ask_all(orders)
    return following, made


def _counts(answer: Message, truths: int, labels: int, *, total: int) -> tuple[I64, I64]:
    """The two tables of counts, if they can be true."""
    columns = answer.columns
    cells = columns["truth"], columns["label"]
    fits = all((cell >= 0).all() and (cell < most).all() for cell, most in zip(cells, (truths, labels), strict=True))
    records, rows = (np.zeros((truths, labels), dtype=np.int64) for _ in range(2))
    if fits:
        np.add.at(records, cells, columns["records"])
        np.add.at(rows, cells, columns["rows"])
    if not fits or min(records.min(), rows.min()) < 0 or rows.sum() != total:
        raise UnreachableError("the target site sent counts of held-out records that cannot be true")
    return records, rows
