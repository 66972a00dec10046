"""Errors of estimated itemsets, by hand and by definition (paper 003, section 2.3.1)."""

import math

import numpy as np
import pytest

from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.mining.rules.comparison import compare_itemsets

TRUE = Itemsets.from_pairs([("a", 80), ("b", 50), ("c", 40), ("d", 20), ("ab", 30), ("bc", 25)], n_transactions=100)


def test_errors_worked_by_hand():
    reported = Itemsets.from_pairs([("a", 88), ("b", 45), ("e", 21), ("ab", 30)], n_transactions=100)
    one, two = compare_itemsets(TRUE, reported)
    assert (one.level, one.true, one.reported, one.found) == (1, 4, 3, 2)
    assert (one.sigma_plus, one.sigma_minus) == (25.0, 50.0)
    assert one.rho == pytest.approx(10.0)  # a off by 10 %, b by 10 %; c and d, missed, do not count
    assert (two.level, two.sigma_plus, two.sigma_minus, two.rho) == (2, 0.0, 50.0, 0.0)


def test_overall_takes_all_levels_together():
    reported = Itemsets.from_pairs([("a", 88), ("b", 45), ("e", 21), ("ab", 30)], n_transactions=100)
    overall = compare_itemsets(TRUE, reported).overall
    assert (overall.level, overall.true, overall.reported, overall.found) == (None, 6, 4, 3)
    assert overall.rho == pytest.approx(20 / 3)


def test_the_estimate_column_goes_before_the_supports():
    reported = Itemsets.from_pairs([("a", 999), ("b", 999)], n_transactions=100)
    estimates = {"estimate": np.array([100.0, 50.5])}
    reported = Itemsets(**{**vars(reported), "columns": estimates})
    assert compare_itemsets(TRUE, reported)[1].rho == pytest.approx((25 + 1) / 2)


def test_different_numbers_of_records_are_compared_as_shares():
    reported = Itemsets.from_pairs([("a", 800), ("b", 1000)], n_transactions=1000)
    assert compare_itemsets(TRUE, reported)[1].rho == pytest.approx(50.0)


def test_perfect_reports_have_no_error():
    for errors in compare_itemsets(TRUE, TRUE.top(6)):
        assert (errors.sigma_plus, errors.sigma_minus, errors.rho) == (0.0, 0.0, 0.0)


def test_a_level_that_should_not_exist_is_infinitely_wrong():
    reported = Itemsets.from_pairs([("abc", 21)], n_transactions=100)
    errors = compare_itemsets(TRUE, reported)[3]
    assert errors.sigma_plus == math.inf
    assert math.isnan(errors.sigma_minus)
    assert math.isnan(errors.rho)


def test_nothing_reported_is_all_missed():
    nothing = Itemsets.from_pairs([], n_transactions=100)
    assert [e.sigma_minus for e in compare_itemsets(TRUE, nothing)] == [100.0, 100.0]
    assert len(compare_itemsets(nothing, nothing)) == 0


def test_an_absent_level_is_named():
    with pytest.raises(UsageError, match="no itemsets of 7 items on either side; levels are: 1, 2"):
        compare_itemsets(TRUE, TRUE)[7]


def test_frames_have_one_row_a_level():
    comparison = compare_itemsets(TRUE, TRUE.top(5))
    assert comparison.to_arrow().to_pylist() == [vars(errors) for errors in comparison]
    assert comparison.to_pandas()["sigma_minus"].tolist() == [25.0, 0.0]
    assert comparison.to_polars()["found"].to_list() == [3, 2]
    nothing = Itemsets.from_pairs([], n_transactions=100)
    assert compare_itemsets(nothing, nothing).to_arrow().column_names == comparison.to_arrow().column_names


@pytest.mark.parametrize("seed", range(30))
def test_errors_match_the_definition_on_sets(seed):
    draw = np.random.default_rng(seed)
    names = ["a", "b", "c", "d", "ab", "ac", "bc", "abc", "cd"]
    sides = [
        Itemsets.from_pairs([(x, int(draw.integers(1, 50))) for x in names if draw.random() < 0.6], n_transactions=50)
        for _ in range(2)
    ]
    true, reported = (side.as_dict() for side in sides)
    for errors in compare_itemsets(*sides):
        f = {x for x in true if len(x) == errors.level}
        r = {x for x in reported if len(x) == errors.level}
        assert (errors.true, errors.reported, errors.found) == (len(f), len(r), len(f & r))
        if f:
            assert errors.sigma_plus == pytest.approx(100 * len(r - f) / len(f))
            assert errors.sigma_minus == pytest.approx(100 * len(f - r) / len(f))
        if f & r:
            rho = sum(abs(reported[x] - true[x]) / true[x] for x in f & r) / len(f & r)
            assert errors.rho == pytest.approx(100 * rho)
