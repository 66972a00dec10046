import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import InputError
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable

PLACES = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")])


def quasi(values, spec, missing="refuse"):
    schema = Schema.from_dict({"x": {"role": "quasi-identifier", **spec}})
    return CodedTable.of(pa.table({"x": values}), schema, missing=missing).quasi[0]


def released(column, level):
    return [column.labels[level][node] for node in column.maps[level][column.codes]]


def test_leaves_are_those_of_the_hierarchy_not_of_the_data():
    column = quasi(["a", "c", "a"], {"hierarchy": PLACES})
    assert column.leaves == 4
    assert released(column, 1) == ["ab", "cd", "ab"]
    assert column.losses[1].tolist() == [1 / 3, 1 / 3]
    assert column.losses[2].tolist() == [1.0]
    assert column.parents(0).tolist() == [0, 0, 1, 1]


def test_a_range_has_its_cells_as_leaves_and_widths_that_double():
    column = quasi([17, 20, 24], {"range": [17, 24]})
    assert column.leaves == 8
    assert [len(names) for names in column.labels] == [8, 4, 2, 1]
    assert released(column, 2) == ["17-20", "17-20", "21-24"]


def test_a_range_with_a_hierarchy_takes_its_levels_in_order_of_the_numbers():
    rows = [(str(n), "low" if n < 3 else "high", "*") for n in (5, 4, 3, 2, 1)]
    column = quasi([1, 5], {"range": [1, 5], "hierarchy": Hierarchy.from_rows(rows)})
    assert column.labels[0] == ("1", "2", "3", "4", "5")
    assert released(column, 1) == ["low", "high"]


@pytest.mark.parametrize("values", [[1.0, 2.0], [1, 2], ["1", "2"], pa.array([1, 2]).dictionary_encode()])
def test_numbers_match_a_hierarchy_whatever_their_type(values):
    column = quasi(values, {"hierarchy": Hierarchy.flat(["1", "2"])})
    assert released(column, 0) == ["1", "2"]


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_missing_numbers_are_a_leaf_of_their_own_up_to_the_top(gap):
    column = quasi(pa.array([3.0, gap]), {"range": [1, 4]}, missing="category")
    assert column.leaves == 5
    assert [released(column, level) for level in (0, 1, 2)] == [["3", ""], ["3-4", ""], ["*", "*"]]


def test_missing_texts_get_a_top_where_the_hierarchy_has_none():
    two = Hierarchy.from_rows([("a", "vowel"), ("b", "consonant")])
    column = quasi(["a", ""], {"hierarchy": two}, missing="category")
    assert column.labels[-1] == ("*",)
    assert released(column, 1) == ["vowel", ""]


@pytest.mark.parametrize(
    ("values", "spec", "words"),
    [
        (["a", "q"], {"hierarchy": PLACES}, "the hierarchy lacks"),
        (["a"], {"hierarchy": PLACES, "levels": [0, 3]}, "the top level is 2"),
        ([1, 200], {"range": [1, 120]}, "outside the range [1, 120]"),
        (["x"], {"range": [1, 120]}, "holds what is no number"),
        ([1.5], {"range": [1, 120]}, "step = 0.5"),
        ([float("inf")], {"range": [1, 120]}, "not finite"),
        (["a", None], {"hierarchy": PLACES}, "missing"),
    ],
)
def test_faults_name_the_column(values, spec, words):
    with pytest.raises(InputError) as caught:
        quasi(values, spec)
    assert words in str(caught.value)
    assert "'x'" in str(caught.value) or "x:" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_codes_are_small_integers():
    assert quasi(["a", "b"], {"hierarchy": PLACES}).codes.dtype == np.int32
