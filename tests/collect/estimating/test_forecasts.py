"""Errors forecast before anything is collected: the paper's numbers, every choice of fields tried, and simulation."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest

from confide import Randomness, Transactions
from confide.collect import Emask, Mask
from confide.collect.estimating.forecasts import column_error, flip_error, keep_error, partly_held

CENSUS = [4, 5, 5, 5, 2, 2]


def over_cells(gamma, cells, within, support, records):
    """Erratum 5: the standard error of a support over fields of `within` cells, of `cells` in all."""
    x = 1 / (gamma + cells - 1)
    b = cells / within * x
    a = b + (gamma - 1) * x
    return math.sqrt((support * a * (1 - a) + (1 - support) * b * (1 - b)) / records) / ((gamma - 1) * x)


def test_the_formula_of_the_erratum_has_its_numbers():
    found = [over_cells(19, 2000, within, 0.02, 50_000) for within in (2, 100, 2000)]
    assert found == pytest.approx([0.25, 0.052, 0.013], abs=0.003)


@pytest.mark.parametrize("sizes", [CENSUS, [2, 2, 2, 20, 20], [3, 4]])
def test_gamma_diagonal_is_the_average_over_all_choices_of_fields(sizes):
    for n in range(1, len(sizes) + 1):
        each = [over_cells(19, math.prod(sizes), math.prod(c), 0.02, 5000) for c in combinations(sizes, n)]
        slow = math.sqrt(sum(error**2 for error in each) / len(each))
        assert keep_error(19, sizes, length=n, support=0.02, records=5000) == pytest.approx(slow)


def test_the_order_of_fields_does_not_count():
    found = {
        tuple(round(keep_error(19, sizes, length=n, support=0.02, records=5000), 12) for n in (1, 2, 3))
        for sizes in permutations([2, 2, 2, 20, 20])
    }
    assert len(found) == 1


def test_columns_that_are_flipped_alike_are_a_mask():
    for n in (1, 2, 3):
        alike = column_error([(0.7, 0.7)] * 5, length=n, support=0.03, records=1000)
        assert alike == pytest.approx(flip_error(0.7, 0.7, length=n, support=0.03, records=1000))


def spread(scheme, true, itemset, times=200):
    """Standard deviation of an estimate over fresh perturbations, as a share of the records."""
    together = true.take(np.tile(np.arange(len(true)), times))
    drawn = scheme.perturb(together, randomness=Randomness.seeded(7))
    found = []
    for i in range(times):
        seen = drawn.take(np.arange(i * len(true), (i + 1) * len(true)))
        sets = scheme.mine(seen, min_support=1, max_length=len(itemset), keep_near=1000)
        found.append(dict(zip((frozenset(x) for x, _ in sets), sets.columns["estimate"], strict=True))[itemset])
    return np.std(found) / len(true)


@pytest.mark.parametrize("scheme", [Emask(p=0.4, q=0.97), Mask(p=0.8)])
def test_records_that_hold_a_part_count_as_much_as_they_do(scheme):
    """The spread of 200 draws is known to 5% (one standard deviation), and 15% are allowed; the seed is fixed. Taking
    every record to hold all or nothing would be 24 to 40% too small here."""
    rows = [["a", "b", "c"]] * 40 + [["a", "b"]] * 300 + [["b", "c"]] * 300 + [["a", "c"]] * 300 + [["d"]] * 1060
    true = Transactions.from_lists(rows)
    held = np.array([0.53, 0, 0.45, 0.02])
    sent = spread(scheme, true, frozenset("abc"))
    asked = {"length": 3, "support": 0.02, "records": 2000}
    assert flip_error(scheme.p, scheme.q, **asked, held=held) == pytest.approx(sent, rel=0.15)
    nothing = np.array([0.98, 0, 0, 0.02])
    assert flip_error(scheme.p, scheme.q, **asked, held=nothing) < 0.8 * sent


def test_shares_of_independent_items_are_binomial():
    assert partly_held(2, 0.25).tolist() == [0.25, 0.5, 0.25]
    assert partly_held(4, 0.02)[-1] == pytest.approx(0.02)
