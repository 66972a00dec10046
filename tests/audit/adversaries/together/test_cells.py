"""Releases are built on one another if they show whole cells; whatever else they show is found."""

import numpy as np
import pytest

from confide.audit.adversaries.together.cells import audit_cells
from confide.core.errors import InputError
from confide.core.series.placed_history import PlacedHistory
from confide.core.series.release_history import History


def placed(groups, places, values, cell):
    history = History(groups=np.array(groups, dtype=np.int32), values=np.array(values, dtype=np.int32))
    return PlacedHistory(history=history, places=np.array(places, dtype=np.int32), cell=np.array(cell, dtype=np.int32))


# flu, flu, gout and flu, gout, gout; then person 1 left and person 6 (flu) came
GROUPS = [[0, 0, 0, 1, 1, 1, -1], [0, -1, 0, 1, 1, 1, 0]]
PLACES = [[0, 1, 2, 3, 4, 5, -1], [0, -1, 2, 3, 4, 5, 1]]
VALUES = [0, 0, 1, 0, 1, 1, 0]
CELL = [0, 0, 0, 1, 1, 1]


def changed(table, release, person, value):
    made = [list(row) for row in table]
    made[release][person] = value
    return made


def failed(view):
    return [check.name for check in view.checks if not check.ok]


def test_whole_cells_leave_all_their_values():
    view = audit_cells(placed(GROUPS, PLACES, VALUES, CELL))
    assert (view.ok, view.fewest_values, view.linked) == (True, 2, 0)


def test_a_cell_that_is_not_shown_whole_is_found():
    view = audit_cells(placed(changed(GROUPS, 1, 6, -1), changed(PLACES, 1, 6, -1), VALUES, CELL))
    assert failed(view) == ["each cell is shown whole", "each cell counts the same in every release"]


def test_a_cell_in_two_groups_is_found():
    assert failed(audit_cells(placed(changed(GROUPS, 1, 2, 1), PLACES, VALUES, CELL))) == [
        "each cell is shown in one group"
    ]


def test_a_place_with_another_value_is_found():
    view = audit_cells(placed(GROUPS, PLACES, [*VALUES[:6], 1], CELL))
    assert "a place has one value and one holder at a time" in failed(view)
    assert "each cell counts the same in every release" in failed(view)


def test_two_people_at_one_place_are_found():
    view = audit_cells(placed(GROUPS, changed(PLACES, 1, 3, 0), VALUES, CELL))
    assert "a place has one value and one holder at a time" in failed(view)


def test_who_moved_keeps_what_both_cells_have_in_unlinked_places():
    """Person 0 (flu) moves to the place of person 3 (flu), who left; person 7 (flu) takes place 0."""
    groups = [[0, 0, 0, 1, 1, 1, -1], [1, 0, 0, -1, 1, 1, 0]]
    places = [[0, 1, 2, 3, 4, 5, -1], [3, 1, 2, -1, 4, 5, 0]]
    view = audit_cells(placed(groups, places, VALUES, CELL))
    assert (view.ok, view.linked) == (True, 1)
    assert view.fewest_values == 1  # of the second cell only gout is left in unlinked places


def test_somebody_with_a_group_and_no_place_is_refused():
    with pytest.raises(InputError, match="a group and no place"):
        placed(GROUPS, changed(PLACES, 1, 6, -1), VALUES, CELL)
