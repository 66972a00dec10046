"""TableEngine: one table's part in growing a tree over a join, knowing its neighbours only by their summaries.

A record carries class counts: the joined records it stands for, by class (thesis, Definition 2). They come from the
target table by class summaries (section 3.3.1), are divided among the children of every split by split summaries
(3.3.2), and are all a table needs to score its own columns. `JoinTree` drives the engines of all tables in one process;
a site drives one and puts the summaries on the wire.

    engine.class_summary(to) / engine.receive_class(sender, summary)     until every table was told (`propagation`)
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
from functools import partial

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.join.tree.column_codes import CodedColumn, take
from confide.join.tree.layout import at_once, groups, shares, table_of_codes
from confide.join.tree.order import level_order, propagation, winners
from confide.join.tree.split_summary import SplitSummary
from confide.mining.trees.splits import Criterion, criterion_code

__all__ = ["Children", "Scores", "TableEngine", "level_order", "propagation", "winners"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Columns = Sequence[CodedColumn] | Callable[[I64], Sequence[CodedColumn]]

TOO_LARGE = (
    "the join has more than 2**62 records, more than can be counted here; drop a table or use finer join columns"
)
SMALL = 1 << 17
"""Below this many column entries a level is scored by one thread."""


@dataclass(frozen=True, eq=False)
class Scores:
    """The best split of one table at every node asked for; arrays run along `nodes`.

    `score` is the integer by which tables are compared (0: no split here), `children` how many nodes the split makes.
    `column` and `cut` (codes on both sides of a numeric cut) are the table's own business.
    """

    nodes: I64
    score: I64
    children: I64
    column: I32
    cut: I32


@dataclass(frozen=True, eq=False)
class Children:
    """What a table's own splits made: for each child its number, parent, the code that leads to it, class counts."""

    numbers: I64
    parents: I64
    values: I32
    counts: I64


