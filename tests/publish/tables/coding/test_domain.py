import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import InputError
from confide.publish.tables.coding.domain import Domain


def test_whole_numbers_are_called_by_their_bounds():
    ages = Domain.of((17, 90), step=1, column="age")
    assert [ages.label(0, 0), ages.label(3, 7), ages.label(0, 73)] == ["17", "20-24", "17-90"]
    assert Domain.of((-10, 10), step=5, column="x").label(0, 1) == "-10 to -1"


def test_the_last_cell_may_be_narrower():
    pay = Domain.of((0, 2500), step=1000, column="pay")
    assert pay.cells == 3
    assert [pay.label(i, i) for i in range(3)] == ["0-999", "1000-1999", "2000-2500"]


def test_fractions_are_half_open_but_for_the_last():
    share = Domain.of((0, 1), step=0.1, column="share", whole=False)
    assert share.cells == 10
    assert [share.label(0, 2), share.label(9, 9)] == ["[0, 0.3)", "[0.9, 1]"]
    assert share.place(np.array([0.0, 0.1, 0.3, 0.7, 0.9999, 1.0])).tolist() == [0, 1, 3, 7, 9, 9]
    assert share.place(np.array([-0.01, 1.01])).tolist() == [-1, -1]


@given(st.integers(-50, 50), st.integers(1, 90), st.integers(1, 7))
def test_labels_tile_the_declared_range(low, width, step):
    if width + 1 <= step:
        return
    domain = Domain.of((low, low + width), step=step, column="x")
    places = domain.place(np.arange(low, low + width + 1, dtype=np.float64))
    assert (np.diff(places) >= 0).all()
    assert set(places.tolist()) == set(range(domain.cells))
    assert np.bincount(places).max() <= step


def test_a_range_of_one_step_or_of_millions_is_refused():
    with pytest.raises(InputError, match="use a smaller step"):
        Domain.of((0, 5), step=10, column="x")
    with pytest.raises(InputError, match="use a larger step"):
        Domain.of((0, 1e9), step=1, column="x")
