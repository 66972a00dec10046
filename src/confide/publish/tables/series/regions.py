"""Regions of cells from one release to the next: as texts, since every table numbers levels and leaves anew."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.series.places import RegionColumn
from confide.core.tables.hierarchy import TOP
from confide.publish.tables.coding import CodedTable, QuasiIdentifier
from confide.publish.tables.mondrian.columns import by_range
from confide.publish.tables.recoding import Recoding

if TYPE_CHECKING:
    from confide.core.tables.schema import Schema

__all__ = ["code_regions", "example_values", "hull_of_rows", "regions_of_groups", "regions_of_recoding", "whole_region"]

_EVERYTHING = (TOP, TOP)


def regions_of_recoding(recoding: Recoding) -> tuple[RegionColumn, ...]:
    """What each group of a release covers, by what its columns are called; by its rows where names do not say."""
    group, count = recoding.groups
    found = np.empty((count, len(recoding.table.quasi), 2), dtype=np.int32)
    hulls = hull_of_rows(recoding.table, recoding.rows, group, count)
    one = np.zeros(count, dtype=np.int64)
    one[group] = recoding.rows
    for j, column in enumerate(recoding.table.quasi):
        codes, labels = recoding.codes[j][one], recoding.labels[j]
        pairs, place = np.unique(np.column_stack([codes, hulls[:, j]]), axis=0, return_inverse=True)
        named = [_region_called(column, labels[code], (first, second)) for code, first, second in pairs.tolist()]
        found[:, j] = np.array(named, dtype=np.int32)[place.reshape(-1)]
    return regions_of_groups(recoding.table, found)


def _region_called(column: QuasiIdentifier, label: str, hull: tuple[int, int]) -> tuple[int, int]:
    """The region that a label names, if that holds the hull of the rows; else the hull."""
    if by_range(column):
        assert column.domain is not None
        if label == TOP:
            return (-1, column.domain.cells) if column.missing >= 0 else (0, column.domain.cells - 1)
        span = column.domain.span(label)
        return hull if span is None or hull[0] < span[0] or hull[1] > span[1] else span
    level, node = hull
    leaf = _leaf_of(column, level, node)
    for higher in range(level, column.height + 1):
        above = int(column.maps[higher][leaf])
        if column.labels[higher][above] == label:
            return higher, above
    return hull


def hull_of_rows(
    table: CodedTable, rows: NDArray[np.int64], group: NDArray[np.integer], groups: int
) -> NDArray[np.int32]:
    """The smallest region of each group that covers its rows: nodes of hierarchies, and ranges."""
    found = np.zeros((groups, len(table.quasi), 2), dtype=np.int32)
    for j, column in enumerate(table.quasi):
        leaves = column.codes[rows]
        if by_range(column):
            gaps = leaves == column.missing
            low, high = np.full(groups, column.leaves, dtype=np.int64), np.full(groups, -1, dtype=np.int64)
            np.minimum.at(low, group[~gaps], leaves[~gaps])
            np.maximum.at(high, group[~gaps], leaves[~gaps])
            if gaps.any():
                empty = np.zeros(groups, dtype=np.bool_)
                empty[group[gaps]] = True
                low = np.where(empty, np.where(high < 0, column.missing, -1), low)
                high = np.where(empty, column.missing, high)
            found[:, j, 0], found[:, j, 1] = low, high
            continue
        open_still = np.ones(groups, dtype=np.bool_)
        for level in range(column.lowest, column.height + 1):
            nodes = column.maps[level][leaves].astype(np.int64)
            least, most = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
            np.minimum.at(least, group, nodes)
            np.maximum.at(most, group, nodes)
            settled = open_still & (least == most)
            found[settled, j, 0], found[settled, j, 1] = level, most[settled]
            open_still &= ~settled
            if not open_still.any():
                break
    return found


def regions_of_groups(table: CodedTable, regions: NDArray[np.int32]) -> tuple[RegionColumn, ...]:
    """Regions as texts."""
    made = []
    for j, column in enumerate(table.quasi):
        keys = (regions[:, j, 0].astype(np.int64) << 32) + regions[:, j, 1]
        different, codes = np.unique(keys, return_inverse=True)
        texts = [_written(column, int(key >> 32), int(key & 0xFFFFFFFF)) for key in different.tolist()]
        ranges = by_range(column)
        made.append(RegionColumn(name=column.name, ranges=ranges, texts=tuple(texts), codes=codes.astype(np.int32)))
    return tuple(made)


def _written(column: QuasiIdentifier, first: int, second: int) -> tuple[str, str]:
    if not by_range(column):
        return str(first), column.labels[first][second]
    if first < 0:
        return _EVERYTHING
    return column.labels[0][first], column.labels[0][second]


def code_regions(
    table: CodedTable, columns: Sequence[RegionColumn], cells: int, release: str
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Regions of an earlier release in the numbers of this table; and which of its columns the earlier release had.

    Of columns that it did not have the regions are everything.
    """
    given = {column.name: column for column in columns}
    found = np.empty((cells, len(table.quasi), 2), dtype=np.int32)
    known = np.array([column.name in given for column in table.quasi])
    for j, column in enumerate(table.quasi):
        top = whole_region(column)
        if column.name not in given:
            found[:, j] = top
            continue
        earlier = given[column.name]
        if earlier.ranges != by_range(column):
            raise InputError(
                f"is cut in another way than in {release}: give it the range or the hierarchy that it had then",
                column=column.name,
            )
        coded = [_read(column, text) for text in earlier.texts]
        if any(region is None for region in coded):
            raise InputError(
                f"{release} shows what its hierarchy or range no longer has; give it those of {release}, or wider ones",
                column=column.name,
            )
        found[:, j] = np.array(coded, dtype=np.int32).reshape(-1, 2)[earlier.codes]
    return found, known


