"""Trying a tree on held-out records at one site: the splits of an earlier run made again, and what the target counts.

    walk    every open node either ends here (a leaf of the tree, or a value its split does not know) or is split: at
            its site as the site's own list says, at the others as summaries of neighbours say
    tally   at the target: its records by their class and the class the tree gives them, and nothing else

A record of the target is in several joined records, which may end at several leaves: the most of them decide, ties go
to the first class. Only the target can count them, and only it learns how each record was classed. What neighbours
learn from summaries, they learn as in training; `min_records` holds for held-out records as it does there, and for
every cell of the count.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UnreachableError, UsageError
from confide.join.protocol.messages import Message
from confide.join.site.growing import SiteGrowth, SplitOrder
from confide.join.site.split_list import OwnSplit
from confide.join.tree.column_codes import CodedColumn

__all__ = ["ENDS", "SiteWalk"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

ENDS = -2
"""In place of the source of a node: no site splits it, its records stay there."""


@dataclass(kw_only=True)
class SiteWalk(SiteGrowth):
    """A walk down a tree, level by level. `splits` are those of the run that grew it; orders name released numbers."""

    _used: set[int] = field(default_factory=set)
    _votes: dict[int, I64] = field(default_factory=dict)

    def walk(self, level: int, columns: Mapping[str, Any], cancelled: Callable[[], bool]) -> Message:
        """Let records at nodes that end here go, and split the other nodes; after the last level none is left."""
        nodes, first, children = (columns[name].astype(np.int64) for name in ("node", "first", "children"))
        source = columns["source"]
        self._check_walk(level, nodes, source, first, children)
        for node, label in zip(nodes[source == ENDS].tolist(), columns["label"][source == ENDS].tolist(), strict=True):
            self._count(node, label)
        moving = source != ENDS
        order = SplitOrder(level, nodes[moving], source[moving], first[moving], children[moving])
        own = order.source == -1
        if own.any():
            numbers = columns["number"][moving][own].tolist()
            self._split(order.nodes[own], numbers, order.first[own], order.children[own])
        with ThreadPoolExecutor(len(self.terms.neighbours) + 1) as pool:
            if moving.any():
                self._exchange(order, pool, cancelled)
        self.engine.advance()
        self.level = level + 1
        return Message("done")

    @property
    def over(self) -> bool:
        """Whether every record has ended."""
        return len(self.engine.nodes) == 0

    def _check_walk(self, level: int, nodes: I64, source: I32, first: I64, children: I64) -> None:
        self._check_number(level)
        if not np.array_equal(nodes, self.engine.nodes):
            # A node without records here has no place here; the coordinator names it all the same.
            self._check_missing(nodes)
        if len(source) and (source.min() < ENDS or source.max() >= len(self.terms.neighbours)):
            raise UnreachableError(
                f"the coordinator names a neighbour that this site does not have; it has {len(self.terms.neighbours)}"
            )
        moving = source != ENDS
        first, children = first[moving], children[moving]
        if len(first) and (
            (first[:-1] + children[:-1] > first[1:]).any() or children.min() < 2 or first[0] <= nodes[-1]
        ):
            raise UnreachableError("the coordinator numbers children in an impossible way")
        if moving.any() and self.terms.max_depth is not None and level >= self.terms.max_depth:
            raise UnreachableError(
                f"the coordinator walks deeper than the run was to go: {self.terms.max_depth} levels"
            )

    def _check_missing(self, nodes: I64) -> None:
        if (np.diff(nodes) <= 0).any() or not np.isin(self.engine.nodes, nodes).all():
            raise UnreachableError("the coordinator leaves out open nodes, or names them out of order")

    def _split(self, nodes: I64, numbers: list[int], first: I64, children: I64) -> None:
        """Split own nodes as the list says; a value that a split does not know goes to the last child, and ends there.

        Each split is made once in a run. Every child must stand on own records enough, as when the tree grew.
        """
        known, place = self.splits.by_number(), {column.name: j for j, column in enumerate(self.engine.columns)}
        branches = []
        for number, expected in zip(numbers, children.tolist(), strict=True):
            split = known.get(number)
            if split is None or number in self._used or split.children + 1 != expected:
                raise UnreachableError(
                    f"the coordinator orders a split that this site did not make, or twice: {number}"
                )
            if split.column not in place:
                raise UsageError(f"{self.owner} split on a column that its held-out table lacks, or its policy forbids")
            self._used.add(number)
            column = self.engine.columns[place[split.column]]
            branches.append((place[split.column], _branches(split, column, owner=self.owner)))
        there = np.isin(nodes, self.engine.nodes)
        kept = np.flatnonzero(there)
        self.engine.split_by(nodes[kept], [branches[i] for i in kept], first[kept], children[kept])
        if self.policy.min_records > 1:
            born = self.engine.children()
            made = born.nodes[born.sizes > 0]
            kind, receiver = "split of held-out records", self.coordinator
            self.policy.check_behind(self.engine.behind_children(made), kind=kind, receiver=receiver)
            for neighbour in self.terms.neighbours:
                behind = self.engine.behind_split(neighbour, made, by_class=not self.terms.is_target)
                self.policy.check_behind(behind, kind=kind, receiver=receiver)

    # -- what the target counts -----------------------------------------------------------------------------------

    def _count(self, node: int, label: int) -> None:
        if not self.terms.is_target or node not in self.engine.nodes:
            return
        rows, counts = self.engine.records(node)
        votes = self._votes.setdefault(label, np.zeros(self.table_rows, dtype=np.int64))
        votes[rows] += counts.sum(axis=1)

    def tally(self, truth: I32, labels: int) -> Message:
        """Records and joined rows by class and label; a cell of fewer own records than the policy asks ends the run."""
        if any(not 0 <= label < labels for label in self._votes):
            raise UnreachableError(f"the coordinator names a class that the tree does not have; it has {labels}")
        votes = np.zeros((self.table_rows, labels), dtype=np.int64)
        for label, found in self._votes.items():
            votes[:, label] = found
        joined = np.flatnonzero(votes.any(axis=1))
        voted = votes[joined].argmax(axis=1)
        records = np.zeros((self.classes, labels), dtype=np.int64)
        np.add.at(records, (truth[joined], voted), 1)
        rows, behind = np.zeros_like(records), np.zeros_like(records)
        np.add.at(rows, truth[joined], votes[joined])
        np.add.at(behind, truth[joined], votes[joined] > 0)
        for stands_on in (records, behind):
            few = stands_on[stands_on > 0]
            self.policy.check_behind(few, kind="count of held-out records", receiver=self.coordinator)
        cells = np.nonzero(rows)
        made = {
            "truth": cells[0].astype(np.int32),
            "label": cells[1].astype(np.int32),
            "records": records[cells],
            "rows": rows[cells],
        }
        return Message("tallied", {"run": self.terms.run}, made)


def _branches(split: OwnSplit, column: CodedColumn, *, owner: str) -> I32:
    """The child of each code of a column, the last one for values that the split does not know."""
    if split.threshold is not None:
        if column.numbers is None:
            raise UsageError(f"a column of {owner} was numbers when the tree grew, and is not in its held-out table")
        made = (column.numbers > split.threshold).astype(np.int32)
        return np.append(made, np.int32(split.missing % (split.children + 1))) if column.gaps else made
    if column.numbers is not None:
        raise UsageError(f"a column of {owner} was labels when the tree grew, and is numbers in its held-out table")
    place = {value: child for child, value in enumerate(split.values)}
    return np.array([place.get(value, split.children) for value in column.values], dtype=np.int32)
