"""What links of places leave open, and which of them must not be made.

A person who left a place and took another links the two. Both places, and all that are linked with them, change their
value only together: for another value w, each of their cells needs as many unlinked places with w as it has of these.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinkedCells", "count_unlinked", "count_values_left", "find_tight"]


@dataclass(frozen=True, eq=False)
class LinkedCells:
    """By place: cell, value, link. `columns[c][v]` is what value v is in sensitive column c; of each column `needed[c]`
    different values must stay possible."""

    cell: NDArray[np.int64]
    value: NDArray[np.int64]
    link: NDArray[np.int64]
    columns: tuple[NDArray[np.int64], ...]
    needed: tuple[int, ...]

    @property
    def linked(self) -> NDArray[np.bool_]:
        """Whether a place is linked with another."""
        return np.bincount(self.link)[self.link] > 1


def count_unlinked(cells: LinkedCells, column: int) -> NDArray[np.int64]:
    """For each cell how many different values of a sensitive column its unlinked places have."""
    free = ~cells.linked
    code = cells.columns[column][cells.value]
    width = int(code.max(initial=0)) + 1
    pairs = np.unique(cells.cell[free] * width + code[free])
    return np.bincount(pairs // width, minlength=int(cells.cell.max(initial=-1)) + 1)


def find_tight(cells: LinkedCells) -> NDArray[np.bool_]:
    """For each place whether it is linked, and its link, or that of others in its cell, leaves too few values."""
    found = np.zeros(len(cells.cell), dtype=np.bool_)
    linked = cells.linked
    if not linked.any():
        return found
    for column, needed in enumerate(cells.needed):
        found |= linked & (count_unlinked(cells, column) < needed)[cells.cell]
    for group, possible in _linked_values(cells):
        if any(
            len({int(column[value]) for value in possible}) < least
            for column, least in zip(cells.columns, cells.needed, strict=True)
        ):
            found[group] = True
    return found


def count_values_left(cells: LinkedCells) -> int:
    """How many different values of each sensitive column stay possible, for whoever has the fewest."""
    fewest = [len(cells.cell)]
    there = np.unique(cells.cell[~cells.linked])
    linked = list(_linked_values(cells))
    for number, column in enumerate(cells.columns):
        fewest.append(int(count_unlinked(cells, number)[there].min(initial=len(cells.cell))))
        fewest += [len({int(column[value]) for value in possible}) for _, possible in linked]
    return min(fewest) if cells.columns else 1


def _linked_values(cells: LinkedCells) -> Iterator[tuple[NDArray[np.int64], set[int]]]:
    """For each group of linked places the values that they can have, their own among them."""
    linked = cells.linked
    if not linked.any():
        return
    concerned = np.zeros(int(cells.cell.max()) + 1, dtype=np.bool_)
    concerned[cells.cell[linked]] = True
    free: dict[int, dict[int, int]] = {}
    for place in np.flatnonzero(concerned[cells.cell] & ~linked).tolist():
        own = free.setdefault(int(cells.cell[place]), {})
        value = int(cells.value[place])
        own[value] = own.get(value, 0) + 1
    order = np.flatnonzero(linked)
    order = order[np.argsort(cells.link[order], kind="stable")]
    for group in np.split(order, np.flatnonzero(np.diff(cells.link[order])) + 1):
        taken: dict[int, int] = {}
        for place in group.tolist():
            cell = int(cells.cell[place])
            taken[cell] = taken.get(cell, 0) + 1
        first = next(iter(taken))
        possible = {
            value
            for value in free.get(first, {})
            if all(free.get(cell, {}).get(value, 0) >= count for cell, count in taken.items())
        }
        yield group, possible | {int(cells.value[group[0]])}
