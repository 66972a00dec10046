"""The next release where each column is at one level: at those of the last release, or above.

Rows with the same values at these levels look alike whatever is done, so a newcomer is in a group with the cells there,
and takes a place there or helps to make a new cell there. Levels are raised until few enough rows are carried on and
held back; after the best levels for one year, mostly higher ones are needed for the next.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.series.places import Continuation
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.columns import by_range
from confide.publish.tables.recoding import Recoding, numbered
from confide.publish.tables.series._matching_kernels import Reach
from confide.publish.tables.series.combined import Combined
from confide.publish.tables.series.linked_places import count_values_left
from confide.publish.tables.series.matching import ABSENT, Matching, without_tight_links
from confide.publish.tables.series.next_release import FoundCells, NextRelease
from confide.publish.tables.series.regions import regions_of_groups

__all__ = ["NextReleaseAtLevels"]

_TRIED = 300  # combinations of levels, those that lose least first


@dataclass(kw_only=True)
class NextReleaseAtLevels(NextRelease):
    """As `NextRelease`, with every column at one level, so that equal values become equal everywhere."""

    algorithm: ClassVar[str] = "levels of an earlier release, or higher ones"

    levels_: tuple[int, ...] = field(default=(), init=False, repr=False)
    keys_: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32), init=False, repr=False)

    def parameters(self) -> dict[str, Any]:
        told = super().parameters()
        del told["levels_"], told["keys_"]
        return told

    def recode(self, table: CodedTable) -> Recoding:
        refused: CannotMeetError | None = None
        for levels in islice(_levels_to_try(table, self._lowest(table)), _TRIED):
            self.levels_ = levels
            try:
                return super().recode(table)
            except CannotMeetError as error:
                refused = refused or error
        assert refused is not None
        raise refused

    def _lowest(self, table: CodedTable) -> list[int]:
        """The levels of the last release."""
        last = self.earlier.levels
        if last is None:
            raise UsageError(
                f"{self.earlier.name} is not at one level for each column, so no release at levels can be built on it; "
                "use method='auto'",
                parameter="method",
                value="incognito",
                cures=[{"method": "auto"}],
            )
        for column in table.quasi:
            if column.name not in last or last[column.name] > column.highest:
                raise InputError(f"is at no level in {self.earlier.name}, or above its highest now", column=column.name)
        return [max(column.lowest, last[column.name]) for column in table.quasi]

    def _match(self, combined: Combined, reach: Reach, needed: tuple[int, ...], budget: int) -> Matching:
        """Who has the same values at these levels as a cell, and the value of a place there, takes it."""
        table, earlier, n = combined.table, self.earlier, combined.rows
        places = earlier.places
        columns = [
            (column.maps[level][column.codes], len(column.labels[level]))
            for column, level in zip(table.quasi, self.levels_, strict=True)
        ]
        self.keys_ = numbered(columns, len(table))[0]
        key, there = self.keys_[:n], self.keys_[n:][places.cell]
        home = np.where(earlier.holds >= 0, earlier.holds, earlier.held)
        place = np.full(n, ABSENT, dtype=np.int64)
        stays = np.flatnonzero((home >= 0) & (there[home] == key) & (combined.values == places.value[home]))
        # A place that somebody holds is theirs before it is that of who held it earlier.
        stays = stays[np.argsort(earlier.holds[stays] < 0, kind="stable")]
        _, first = np.unique(home[stays], return_index=True)
        place[stays[first]] = home[stays[first]]
        for waiting in (home < 0, home >= 0):  # newcomers first: who moved links places
            rows = np.flatnonzero((place < 0) & waiting)
            taken = np.zeros(len(places), dtype=np.bool_)
            taken[place[place >= 0]] = True
            empty = np.flatnonzero(~taken)
            width = len(combined.labels)
            own, wanted = key[rows].astype(np.int64) * width + combined.values[rows], there[empty].astype(np.int64)
            pairs = _pair_up(own, wanted * width + places.value[empty])
            place[rows[pairs[0]]] = empty[pairs[1]]
        moved = (home >= 0) & (place >= 0) & (place != home)
        regions = np.empty((places.cells, len(table.quasi), 2), dtype=np.int32)
        for j, column in enumerate(table.quasi):
            regions[:, j] = _node_regions(table, j, self.levels_[j], column.codes[n:])
        found = Matching(place, np.zeros(0, dtype=np.int64), np.zeros(n, dtype=np.bool_), home, moved, regions)
        return without_tight_links(combined, earlier, found, needed)

    def _cut_newcomers(
        self, table: CodedTable, test: GroupTest, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """A new cell for each combination of values at these levels, where its newcomers pass by themselves."""
        used, group = np.unique(self.keys_[rows], return_inverse=True)
        group = group.reshape(-1)
        ok = test.passes(group.astype(np.int32), len(used), rows=rows) if len(rows) else np.zeros(0, dtype=np.bool_)
        number = np.where(ok, np.cumsum(ok) - 1, -1)
        one = np.zeros(len(used), dtype=np.int64)
        one[group] = rows
        regions = np.empty((int(ok.sum()), len(table.quasi), 2), dtype=np.int32)
        for j, column in enumerate(table.quasi):
            regions[:, j] = _node_regions(table, j, self.levels_[j], column.codes[one[ok]])
        return (number[group] if len(rows) else np.zeros(0, dtype=np.int64)), regions

    def _release(
        self,
        combined: Combined,
        table: CodedTable,
        test: GroupTest,
        reach: Reach,
        new: FoundCells,
        shown: tuple[NDArray[np.int64], NDArray[np.bool_], int],
    ) -> Recoding:
        place, kept, carried = shown
        rows = np.flatnonzero(kept)
        recoding = Recoding.at_levels(table, self.levels_, kept=kept)
        test = test.with_released(kept) if test.has_reference else test
        if not test.passes(*recoding.groups, rows=rows).all():
            raise CannotMeetError(f"the levels of {self.earlier.name} leave groups that fail, and so do higher ones")
        self.continuation_ = Continuation(
            place=place[rows],
            carried=rows >= combined.rows,
            cell=new.cell.astype(np.int32),
            regions=regions_of_groups(combined.table, new.regions),
            values_left=count_values_left(new.whole),
            held_back=int((place[: combined.rows] < 0).sum()),
            moved=new.moved,
        )
        after = {"releases": list(self.earlier.hashes), "values": self.continuation_.values_left}
        return replace(recoding, carried=carried, after=after)


def _levels_to_try(table: CodedTable, lowest: list[int]) -> Iterator[tuple[int, ...]]:
    """Levels at or above these, those that lose least first."""
    losses = [
        [
            float(table.tally(column.codes, column.leaves) @ column.losses[level][column.maps[level]]) * weight
            for level in levels
        ]
        for column, weight, levels in zip(
            table.quasi,
            table.weights,
            [range(low, column.highest + 1) for low, column in zip(lowest, table.quasi, strict=True)],
            strict=True,
        )
    ]
    steps = list(product(*(range(len(one)) for one in losses)))
    lost = np.array([sum(one[step] for one, step in zip(losses, chosen, strict=True)) for chosen in steps])
    for at in np.argsort(lost, kind="stable").tolist():
        yield tuple(low + step for low, step in zip(lowest, steps[at], strict=True))


def _pair_up(own: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of places in two lists that hold the same number, each used once."""
    first, second = np.argsort(own, kind="stable"), np.argsort(wanted, kind="stable")
    numbers, counts = np.unique(own, return_counts=True)
    others, more = np.unique(wanted, return_counts=True)
    both, mine, its = np.intersect1d(numbers, others, return_indices=True)
    fewer = np.minimum(counts[mine], more[its])
    begins, starts = np.searchsorted(own[first], both), np.searchsorted(wanted[second], both)
    offset = np.arange(int(fewer.sum())) - np.repeat(np.cumsum(fewer) - fewer, fewer)
    return first[np.repeat(begins, fewer) + offset], second[np.repeat(starts, fewer) + offset]


def _node_regions(table: CodedTable, j: int, level: int, leaves: NDArray[np.integer]) -> NDArray[np.int32]:
    """The regions of the nodes of these leaves at a level of column j."""
    column = table.quasi[j]
    nodes = column.maps[level][leaves]
    if not by_range(column):
        return np.stack([np.full(len(nodes), level), nodes], axis=1).astype(np.int32)
    assert column.domain is not None
    found = np.empty((len(column.labels[level]), 2), dtype=np.int32)
    for node in range(len(found)):
        own = np.flatnonzero(column.maps[level] == node)
        mixed = column.missing >= 0 and column.missing in own and len(own) > 1
        found[node] = (-1, column.domain.cells) if mixed else (own[0], own[-1])
    return found[nodes]
