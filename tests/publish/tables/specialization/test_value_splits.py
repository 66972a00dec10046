import numpy as np
import pyarrow as pa

from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.specialization.value_splits import first_values, leaf_map


def column(values, spec, missing="refuse"):
    return CodedTable.of(pa.table({"q": values}), Schema({"q": spec}), missing=missing).quasi[0]


ONES = np.ones(20, dtype=np.int64)


def balanced(parts):
    return -abs(len(parts[0]) - len(parts[1]))


def test_a_node_is_divided_into_its_children_and_single_ones_are_passed_over():
    hierarchy = Hierarchy.from_rows([("a", "A", "A", "*"), ("b", "A", "A", "*"), ("c", "C", "C", "*")])
    given = column(["a", "c"], Column(role="quasi-identifier", hierarchy=hierarchy))
    (top,) = first_values(given, numeric=False)
    parts = top.divided(balanced, ONES)
    assert [part.label for part in parts] == ["A", "C"]
    assert [part.label for part in parts[0].divided(balanced, ONES)] == ["a", "b"]
    assert parts[1].divided(balanced, ONES) == []


def test_numbers_are_divided_where_it_gains_most_on_the_declared_grid():
    given = column([3, 7], Column(role="quasi-identifier", range=(0, 9), levels=(1, 4)))
    (top,) = first_values(given, numeric=True)
    low, high = top.divided(balanced, ONES)
    assert (top.label, low.label, high.label) == ("*", "0-3", "4-9")  # cells of two: 0-4 is not to be had
    assert [part.label for part in low.divided(balanced, ONES)] == ["0-1", "2-3"]
    assert low.divided(balanced, ONES)[0].divided(balanced, ONES) == []


def test_both_halves_hold_rows_and_bounds_keep_away_from_them():
    given = column([3, 8], Column(role="quasi-identifier", range=(0, 9)))
    (top,) = first_values(given, numeric=True)
    rows = np.bincount([3, 3, 8], minlength=10)
    low, high = top.divided(balanced, rows)
    assert (low.label, high.label) == ("0-5", "6-9")
    assert low.divided(balanced, rows) == high.divided(balanced, rows) == []


def test_missing_values_leave_the_top_as_a_value_of_their_own():
    given = column([3, None, 7], Column(role="quasi-identifier", range=(0, 9)), missing="category")
    (top,) = first_values(given, numeric=True)
    parts = top.divided(balanced, ONES)
    assert [part.label for part in parts] == ["0-4", "5-9", ""]
    codes, labels, losses = leaf_map(given, parts)
    assert labels == ("0-4", "5-9", "")
    assert codes[given.missing] == 2
    assert np.allclose(losses, [0.4, 0.4, 0.0])
