import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import UsageError
from confide.core.requirements import KAnonymity, SimpleDiversity
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.k_optimize.problem import CutProblem

REGIONS = Hierarchy.from_rows(
    [("a", "north", "*"), ("b", "south", "*"), ("c", "north", "*"), ("d", "south", "*"), ("e", "far", "*")]
)


def problem(columns, specs, requirement=None):
    roles = {name: spec if isinstance(spec, Column) else Column(role=spec) for name, spec in specs.items()}
    table = CodedTable.of(pa.table(columns), Schema(roles))
    return CutProblem.of(table, GroupTest(requirement or KAnonymity(k=2), table), None)


def test_cuts_with_no_row_between_them_are_one_the_middle_one():
    made = problem({"n": [2, 2, 7, 9]}, {"n": Column(role="quasi-identifier", range=(0, 12))})
    assert made.before.tolist() == [5, 9]  # between 2 and 7: before 3, 4, 5, 6 or 7; between 7 and 9: before 8 or 9
    assert not made.fixed.any()
    (segments,) = made.segments(np.array([True, False]))
    assert segments.tolist() == [0] * 5 + [1] * 8


def test_places_are_nodes_of_the_lowest_level_and_the_highest_one_fixes_cuts():
    rows = {"r": list("abcde") * 2}
    free = problem(rows, {"r": Column(role="quasi-identifier", hierarchy=REGIONS, levels=(1, 2))})
    assert free.of_leaf[0].tolist() == [0, 1, 0, 1, 2]
    assert (free.before.tolist(), free.fixed.tolist()) == ([1, 2], [False, False])
    tied = problem(rows, {"r": Column(role="quasi-identifier", hierarchy=REGIONS, levels=(1, 1))})
    assert tied.fixed.all()


def test_cells_hold_their_rows_by_sensitive_value():
    made = problem(
        {"n": [1, 1, 2, 2, 2], "s": list("xyxxy")},
        {"n": Column(role="quasi-identifier", range=(1, 3)), "s": "sensitive"},
        SimpleDiversity(l=2),
    )
    assert made.held.tolist() == [[1, 1], [2, 1]]
    assert made.counts.tolist() == [[2], [3]]
    assert made.at.tolist() == [[0], [1]]


def test_more_combinations_than_a_word_can_number_are_refused():
    wide = {f"n{j}": [1, 2] for j in range(8)}
    with pytest.raises(UsageError, match="8 quasi-identifiers have too many combinations"):
        problem(wide, {name: Column(role="quasi-identifier", range=(0, 999)) for name in wide})
