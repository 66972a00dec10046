"""Which values are divided, in which order.

All values begin as coarse as they may be. Each step divides the value of the largest score

    gain / anonymity lost          (the gain itself if no anonymity is lost)

among the divisions after which the requirement still holds, until there is none. *Anonymity lost* is by how many rows
the smallest group shrinks. The gain is

- for the classification metric: the information gain of the value's rows about the class; values whose rows are all of
  one class are left alone, dividing them would teach nothing;
- for NCP: how much less its rows would lose.

Groups of finer values are parts of those of coarser ones. Where merging keeps the requirement (`test.monotone`, and
with suppression k and distinct l), a division that fails now fails for ever and is not tried again.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.runtime.progress import task
from confide.publish.tables.cells.contingency import Cells, Grouping
from confide.publish.tables.coding import CodedTable, QuasiIdentifier
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.specialization.value_splits import Value, first_values

__all__ = ["descend"]


@dataclass
class _Place:
    """A value, its column, and the division that is considered: its parts, its gain; no parts if there is none."""

    number: int
    value: Value
    parts: list[Value] = field(default_factory=list)
    gain: float = 0.0


def descend(
    table: CodedTable, test: GroupTest, *, classes: NDArray[np.int32] | None, budget: int
) -> tuple[list[list[Value]], NDArray[np.bool_], int]:
    """The final values of each column, which rows are kept, and how many divisions were made.

    Gains are of information about `classes`, or of NCP if that is None; at most `budget` rows are suppressed.
    """
    return _Descent(table, test, classes, budget).run()


class _Descent:
    def __init__(self, table: CodedTable, test: GroupTest, classes: NDArray[np.int32] | None, budget: int) -> None:
        self.table, self.test, self.budget = table, test, budget
        self.cells = Cells.of(table, test)
        self.by_leaf = [_by_leaf(table, column, classes) for column in table.quasi]
        self.informing = classes is not None
        self.for_ever = test.monotone if budget == 0 else test.monotone_suppressed
        self.base = np.cumsum([0, *(column.leaves for column in table.quasi)])[:-1].astype(np.int64)
        self.places = [
            self.considered(j, value)
            for j, column in enumerate(table.quasi)
            for value in first_values(column, numeric=_is_numeric(table, j))
        ]
        self.runs = [self.run_of(j) for j in range(len(table.quasi))]

    def run(self) -> tuple[list[list[Value]], NDArray[np.bool_], int]:
        grouping, ok = self.groups()
        if int(grouping.sizes[~ok].sum()) > self.budget or not ok.any():
            raise CannotMeetError("the requirement fails at the coarsest values allowed")
        steps = 0
        with task("making values finer") as step:
            while (place := self.best(grouping, ok)) is not None:
                self.places.remove(place)
                self.places += [self.considered(place.number, part) for part in place.parts]
                self.runs[place.number] = self.run_of(place.number)
                grouping, ok = self.groups()
                steps += 1
                step(1)
        values = [[p.value for p in self.places if p.number == j] for j in range(len(self.runs))]
        for column in values:
            column.sort(key=lambda value: int(value.leaves[0]))
        return values, ok[grouping.of][self.cells.of_row], steps

    # -- what can be divided -----------------------------------------------------------------------------------------

    def considered(self, number: int, value: Value) -> _Place:
        """The value with the best way to divide it, if it has rows and there is something to learn."""
        counts = self.by_leaf[number][value.leaves].sum(axis=0)
        if (counts > 0).sum() < (2 if self.informing else 1):
            return _Place(number, value)

        def gain(parts: list[NDArray[np.int64]]) -> float:
            return self.gain(number, parts)

        parts = value.divided(gain, self.by_leaf[number].sum(axis=1))
        return _Place(number, value, parts, gain([part.leaves for part in parts]) if parts else 0.0)

    def gain(self, number: int, parts: list[NDArray[np.int64]]) -> float:
        """What dividing a value into these sets of leaves gains."""
        counts = [self.by_leaf[number][leaves].sum(axis=0) for leaves in parts]
        whole = np.sum(counts, axis=0)
        if self.informing:
            inside = sum(float(count.sum()) * _entropy(count) for count in counts)
            return max(0.0, _entropy(whole) - inside / float(whole.sum()))
        leaves = sum(map(len, parts))
        saved = sum(float(count.sum()) * (leaves - len(part)) for count, part in zip(counts, parts, strict=True))
        return saved * float(self.table.weights[number]) / max(1, self.table.quasi[number].leaves - 1)

    def run_of(self, number: int) -> NDArray[np.int32]:
        """For each leaf of a column the number of its value."""
        run = np.empty(self.table.quasi[number].leaves, dtype=np.int32)
        for code, place in enumerate(p for p in self.places if p.number == number):
            run[place.value.leaves] = code
        return run

    # -- groups ------------------------------------------------------------------------------------------------------

    def groups(self) -> tuple[Grouping, NDArray[np.bool_]]:
        """The groups of the cells as values are now, and which of them pass."""
        grouping = self.cells.rechosen([(run,) for run in self.runs]).grouped((0,) * len(self.runs))
        return grouping, self.cells.passing(grouping, self.test)

    def best(self, grouping: Grouping, ok: NDArray[np.bool_]) -> _Place | None:
        """The division of the largest score after which the requirement still holds."""
        open_ = [place for place in self.places if place.parts]
        if not open_:
            return None
        smallest, more_lost = self.judged(open_, grouping, ok)
        now, lost = int(grouping.sizes[ok].min()), int(grouping.sizes[~ok].sum())
        holds = lost + more_lost <= self.budget
        if self.for_ever:
            for place, fine in zip(open_, holds.tolist(), strict=True):
                if not fine:
                    place.parts = []
        given_up = now - np.minimum(smallest, now)
        scores = [place.gain / max(1, loss) for place, loss in zip(open_, given_up.tolist(), strict=True)]
        ranked = [
            (score, place.gain, -place.number, -int(place.value.leaves[0]), index)
            for index, (score, place) in enumerate(zip(scores, open_, strict=True))
            if holds[index]
        ]
        return open_[max(ranked)[-1]] if ranked else None

    def judged(
        self, open_: list[_Place], grouping: Grouping, ok: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each division the smallest group that it makes and that passes, and how many rows more it loses."""
        from confide.publish.tables.specialization._split_kernels import LeafSplits, judge_splits

        split = np.full(sum(len(run) for run in self.runs), -1, dtype=np.int32)
        child = np.zeros(len(split), dtype=np.int32)
        for index, place in enumerate(open_):
            for part, value in enumerate(place.parts):
                leaves = self.base[place.number] + value.leaves
                split[leaves], child[leaves] = index, part
        splits = LeafSplits(self.base, split, child, len(open_), int(child.max()) + 1)
        cells = self.cells
        return judge_splits(cells.codes, cells.rows, *grouping.order, ok, splits, cells.tokens, self.test.rules)


def _is_numeric(table: CodedTable, number: int) -> bool:
    column = table.quasi[number]
    if column.domain is None or column.domain.grid is not None:
        return False
    return table.schema.columns[column.name].hierarchy is None


def _by_leaf(table: CodedTable, column: QuasiIdentifier, classes: NDArray[np.int32] | None) -> NDArray[np.int64]:
    """`[leaf, class]`: rows by leaf and class, or by leaf alone."""
    if classes is None:
        return table.tally(column.codes, column.leaves).reshape(-1, 1)
    width = int(classes.max()) + 1
    pairs = column.codes.astype(np.int64) * width + classes
    return table.tally(pairs, column.leaves * width).reshape(column.leaves, width)


def _entropy(counts: NDArray[np.int64]) -> float:
    """Bits of the distribution with these counts."""
    seen = counts[counts > 0].astype(np.float64)
    share = seen / seen.sum()
    return float(-(share * np.log2(share)).sum())