def _read(column: QuasiIdentifier, text: tuple[str, str]) -> tuple[int, int] | None:
    if by_range(column):
        if text == _EVERYTHING:
            return whole_region(column)
        place = {label: leaf for leaf, label in enumerate(column.labels[0])}
        ends = tuple(place.get(end, -1) for end in text)
        return None if min(ends) < 0 else (ends[0], ends[1])
    level = int(text[0])
    order = [level, *range(column.height, -1, -1)] if level <= column.height else range(column.height, -1, -1)
    for one in order:
        if text[1] in column.labels[one]:
            return one, column.labels[one].index(text[1])
    return None


def whole_region(column: QuasiIdentifier) -> tuple[int, int]:
    """The region that holds everything."""
    if by_range(column):
        assert column.domain is not None
        return (-1, column.domain.cells) if column.missing >= 0 else (0, column.domain.cells - 1)
    return column.height, 0


def example_values(schema: "Schema", column: RegionColumn, values: Sequence[str | None]) -> list[str | None]:
    """For each text of a column of regions a value that it covers; `values` are those of the new table."""
    spec = schema.columns[column.name]
    anything = next((value for value in values if value), None)
    if column.ranges:
        return [anything if text == _EVERYTHING else _first_number(text[0]) for text in column.texts]
    rows: Mapping[str, Any] = {}
    if spec.hierarchy is not None and spec.range is None:
        known = dict.fromkeys(value for value in values if value)
        rows = {}
        for row in schema.hierarchy(column.name, list(known)).rows:
            for label in row:
                rows.setdefault(label, row[0])
    found: list[str | None] = []
    for _, label in column.texts:
        if label == TOP:
            found.append(anything)
        elif spec.range is not None:
            found.append(_first_number(label))
        else:
            found.append(rows.get(label, label) or None)
    return found


def _first_number(label: str) -> str | None:
    """The smallest number of a range, as text."""
    if not label:
        return None
    if label.startswith("["):
        return label[1:].split(",")[0]
    if " to " in label:
        return label.split(" to ")[0]
    dash = label.find("-", 1)
    return label if dash < 0 else label[:dash]


def _leaf_of(column: QuasiIdentifier, level: int, node: int) -> int:
    """Any leaf of a node."""
    return int(np.argmax(column.maps[level] == node))
