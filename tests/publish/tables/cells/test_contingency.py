from collections import Counter

import numpy as np
import pytest
from tests.publish.tables.random_tables import random_table

from confide.core.requirements import KAnonymity, RecursiveDiversity
from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest

REQUIREMENT = KAnonymity(k=2) & RecursiveDiversity(c=2, l=2)


def coded(seed, **options):
    table = CodedTable.of(*random_table(seed, rows=50, columns=3, **options))
    return table, GroupTest(REQUIREMENT, table)


def by_hand(table, levels):
    """The rows of each group, by the nodes of its columns."""
    groups = {}
    for row in range(len(table)):
        key = tuple(int(c.maps[level][c.codes[row]]) for c, level in zip(table.quasi, levels, strict=True))
        groups.setdefault(key, []).append(row)
    return groups


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_groups_of_cells_are_those_of_rows_also_after_merging(seed, persons):
    table, test = coded(seed, persons=persons, classes=3)
    cells = Cells.of(table, test)
    assert len(cells) == len(by_hand(table, [0, 0, 0]))
    levels = [min(1, column.height) for column in table.quasi]
    top = [column.height for column in table.quasi]
    merged = cells.merged(cells.grouped(levels))
    for few, chosen in ((cells, levels), (cells, top), (merged, levels), (merged, top)):
        grouping = few.grouped(chosen)
        expected = by_hand(table, chosen)
        assert sorted(grouping.sizes.tolist()) == sorted(map(len, expected.values()))
        group = np.empty(len(table), dtype=np.int32)
        for number, rows in enumerate(expected.values()):
            group[rows] = number
        judged = test.passes(group, len(expected))
        found = few.passing(grouping, test)
        assert Counter(zip(grouping.sizes.tolist(), found.tolist(), strict=True)) == Counter(
            zip(map(len, expected.values()), judged.tolist(), strict=True)
        )
        classes = Counter(map(tuple, few.class_counts(grouping).tolist()))
        codes = table.classes.codes
        assert classes == Counter(
            tuple(np.bincount(codes[rows], minlength=len(table.classes.labels)).tolist()) for rows in expected.values()
        )


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_groups_divided_by_the_column_left_aside_are_those_by_all_columns(seed, persons):
    table, test = coded(seed, persons=persons)
    for column in range(3):
        cells = Cells.of(table, test).arranged(column)
        merged = cells.merged(cells.grouped([0 if j == column else min(1, table.quasi[j].height) for j in range(3)]))
        for few in (cells, merged):
            levels = [min(1, other.height) for other in table.quasi]
            others = few.grouped_but(column, levels)
            for choice in range(table.quasi[column].height + 1):
                levels[column] = choice
                whole, divided = few.grouped(levels), few.divided(others, column, choice)
                assert dict(zip(whole.of.tolist(), divided.of.tolist(), strict=True)).keys() == set(range(len(divided)))
                assert len(set(zip(whole.of.tolist(), divided.of.tolist(), strict=True))) == len(whole)
                assert sorted(divided.sizes.tolist()) == sorted(whole.sizes.tolist())
                assert divided.of[divided.first].tolist() == list(range(len(divided)))
                assert sorted(few.passing(divided, test).tolist()) == sorted(few.passing(whole, test).tolist())


@pytest.mark.parametrize("seed", range(10))
def test_some_cells_taken_alone_hold_what_they_held(seed):
    table, test = coded(seed)
    cells = Cells.of(table, test)
    which = np.flatnonzero(np.arange(len(cells)) % 2 == 0)
    part = cells.take(which)
    rows = np.isin(cells.of_row, which)
    assert part.rows.sum() == rows.sum()
    assert part.tokens.counts.sum() == rows.sum()
    values = np.bincount(part.tokens.tokens, weights=part.tokens.counts, minlength=part.tokens.width)
    assert values.tolist() == np.bincount(table.sensitive[0].codes[rows], minlength=part.tokens.width).tolist()


def test_merged_cells_that_hold_nothing_are_as_many_as_the_groups():
    table, _ = coded(1)
    cells = Cells.of(table, GroupTest(KAnonymity(k=2), table))
    grouping = cells.grouped(tuple(column.height for column in table.quasi))
    merged = cells.merged(grouping)
    assert len(merged.tokens.ptr) == len(merged.rows) + 1 == len(grouping) + 1
