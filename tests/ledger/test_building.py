"""Releases that are built on one another: whole cells, each value possible for all who were ever in a cell."""

import pytest
from tests.amounts import some
from tests.ledger.histories import Series, random_series
from tests.oracles import several_releases as oracle

from confide.audit.adversaries.together.cells import audit_cells
from confide.audit.adversaries.together.cohorts import Cohorts
from confide.audit.adversaries.together.register import ask_register
from confide.core.errors import CannotMeetError

FIRST = [
    (1, 1, "f", "flu"),
    (2, 2, "f", "flu"),
    (3, 3, "f", "gout"),
    (4, 11, "f", "flu"),
    (5, 12, "f", "gout"),
    (6, 13, "f", "gout"),
]


def shown(recoding):
    """The groups of a release: for each the values it counts."""
    group, count = recoding.groups
    column = recoding.table.sensitive[0]
    values = [[] for _ in range(count)]
    for g, code in zip(group.tolist(), column.codes[recoding.rows].tolist(), strict=True):
        values[g].append(column.labels[code])
    return sorted(sorted(one) for one in values)


def test_a_newcomer_with_the_same_value_takes_the_place_of_who_left():
    """The example of docs/ledger.md: row 2 is gone and row 7 (flu) came."""
    series = Series()
    assert shown(series.release(FIRST, k=3, l=2)) == [["flu", "flu", "gout"], ["flu", "gout", "gout"]]
    second = series.release([*FIRST[:1], *FIRST[2:], (7, 2, "f", "flu")], k=3, l=2, carry=0, suppress=0)
    assert second.carried == 0
    assert shown(second) == [["flu", "flu", "gout"], ["flu", "gout", "gout"]]
    placed = series.placed()
    assert audit_cells(placed).ok
    possible = oracle.worlds_values(placed.history.groups.tolist(), placed.history.values.tolist())
    assert all(len(values) == 2 for values in possible)


def test_who_left_is_carried_on_where_nobody_has_their_value():
    """Had row 7 gout, row 2 would be carried on, and row 7, alone in a new cell, held back."""
    series = Series()
    series.release(FIRST, k=3, l=2)
    rows = [*FIRST[:1], *FIRST[2:], (7, 2, "f", "gout")]
    second = series.release(rows, k=3, l=2, carry=0.2, suppress=0.2)
    assert (second.carried, second.suppressed) == (1, 1)
    assert shown(second) == [["flu", "flu", "gout"], ["flu", "gout", "gout"]]
    assert audit_cells(series.placed()).ok


def test_what_cannot_be_met_names_the_earlier_release_and_what_works():
    series = Series()
    series.release(FIRST, k=3, l=2)
    rows = [*FIRST[:1], *FIRST[2:], (7, 2, "f", "gout")]
    with pytest.raises(
        CannotMeetError, match=r"nobody new has the value of 1 people of 1\.csv .*carry=0\.1667"
    ) as refused:
        series.release(rows, k=3, l=2, carry=0, suppress=0)
    (cure,) = refused.value.cures
    assert series.release(rows, k=3, l=2, **cure).carried == 1


def carried_copies(places):
    """Pairs of who is shown only where another was: rows that are carried on though their person is shown elsewhere.

    An attacker may know whose row was carried on, so that both are known to have one value.
    """
    found = []
    for person in range(len(places[0])):
        held = [(year, row[person]) for year, row in enumerate(places) if row[person] >= 0]
        year, place = held[0]
        before = [i for i, other in enumerate(places[year - 1]) if other == place] if year else []
        if before and places[year][before[0]] not in (-1, place) and places[year][before[0]] >= 0:
            found.append((person, before[0]))
    return found


@pytest.mark.parametrize("seed", some(range(2000), every=20))
def test_no_more_values_are_claimed_than_enumerating_all_worlds_finds(seed):
    series = random_series(seed)
    if series is None or len(series.ledger) < 2:
        pytest.skip("these few people cannot be released twice")
    placed = series.placed()
    view = audit_cells(placed)
    assert view.ok, view.checks
    groups, values = placed.history.groups.tolist(), placed.history.values.tolist()
    possible = oracle.possible_values(groups, values, carried_copies(placed.places.tolist()))
    claimed = oracle.claimed_values(placed.places.tolist(), placed.cell.tolist(), values)
    assert all(own <= found for own, found in zip(claimed, possible, strict=True))
    assert view.fewest_values == min(map(len, claimed)) >= 2
    assert ask_register(Cohorts.of_history(placed.history)).certain_at_least == 0
