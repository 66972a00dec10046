"""The next release about the same people: whole cells of earlier ones, with newcomers in the places of who left.

    match_people    who keeps a place, who takes one, which are carried on
    cut_newcomers   new cells of who takes none
    cut_groups_of   finer cells inside those that are there
    join_cells      groups of cells where a cell alone does not pass

Nothing here knows of ledgers: `Earlier` says what earlier releases left, and `continuation_` what this one did with it.
"""

from dataclasses import dataclass, field, replace
from math import floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.requirements.base import exact, is_number
from confide.core.series.places import Continuation, Earlier
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.columns import labelled_regions
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.series._matching_kernels import Reach
from confide.publish.tables.series.coarser_groups import join_cells
from confide.publish.tables.series.combined import Combined
from confide.publish.tables.series.linked_places import LinkedCells, count_values_left, find_tight
from confide.publish.tables.series.matching import (
    Matching,
    links_after,
    match_people,
    reach_of,
    value_columns,
)
from confide.publish.tables.series.new_cells import cut_groups_of, cut_newcomers
from confide.publish.tables.series.refusals import refuse_columns, refuse_shares
from confide.publish.tables.series.regions import hull_of_rows, regions_of_groups

__all__ = ["FoundCells", "NextRelease"]

_TRIES = 4  # new cells without movers whose links leave too little; then without movers


