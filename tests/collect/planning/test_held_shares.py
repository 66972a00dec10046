"""How many records hold a part of an itemset: counted by hand, and what it does for a forecast."""

import numpy as np
import pytest

from confide import Transactions
from confide.collect.planning.held_shares import shares_of_fields, shares_of_items


def test_shares_of_one_possible_itemset_are_counted():
    tx = Transactions.from_lists([["a", "b"]] * 2 + [["a"]] * 3 + [["c"]] * 5)
    assert shares_of_items(tx)(2, 0.2) == pytest.approx([0.5, 0.3, 0.2])
    assert shares_of_items(tx)(3, 0.2) is None  # no record is that long
    codes = np.array([[0, 0]] * 2 + [[0, 1]] * 3 + [[1, 2]] * 5, dtype=np.int32)
    # Records hold {00, 01, 12}; of these, 00 is nearest to 0.2: two hold both, three one value of it.
    assert shares_of_fields(codes)(2, 0.2) == pytest.approx([0.5, 0.3, 0.2])
    assert shares_of_fields(codes)(3, 0.2) is None


def test_shares_are_of_the_support_asked_about_and_add_up():
    draw = np.random.default_rng(3)
    codes = draw.integers(0, (4, 5, 2, 2), size=(7000, 4)).astype(np.int32)
    for length in (1, 2, 3, 4):
        found = shares_of_fields(codes)(length, 0.03)
        assert found.sum() == pytest.approx(1)
        assert found[-1] == 0.03
        assert found.min() >= 0
    same = shares_of_fields(np.zeros((50, 3), dtype=np.int32))(2, 0.5)  # every record holds all of it
    assert same.tolist() == [0.25, 0.25, 0.5]
