"""Mondrian: cut the table into ever smaller regions while every group keeps the requirement (LeFevre et al. 2006)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.runtime.threads import cores, in_threads
from confide.publish.tables.coding import CodedTable, QuasiIdentifier
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.columns import Columns, by_range, column_arrays, labelled_regions
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.top_groups import TopGroups

if TYPE_CHECKING:
    from confide.publish.tables.mondrian._tally_kernels import Room

__all__ = ["Cuts", "Mondrian", "cut_groups", "top_regions"]

_ROWS_FOR_THREADS = 50_000

Cuts = Literal["best", "median"]


@dataclass(kw_only=True)
class Mondrian(TablePublisher):
    """Local recoding by cutting the table into regions; takes any requirement, and mostly loses least.

    A column with a declared `range` is cut into ranges, any other along its hierarchy. `cuts`: "best" cuts where that
    saves most loss; "median" cuts the column that loses most, a range at its median, as the paper does. `relaxed` lets
    rows with the same values be in different groups, which makes more and smaller ones. Rows are suppressed only where
    the highest levels that the schema allows keep them in groups that fail.

    The values of a group are its region: nodes of the hierarchy, and ranges that tile the declared one, never the
    smallest and the largest value of the group. Cost: rows x columns x the depth of the cuts.
    """

    algorithm: ClassVar[str] = "mondrian"
    losses: ClassVar[tuple[str, ...]] = ("ncp",)

    begins_at_coarsest: ClassVar[bool] = True

    cuts: Cuts = "best"
    relaxed: bool = False

    def kept_apart(self, table: CodedTable) -> Sequence[QuasiIdentifier]:
        return [column for column in table.quasi if not by_range(column)]

    def keeps_groups(self, table: CodedTable) -> bool:
        """Unless a hierarchy calls nodes of two levels the same."""
        names = [[name for level in column.labels for name in level] for column in self.kept_apart(table)]
        return all(len(set(each)) == len(each) for each in names)

    def recode(self, table: CodedTable) -> Recoding:
        if self.cuts not in get_args(Cuts):
            raise UsageError(
                f"cuts={self.cuts!r}; choose among {', '.join(get_args(Cuts))}", parameter="cuts", value=self.cuts
            )
        test = GroupTest.of(self.requirement, table, suppress=self.suppress)
        if self.relaxed and (not test.monotone or table.persons is not None):
            why = "persons" if table.persons is not None else self.requirement.kind
            raise UsageError(
                f"relaxed groups may join, which {why} does not allow; use relaxed=False",
                parameter="relaxed",
                value=self.relaxed,
            )
        tops = TopGroups.of(table, test, self.kept_apart(table), budget=self.budget(table))
        begin = top_regions(table, tops)
        group, regions = cut_groups(table, tops, begin, median=self.cuts == "median", relaxed=self.relaxed)
        place = np.where(tops.kept, group, 0)
        named = [labelled_regions(column, regions[:, j]) for j, column in enumerate(table.quasi)]
        found = Recoding(
            table=table,
            codes=tuple(codes[place] for codes, _, _ in named),
            labels=tuple(labels for _, labels, _ in named),
            losses=tuple(losses for _, _, losses in named),
            kept=tops.kept,
            cells=place.astype(np.int32),
        )
        # a hierarchy may call nodes of two levels the same: their groups then look alike
        if not test.monotone and not tops.test.passes(*found.groups, rows=found.rows).all():
            raise CannotMeetError(
                f"groups that the hierarchy calls the same fail {self.requirement.kind} together",
                advice="give different labels at different levels",
            )
        return found


def cut_groups(
    table: CodedTable, tops: TopGroups, regions: NDArray[np.int32], *, median: bool = False, relaxed: bool = False
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Cut groups, which have these `regions`, as far as they pass; returns the group of each row (-1 for those left
    out), and the region of each group.

    What becomes of a group depends on its own rows alone: large tables are cut into some groups first, and these then
    at the same time, one thread for each core.
    """
    from confide.publish.tables.mondrian._partition_kernels import partition
    from confide.publish.tables.mondrian._tally_kernels import Cutting, Rows

    columns, test, order = column_arrays(table), tops.test, tops.order
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
    shared = np.zeros(len(order), dtype=np.bool_), np.empty(len(order), dtype=np.int64)

    def cut(
        bounds: NDArray[np.int64], regions: NDArray[np.int32], largest: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        room = _room(columns, test, *shared)
        cutting = Cutting(fewest, largest, median, relaxed)
        return partition(columns, test.rules, rows, spare, room, bounds, regions, cutting)

    bounds = tops.bounds
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


def top_regions(table: CodedTable, tops: TopGroups) -> NDArray[np.int32]:
    """The region of each group to begin with: the highest nodes, and whole ranges."""
    first = tops.order[tops.bounds[:, 0]]
    regions = np.empty((len(first), len(table.quasi), 2), dtype=np.int32)
    for j, column in enumerate(table.quasi):
        if by_range(column) and column.domain is not None:
            regions[:, j] = (-1, column.domain.cells) if column.missing >= 0 else (0, column.domain.cells - 1)
        else:
            regions[:, j, 0] = column.highest
            regions[:, j, 1] = column.maps[column.highest][column.codes[first]]
    return regions


def _room(columns: Columns, test: GroupTest, moved: NDArray[np.bool_], order: NDArray[np.int64]) -> "Room":
    """Room for one thread to work in; what is by row is shared, since threads look at different rows."""
    from confide.publish.tables.mondrian._tally_kernels import Room

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
        order=order,
    )
