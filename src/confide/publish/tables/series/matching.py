"""Who takes which place: those who stay keep theirs, newcomers with the same value take those of who left.

Where nobody takes a place it is carried on. Who moved, so that their values are outside the region of their cell, is a
newcomer like others, but for two things: their own place may grow to cover them, and taking another links the two.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from confide.core.requirements.tables import KAnonymity
from confide.core.runtime.threads import cores, in_threads
from confide.core.series.places import Earlier, link_places
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.columns import by_range, column_arrays
from confide.publish.tables.series._matching_kernels import Free, MatchPool, Reach, TakingLimits, Vacancies
from confide.publish.tables.series.combined import Combined
from confide.publish.tables.series.linked_places import LinkedCells, find_tight
from confide.publish.tables.series.new_cells import cut_groups_of

__all__ = ["Matching", "links_after", "match_people", "reach_of", "without_tight_links"]

_BLOCK = 16  # rows that near candidates are looked for among together
_LISTED = 8  # nearest candidates that are listed for a place at first

ABSENT = -1


@dataclass(frozen=True, eq=False)
class Matching:
    """`place[i]` is the place of row i, ABSENT where it has none; `carried` are places that nobody takes; `held_back`
    rows that may take none. `home[i]` is a place that the person of row i had before; `moved[i]` says that row i took
    another than that. `regions` are those of cells, grown to cover who came."""

    place: NDArray[np.int64]
    carried: NDArray[np.int64]
    held_back: NDArray[np.bool_]
    home: NDArray[np.int64]
    moved: NDArray[np.bool_]
    regions: NDArray[np.int32]


def reach_of(table: CodedTable) -> Reach:
    """The columns of a table for kernels that let regions grow."""
    columns = column_arrays(table)
    named = [len(labels) for column in table.quasi for labels in column.labels]
    leaf_of = np.zeros(sum(named), dtype=np.int32)
    for j, column in enumerate(table.quasi):
        for level in range(column.height + 1):
            first = int(columns.node_at[j, level])
            leaf_of[first + column.maps[level][::-1]] = np.arange(column.leaves, dtype=np.int32)[::-1]
    highest = np.array([column.height if by_range(column) else column.highest for column in table.quasi])
    return Reach(columns, leaf_of, highest.astype(np.int64))


def match_people(
    combined: Combined, earlier: Earlier, reach: Reach, *, budget: int, needed: tuple[int, ...]
) -> Matching:
    """Give places to rows; up to `budget` places may be carried on to lose less, more where nobody can take them.

    Of each sensitive column `needed` different values must stay possible where places are linked.
    """
    barred = np.zeros(combined.rows, dtype=np.bool_)
    while True:
        found = _match(combined, earlier, reach, barred, budget=budget, needed=needed)
        again = found.held_back & ~barred
        if len(found.carried) <= budget or not again.any():
            return found
        barred |= again  # their places may be taken by others


def _match(
    combined: Combined,
    earlier: Earlier,
    reach: Reach,
    barred: NDArray[np.bool_],
    *,
    budget: int,
    needed: tuple[int, ...],
) -> Matching:
    """The same, without those who are `barred`: they are held back unless they stay."""
    from confide.publish.tables.series._joining_kernels import list_losses
    from confide.publish.tables.series._matching_kernels import find_outside, take_places

    places, n = earlier.places, combined.rows
    leaves = np.stack([column.codes[:n] for column in combined.table.quasi], axis=1)
    place = earlier.holds.copy()
    cell = np.where(place >= 0, places.cell[place] if len(places) else 0, -1).astype(np.int64)
    place[find_outside(reach, combined.regions, cell, leaves)] = ABSENT
    home = np.where(earlier.holds >= 0, earlier.holds, earlier.held)
    vacant = np.ones(len(places), dtype=np.bool_)
    vacant[place[place >= 0]] = False
    empty = np.flatnonzero(vacant)
    regions = combined.regions.copy()
    if len(empty):
        pool = _blocks(combined, np.flatnonzero((place < 0) & ~barred), leaves, home)
        sizes = np.bincount(places.cell, minlength=places.cells).astype(np.int64)
        cells, values = places.cell[empty].astype(np.int64), places.value[empty].astype(np.int64)
        vacancies = Vacancies(empty, cells, values, sizes)
        # A newcomer loses about as much more in a new cell: newcomers are few, and so far apart.
        worth = float(list_losses(reach, regions) @ sizes) / max(1, int(sizes.sum()))
        found = take_places(
            reach,
            regions,
            vacancies,
            pool,
            _list_nearest(reach, regions, vacancies, pool),
            _free_places(earlier),
            TakingLimits(max(needed, default=1), budget, worth),
        )
        taken = found >= 0
        place[found[taken]] = empty[taken]
    moved = (home >= 0) & (place >= 0) & (place != home)
    return without_tight_links(
        combined, earlier, Matching(place, empty, barred & (place < 0), home, moved, regions), needed
    )


def _blocks(
    combined: Combined, rows: NDArray[np.int64], leaves: NDArray[np.int32], home: NDArray[np.int64]
) -> MatchPool:
    """These rows in blocks of near ones with the same value."""
    plain = replace(combined.table, persons=None)
    some = GroupTest(KAnonymity(k=_BLOCK), plain)
    block, regions = cut_groups_of(plain, some, rows, combined.values[rows], None)
    values = np.zeros(len(regions), dtype=np.int64)
    values[block] = combined.values[rows]
    order = np.argsort(values, kind="stable")
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    rows = rows[np.argsort(number[block], kind="stable")]
    ends = np.cumsum(np.bincount(number[block], minlength=len(order))).astype(np.int64)
    bounds = np.stack([np.concatenate([[0], ends[:-1]]), ends], axis=1) if len(ends) else np.zeros((0, 2), np.int64)
    start = np.searchsorted(values[order], np.arange(len(combined.labels) + 1)).astype(np.int64)
    return MatchPool(start, bounds, np.ascontiguousarray(regions[order]), rows, leaves, home)


def _list_nearest(
    reach: Reach, regions: NDArray[np.int32], vacant: Vacancies, pool: MatchPool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nearest candidates of each vacancy, a share of the vacancies in each thread."""
    from confide.publish.tables.series._matching_kernels import list_nearest

    taken = np.zeros(len(pool.leaves), dtype=np.bool_)
    order = np.arange(len(vacant.place))
    shares = [share for share in np.array_split(order, cores()) if len(share)]
    found = in_threads(lambda share: list_nearest(reach, regions, vacant, pool, share, taken, _LISTED), shares)
    return np.concatenate([rows for rows, _ in found]), np.concatenate([costs for _, costs in found])


