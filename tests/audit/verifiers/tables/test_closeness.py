"""t-closeness, beta-likeness and delta-disclosure: worked examples, twins in fractions, bounds met exactly."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.audit.verifiers.tables.test_look import checks, holds
from tests.oracles import tables as oracles

from confide import BetaLikeness, DeltaDisclosure, TCloseness

ROLES = {"q": "quasi-identifier", "s": "sensitive"}


def table(**groups):
    """One group for each keyword, with these sensitive values."""
    pairs = [(name, value) for name, values in groups.items() for value in values]
    return pa.table({"q": [name for name, _ in pairs], "s": [value for _, value in pairs]})


SALARIES = table(first=[3, 4, 5], second=[6, 11, 8], third=[7, 9, 10])


@pytest.mark.parametrize(
    ("values", "distance"),
    [([3, 4, 5], Fraction(375, 1000)), ([6, 8, 11], Fraction(1667, 10000))],
)
def test_the_salaries_of_the_paper(values, distance):  # Li et al. 2007, section 4.1: 0.375 and 0.167
    p = {value: Fraction(1, 9) for value in range(3, 12)}
    assert round(oracles.ordered_distance({v: Fraction(1, 3) for v in values}, p), 4) == distance


def test_the_largest_distance_of_the_groups_is_the_smallest_t():  # the group 3, 4, 5 is 0.375 away
    assert holds(SALARIES, TCloseness(t=0.375, ordered=True), ROLES)
    assert not holds(SALARIES, TCloseness(t=0.3749999, ordered=True), ROLES)
    # without an order each group holds a third of the nine values, evenly: 6/9 would have to move
    assert not holds(SALARIES, TCloseness(t=0.6666, ordered=False), ROLES)
    assert holds(SALARIES, TCloseness(t=0.6667, ordered=False), ROLES)


@pytest.mark.parametrize("seed", range(60))
def test_random_tables_agree_with_the_twins(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 50)), int(rng.integers(1, 6))
    columns = {"q": rng.integers(0, 3, n).tolist(), "s": rng.integers(0, m, n).tolist()}
    if seed % 3 == 0:
        columns["p"] = rng.integers(0, max(1, n // 2), n).tolist()
    frame, roles, person = numbered(columns)
    groups = oracles.members(columns, ["q"], "s", person)
    for ordered in (False, True):
        exactly = max(oracles.distances(groups, ordered=ordered))
        for t in {round(float(exactly), 6), 0.1, 0.3, 0.5}:
            if t < 1:
                expected = oracles.holds(groups, "t-closeness", t=t, ordered=ordered)
                assert holds(frame, TCloseness(t=t, ordered=ordered), roles) == expected
    for beta in (0.3, 1, 2.5):
        for enhanced in (False, True):
            expected = oracles.holds(groups, "beta-likeness", beta=beta, enhanced=enhanced)
            assert holds(frame, BetaLikeness(beta=beta, enhanced=enhanced), roles) == expected
    for delta in (0.2, 0.7, 1.5):
        expected = oracles.holds(groups, "delta-disclosure", delta=delta)
        assert holds(frame, DeltaDisclosure(delta=delta), roles) == expected


def numbered(columns):
    """The table as it would be released: persons counted up within their group."""
    from confide.core.tables.persons import number_persons

    if "p" not in columns:
        return pa.table(columns), ROLES, None
    numbers = number_persons(np.array(columns["q"]), np.array(columns["p"]))
    return pa.table(columns | {"p": numbers}), ROLES | {"p": "person"}, "p"


def test_bounds_that_are_met_exactly_hold():
    """Half a, half b; in one group three of four are a: a gain of a half, a distance of a quarter."""
    frame = table(one="aaab", two="abbb")
    assert holds(frame, TCloseness(t=0.25), ROLES)
    assert not holds(frame, TCloseness(t=0.2499999999999), ROLES)
    assert holds(frame, BetaLikeness(beta=0.5), ROLES)
    assert not holds(frame, BetaLikeness(beta=0.4999999999999999), ROLES)
    # ln 2 = 0.6931... is less than the gain of 1 that certainty of a value with share 1/2 would be
    assert not holds(table(one="aa", two="bb"), BetaLikeness(beta=5, enhanced=True), ROLES)
    assert holds(table(one="aa", two="bb"), BetaLikeness(beta=1), ROLES)


def test_a_value_that_everybody_has_gains_nothing():
    for requirement in (BetaLikeness(beta=0.1, enhanced=True), DeltaDisclosure(delta=0.001), TCloseness(t=0)):
        assert holds(table(one="aa", two="aa"), requirement, ROLES)


def test_delta_passes_over_what_is_absent_so_joining_groups_can_break_it():
    apart = table(one="ab", two="ab", three="bb")
    assert holds(apart, DeltaDisclosure(delta=0.7), ROLES)  # a: 1/2 against 1/3
    joined = pa.table({"q": ["x", "x", "y", "y", "y", "y"], "s": list("ababbb")})
    assert not holds(joined, DeltaDisclosure(delta=0.28), ROLES)
    assert holds(joined, DeltaDisclosure(delta=0.5), ROLES)


def test_an_order_is_numeric_or_declared():
    frame = pa.table({"q": ["x"] * 3 + ["y"] * 3, "s": ["9", "10", "11"] * 2})
    assert holds(frame, TCloseness(t=0, ordered=True), ROLES)
    words = pa.table({"q": ["x", "x", "y", "y"], "s": ["low", "mid", "mid", "high"]})
    (failed,) = [check for check in checks(words, TCloseness(t=0.5, ordered=True), ROLES) if not check.ok]
    assert "no order is declared" in failed.detail
    declared = {"orders": {"s": ["low", "mid", "high"]}}
    assert holds(words, TCloseness(t=0.25, ordered=True), ROLES, **declared)
    assert not holds(words, TCloseness(t=0.24, ordered=True), ROLES, **declared)
    # with mid at the end, either group has only half as far to go
    assert holds(words, TCloseness(t=0.125, ordered=True), ROLES, orders={"s": ["low", "high", "mid"]})
    for wrong in ({"s": ["low", "mid"]}, {"s": ["low", "mid", "high", "low"]}, {"s": "low"}, [], {"s": 5}):
        assert not holds(words, TCloseness(t=0.9, ordered=True), ROLES, orders=wrong)


@pytest.mark.parametrize(
    "values", [["1", "", "2", "3"], [1.0, None, 2.0, 3.0], ["1", "NaN", "2", "3"], ["1", "٣", "2", "3"]]
)
def test_what_is_missing_or_no_number_has_no_place_in_an_order(values):
    frame = pa.table({"q": ["x"] * 4, "s": values})
    assert not holds(frame, TCloseness(t=0.9, ordered=True), ROLES)
    assert holds(frame, TCloseness(t=0.9), ROLES)


def test_numbers_written_in_two_ways_share_a_place():
    frame = pa.table({"q": ["x", "x", "y", "y"], "s": ["1", "2", "1.0", "2.0"]})
    assert holds(frame, TCloseness(t=0, ordered=True), ROLES)
    assert not holds(frame, TCloseness(t=0.4), ROLES)


def test_large_tables_do_not_overflow():
    """Three thousand million rows would be squared; the twin of that size is one of Python's own numbers."""
    from confide.audit.verifiers.grouping import Tally
    from confide.audit.verifiers.tables.closeness import work_of

    billion = 3 * 10**9
    tally = Tally(np.array([0, 2]), np.array([0, 0, 1]), np.array([billion, 1, billion]), np.array([0, 1, 1]))
    whole = 2 * billion + 1
    excess = billion * whole - billion * (billion + 1)
    work, unit = work_of(tally, None, tally.by_value(2))
    assert (work[0], unit) == (excess, 1)
    ordered, unit = work_of(tally, np.array([0, 1]), tally.by_value(2))
    assert (ordered[0], unit) == (excess, 1)


def test_details_name_no_values():
    frame = table(one=["gout", "flu"], two=["leprosy", "flu"])
    for requirement in (TCloseness(t=0.01), BetaLikeness(beta=0.01), DeltaDisclosure(delta=0.01)):
        found = checks(frame, requirement, ROLES)
        assert not found[-1].ok
        assert not any(word in check.detail for check in found for word in ("gout", "flu", "leprosy"))
