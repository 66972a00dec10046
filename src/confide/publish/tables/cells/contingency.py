"""The cells of a table: its distinct combinations of quasi-identifier leaves, with what their rows hold.

A global recoding cannot tell the rows of a cell apart, so the algorithms that search among many recodings look at
cells instead of rows. What a group test needs stands in *tokens*, one list per cell:

- without a person column a token is a sensitive value, and its count the rows of the cell that have it;
- with one, a token is a person with a value (or, for the size of a group, a person): it counts once per group.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.cells.cell_groups import Grouping, Layout
from confide.publish.tables.cells.tokens import Tokens
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests.rules import PEOPLE

if TYPE_CHECKING:
    from confide.publish.tables.group_tests import GroupTest

__all__ = ["Cells", "Grouping"]


@dataclass(frozen=True, eq=False)
class Cells:
    """`codes[cell, column]` are leaves, `rows[cell]` how many rows have them; `tokens` what those rows hold.

    `classes[cell, class]` counts its rows by class (no classes without such a column). `maps[column][choice]` says what
    each leaf becomes: the choices a recoding has for a column. `of_row[row]` is the
    cell of a row (of merged cells: of a cell that was merged).
    """

    codes: NDArray[np.int32]
    rows: NDArray[np.int64]
    tokens: Tokens
    classes: NDArray[np.int64]
    maps: Sequence[Sequence[NDArray[np.int32]]]
    of_row: NDArray[np.int32]
    _layout: Layout = field(repr=False)

    @classmethod
    def of(cls, table: CodedTable, test: "GroupTest | None" = None) -> "Cells":
        """The cells of a table, with what `test` must know of them; the choices are the levels of the hierarchies."""
        maps = tuple(column.maps for column in table.quasi)
        layout = Layout(maps)
        codes = np.stack([column.codes for column in table.quasi], axis=1)
        rows = np.ones(len(table), dtype=np.int64) if table.counts is None else table.counts
        held = _tokens(table, test)
        if test is not None and PEOPLE in test.slots:
            codes, rows, held = _with_population(table, test.slots[PEOPLE], codes, rows, held)
        grouping = layout.group(codes, rows, (0,) * len(maps))
        tokens = _merged(held, grouping)
        classes = _classes(table, grouping)
        of_row = grouping.of[: len(table)]
        return cls(codes[grouping.first], grouping.sizes, tokens, classes, maps, of_row, layout)

    def __len__(self) -> int:
        return len(self.rows)

    def grouped(self, choices: Sequence[int]) -> Grouping:
        """The groups of cells under one choice for each column."""
        return self._layout.group(self.codes, self.rows, choices)

    def grouped_but(self, column: int, choices: Sequence[int]) -> Grouping:
        """The groups under these choices when one column is left aside."""
        return self._layout.group(self.codes, self.rows, choices, leaving=column)

    def divided(self, grouping: Grouping, column: int, choice: int) -> Grouping:
        """Divide groups that `grouped_but` made by the column they left aside; for cells `arranged` by it."""
        from confide.publish.tables.cells.grouping_kernels import runs

        start, order = grouping.order
        begins, of, sizes, first = runs(start, order, self.codes[:, column], self.maps[column][choice], self.rows)
        return Grouping(of, sizes, first, (begins, order))

    def arranged(self, column: int) -> "Cells":
        """The same cells, such that those of one label of a column stand side by side, at any level and in any group.

        Cells merged from them stand so too.
        """
        ranks = np.lexsort(self.maps[column])  # the last map, that of the top, counts most
        order = np.argsort(np.argsort(ranks)[self.codes[:, column]], kind="stable")
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order))
        return replace(self.take(order), of_row=place[self.of_row])

    def merged(self, grouping: Grouping) -> "Cells":
        """Each group as one cell, with the leaves of its first; for choices at least as coarse as the grouping's."""
        return Cells(
            self.codes[grouping.first],
            grouping.sizes,
            _merged(self.tokens, grouping),
            self.class_counts(grouping),
            self.maps,
            grouping.of,
            self._layout,
        )

    def take(self, which: NDArray[np.int64]) -> "Cells":
        """These cells alone; which rows are theirs is not kept."""
        lengths = np.diff(self.tokens.ptr)[which] if len(self.tokens.slot) else np.zeros(len(which), dtype=np.int64)
        ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        place = np.arange(ptr[-1]) + np.repeat(self.tokens.ptr[which] - ptr[:-1], lengths) if ptr[-1] else ptr[:0]
        tokens = self.tokens._replace(ptr=ptr, tokens=self.tokens.tokens[place], counts=self.tokens.counts[place])
        nobody = np.empty(0, dtype=np.int32)
        return Cells(self.codes[which], self.rows[which], tokens, self.classes[which], self.maps, nobody, self._layout)

    def rechosen(self, maps: Sequence[Sequence[NDArray[np.int32]]]) -> "Cells":
        """The same cells with other choices."""
        return Cells(self.codes, self.rows, self.tokens, self.classes, maps, self.of_row, Layout(maps))

    def class_counts(self, grouping: Grouping) -> NDArray[np.int64]:
        """`[group, class]`: the rows of each group by class."""
        from confide.publish.tables.cells.grouping_kernels import add_counts

        if not self.classes.shape[1]:
            return np.empty((len(grouping), 0), dtype=np.int64)
        return add_counts(grouping.of, self.classes, len(grouping))

    def bases(self, choices: Sequence[int]) -> NDArray[np.int64]:
        """Where the map of each column's choice begins, when those of all columns and choices stand in one row."""
        return self._layout.base(choices)

    def sizes_decide(self, test: "GroupTest") -> bool:
        """Whether the test asks for nothing but enough rows."""
        return not self.tokens.distinct and not test.rules.histogram

    def passing(self, grouping: Grouping, test: "GroupTest") -> NDArray[np.bool_]:
        """Which groups pass the test (the one whose tokens these are, or a part of it)."""
        if self.sizes_decide(test):
            return grouping.sizes >= test.fewest
        from confide.publish.tables.cells.judging_kernels import judge

        start, order = grouping.order
        ok: NDArray[np.bool_] = judge(start, order, grouping.sizes, self.tokens, test.rules)
        if test.all_or_none and not (ok & (grouping.sizes > 0)).all():
            ok[:] = False
        return ok