@dataclass(frozen=True, eq=False)
class _Entries:
    """Records at nodes: those of nodes[i] are rows[start[i]:stop[i]], with their class counts; nodes ascend."""

    nodes: I64
    start: I64
    stop: I64
    rows: I32
    counts: I64

    def find(self, nodes: I64) -> I64:
        at = np.searchsorted(self.nodes, nodes)
        if len(nodes) and (
            len(self.nodes) == 0 or not np.array_equal(self.nodes[np.minimum(at, len(self.nodes) - 1)], nodes)
        ):
            raise UsageError("a node that is not open at this level was asked for")
        return at.astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Scored:
    """Every column at every node, as the kernel left it."""

    nodes: I64
    criterion: Criterion
    gains: I64
    infos: I64
    cuts: I32
    branches: I32


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
    """

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
        self._keys = {name: np.ascontiguousarray(codes, dtype=np.int32) for name, codes in keys.items()}
        self._shared = dict(shared)
        self.n_classes = n_classes
        self.threads = threads
        self._sent: dict[str, I64] = {}
        self._weights: I64 | None = None
        if classes is not None:
            known = np.flatnonzero(classes >= 0)
            self._weights = np.zeros((len(classes), n_classes), dtype=np.int64)
            self._weights[known, classes[known]] = 1
            self._drop_dangling()

    # -- class propagation ----------------------------------------------------------------------------------------

    def class_summary(self, neighbour: str) -> I64:
        """CS(this -> neighbour): class counts of every shared join value."""
        from confide.join.tree import _join_kernels as kernels

        if self._weights is None:
            raise UsageError("this table has not been told of any class yet")
        sums = np.zeros((self._shared[neighbour], self.n_classes), dtype=np.int64)
        _check(kernels.sum_by_key(self._keys[neighbour], self._weights, sums))
        self._sent[neighbour] = sums
        return sums

    def receive_class(self, neighbour: str, summary: I64) -> None:
        """Take a class summary: the first one gives every record its counts, later ones rescale them.

        A later one is divided by what this table sent that neighbour last: a record keeps its share of its join value.
        """
        from confide.join.tree import _join_kernels as kernels

        summary = np.ascontiguousarray(summary, dtype=np.int64)
        if summary.shape != (self._shared[neighbour], self.n_classes) or (summary.size and summary.min() < 0):
            raise InputError(f"the class summary from {neighbour} does not fit the join values agreed upon")
        keys = self._keys[neighbour]
        if self._weights is None:
            padded = np.concatenate([summary, np.zeros((1, self.n_classes), dtype=np.int64)])
            self._weights = padded[keys]  # key -1 is the last row: nothing
            self._drop_dangling()
        else:
            _check(kernels.rescale_by_key(keys, self._weights, summary, self._sent[neighbour]), neighbour)

    def _drop_dangling(self) -> None:
        if self._weights is not None:
            for codes in self._keys.values():
                self._weights[codes < 0] = 0

    def open(self) -> None:
        """Class propagation is over: drop the records that join nothing, code the columns, open node 0."""
        if self._weights is None:
            raise UsageError("this table has not been told of any class yet")
        alive = np.zeros(len(self._weights), dtype=np.bool_)
        for c in range(self.n_classes):
            alive |= self._weights[:, c] > 0
        kept = np.flatnonzero(alive)
        give = self._give_columns
        self.columns = list(give(kept) if callable(give) else take(give, kept))
        self._numeric = np.array([column.kind == "numeric" for column in self.columns], dtype=np.bool_)
        self._widths: I32 = np.array([column.width for column in self.columns], dtype=np.int32)
        self._groups = groups(self._widths)
        self.kept: I64 = self._by_key(kept)
        n = len(kept)
        place = self.kept
        if n < len(alive):
            place = (np.cumsum(alive) - 1)[self.kept]
        self._codes: I32 = table_of_codes([column.codes for column in self.columns], place)
        self._keys = {name: codes[self.kept] for name, codes in self._keys.items()}
        self._now = _Entries(
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.full(1, n, dtype=np.int64),
            np.arange(n, dtype=np.int32),
            np.take(self._weights, self.kept, axis=0),
        )
        self._next: list[_Entries] = []
        self._weights = None
        self._sent.clear()

    def _by_key(self, kept: I64) -> I64:
        """Records of one join value side by side, so that summaries are read and written in order."""
        from confide.join.tree import _join_kernels as kernels

        if not self._keys:
            return kept
        widest = max(self._keys, key=lambda name: self._shared[name])
        ordered: I64 = kernels.order_by_key(self._keys[widest], self._shared[widest], kept)
        return ordered

    def totals(self) -> I64:
        """The class counts of the whole join: the same at every table."""
        whole = self._weights if self._weights is not None else self._now.counts
        approximate = whole.astype(np.float64).sum()
        if approximate > 2.0**62:
            raise InputError(TOO_LARGE)
        return whole.sum(axis=0)

    # -- looking at a level ---------------------------------------------------------------------------------------

    @property
    def nodes(self) -> I64:
        """The open nodes, ascending."""
        return self._now.nodes

    @property
    def is_large(self) -> bool:
        """Whether the level is worth several threads."""
        return self.threads > 1 and len(self._now.rows) * max(len(self.columns), 1) >= SMALL

    def records(self, node: int) -> tuple[I64, I64]:
        """The table's own records at a node (row numbers as given at the start), and their class counts."""
        at = int(self._now.find(np.array([node]))[0])
        here = slice(int(self._now.start[at]), int(self._now.stop[at]))
        return self.kept[self._now.rows[here]], self._now.counts[here]

    def record_counts(self) -> I64:
        """How many of the table's own records are at each open node, by the classes they stand for."""
        there = np.concatenate([np.zeros((1, self.n_classes), dtype=np.int64), np.cumsum(self._now.counts > 0, axis=0)])
        return there[self._now.stop] - there[self._now.start]

    def score(self, nodes: I64, *, criterion: Criterion, min_leaf: int, exponent: int) -> None:
        """Count classes by value in every column, at every one of `nodes`, and score the best split of each column.

        `exponent` is `splits.grid(records of the whole join)`. Follow with `best`.
        """
        from confide.join.tree._score_kernels import score_columns, sum_entries

        nodes = np.asarray(nodes, dtype=np.int64)
        which = self._now.find(nodes)
        shape = (len(nodes), len(self.columns))
        gains, infos = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        cuts, branches = np.full((*shape, 2), -1, dtype=np.int32), np.zeros(shape, dtype=np.int32)

        totals = np.zeros((len(nodes), self.n_classes), dtype=np.int64)
        sum_entries(self._now.counts, self._now.start, self._now.stop, which, totals)
        packed = np.empty(0, dtype=np.uint64)
        if self.n_classes == 2 and totals.sum() < 1 << 32:
            # Two counts in one word halve what is read and added; neither half can overflow into the other.
            packed = self._now.counts[:, 0].view(np.uint64) | (self._now.counts[:, 1].view(np.uint64) << np.uint64(32))

        def part(columns: tuple[int, int], some: slice) -> None:
            score_columns(
                self._codes,
                self._numeric,
                self._widths,
                *columns,
                self._now.rows,
                self._now.counts,
                packed,
                self._now.start,
                self._now.stop,
                which[some],
                totals[some],
                criterion_code(criterion),
                2.0**exponent,
                int(min_leaf),
                gains[some],
                infos[some],
                cuts[some],
                branches[some],
            )

        whole_level, all_columns = slice(0, len(nodes)), (0, len(self.columns))
        if not self.is_large:
            part(all_columns, whole_level)
        else:
            # Columns of one node are best counted together, since its records are then fetched once.
            sizes = self._now.stop[which] - self._now.start[which]
            tasks = [(all_columns, some) for some in shares(sizes, 4 * self.threads)]
            if len(tasks) < self.threads:
                tasks = [(group, whole_level) for group in self._groups]
            at_once((partial(part, *task) for task in tasks), self.threads)
        self._scored = _Scored(nodes, criterion, gains, infos, cuts, branches)

    def gain_sums(self) -> tuple[I64, I64]:
        """The sum of the useful gains of this table's columns at each node, and their number.

        Under the gain ratio only gains of at least the average over all tables compete: add these up over the
        tables and give them to `best`.
        """
        gains = _quantised(self._scored.gains)
        useful = gains > 0
        return np.where(useful, gains, 0).sum(axis=1), useful.sum(axis=1)

    def best(self, sums: I64 | None = None, counts: I64 | None = None) -> Scores:
        """This table's best split at every node scored; ties go to the column that comes first."""
        found = self._scored
        gains = _quantised(found.gains)
        scores = np.where(gains > 0, gains, 0)
        if found.criterion == "gain_ratio":
            if sums is None or counts is None:
                sums, counts = self.gain_sums()
            allowed = (gains > 0) & (gains * counts[:, None] >= sums[:, None])
            scores = np.where(allowed, _ratio_scores(found.gains, found.infos), 0)
        if not len(self.columns):
            none = np.zeros(len(found.nodes), dtype=np.int64)
            self._best = Scores(found.nodes, none, none, none.astype(np.int32), np.full((len(none), 2), -1, np.int32))
            return self._best
        column = np.argmax(scores, axis=1)
        along = np.arange(len(found.nodes))
        self._best = Scores(
            nodes=found.nodes,
            score=scores[along, column],
            children=found.branches[along, column].astype(np.int64),
            column=column.astype(np.int32),
            cut=np.where(self._numeric[column, None], found.cuts[along, column], np.int32(-1)),
        )
        return self._best

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
        best = self._best
        at = np.searchsorted(best.nodes, nodes)
        n_children = best.children[at]
        first = np.cumsum(n_children) - n_children
        branch = np.empty(len(self._now.rows), dtype=np.int32)
        values = np.empty(int(n_children.sum()), dtype=np.int32)
        totals = np.zeros((len(values), self.n_classes), dtype=np.int64)
        which = self._now.find(nodes)
        kernels.branch_entries(
            self._codes,
            int(self._widths.max(initial=2)),
            self._now.rows,
            self._now.counts,
            self._now.start,
            self._now.stop,
            which,
            best.column[at],
            np.ascontiguousarray(best.cut[at, 0]),
            first,
            branch,
            values,
            totals,
        )
        numbers = np.repeat(np.asarray(first_child, dtype=np.int64) - first, n_children) + np.arange(len(values))
        open_ = np.ones(len(values), dtype=np.bool_) if leaf is None else ~leaf(totals)
        self._place(which, first, branch, numbers, open_)
        return Children(numbers, np.repeat(nodes, n_children), values, totals)

    def split_by(self, nodes: I64, branches: Sequence[tuple[int, I32]], first_child: I64, n_children: I64) -> None:
        """Split nodes as told: branches[i] is (column, the child, from 0, of each of its codes); no leaf is let go."""
        nodes, n_children = np.asarray(nodes, dtype=np.int64), np.asarray(n_children, dtype=np.int64)
        which = self._now.find(nodes)
        first = np.cumsum(n_children) - n_children
        branch = np.empty(len(self._now.rows), dtype=np.int32)
        for at, (column, child_of) in zip(which.tolist(), branches, strict=True):
            here = slice(int(self._now.start[at]), int(self._now.stop[at]))
            branch[here] = child_of[self._codes[self._now.rows[here], column]]
        numbers = np.repeat(np.asarray(first_child, dtype=np.int64) - first, n_children) + np.arange(n_children.sum())
        self._place(which, first, branch, numbers, np.ones(len(numbers), dtype=np.bool_))

    def _place(self, which: I64, first: I64, branch: I32, numbers: I64, open_: NDArray[np.bool_]) -> None:
        from confide.join.tree import _join_kernels as kernels

        kept = np.where(open_, np.cumsum(open_) - 1, -1).astype(np.int32)
        size = int((self._now.stop[which] - self._now.start[which]).sum()) if open_.any() else 0
        start = np.zeros(int(open_.sum()) + 1, dtype=np.int64)
        rows, counts = np.empty(size, dtype=np.int32), np.empty((size, self.n_classes), dtype=np.int64)
        if size:
            kernels.place_entries(
                self._now.rows,
                self._now.counts,
                self._now.start,
                self._now.stop,
                which,
                first,
                kept,
                branch,
                start,
                rows,
                counts,
            )
        end = int(start[-1])
        self._next.append(_Entries(numbers[open_], start[:-1], start[1:], rows[:end], counts[:end]))

    def split_summary(self, neighbour: str, nodes: I64, first_child: I64, n_children: I64) -> SplitSummary:
        """SS(this -> neighbour) for `nodes`, which were split here already, by this table or by a summary."""
        from confide.join.tree import _join_kernels as kernels

        nodes, first_child = np.asarray(nodes, dtype=np.int64), np.asarray(first_child, dtype=np.int64)
        level = self._gathered([piece for piece in list(self._next) if _holds(piece.nodes, first_child, n_children)])
        low = np.searchsorted(level.nodes, first_child)
        high = np.searchsorted(level.nodes, first_child + n_children)
        told = high - low
        index = np.repeat(low - (np.cumsum(told) - told), told) + np.arange(told.sum())
        start, stop = level.start[index], level.stop[index]
        size = int((stop - start).sum())
        key_start = np.zeros(len(index) + 1, dtype=np.int64)
        keys, counts = np.empty(size, dtype=np.int32), np.empty((size, self.n_classes), dtype=np.int64)
        if size:
            kernels.summarise_children(
                self._keys[neighbour],
                self._shared[neighbour],
                level.rows,
                level.counts,
                start,
                stop,
                key_start,
                keys,
                counts,
            )
        end = int(key_start[-1])
        return SplitSummary(nodes, told.astype(np.int64), level.nodes[index], key_start, keys[:end], counts[:end])

    def receive_split(self, neighbour: str, summary: SplitSummary) -> None:
        """Divide this table's records among the children a neighbour tells of (equations 3 and 4)."""
        from confide.join.tree import _join_kernels as kernels

        child_start = np.zeros(len(summary.children) + 1, dtype=np.int64)
        if not len(summary.children):
            return
        status, rows, counts = kernels.divide_entries(
            self._keys[neighbour],
            self._shared[neighbour],
            self._now.rows,
            self._now.counts,
            self._now.start,
            self._now.stop,
            self._now.find(summary.parents),
            np.ascontiguousarray(summary.n_children, dtype=np.int64),
            np.ascontiguousarray(summary.start, dtype=np.int64),
            np.ascontiguousarray(summary.keys, dtype=np.int32),
            np.ascontiguousarray(summary.counts, dtype=np.int64),
            child_start,
        )
        _check(status, neighbour)
        children = summary.children.astype(np.int64)
        self._next.append(_Entries(children, child_start[:-1], child_start[1:], rows, counts))

    def advance(self) -> None:
        """The children made since the last call become the open nodes."""
        self._now = self._gathered()
        self._next = []

    def _gathered(self, pieces: Sequence[_Entries] | None = None) -> _Entries:
        """The children of several pieces, or of all so far, by number."""
        pieces = list(self._next) if pieces is None else pieces
        if len(pieces) == 1:
            return pieces[0]
        if not pieces:
            none = np.empty(0, dtype=np.int64)
            return _Entries(none, none, none, np.empty(0, np.int32), np.empty((0, self.n_classes), np.int64))
        nodes = np.concatenate([piece.nodes for piece in pieces])
        order = np.argsort(nodes, kind="stable")
        offset = np.cumsum([0, *(len(piece.rows) for piece in pieces)])
        start = np.concatenate([piece.start + offset[i] for i, piece in enumerate(pieces)])
        stop = np.concatenate([piece.stop + offset[i] for i, piece in enumerate(pieces)])
        rows = np.concatenate([piece.rows for piece in pieces])
        counts = np.concatenate([piece.counts for piece in pieces])
        return _Entries(nodes[order], start[order], stop[order], rows, counts)


