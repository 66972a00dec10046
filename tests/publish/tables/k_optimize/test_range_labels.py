import numpy as np
import pyarrow as pa

from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.k_optimize.range_labels import run_labels

COUNTRIES = Hierarchy.from_rows(
    [("at", "west", "*"), ("de", "west", "*"), ("pl", "east", "*"), ("cz", "east", "*"), ("in", "asia", "*")]
)


def column(values, spec):
    return CodedTable.of(pa.table({"q": values}), Schema({"q": spec})).quasi[0]


def test_runs_are_called_by_the_largest_nodes_inside_them():
    given = column(["at", "in"], Column(role="quasi-identifier", hierarchy=COUNTRIES))
    runs, labels, losses = run_labels(given, np.array([0, 0, 1, 2, 2], dtype=np.int32))
    assert labels == ("west", "pl", "cz | asia")
    assert losses.tolist() == [0.25, 0.0, 0.25]
    assert runs.tolist() == [0, 0, 1, 2, 2]
    assert run_labels(given, np.zeros(5, dtype=np.int32))[1] == ("*",)


def test_whole_numbers_that_adjoin_become_a_range():
    ages = Hierarchy.intervals(range(20, 35), widths=[5])
    given = column(["20", "31"], Column(role="quasi-identifier", hierarchy=ages))
    assert run_labels(given, np.repeat([0, 1], [7, 8]).astype(np.int32))[1] == ("20-26", "27-34")
    gaps = column(["20", "22", "25"], Column(role="quasi-identifier", hierarchy={"build": "flat"}))
    assert run_labels(gaps, np.array([0, 0, 1], dtype=np.int32))[1] == ("20 | 22", "25")


def test_cells_of_a_declared_range_become_ranges_of_it():
    given = column([1.0, 4.5], Column(role="quasi-identifier", range=(0, 5), step=0.5))
    assert run_labels(given, np.repeat([0, 1], [3, 7]).astype(np.int32))[1] == ("[0, 1.5)", "[1.5, 5]")
