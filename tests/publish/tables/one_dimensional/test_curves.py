import itertools

import numpy as np
import pyarrow as pa
import pytest

from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.one_dimensional._curve_kernels import hilbert, nearest
from confide.publish.tables.one_dimensional.curves import along, leaf_order


@pytest.mark.parametrize(("columns", "bits"), [(1, 5), (2, 3), (2, 4), (3, 2), (4, 2), (5, 1)])
def test_the_hilbert_curve_visits_every_cell_and_steps_to_a_neighbour(columns, bits):
    cells = np.array(list(itertools.product(range(1 << bits), repeat=columns)), dtype=np.int64)
    places = hilbert(cells, bits)
    assert sorted(places.tolist()) == list(range(len(cells)))
    walked = cells[np.argsort(places)]
    assert (np.abs(np.diff(walked, axis=0)).sum(axis=1) == 1).all()


def test_the_nearest_reference_is_found():
    points = np.array([[0.0, 0.0], [1.0, 1.0], [0.2, 0.1]])
    which, far = nearest(points, np.array([[1.0, 1.0], [0.0, 0.0]]))
    assert which.tolist() == [1, 0, 1]
    assert far == pytest.approx([0, 0, np.hypot(0.2, 0.1)])


def test_leaves_of_a_node_stand_together():
    rows = [("a", "x", "*"), ("b", "y", "*"), ("c", "x", "*"), ("d", "y", "*")]
    schema = Schema.from_dict({"q": {"role": "quasi-identifier", "hierarchy": Hierarchy.from_rows(rows)}})
    column = CodedTable.of(pa.table({"q": ["a"]}), schema).quasi[0]
    assert leaf_order(column).tolist() == [0, 2, 1, 3]


@pytest.mark.parametrize("curve", ["hilbert", "idistance"])
def test_equal_rows_have_equal_places_and_one_value_columns_do_not_matter(curve):
    schema = Schema.from_dict({name: {"role": "quasi-identifier"} for name in ("q", "one", "r")})
    frame = {"q": list("abcab"), "one": ["x"] * 5, "r": list("uvwuv")}
    keys = along(CodedTable.of(pa.table(frame), schema), curve)
    assert keys[0] == keys[3]
    assert keys[1] == keys[4]
    assert len(set(keys.tolist())) == 3
    alone = CodedTable.of(pa.table({"one": ["x"] * 3}), Schema.from_dict({"one": {"role": "quasi-identifier"}}))
    assert along(alone, curve).tolist() == [0, 0, 0]


def test_seventy_columns_are_not_too_many():
    schema = Schema.from_dict({f"q{i}": {"role": "quasi-identifier"} for i in range(70)})
    frame = pa.table({f"q{i}": ["a", "b"] for i in range(70)})
    assert len(along(CodedTable.of(frame, schema), "hilbert")) == 2