def _tokens(table: CodedTable, test: "GroupTest | None") -> Tokens:
    """What each row holds."""
    n, persons = len(table), table.persons
    held: list[NDArray[np.int64]] = []
    slots: list[NDArray[np.int64]] = []
    width = known = 0
    for values, size in zip(test.values.T, test.widths, strict=True) if test and test.rules.histogram else ():
        if persons is None:
            held.append(values.astype(np.int64) + width)
            slots.append(width + np.arange(size))
        else:
            pairs, place = np.unique(persons.astype(np.int64) * size + values, return_inverse=True)
            held.append(place.reshape(-1) + known)
            slots.append(width + pairs % size)
        known += len(slots[-1])
        width += size
    extra = {} if test is None else test.slots
    if persons is not None:
        held.append(persons.astype(np.int64) + known)
        slots.append(np.full(int(persons.max()) + 1, width + len(extra)))
        known += len(slots[-1])
    weights = {} if test is None else test.weights
    for number, name in enumerate(weights):
        held.append(np.full(n, known + number, dtype=np.int64))
        slots.append(np.array([extra[name]]))
    tokens = np.stack(held, axis=1).astype(np.int32).ravel() if held else np.empty(0, dtype=np.int32)
    slot = np.concatenate(slots).astype(np.int32) if slots else np.empty(0, dtype=np.int32)
    ptr = np.arange(n + 1, dtype=np.int64) * len(held)
    times = np.ones(len(tokens), dtype=np.int64) if table.counts is None else np.repeat(table.counts, len(held))
    for number, name in enumerate(weights):
        times[len(held) - len(weights) + number :: len(held)] = weights[name]
    return Tokens(ptr, tokens, times, slot, width + len(extra), persons is not None)


def _with_population(
    table: CodedTable, slot: int, codes: NDArray[np.int32], rows: NDArray[np.int64], held: Tokens
) -> tuple[NDArray[np.int32], NDArray[np.int64], Tokens]:
    """The rows with those of the population after them, which count for no row and hold people."""
    population = table.population
    assert population is not None
    theirs, people = population.codes, population.people
    if held.distinct:  # a token counts once there: each person is one
        theirs, people = np.repeat(theirs, people, axis=0), np.ones(population.total, dtype=np.int64)
    new = np.arange(len(people)) if held.distinct else np.zeros(len(people), dtype=np.int64)
    known = len(held.slot)
    tokens = Tokens(
        np.append(held.ptr, held.ptr[-1] + 1 + np.arange(len(people))),
        np.append(held.tokens, (known + new).astype(np.int32)),
        np.append(held.counts, people),
        np.append(held.slot, np.full(int(new.max(initial=0)) + 1, slot)).astype(np.int32),
        held.width,
        held.distinct,
    )
    return np.concatenate([codes, theirs]), np.append(rows, np.zeros(len(people), dtype=np.int64)), tokens


def _classes(table: CodedTable, grouping: Grouping) -> NDArray[np.int64]:
    if table.classes is None:
        return np.empty((len(grouping), 0), dtype=np.int64)
    width = len(table.classes.labels)
    pairs = grouping.of[: len(table)].astype(np.int64) * width + table.classes.codes
    return table.tally(pairs, len(grouping) * width).reshape(-1, width)


def _merged(held: Tokens, grouping: Grouping) -> Tokens:
    from confide.publish.tables.cells.grouping_kernels import merge_tokens

    if not len(held.slot):  # nothing is held, by as many cells as there are now
        return held._replace(ptr=np.zeros(len(grouping) + 1, dtype=np.int64))
    ptr, tokens, counts = merge_tokens(*grouping.order, held.ptr, held.tokens, held.counts, len(held.slot))
    return held._replace(ptr=ptr, tokens=tokens, counts=counts)