@dataclass(kw_only=True)
class NextRelease(TablePublisher):
    """Build on earlier releases of the same people, so that everybody keeps as many possible values as a cell has.

    `earlier` are the earlier releases. `carry` is the share of rows that may be carried on from them: more lets cells
    stay finer, and shows more rows of people who left. `suppress` bounds the rows that are held back: people who moved
    and whose two places would say too much, and newcomers too few for a cell.
    """

    algorithm: ClassVar[str] = "cells of earlier releases"
    losses: ClassVar[tuple[str, ...]] = ("ncp",)

    earlier: Earlier
    carry: float = 0.03
    continuation_: Continuation | None = field(default=None, init=False, repr=False)

    def check(self) -> None:
        super().check()
        if not is_number(self.carry) or not 0 <= self.carry < 1:
            raise UsageError(
                f"carry={self.carry} is not a share of the rows; use a number from 0 to below 1",
                parameter="carry",
                value=self.carry,
            )
        if self.missing == "drop":
            raise UsageError(
                "after= follows people, so no row may be dropped; use missing='category'",
                value="drop",
                parameter="after",
            )

    def parameters(self) -> dict[str, Any]:
        told = super().parameters()
        del told["earlier"], told["continuation_"]
        return told

    def notes(self) -> tuple[str, ...]:
        """What the owner should know of the release that was made last."""
        made = self.continuation_
        assert made is not None
        carried = int(made.carried.sum())
        moved = f"{made.moved:,} people moved to another place"
        return (f"{carried:,} rows carried on from {self.earlier.name}, {made.held_back:,} held back, {moved}",)

    def recode(self, table: CodedTable) -> Recoding:
        earlier = self.earlier
        combined = Combined.of(table, earlier)
        reach = reach_of(combined.table)
        needed = self._values_needed(combined)
        budget = floor(exact(self.carry) * combined.rows)
        matching = self._match(combined, reach, needed, budget)
        changed = len(matching.carried) or matching.moved.any() or matching.held_back.any()
        changed = changed or (matching.place[earlier.holds < 0] >= 0).any()
        refuse_columns(table, self.pseudonyms is not None, changed=bool(changed))
        everybody = combined.with_carried(matching.carried, earlier)
        plain = replace(everybody, persons=None)  # one row a person, so that counting rows counts people
        test = GroupTest.of(self.requirement, plain, suppress=self.suppress)
        new = self._found_cells(combined, plain, test, matching, needed)
        held_back = int((new.place < 0).sum())
        refuse_shares(self, len(matching.carried), held_back, combined)
        place = np.concatenate([new.place, matching.carried])
        kept = place >= 0
        return self._release(combined, everybody, test, reach, new, (place, kept, len(matching.carried)))

    def _match(self, combined: Combined, reach: Reach, needed: tuple[int, ...], budget: int) -> Matching:
        """Who takes which place."""
        return match_people(combined, self.earlier, reach, budget=budget, needed=needed)

    def _cut_newcomers(
        self, table: CodedTable, test: GroupTest, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The new cell of each of these rows, -1 for none, and the regions of new cells."""
        return cut_newcomers(table, test, rows)

    def _test(self, combined: Combined) -> GroupTest:
        """The requirement put to the new table and examples of cells."""
        plain = replace(combined.table, persons=None)
        return GroupTest(self.requirement, plain)  # type: ignore[arg-type]  # checked in `GroupTest.of`

    def _values_needed(self, combined: Combined) -> tuple[int, ...]:
        """Of each sensitive column how many values must stay possible: as asked, or as cells that are there have."""
        places = self.earlier.places
        test = self._test(combined)
        asked = [test.different_values(column.name) for column in combined.table.sensitive]
        cells = _cells(combined, places.cell, places.value, np.arange(len(places)), tuple(asked))
        from confide.publish.tables.series.linked_places import count_unlinked

        least = [int(count_unlinked(cells, c).min(initial=len(places) + 1)) for c in range(len(asked))]
        return tuple(min(one, there) for one, there in zip(asked, least, strict=True))

    def _found_cells(
        self, combined: Combined, table: CodedTable, test: GroupTest, matching: Matching, needed: tuple[int, ...]
    ) -> "FoundCells":
        """New cells of the rows without a place; who moved and would be found there is held back."""
        places = self.earlier.places
        out = matching.held_back.copy()
        for attempt in range(_TRIES + 1):
            if attempt == _TRIES:
                out |= (matching.place < 0) & (matching.home >= 0)
            rows = np.flatnonzero((matching.place < 0) & ~out)
            cell, regions = self._cut_newcomers(table, test, rows)
            place, taken = matching.place.copy(), rows[cell >= 0]
            place[taken] = len(places) + np.arange(len(taken))
            cells = np.concatenate([places.cell, places.cells + cell[cell >= 0]]).astype(np.int64)
            values = np.concatenate([places.value, combined.values[taken]]).astype(np.int64)
            moved = (place >= 0) & (matching.home >= 0) & (place != matching.home)
            link = links_after(self.earlier, matching.home[moved], place[moved], len(cells))
            whole = _cells(combined, cells, values, link, needed)
            tight = np.zeros(len(cells), dtype=np.bool_)
            tight[np.unique(cells[find_tight(whole)])] = True
            wrong = moved & (tight[cells[place]] | tight[cells[matching.home]]) & (place >= len(places))
            if not wrong.any():
                break
            out |= wrong
        return FoundCells(place, cells, np.concatenate([matching.regions, regions]), whole, int(moved.sum()))

    def _release(
        self,
        combined: Combined,
        table: CodedTable,
        test: GroupTest,
        reach: Reach,
        new: "FoundCells",
        shown: tuple[NDArray[np.int64], NDArray[np.bool_], int],
    ) -> Recoding:
        """Finer cells, groups that pass, and what their columns become."""
        place, kept, carried = shown
        rows = np.flatnonzero(kept)
        n = combined.rows
        cell, regions = _finer(replace(table, persons=None), test, rows, place, new, first_carried=n)
        of_row = cell[place[rows]]
        unknown = np.flatnonzero(~combined.known)
        if len(unknown):
            regions = regions.copy()
            regions[:, unknown] = _hulls(table, rows, of_row, len(regions), n)[:, unknown]
        group, joined = join_cells(
            test.with_released(kept) if test.has_reference else test, reach, of_row, rows, regions
        )
        of_table = np.zeros(len(table), dtype=np.int32)
        of_table[rows] = group
        named = [labelled_regions(column, joined[:, j]) for j, column in enumerate(combined.table.quasi)]
        self.continuation_ = Continuation(
            place=place[rows],
            carried=rows >= n,
            cell=cell.astype(np.int32),
            regions=regions_of_groups(combined.table, regions),
            values_left=count_values_left(replace(new.whole, cell=cell)),
            held_back=int((place[:n] < 0).sum()),
            moved=new.moved,
        )
        return Recoding(
            table=table,
            codes=tuple(codes[of_table] for codes, _, _ in named),
            labels=tuple(labels for _, labels, _ in named),
            losses=tuple(losses for _, _, losses in named),
            kept=kept,
            cells=of_table,
            carried=carried,
            after={"releases": list(self.earlier.hashes), "values": self.continuation_.values_left},
        )


@dataclass(frozen=True, eq=False)
class FoundCells:
    """The place of each row of the new table (ABSENT where it is held back); the cell of each place, the regions of
    cells; the same with links; how many moved."""

    place: NDArray[np.int64]
    cell: NDArray[np.int64]
    regions: NDArray[np.int32]
    whole: LinkedCells
    moved: int


def _cells(
    combined: Combined,
    cell: NDArray[np.integer],
    value: NDArray[np.integer],
    link: NDArray[np.integer],
    needed: tuple[int, ...],
) -> LinkedCells:
    columns = value_columns(combined)
    return LinkedCells(cell.astype(np.int64), value.astype(np.int64), link.astype(np.int64), columns, needed)


def _finer(
    table: CodedTable,
    test: GroupTest,
    rows: NDArray[np.int64],
    place: NDArray[np.int64],
    new: FoundCells,
    *,
    first_carried: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Cut cells inside, where all their places are held by people of the new table and none is linked."""
    cell, count = new.cell.copy(), len(new.regions)
    fixed = np.zeros(count, dtype=np.bool_)
    fixed[cell[new.whole.linked]] = True
    fixed[cell[place[rows[rows >= first_carried]]]] = True
    fixed |= np.bincount(cell, minlength=count) < 2 * test.fewest
    own = cell[place[rows]]
    chosen = rows[~fixed[own]]
    if not len(chosen):
        return cell, new.regions
    cut, made = cut_groups_of(table, test, chosen, cell[place[chosen]], new.regions)
    first = np.zeros(len(made), dtype=np.int64)  # the cell that each part was cut from
    first[cut] = cell[place[chosen]]
    order = np.argsort(first, kind="stable")
    begins = np.diff(first[order], prepend=-1) != 0
    number = np.empty(len(made), dtype=np.int64)
    number[order] = np.where(begins, first[order], 0)
    number[order[~begins]] = count + np.arange(int((~begins).sum()))
    cell[place[chosen]] = number[cut]
    regions = np.concatenate([new.regions, made[order[~begins]]])
    regions[first[order[begins]]] = made[order[begins]]
    return cell, regions


def _hulls(
    table: CodedTable, rows: NDArray[np.int64], cell: NDArray[np.int64], cells: int, first_carried: int
) -> NDArray[np.int32]:
    """The regions of cells by their rows; everything where a row is carried on, of which nothing else is known."""
    from confide.publish.tables.series.regions import whole_region

    found = hull_of_rows(table, rows, cell, cells)
    whole = np.zeros(cells, dtype=np.bool_)
    whole[cell[rows >= first_carried]] = True
    whole[np.bincount(cell, minlength=cells) == 0] = True
    for j, column in enumerate(table.quasi):
        found[whole, j] = whole_region(column)
    return found
