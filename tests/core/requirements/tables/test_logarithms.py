"""Logarithms against bounds: decided in whole numbers where floating point cannot."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement

from hypothesis import given
from hypothesis import strategies as st

from confide.core.requirements.tables.logarithms import entropy_reaches, log_at_most


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(-30, 30))
def test_a_logarithm_agrees_with_floating_point_where_that_is_sure(above, below, bound):
    value = math.log(above / below)
    if abs(value - bound) > 1e-9:
        assert log_at_most(Fraction(above, below), Fraction(bound)) == (value < bound)


def test_digits_beyond_floating_point_decide():
    # e = 2.71828182845904523536028747135266249775724709369995...
    e = Fraction(2718281828459045235360287471352662497757, 10**39)
    step = Fraction(1, 10**39)
    assert log_at_most(e, Fraction(1))
    assert not log_at_most(e + step, Fraction(1))
    assert float(e) == float(e + step) == math.e


def test_a_ratio_of_one_has_the_logarithm_zero():
    assert log_at_most(Fraction(1), Fraction(0))
    assert not log_at_most(Fraction(1), Fraction(-1, 10**50))


def test_entropy_agrees_with_powers_of_whole_numbers():
    for size in range(1, 5):
        for counts in combinations_with_replacement(range(1, 7), size):
            n = sum(counts)
            for l in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(3), Fraction(4)):  # noqa: E741
                assert entropy_reaches(counts, l) == (n**n >= l**n * math.prod(c**c for c in counts))


def test_equal_shares_reach_their_number_exactly_however_large():
    for values in (2, 3, 7, 14):
        assert entropy_reaches([10**9] * values, Fraction(values))
        assert not entropy_reaches([10**9] * (values - 1) + [10**9 - 1], Fraction(values))


def test_what_cannot_be_decided_counts_as_missed():
    """Counts of a million rows, so close to even that only their seventh digit tells, and a bound just there."""
    counts = [500_000, 499_999]
    entropy = math.log(sum(counts)) - sum(c * math.log(c) for c in counts) / sum(counts)
    assert not entropy_reaches(counts, Fraction(math.exp(entropy)))
    assert entropy_reaches(counts, Fraction(math.exp(entropy - 1e-9)))


def test_empty_groups_and_absurd_bounds():
    assert entropy_reaches([], Fraction(3))
    assert not entropy_reaches([1, 1], Fraction(10**300))
