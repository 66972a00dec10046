"""TableEngine: one table's part in growing a tree over a join, knowing its neighbours only by their summaries.

A record carries class counts: the joined records it stands for, by class (thesis, Definition 2). They come from the
target table by class summaries (section 3.3.1), are divided among the children of every split by split summaries
(3.3.2), and are all a table needs to score its own columns. `JoinTree` drives the engines of all tables in one process;
a site drives one and puts the summaries on the wire.

    engine.class_summary(to) / engine.receive_class(sender, summary)     until every table has them (`propagation`)
    engine.open()                                                        drop dangling records, code the columns
    per level:
        engine.score(nodes, ...); engine.gain_sums(); engine.best(...)   which column is best here, at every node
        engine.split(nodes, first_child)                                 at the table that won a node
        engine.split_summary(to, nodes) / engine.receive_split(...)      outward from there
        engine.advance()                                                 the children become the level

Node numbers are the caller's. Counts are exact: a step that would pass 2**62, or a summary that does not divide as it
must, raises.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.join.graph.forecast import TOO_LARGE
from confide.join.tree.class_weights import ClassWeights, check_status
from confide.join.tree.column_codes import CodedColumn, take
from confide.join.tree.entries import Entries, SplitSummary, gather_entries, holds
from confide.join.tree.layout import CodeTable
from confide.join.tree.split_scores import Scored, Scores, score_level
from confide.mining.trees.arrays import LEFT
from confide.mining.trees.splits import Criterion

__all__ = ["Children", "TableEngine"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Columns = Sequence[CodedColumn] | Callable[[I64], Sequence[CodedColumn]]

SMALL = 1 << 17
"""Below this many column entries a level is scored by one thread."""


@dataclass(frozen=True, eq=False)
class Children:
    """What a table's own splits made: for each child its number, parent, the code that leads to it, class counts."""

    numbers: I64
    parents: I64
    values: I32
    counts: I64


