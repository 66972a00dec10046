"""Rounds of regrouping: a part of all groups each, in blocks of groups that sort together.

GroupRows are sorted by their first leaves, by one column after the other, in an order that is drawn anew for each pass,
and cut into blocks; a round regroups some blocks, each on its own. So what a round does depends neither on the number
of cores nor on time: whoever does as many rounds gets the same groups. What is drawn says how the search goes, and
protects nobody: it comes from a fixed seed.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.threads import in_threads
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.regrouping.spans import SpannedTable

__all__ = ["Partition", "Regrouping"]

_GROUPS = 700  # of a block
_FEW = 40  # groups that make one block; more make two at least, for as many cores
_BLOCKS = 16  # of a round
_TRIES = 1  # for each group of a block
_SEED = 1
_PATIENCE, _WORTH = 8, 5e-4  # so many passes that save less than this share of the loss are the last


@dataclass(frozen=True, eq=False)
class Partition:
    """The group of each row, numbered without gaps, and how many groups there are."""

    group: NDArray[np.int32]
    count: int


@dataclass(frozen=True, eq=False)
class _Units:
    """What moves as one: a row, or rows of a person that look alike and begin in one group. `of[row]` is its unit."""

    of: NDArray[np.int64]
    first: NDArray[np.int64]
    weight: NDArray[np.int64]
    begins: NDArray[np.int64]
    values: NDArray[np.int32]
    persons: NDArray[np.int32]


class Regrouping:
    """The search: groups of `rows` (numbers in the table), which pass `test`, are made cheaper round by round."""

    def __init__(self, spanned: SpannedTable, test: GroupTest, rows: NDArray[np.int64], start: Partition) -> None:
        self.spanned, self.test, self.rows = spanned, test, rows
        self.units = _units(spanned, test, rows, start)
        self.group, self.count = start.group[self.units.first].astype(np.int32), start.count
        self.leaves = spanned.leaves[rows[self.units.first]]
        self.cost = self._whole_cost()
        self.done = 0
        self._merge()

    def run(self, *, rounds: int | None, seconds: float, stopped: Callable[[], bool]) -> int:
        """Do so many rounds; or, if that is None, as many as begin within so many seconds, while they seem worth it.
        Gives how many were done."""
        ends = time.monotonic() + seconds
        saved_lately: list[float] = []
        number = 0
        while True:
            before = self.cost
            for _ in self._rounds(number):
                self.done += 1
                if stopped() or (self.done >= rounds if rounds is not None else time.monotonic() >= ends):
                    return self.done
            number += 1
            saved_lately = [*saved_lately[1 - _PATIENCE :], before - self.cost]
            if rounds is None and len(saved_lately) == _PATIENCE and sum(saved_lately) <= _WORTH * self.cost:
                return self.done

    def partition(self) -> Partition:
        """The groups as they are now, by row."""
        return Partition(self.group[self.units.of], self.count)

    def passes(self) -> bool:
        """Whether every group passes, those with equal labels as one."""
        return bool(self._passing().all())

    def spans(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The first and the last leaf of each group in each column."""
        order = np.argsort(self.group, kind="stable")
        starts = np.searchsorted(self.group[order], np.arange(self.count))
        ordered = self.leaves[order]
        return np.minimum.reduceat(ordered, starts, axis=0), np.maximum.reduceat(ordered, starts, axis=0)

    # -- a pass ------------------------------------------------------------------------------------------------------

    def _rounds(self, number: int) -> Iterator[None]:
        """The rounds of a pass: after each of them groups are settled."""
        low, _ = self.spans()
        columns = _order(number, low.shape[1])
        order = np.lexsort([low[:, j] for j in reversed(columns)])
        blocks = max(2 if self.count > _FEW else 1, round(self.count / _GROUPS))
        block_of = np.empty(self.count, dtype=np.int64)
        for block, groups in enumerate(np.array_split(order, blocks)):
            block_of[groups] = block
        unit_block = block_of[self.group]
        units = np.split(
            np.argsort(unit_block, kind="stable"), np.cumsum(np.bincount(unit_block, minlength=blocks))[:-1]
        )
        for begin in range(0, blocks, _BLOCKS):
            self._round(number, units[begin : begin + _BLOCKS], begin)
            yield
        self._merge()

    def _round(self, number: int, blocks: list[NDArray[np.int64]], begin: int) -> None:
        """Regroup these blocks, told by their units; those whose groups would fail together stay as they were."""
        found = in_threads(
            lambda at: self.regroup(blocks[at], seed=_mixed((number << 24) + begin + at)), range(len(blocks))
        )
        before, count = self.group.copy(), self.count
        for units, (group, groups, saved) in zip(blocks, found, strict=True):
            self.group[units] = self.count + group
            self.count += groups
            self.cost -= saved
        self._number()
        if self.test.monotone:
            return
        kept = np.ones(len(blocks), dtype=np.bool_)
        while not (ok := self._passing()).all():
            bad = ~ok[self._alike()[0]]
            failing = [kept[at] and bool(bad[units].any()) for at, units in enumerate(blocks)]
            for at in np.flatnonzero(failing).tolist() or np.flatnonzero(kept).tolist():
                kept[at] = False
                self.group[blocks[at]] = count + before[blocks[at]] + self.count
                self.cost += found[at][2]
            self._number()

    def regroup(
        self, units: NDArray[np.int64], *, seed: int, tries: int | None = None
    ) -> tuple[NDArray[np.int32], int, float]:
        """Regroup the groups of these units alone: the group of each, how many there are, and what was saved."""
        from confide.publish.tables.regrouping._pool_kernels import Movable
        from confide.publish.tables.regrouping._regrouping_kernels import regroup_block

        of, group = np.unique(self.group[units], return_inverse=True)
        all_ = self.units
        lengths = all_.begins[units + 1] - all_.begins[units]
        begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(all_.begins[units] - begins[:-1], lengths) + np.arange(begins[-1])
        block = Movable(
            leaves=self.leaves[units],
            weight=all_.weight[units],
            begins=begins,
            values=all_.values[at],
            persons=all_.persons[units] if len(all_.persons) else all_.persons,
            width=int(self.test.starts[-1]),
            fewest=1 if len(all_.persons) else self.test.fewest,
        )
        rules, spans = self.test.rules, self.spanned.spans
        tries = _TRIES * len(of) if tries is None else tries
        return regroup_block(spans, rules, block, group.astype(np.int32), len(of), tries, seed)

    # -- groups that look alike ----------------------------------------------------------------------------------------

    def _alike(self) -> tuple[NDArray[np.int32], int]:
        """The group of each unit when groups with equal labels are one."""
        from confide.publish.tables.recoding import numbered

        low, high = self.spans()
        named = (self.spanned.named(i, low[:, i], high[:, i]) for i in range(low.shape[1]))
        same, count = numbered(list(_by_label(named)), self.count)
        return same[self.group], count

    def _passing(self) -> NDArray[np.bool_]:
        alike, count = self._alike()
        return self.test.passes(alike[self.units.of], count, rows=self.rows)

    def _merge(self) -> None:
        """Make groups with equal labels one, which may then spare rows."""
        self.group, self.count = self._alike()
        self.cost = self._whole_cost()

    def _number(self) -> None:
        used, group = np.unique(self.group, return_inverse=True)
        self.group, self.count = group.reshape(-1).astype(np.int32), len(used)

    def _whole_cost(self) -> float:
        """What all rows cost, a row at the top of every column costing 1."""
        low, high = self.spans()
        each = np.zeros(self.count)
        for i, j in enumerate(self.spanned.columns):
            codes, _, losses = self.spanned.named(i, low[:, i], high[:, i])
            each += losses[codes] * self.spanned.table.weights[j]
        return float(each @ np.bincount(self.group, weights=self.units.weight, minlength=self.count))