def _free_places(earlier: Earlier) -> Free:
    places = earlier.places
    order = np.argsort(places.cell, kind="stable").astype(np.int64)
    start = np.searchsorted(places.cell[order], np.arange(places.cells + 1)).astype(np.int64)
    linked = np.bincount(places.link, minlength=1)[places.link] > 1
    return Free(start, order, places.cell.astype(np.int64), places.value.astype(np.int64), linked)


def links_after(earlier: Earlier, home: NDArray[np.int64], place: NDArray[np.int64], places: int) -> NDArray[np.int32]:
    """The links of so many places, once who had the places `home` took the places `place`."""
    link = earlier.places.link
    begins = int(link.max(initial=-1)) + 1
    entry = np.concatenate([link, link[home]]).astype(np.int64)
    held = np.concatenate([np.arange(len(link)), place])
    new = np.arange(len(link), places)
    entry = np.concatenate([entry, begins + np.arange(len(new))])
    return link_places(places, entry, np.concatenate([held, new]))


def without_tight_links(combined: Combined, earlier: Earlier, matching: Matching, needed: tuple[int, ...]) -> Matching:
    """Hold back who moved to a place where the link would leave too few values, until none does."""
    places = earlier.places
    place, moved, held_back = matching.place.copy(), matching.moved.copy(), matching.held_back.copy()
    columns = value_columns(combined)
    while moved.any():
        rows = np.flatnonzero(moved)
        link = links_after(earlier, matching.home[rows], place[rows], len(places))
        cells = LinkedCells(
            places.cell.astype(np.int64), places.value.astype(np.int64), link.astype(np.int64), columns, needed
        )
        tight = np.zeros(places.cells, dtype=np.bool_)
        tight[places.cell[find_tight(cells)]] = True
        wrong = rows[tight[places.cell[place[rows]]] | tight[places.cell[matching.home[rows]]]]
        if not len(wrong):
            break
        place[wrong], moved[wrong], held_back[wrong] = ABSENT, False, True
    vacant = np.ones(len(places), dtype=np.bool_)
    vacant[place[place >= 0]] = False
    return Matching(place, np.flatnonzero(vacant), held_back, matching.home, moved, matching.regions)


def value_columns(combined: Combined) -> tuple[NDArray[np.int64], ...]:
    """For each sensitive column what each combination of values is in it."""
    found = []
    for number in range(len(combined.table.sensitive)):
        place: dict[str, int] = {}
        codes = [place.setdefault(label[number], len(place)) for label in combined.labels]
        found.append(np.array(codes, dtype=np.int64))
    return tuple(found)