class TableEngine:
    """One table of a join.

    columns     the attributes, in order, of all records; or a function that codes the columns of given records, called
                once when it is known which records take part in the join.
    keys        {neighbour: for each record the index of its join value in the list shared with that neighbour, -1 if
                the value is not shared or any part of it is missing}.
    shared      {neighbour: how many values that list has}.
    classes     in the target table, the class of each record (-1: leave the record out); else None.
    n_classes   how many classes there are.
    threads     cores to use on large levels.

    While classes are propagated, `weights` holds the counts; from `open` on, `level` holds the records at the open
    nodes, and `born` the children made of them so far. `scored` and `chosen` are what was scored last, and the splits
    that `split` makes.
    """

    columns: list[CodedColumn]
    kept: I64
    level: Entries

    def __init__(
        self,
        columns: Columns,
        *,
        keys: Mapping[str, I32],
        shared: Mapping[str, int],
        n_classes: int,
        classes: I32 | None = None,
        threads: int = 2,
    ):
        self._give_columns = columns
        self.keys = {name: np.ascontiguousarray(codes, dtype=np.int32) for name, codes in keys.items()}
        self.shared = dict(shared)
        self.n_classes = n_classes
        self.threads = threads
        self.weights: ClassWeights | None = ClassWeights(self.keys, self.shared, n_classes, classes)
        self.born: list[Entries] = []
        self.scored: Scored | None = None
        self.chosen: Scores | None = None

    # -- class propagation ----------------------------------------------------------------------------------------

    def class_summary(self, neighbour: str) -> I64:
        """CS(this -> neighbour): class counts of every shared join value."""
        return self._propagation().summary(neighbour)

    def receive_class(self, neighbour: str, summary: I64) -> None:
        """Take a class summary; see `ClassWeights.receive`."""
        self._propagation().receive(neighbour, summary)

    def _propagation(self) -> ClassWeights:
        """The class counts while they are propagated; an error after `open`."""
        if self.weights is None:
            raise UsageError("class propagation is over at this table")
        return self.weights

    def open(self) -> None:
        """Class propagation is over: drop the records that join nothing, code the columns, open node 0."""
        weights = self._propagation()
        alive = weights.alive()
        kept = np.flatnonzero(alive)
        give = self._give_columns
        self.columns = list(give(kept) if callable(give) else take(give, kept))
        self.kept = self._by_key(kept)
        n = len(kept)
        place = self.kept
        if n < len(alive):
            place = (np.cumsum(alive) - 1)[self.kept]
        self._table = CodeTable.of(self.columns, place)
        self.keys = {name: codes[self.kept] for name, codes in self.keys.items()}
        self.level = Entries(
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.full(1, n, dtype=np.int64),
            np.arange(n, dtype=np.int32),
            np.take(weights.counts, self.kept, axis=0),
        )
        self.weights = None

    def _by_key(self, kept: I64) -> I64:
        """Records of one join value side by side, so that summaries are read and written in order."""
        from confide.join.tree import _join_kernels as kernels

        if not self.keys:
            return kept
        widest = max(self.keys, key=lambda name: self.shared[name])
        ordered: I64 = kernels.order_by_key(self.keys[widest], self.shared[widest], kept)
        return ordered

    def totals(self) -> I64:
        """The class counts of the whole join: the same at every table."""
        whole = self.level.counts if self.weights is None else self.weights.counts
        approximate = whole.astype(np.float64).sum()
        if approximate > 2.0**62:
            raise InputError(TOO_LARGE)
        return whole.sum(axis=0)

    # -- looking at a level ---------------------------------------------------------------------------------------

    @property
    def nodes(self) -> I64:
        """The open nodes, ascending."""
        return self.level.nodes

    @property
    def is_large(self) -> bool:
        """Whether the level is worth several threads."""
        return self.threads > 1 and len(self.level.rows) * max(len(self.columns), 1) >= SMALL

    def records(self, node: int) -> tuple[I64, I64]:
        """The table's own records at a node (row numbers as given at the start), and their class counts."""
        at = int(self.level.find(np.array([node]))[0])
        here = slice(int(self.level.start[at]), int(self.level.stop[at]))
        return self.kept[self.level.rows[here]], self.level.counts[here]

    def record_counts(self) -> I64:
        """How many of the table's own records are at each open node, by the classes they stand for."""
        there = np.concatenate(
            [np.zeros((1, self.n_classes), dtype=np.int64), np.cumsum(self.level.counts > 0, axis=0)]
        )
        return there[self.level.stop] - there[self.level.start]

    def score(self, nodes: I64, *, criterion: Criterion, min_leaf: int, exponent: int, min_branch: int = 1) -> None:
        """Score the best split of every column at every one of `nodes`; follow with `best`.

        `exponent` is `splits.grid(records of the whole join)`.
        """
        self.scored = score_level(
            self.level,
            np.asarray(nodes, dtype=np.int64),
            self._table,
            criterion=criterion,
            min_leaf=min_leaf,
            min_branch=min_branch,
            exponent=exponent,
            threads=self.threads if self.is_large else 1,
        )

    def gain_sums(self) -> tuple[I64, I64]:
        """Sums and numbers of gains at every node scored; see `Scored.gain_sums`."""
        return self._last_scored().gain_sums()

    def best(self, sums: I64 | None = None, counts: I64 | None = None) -> Scores:
        """This table's best split at every node scored, which `split` then makes; see `Scored.best`."""
        self.chosen = self._last_scored().best(sums, counts)
        return self.chosen

    def _last_scored(self) -> Scored:
        if self.scored is None:
            raise UsageError("no node has been scored yet")
        return self.scored

    # -- splitting ------------------------------------------------------------------------------------------------

    def split(
        self, nodes: I64, first_child: I64, *, leaf: Callable[[I64], NDArray[np.bool_]] | None = None
    ) -> Children:
        """Split nodes this table won, on its best columns; the children of nodes[i] are first_child[i] and on.

        `leaf`, given the class counts of the children, says which are leaves: their records are let go, and no summary
        speaks of them.
        """
        from confide.join.tree import _join_kernels as kernels

        nodes = np.asarray(nodes, dtype=np.int64)
        best = self.chosen
        if best is None:
            raise UsageError("no node has been scored yet")
        at = np.searchsorted(best.nodes, nodes)
        n_children = best.children[at]
        first = np.cumsum(n_children) - n_children
        branch = np.empty(len(self.level.rows), dtype=np.int32)
        values = np.empty(int(n_children.sum()), dtype=np.int32)
        totals = np.zeros((len(values), self.n_classes), dtype=np.int64)
        columns = self._table.columns
        splits = kernels.Splits(
            which=self.level.find(nodes),
            column=best.column[at],
            cut=np.ascontiguousarray(best.cut[at, 0]),
            gap=np.where(best.cut[at, 2] == LEFT, columns.gaps[best.column[at]], np.int32(-1)),
            first=first,
        )
        widest = int(columns.widths.max(initial=2))
        kernels.branch_entries(columns.codes, widest, self.level, splits, branch, values, totals)
        numbers = np.repeat(np.asarray(first_child, dtype=np.int64) - first, n_children) + np.arange(len(values))
        open_ = np.ones(len(values), dtype=np.bool_) if leaf is None else ~leaf(totals)
        self._place(splits.which, first, branch, numbers, open_)
        return Children(numbers, np.repeat(nodes, n_children), values, totals)

    def split_by(self, nodes: I64, branches: Sequence[tuple[int, I32]], first_child: I64, n_children: I64) -> None:
        """Split nodes as given: branches[i] is (column, the child, from 0, of each of its codes); no leaf is let go."""
        nodes, n_children = np.asarray(nodes, dtype=np.int64), np.asarray(n_children, dtype=np.int64)
        which = self.level.find(nodes)
        first = np.cumsum(n_children) - n_children
        branch = np.empty(len(self.level.rows), dtype=np.int32)
        for at, (column, child_of) in zip(which.tolist(), branches, strict=True):
            here = slice(int(self.level.start[at]), int(self.level.stop[at]))
            branch[here] = child_of[self._table.columns.codes[self.level.rows[here], column]]
        numbers = np.repeat(np.asarray(first_child, dtype=np.int64) - first, n_children) + np.arange(n_children.sum())
        self._place(which, first, branch, numbers, np.ones(len(numbers), dtype=np.bool_))

    def _place(self, which: I64, first: I64, branch: I32, numbers: I64, open_: NDArray[np.bool_]) -> None:
        from confide.join.tree import _join_kernels as kernels

        kept = np.where(open_, np.cumsum(open_) - 1, -1).astype(np.int32)
        size = int((self.level.stop[which] - self.level.start[which]).sum()) if open_.any() else 0
        number = int(open_.sum())
        born = Entries(
            numbers[open_],
            np.zeros(number, dtype=np.int64),
            np.zeros(number, dtype=np.int64),
            np.empty(size, dtype=np.int32),
            np.empty((size, self.n_classes), dtype=np.int64),
        )
        if size:
            kernels.place_entries(self.level, which, first, branch, kept, born)
        end = int(born.stop[-1]) if number else 0
        self.born.append(born._replace(rows=born.rows[:end], counts=born.counts[:end]))

    def split_summary(self, neighbour: str, nodes: I64, first_child: I64, n_children: I64) -> SplitSummary:
        """SS(this -> neighbour) for `nodes`, which were split here already, by this table or by a summary."""
        from confide.join.tree import _join_kernels as kernels

        nodes, first_child = np.asarray(nodes, dtype=np.int64), np.asarray(first_child, dtype=np.int64)
        pieces = [piece for piece in list(self.born) if holds(piece.nodes, first_child, n_children)]
        level = gather_entries(pieces, self.n_classes)
        low = np.searchsorted(level.nodes, first_child)
        high = np.searchsorted(level.nodes, first_child + n_children)
        told = high - low
        index = np.repeat(low - (np.cumsum(told) - told), told) + np.arange(told.sum())
        children = level._replace(nodes=level.nodes[index], start=level.start[index], stop=level.stop[index])
        size = int(children.sizes.sum())
        key_start = np.zeros(len(index) + 1, dtype=np.int64)
        keys, counts = np.empty(size, dtype=np.int32), np.empty((size, self.n_classes), dtype=np.int64)
        if size:
            shared = self.shared[neighbour]
            kernels.summarise_children(self.keys[neighbour], shared, children, key_start, keys, counts)
        end = int(key_start[-1])
        return SplitSummary(nodes, told.astype(np.int64), children.nodes, key_start, keys[:end], counts[:end])

    def receive_split(self, neighbour: str, summary: SplitSummary) -> None:
        """Divide this table's records among the children a neighbour describes (equations 3 and 4)."""
        from confide.join.tree import _join_kernels as kernels

        child_start = np.zeros(len(summary.children) + 1, dtype=np.int64)
        if not len(summary.children):
            return
        which = self.level.find(summary.parents)
        status, rows, counts = kernels.divide_entries(
            self.keys[neighbour], self.shared[neighbour], self.level, which, summary.for_kernels(), child_start
        )
        check_status(status, neighbour)
        children = summary.children.astype(np.int64)
        self.born.append(Entries(children, child_start[:-1], child_start[1:], rows, counts))

    def advance(self) -> None:
        """The children made since the last call become the open nodes."""
        self.level = self.children()
        self.born = []

    def children(self) -> Entries:
        """The records at the children made since the last `advance`."""
        return gather_entries(list(self.born), self.n_classes)