def _by_label(
    named: Iterable[tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.float64]]],
) -> Iterator[tuple[NDArray[np.int32], int]]:
    """Codes of labels as text, one where a text is that of two nodes; and how many there are."""
    for codes, labels, _ in named:
        place = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        yield np.array([place[label] for label in labels], dtype=np.int32)[codes], len(place)


def _units(spanned: SpannedTable, test: GroupTest, rows: NDArray[np.int64], start: Partition) -> _Units:
    values = test.values[rows] + test.starts[:-1].astype(np.int32)
    n, columns = values.shape
    persons = spanned.table.persons
    if persons is None:
        of = np.arange(n)
        begins = np.arange(n + 1) * columns
        none = np.zeros(0, dtype=np.int32)
        return _Units(of, of, np.ones(n, dtype=np.int64), begins, values.reshape(-1).astype(np.int32), none)
    keys = np.column_stack([persons[rows], start.group, spanned.leaves[rows]])
    _, first, of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    of = of.reshape(-1)
    pairs = np.unique(np.column_stack([np.repeat(of, columns), values.reshape(-1)]), axis=0)
    counts = np.bincount(pairs[:, 0], minlength=len(first)) if columns else np.zeros(len(first), dtype=np.int64)
    return _Units(
        of=of,
        first=first,
        weight=np.bincount(of).astype(np.int64),
        begins=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        values=pairs[:, 1].astype(np.int32),
        persons=persons[rows][first],
    )


def _order(number: int, columns: int) -> list[int]:
    """The order of the columns in a pass, as drawn."""
    drawn = random.Random(f"{_SEED} {number}")  # its numbers stay the same from one Python to the next
    return [j for _, j in sorted((drawn.random(), j) for j in range(columns))]


def _mixed(seed: int) -> int:
    """A seed whose bits are mixed, never 0: splitmix64."""
    x = (seed + _SEED) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    x = (x ^ x >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return (x ^ x >> 31) >> 1 | 1
