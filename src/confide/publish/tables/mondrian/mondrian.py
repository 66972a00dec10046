"""Mondrian: cut the table into ever smaller regions while every group keeps the requirement (LeFevre et al. 2006)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.runtime.threads import cores, in_threads
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.columns import Columns, by_range, column_arrays, labelled_regions
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding, numbered

if TYPE_CHECKING:
    from confide.publish.tables.mondrian._cut_kernels import Room

__all__ = ["Cuts", "Mondrian"]

_ROWS_FOR_THREADS = 50_000

Cuts = Literal["best", "median"]


@dataclass(kw_only=True)
class Mondrian(TablePublisher):
    """Local recoding by cutting the table into regions; takes any requirement, and loses least of the algorithms here.

    A column with a declared `range` is cut into ranges, any other along its hierarchy. `cuts`: "best" cuts where that
    saves most loss; "median" cuts the column that loses most, a range at its median, as the paper does. `relaxed` lets
    rows with the same values be in different groups, which makes more and smaller ones. Rows are suppressed only where the
    highest levels that the schema allows keep them in groups that fail.

    The values of a group are its region: nodes of the hierarchy, and ranges that tile the declared one, never the
    smallest and the largest value of the group. Cost: rows x columns x the depth of the cuts.
    """

    algorithm: ClassVar[str] = "mondrian"
    losses: ClassVar[tuple[str, ...]] = ("ncp",)

    cuts: Cuts = "best"
    relaxed: bool = False

    def recode(self, table: CodedTable) -> Recoding:
        if self.cuts not in get_args(Cuts):
            raise UsageError(f"cuts={self.cuts!r}; choose among {', '.join(get_args(Cuts))}")
        test = GroupTest.of(self.requirement, table)
        if self.relaxed and (not test.monotone or table.persons is not None):
            why = "persons" if table.persons is not None else self.requirement.kind
            raise UsageError(f"relaxed groups may join, which {why} does not allow; use relaxed=False")
        beginning = _Beginning.of(table, test, budget=self.budget(table))
        group, regions = _partition(table, beginning, median=self.cuts == "median", relaxed=self.relaxed)
        place = np.where(beginning.kept, group, 0)
        named = [labelled_regions(column, regions[:, j]) for j, column in enumerate(table.quasi)]
        return Recoding(
            table=table,
            codes=tuple(codes[place] for codes, _, _ in named),
            labels=tuple(labels for _, labels, _ in named),
            losses=tuple(losses for _, _, losses in named),
            kept=beginning.kept,
            cells=place.astype(np.int32),
        )


def _partition(
    table: CodedTable, beginning: "_Beginning", *, median: bool, relaxed: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The group of each row (-1 for those left out), and the region of each group.

    What becomes of a group depends on its own rows alone: large tables are cut into some groups first, and these then
    at the same time, one thread for each core.
    """
    from confide.publish.tables.mondrian._cut_kernels import Rows
    from confide.publish.tables.mondrian._partition_kernels import partition

    columns, test, order = column_arrays(table), beginning.test, beginning.order
    rows = Rows(
        leaves=np.ascontiguousarray(np.stack([column.codes for column in table.quasi], axis=1)[order]),
        values=np.ascontiguousarray((test.values + test.starts[:-1].astype(np.int32))[order]),
        persons=np.zeros(0, dtype=np.int32) if table.persons is None else table.persons[order],
        ids=order.copy(),
    )
    spare = Rows(
        np.empty_like(rows.leaves), np.empty_like(rows.values), np.empty_like(rows.persons), np.empty_like(rows.ids)
    )
    fewest = 1 if table.persons is not None else test.fewest
    moved = np.zeros(len(order), dtype=np.bool_)

    def cut(
        bounds: NDArray[np.int64], regions: NDArray[np.int32], largest: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        room = _room(columns, test, moved)
        return partition(columns, test.rules, rows, spare, room, bounds, regions, fewest, median, relaxed, largest)

    bounds, regions = beginning.bounds, beginning.regions
    threads = cores() if len(order) >= _ROWS_FOR_THREADS else 1
    if threads > 1:
        bounds, regions = cut(bounds, regions, len(order) // (8 * threads))
    by_size = np.argsort(bounds[:, 0] - bounds[:, 1], kind="stable")
    shares = [np.sort(by_size[i::threads]) for i in range(threads) if len(by_size) > i]
    done = in_threads(lambda share: cut(bounds[share], regions[share], 0), shares, threads=threads)
    found = np.concatenate([part for part, _ in done])
    group = np.full(len(table), -1, dtype=np.int32)
    sizes = found[:, 1] - found[:, 0]
    in_order = np.argsort(found[:, 0], kind="stable")
    group[rows.ids] = np.repeat(in_order, sizes[in_order])
    return group, np.concatenate([part for _, part in done])


def _room(columns: Columns, test: GroupTest, moved: NDArray[np.bool_]) -> "Room":
    """Room for one thread to work in; `moved` is shared, since threads look at different rows."""
    from confide.publish.tables.mondrian._cut_kernels import Room

    width, children = int(test.starts[-1]), columns.most_children
    persons = children if test.table.persons is not None else 0
    return Room(
        slot_of=np.full(columns.widest, -1, dtype=np.int32),
        child=np.empty(children, dtype=np.int32),
        rows=np.empty(children, dtype=np.int64),
        sizes=np.empty(children, dtype=np.int64),
        apart=np.empty(children, dtype=np.bool_),
        hists=np.empty((children, width), dtype=np.int64),
        seen=np.empty(persons, dtype=np.int64),
        seen_value=np.empty((persons, width), dtype=np.int64),
        hist=np.empty(width, dtype=np.int64),
        other=np.empty(width, dtype=np.int64),
        cells=np.empty(int(columns.cells.max()) + 2, dtype=np.int64),
        moved=moved,
    )


@dataclass(frozen=True)
class _Beginning:
    """The groups to begin with: all rows, or those that agree at the highest levels allowed.

    `order` are the rows that stay, group by group (within each, by person), `bounds` where a group begins and
    ends, `regions` what it is. `test` has these rows as its reference.
    """

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]
    regions: NDArray[np.int32]
    kept: NDArray[np.bool_]
    test: GroupTest

    @classmethod
    def of(cls, table: CodedTable, test: GroupTest, *, budget: int) -> "_Beginning":
        tops = [column.maps[column.highest][column.codes] for column in table.quasi]
        apart = [
            (top, len(column.labels[column.highest]))
            for top, column in zip(tops, table.quasi, strict=True)
            if not by_range(column)
        ]
        group, count = numbered(apart, len(table))
        ok = test.passes(group, count)
        kept = ok[group]
        out = len(table) - int(kept.sum())
        while 0 < out <= budget and kept.any():  # without those rows the reference of the others is another
            test = test.with_released(kept)
            rows = np.flatnonzero(kept)
            ok &= test.passes(group[rows], count, rows=rows)
            if ok[group[rows]].all():
                break
            kept = ok[group]
            out = len(table) - int(kept.sum())
        if out > budget or not kept.any():
            raise _cannot_begin(test, count, out, len(table))
        order = np.flatnonzero(kept)
        if count > 1 or table.persons is not None:
            keys = (group[order],) if table.persons is None else (table.persons[order], group[order])
            order = order[np.lexsort(keys)]
        used = np.unique(group[order])
        starts = np.append(np.searchsorted(group[order], used), len(order)).astype(np.int64)
        regions = np.empty((len(used), len(table.quasi), 2), dtype=np.int32)
        for j, column in enumerate(table.quasi):
            if by_range(column) and column.domain is not None:
                regions[:, j] = (-1, column.domain.cells) if column.missing >= 0 else (0, column.domain.cells - 1)
            else:
                regions[:, j, 0] = column.highest
                regions[:, j, 1] = tops[j][order[starts[:-1]]]
        return cls(order, np.stack([starts[:-1], starts[1:]], axis=1), regions, kept, test)


def _cannot_begin(test: GroupTest, groups: int, out: int, rows: int) -> CannotMeetError:
    assert test.requirement is not None
    if groups == 1:
        return CannotMeetError(f"even the whole table as one group fails {test.requirement.kind}")
    return CannotMeetError(
        f"the highest levels that the schema allows leave {out / rows:.2%} of the rows in groups that fail",
        nearest=f"higher levels, or suppress={-(-out * 10_000 // rows) / 10_000:g}" if out < rows else "higher levels",
    )