def _holds(nodes: I64, first_child: I64, n_children: I64) -> bool:
    """Whether any of `nodes` is among the children first_child[i], ..., first_child[i] + n_children[i] - 1."""
    at = np.searchsorted(first_child, nodes, side="right") - 1
    return bool(np.any((at >= 0) & (nodes < (first_child + n_children)[at])))


def _quantised(gains: I64) -> I64:
    from confide.mining.trees._tree_kernels import QUANTUM_BITS

    return (gains + (1 << (QUANTUM_BITS - 1))) >> QUANTUM_BITS


def _ratio_scores(gains: I64, infos: I64) -> I64:
    """`_tree_kernels.ratio_score` of whole arrays."""
    from confide.mining.trees._tree_kernels import RATIO_BITS

    ratio = np.divide(gains, infos, out=np.zeros(gains.shape), where=infos > 0)
    return np.floor(ratio * (1 << RATIO_BITS) + 0.5).astype(np.int64)


def _check(status: int, neighbour: str = "") -> None:
    from confide.join.tree import _join_kernels as kernels

    if status == kernels.TOO_LARGE:
        raise InputError(TOO_LARGE)
    if status == kernels.DOES_NOT_FIT:
        raise InputError(f"a summary from {neighbour} does not divide as counts of one join must")
