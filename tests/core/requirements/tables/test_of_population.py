"""People of a population: the rule of sizes, the estimate from weights, and what both say of themselves."""

from fractions import Fraction
from math import exp, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom
from tests.oracles.population import chance

from confide import DeltaPresence, KAnonymity, KMap, KMapBySize, KMapByWeight
from confide.core.requirements.tables.of_population import SURE, benedetti_franconi, rows_for_people


@pytest.mark.parametrize(("fraction", "rows"), [("1/100", 2), ("1/10", 4), ("1/2", 10), ("1", 10)])
def test_ten_people_are_spoken_for_by_so_many_rows(fraction, rows):
    assert rows_for_people(10, Fraction(fraction)) == rows


@given(st.integers(2, 60), st.fractions(Fraction(1, 1000), 1))
def test_the_rule_is_poissons_and_covers_every_smaller_group(k, fraction):
    rows = rows_for_people(k, fraction)
    assert 2 <= rows <= k
    mean = float(k * fraction)

    def reaches(count):
        return 1 - sum(exp(-mean) * mean**i / factorial(i) for i in range(count))

    assert rows == k or reaches(rows) <= SURE + 1e-12
    assert rows == 2 or reaches(rows - 1) > SURE - 1e-12
    # a group of k - 1 people, each in the sample with that chance, brings so many rows no oftener
    assert float(binom.sf(rows - 1, k - 1, float(fraction))) <= SURE + 1e-9


@given(st.integers(1, 60), st.floats(1, 5000))
def test_the_estimate_from_weights_is_the_integral(rows, each):
    weight = rows * each
    c = each - 1
    integral = quad(lambda u: u ** (rows - 1) / (1 + c * u), 0, 1, epsabs=1e-13, limit=200)[0]
    assert benedetti_franconi(rows, weight) == pytest.approx(integral, rel=1e-6)


@pytest.mark.parametrize(("rows", "weight"), [(1, 3), (1, 20), (2, 9), (3, 4), (5, 50), (7, 7)])
def test_the_estimate_from_weights_is_the_mean_of_one_over_the_people(rows, weight):
    assert benedetti_franconi(rows, weight) == pytest.approx(chance(rows, Fraction(weight)), rel=1e-6)


@pytest.mark.parametrize("k", [2, 3, 5, 10, 50, 200])
def test_groups_that_keep_the_estimate_still_do_with_more_rows(k):
    """So that groups may be joined: no more weight is needed for more rows."""
    asked = KMapByWeight(k=k, weight="w")
    needed = [asked.least_weight(rows) for rows in range(1, k + 2)]
    assert needed == sorted(needed, reverse=True)
    for rows, least in enumerate(needed, start=1):
        assert asked.allows(rows=rows, weight=max(least, rows))
        assert rows >= k or not asked.allows(rows=rows, weight=least - 2e-6)


def test_bounds_of_presence_are_met_exactly():
    asked = DeltaPresence(low=0.1, high=0.3)
    assert asked.allows(members=3, people=10)
    assert asked.allows(members=1, people=10)
    assert not asked.allows(members=4, people=13)
    assert not asked.allows(members=0, people=1)
    assert asked.allows(members=0, people=0)


def test_what_is_an_estimate_is_called_one():
    size, weight = KMapBySize(k=10, population=1000, sample=100), KMapByWeight(k=10, weight="w")
    assert "At least 4 rows share" in size.promise()
    assert all("estimate" in asked.promise() for asked in (size, weight))
    assert all(any("estimate" in text for text in asked.does_not_stop) for asked in (size, weight))
    assert KMap(k=10).unproved != ""
    assert (size & KAnonymity(k=2)).unproved == ""
    assert (KMap(k=10) & KAnonymity(k=2)).unproved == KMap(k=10).unproved
