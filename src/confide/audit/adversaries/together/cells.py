"""Releases that are built on one another: whether they show whole cells, and what stays possible for everybody.

    release 1   cell A: flu, flu, gout     release 2   cell A: flu, flu, gout, whoever holds the places by now

Who holds a place may change, its value may not. Where every release shows each cell whole, in one group, and each place
with one value, the values of two places of a cell can be exchanged for all who ever held them: no count of any release
changes. So whoever knows everybody's groups, who came and left, and that values last, still holds every value of the
cell possible. Places that one person held after one another change their value together; for them a value stays
possible if each of their cells has it in as many places that nobody so links.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.checks import Check
from confide.core.series.placed_history import PlacedHistory

__all__ = ["CellsView", "audit_cells"]


@dataclass(frozen=True, kw_only=True)
class CellsView:
    """`fewest_values`: how many values of a sensitive column stay possible for whoever has the fewest. `linked`: people
    who held several places. `checks` say whether releases show whole cells."""

    checks: tuple[Check, ...]
    fewest_values: int
    linked: int

    @property
    def ok(self) -> bool:
        """Whether every release shows whole cells, and each place one value."""
        return all(check.ok for check in self.checks)


def audit_cells(placed: PlacedHistory) -> CellsView:
    """Count each cell in each release, and what stays possible.

    >>> import numpy as np
    >>> from confide.core.series.release_history import History
    >>> groups = np.array([[0, 0, 0, -1], [0, -1, 0, 0]], dtype=np.int32)
    >>> places = np.array([[0, 1, 2, -1], [0, -1, 2, 1]], dtype=np.int32)
    >>> history = History(groups=groups, values=np.array([0, 0, 1, 0], dtype=np.int32))
    >>> view = audit_cells(PlacedHistory(history=history, places=places, cell=np.zeros(3, dtype=np.int32)))
    >>> view.ok, view.fewest_values
    (True, 2)
    """
    values, twice = _values_of_places(placed)
    faults = {
        "a place has one value and one holder at a time": twice,
        "each cell is shown whole": 0,
        "each cell is shown in one group": 0,
        "each cell counts the same in every release": 0,
    }
    seen: dict[int, tuple[tuple[int, int], ...]] = {}
    sizes = np.bincount(placed.cell, minlength=1)
    for groups, places in zip(placed.history.groups, placed.places, strict=True):
        there = places >= 0
        cell = placed.cell[places[there]].astype(np.int64)
        used, shown = np.unique(cell, return_counts=True)
        faults["each cell is shown whole"] += int((shown != sizes[used]).sum())
        pairs = np.unique(cell * (int(groups.max(initial=0)) + 1) + groups[there])
        faults["each cell is shown in one group"] += len(pairs) - len(used)
        width = max(1, placed.history.width)
        keys, counts = np.unique(cell * width + placed.history.values[there], return_counts=True)
        faults["each cell counts the same in every release"] += _count_changes(
            keys // width, keys % width, counts, seen
        )
    linked = _linked_places(placed)
    fewest = min(_values_left(placed, values, linked), default=len(placed.cell))
    entries = np.sort(np.where(placed.places < 0, np.iinfo(np.int32).max, placed.places), axis=0)
    several = ((entries[1:] != entries[:-1]) & (entries[1:] != np.iinfo(np.int32).max)).any(axis=0)
    return CellsView(
        checks=tuple(
            Check(name=name, ok=not number, detail=f"not so {number:,} times" if number else "")
            for name, number in faults.items()
        ),
        fewest_values=fewest,
        linked=int(several.sum()),
    )


def _count_changes(
    cells: NDArray[np.int64],
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
    seen: dict[int, tuple[tuple[int, int], ...]],
) -> int:
    """How many cells count otherwise than in an earlier release; `seen` holds what each counted first."""
    changed = 0
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    ends = np.append(starts[1:], len(cells))
    values_of, counts_of = values.tolist(), counts.tolist()
    for cell, start, end in zip(cells[starts].tolist(), starts.tolist(), ends.tolist(), strict=True):
        found = tuple(zip(values_of[start:end], counts_of[start:end], strict=True))
        changed += seen.setdefault(cell, found) != found
    return changed


def _values_of_places(placed: PlacedHistory) -> tuple[NDArray[np.int64], int]:
    """The value of each place, and how often one has another value, or two people at once."""
    values = np.full(len(placed.cell), -1, dtype=np.int64)
    wrong = 0
    for places in placed.places:
        there = np.flatnonzero(places >= 0)
        own = placed.history.values[there].astype(np.int64)
        before = values[places[there]]
        wrong += int(((before >= 0) & (before != own)).sum())
        wrong += len(there) - len(np.unique(places[there]))
        values[places[there]] = own
    return values, wrong


def _linked_places(placed: PlacedHistory) -> list[NDArray[np.int64]]:
    """The places that people link by having held several, group by group."""
    parent = list(range(len(placed.cell)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    moved = np.flatnonzero(
        (np.where(placed.places < 0, np.iinfo(np.int32).max, placed.places).min(axis=0) != placed.places.max(axis=0))
        & (placed.places >= 0).any(axis=0)
    )
    for entry in moved.tolist():
        held = [place for place in placed.places[:, entry].tolist() if place >= 0]
        for place in held[1:]:
            parent[root(place)] = root(held[0])
    together: dict[int, list[int]] = {}
    for place in np.unique(placed.places[:, moved]).tolist():
        if place >= 0:
            together.setdefault(root(place), []).append(place)
    return [np.array(group) for group in together.values() if len(group) > 1]


def _values_left(placed: PlacedHistory, values: NDArray[np.int64], linked: list[NDArray[np.int64]]) -> Iterator[int]:
    """For each cell, and for linked places, how many values of each sensitive column stay possible."""
    free = np.ones(len(placed.cell), dtype=np.bool_)
    for group in linked:
        free[group] = False
    cells = placed.cell.astype(np.int64)
    concerned = np.isin(cells, cells[~free])
    counted: dict[int, Counter[int]] = {}
    for cell, value in zip(cells[concerned & free].tolist(), values[concerned & free].tolist(), strict=True):
        counted.setdefault(cell, Counter())[value] += 1
    possible = []
    for group in linked:
        wanted = Counter(cells[group].tolist())
        fit = [{v for v, n in counted.get(cell, Counter()).items() if n >= need} for cell, need in wanted.items()]
        possible.append(set.intersection(*fit) | {int(values[group[0]])})
    for column in placed.history.columns:
        code = column[values]
        width = int(column.max(initial=0)) + 1
        pairs = np.unique(cells[free] * width + code[free])
        left = np.bincount(pairs // width)
        yield int(left[left > 0].min(initial=len(cells)))
        yield from (len({int(column[value]) for value in one}) for one in possible)
