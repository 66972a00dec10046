"""A quasi-identifier as integers: the leaf of each row, and the node of each leaf at every level.

    34  -->  leaf 17  -->  level 1: node 3, "30-39"  -->  level 2: node 0, "*"

Leaves are all values of the hierarchy, not only those in the data: a loss that is counted over them says nothing about
who is in the table. A column with a `range` has its cells as leaves, in order; without a hierarchy its levels are
ranges of two, four, eight ... cells.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.tables.hierarchy import TOP, Hierarchy
from confide.core.tables.row_places import name_rows
from confide.core.tables.schema import Column, Schema
from confide.publish.tables.coding.domain import Domain
from confide.publish.tables.coding.numeric import NumberColumn
from confide.publish.tables.coding.texts import MISSING, Texts

__all__ = ["QuasiIdentifier", "coded_quasi", "ncp"]


@dataclass(frozen=True, eq=False)
class QuasiIdentifier:
    """A quasi-identifier: `codes[row]` is the leaf of a row.

    `maps[level][leaf]` is the node of a leaf at a level, `labels[level][node]` what it is called, `sizes[level][node]`
    how many leaves it has. Only levels from `lowest` to `highest` may be released. `missing` is the leaf of missing
    values, or -1; `domain` the declared range whose cells the leaves are (all but `missing`), or None. `numbers` are
    those of a column that is released as numbers.
    """

    name: str
    codes: NDArray[np.int32]
    maps: tuple[NDArray[np.int32], ...]
    labels: tuple[tuple[str, ...], ...]
    lowest: int
    highest: int
    weight: float = 1.0
    missing: int = -1
    domain: Domain | None = None
    numbers: NumberColumn | None = None

    @property
    def leaves(self) -> int:
        """How many leaves there are."""
        return len(self.maps[0])

    @property
    def height(self) -> int:
        """The top level of the hierarchy."""
        return len(self.maps) - 1

    @cached_property
    def sizes(self) -> tuple[NDArray[np.int64], ...]:
        """For each level, how many leaves each node has."""
        return tuple(
            np.bincount(map_, minlength=len(names)) for map_, names in zip(self.maps, self.labels, strict=True)
        )

    @cached_property
    def losses(self) -> tuple[NDArray[np.float64], ...]:
        """For each level, the NCP of each node: (leaves under it - 1) / (all leaves - 1)."""
        return tuple(ncp(sizes, self.leaves) for sizes in self.sizes)

    def parents(self, level: int) -> NDArray[np.int32]:
        """For each node of a level below the top, the number of its parent at the level above."""
        above = np.empty(len(self.labels[level]), dtype=np.int32)
        above[self.maps[level]] = self.maps[level + 1]
        return above


def ncp(sizes: NDArray[Any], leaves: int) -> NDArray[np.float64]:
    """The normalised certainty penalty of nodes with so many of all `leaves`."""
    return (sizes - 1) / (leaves - 1) if leaves > 1 else np.zeros(len(sizes))


def coded_quasi(
    schema: Schema, name: str, column: Texts | NumberColumn, where: Callable[[NDArray[np.bool_]], str] = name_rows
) -> QuasiIdentifier:
    """Code a column as its schema says: by its range, or by its hierarchy.

    `where` puts into words which of its rows hold a value that does not fit.
    """
    spec = schema.columns[name]
    domain: Domain | None
    if isinstance(column, NumberColumn):
        domain, codes = column.placed(where)
        maps, labels = _domain_levels(domain, schema, name)
    elif spec.range is not None:
        domain, codes = _in_domain(spec, name, column, where)
        maps, labels = _domain_levels(domain, schema, name)
    else:
        domain = None
        seen = [column.texts[i] for i in column.used]
        hierarchy = schema.hierarchy(name, seen)
        maps, labels = _levels(hierarchy)
        leaf_of = {label: leaf for leaf, label in enumerate(hierarchy.values)}
        place = np.array([leaf_of.get(text, -1) for text in (*column.texts, MISSING)], dtype=np.int32)
        codes = place[column.codes]
    missing = -1
    if (codes < 0).any():
        missing = len(maps[0])
        codes = np.where(codes < 0, np.int32(missing), codes)
        maps, labels = _with_missing(maps, labels)
    lowest, highest = spec.levels or (0, len(maps) - 1)
    if highest >= len(maps):
        raise InputError(f"levels = [{lowest}, {highest}], but the top level is {len(maps) - 1}", column=name)
    return QuasiIdentifier(
        name=name,
        codes=codes.astype(np.int32),
        maps=maps,
        labels=labels,
        lowest=lowest,
        highest=highest,
        weight=float(spec.weight),
        missing=missing,
        domain=domain,
        numbers=column if isinstance(column, NumberColumn) else None,
    )


_Levels = tuple[tuple[NDArray[np.int32], ...], tuple[tuple[str, ...], ...]]


def _levels(hierarchy: Hierarchy) -> _Levels:
    coded = [hierarchy.codes(level) for level in range(hierarchy.height + 1)]
    return tuple(codes for codes, _ in coded), tuple(labels for _, labels in coded)


def _in_domain(
    spec: Column, name: str, column: Texts, where: Callable[[NDArray[np.bool_]], str]
) -> tuple[Domain, NDArray[np.int32]]:
    assert spec.range is not None
    if column.numbers is None:
        raise InputError(
            f"has a range, but holds what is no number, {where(column.wordy)}; correct these rows, or use a hierarchy",
            column=name,
        )
    used = column.used
    numbers = column.numbers[used]
    if len(used) and not np.isfinite(numbers).all():
        rows = where(column.holding(~np.isfinite(column.numbers)))
        raise InputError(f"has a range, but holds numbers that are not finite, {rows}; correct these rows", column=name)
    whole = bool((numbers == np.floor(numbers)).all())
    domain = Domain.of(spec.range, step=spec.step, column=name, whole=whole, grid=spec.grid)
    if not domain.whole and spec.step == Column.step and (numbers != np.floor(numbers)).any():
        raise InputError("holds fractions; say in the schema how fine its ranges may be (step = 0.5)", column=name)
    cells = np.full(len(column.texts) + 1, -1, dtype=np.int32)
    cells[used] = domain.place(numbers)
    if (cells[used] < 0).any():
        low, high = spec.range
        rows = where(column.holding(cells[:-1] < 0))
        raise InputError(
            f"values lie outside the range [{low:g}, {high:g}] of the schema, {rows}; widen it, or leave these rows "
            "out",
            column=name,
        )
    return domain, cells[column.codes]


def _domain_levels(domain: Domain, schema: Schema, name: str) -> _Levels:
    """The levels of a numeric column: those of its hierarchy, which must know every cell, or widths that double,
    of cells or from one line of the grid to the next."""
    cells = [domain.label(i, i) for i in range(domain.cells)]
    if schema.columns[name].hierarchy is not None:
        hierarchy = schema.hierarchy(name, cells)
        maps, labels = _levels(hierarchy)
        leaf_of = {label: leaf for leaf, label in enumerate(hierarchy.values)}
        order = np.array([leaf_of[cell] for cell in cells])
        numbered = [_renumbered(map_[order], names) for map_, names in zip(maps, labels, strict=True)]
        return tuple(map_ for map_, _ in numbered), tuple(names for _, names in numbered)
    doubled, named = [np.arange(domain.cells, dtype=np.int32)], [tuple(cells)]
    at = domain.grid_places // (1 if domain.grid_places[-1] < domain.cells - 1 else 2)
    while at.any():
        doubled.append(at.astype(np.int32))
        starts = np.flatnonzero(np.diff(at, prepend=-1)).tolist()
        ends = [*(start - 1 for start in starts[1:]), domain.cells - 1]
        named.append(tuple(domain.label(start, end) for start, end in zip(starts, ends, strict=True)))
        at = at // 2
    doubled.append(np.zeros(domain.cells, dtype=np.int32))
    return tuple(doubled), (*named, (TOP,))


def _renumbered(map_: NDArray[np.int32], names: tuple[str, ...]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The same map with nodes numbered in order of appearance, without those that no leaf is in."""
    used, first, place = np.unique(map_, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(used), dtype=np.int32)
    rank[order] = np.arange(len(used))
    return rank[place.reshape(-1)], tuple(names[used[i]] for i in order)


def _with_missing(maps: tuple[NDArray[np.int32], ...], labels: tuple[tuple[str, ...], ...]) -> _Levels:
    """One more leaf, alone at every level below a top that holds everything; such a top is added if there is none."""
    grown: list[NDArray[np.int32]] = []
    names: list[tuple[str, ...]] = []
    single = len(labels[-1]) == 1
    for level, (map_, named) in enumerate(zip(maps, labels, strict=True)):
        top = single and level == len(maps) - 1 and level > 0
        grown.append(np.append(map_, np.int32(0 if top else len(named))))
        names.append(named if top else (*named, MISSING))
    if not single or len(maps) == 1:
        grown.append(np.zeros(len(grown[0]), dtype=np.int32))
        names.append((TOP,))
    return tuple(grown), tuple(names)
