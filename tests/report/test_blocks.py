"""Values as text, short lists and small tables."""

from confide.core.figures import Column, Table
from confide.report.blocks import Grid, Listing, Text, block, grid
from confide.report.formats import scalar


def test_values_take_the_form_that_fits_them():
    assert block(1234) == Text("1,234", number=True)
    assert block([]) == block({}) == Text("none")
    assert block(list(range(12))) == Listing(tuple("0123456789"), 2)
    assert isinstance(block({"age": "quasi-identifier"}), Grid)
    assert block({"a": {"n": 1}, "b": {"m": 2}}).columns == ("", "n", "m")
    assert block({"a": {"n": 1}, "b": {"m": 2}}).rows[0][2].text == "\u2013"  # nothing there
    assert block([{"n": 1}, {"n": 2}]).columns == ("n",)
    assert len(block({"a": {"b": {"c": ["d"] * 500}}}).rows[0][1].text) < 300
    assert grid(Table((Column("x", "count"),), tuple((n,) for n in range(30)))).more == 10


def test_numpy_numbers_read_like_our_own():
    import numpy as np

    assert [scalar(x) for x in (np.int64(1234), np.float64(0.5), np.bool_(True))] == ["1,234", "0.5", "yes"]


def test_pairs_in_a_list_stay_pairs():
    assert block([["A", "B"], ["B", "C"]]) == Listing(("(A, B)", "(B, C)"), 0)
    assert block(["A", "B"]) == Listing(("A", "B"), 0)
