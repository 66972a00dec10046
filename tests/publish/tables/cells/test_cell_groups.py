import pytest
from tests.publish.tables.random_tables import random_table

from confide.core.requirements import KAnonymity
from confide.publish.tables.cells import cell_groups
from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest


@pytest.fixture
def table():
    return CodedTable.of(*random_table(4, rows=50, columns=3))


def test_keys_too_long_for_a_word_are_made_in_blocks(table, monkeypatch):
    test = GroupTest(KAnonymity(k=2), table)
    levels = [0, 0, 0]
    whole = Cells.of(table, test)
    by_others = [whole.grouped_but(column, levels).of.tolist() for column in range(3)]
    expected = whole.grouped(levels).of.tolist()
    monkeypatch.setattr(cell_groups, "_LARGEST_KEY", 60)
    blocks = Cells.of(table, test)
    assert blocks.grouped(levels).of.tolist() == expected
    assert [blocks.grouped_but(column, levels).of.tolist() for column in range(3)] == by_others
    assert blocks.grouped([1, 0, 1]).sizes.sum() == 50
