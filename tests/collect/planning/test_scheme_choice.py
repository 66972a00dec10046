"""Which scheme fits which data: standard errors against simulation, and the advice itself."""

import numpy as np
import pyarrow as pa
import pytest

from confide import Randomness, Transactions
from confide.collect import CutAndPaste, Fields, GammaDiagonal, Mask, describe, plan_gamma
from confide.collect.estimating.forecasts import cut_error, flip_error

SIZES = [2, 3, 4]


def simulated(scheme, codes, itemset, times=150):
    """Standard deviation of the estimate of one itemset over fresh perturbations, as a share of the records."""
    estimates = []
    for seed in range(times):
        sent = scheme.perturb(codes, randomness=Randomness.seeded(seed))
        found = scheme.mine(sent, min_support=1, max_length=len(itemset), keep_near=1000)
        estimates.append(dict(zip((frozenset(x) for x, _ in found), found.columns["estimate"], strict=True))[itemset])
    return np.std(estimates) / len(codes)


def test_planned_errors_are_those_that_occur():
    """Within 25%: the spread of 150 draws is known to about 6%, and the plan knows only the support."""
    codes = np.zeros((4000, 3), dtype=np.int32)
    codes[80:] = [1, 1, 1]  # a support of 2%
    pair = frozenset({"a0=0", "a1=0"})
    planned = plan_gamma(0.05, 0.5).standard_errors(SIZES, records=4000, support=0.02)[2]
    assert simulated(GammaDiagonal(domains=SIZES, gamma=19), codes, pair) == pytest.approx(planned, rel=0.25)
    planned = flip_error(0.7, 0.7, length=2, support=0.02, records=4000)
    assert simulated(Mask(p=0.7, fields=SIZES), codes, pair) == pytest.approx(planned, rel=0.25)
    planned = cut_error(3, 0.4, record_length=3, length=2, support=0.02, records=4000)
    assert simulated(CutAndPaste(K=3, rho=0.4, fields=SIZES), codes, pair) == pytest.approx(planned, rel=0.25)


def test_schemes_are_ordered_by_their_errors_and_the_reasons_name_the_closest():  # erratum 5
    fields = Fields.of([4, 5, 5, 5, 2, 2])
    found = describe(pa.table({"x": [1]}), fields=fields, records=50_000)
    errors = {option["scheme"]: option["standard_error"] for option in found.options}
    assert (
        list(errors)
        == ["gamma-diagonal", "matrix", "cut-and-paste", "mask"]
        == sorted(errors, key=lambda name: errors[name]["3"])
    )
    assert [round(errors["mask"][n], 3) for n in "123"] == [0.018, 0.075, 0.308]  # independent values
    assert errors["mask"]["2"] < errors["gamma-diagonal"]["2"]
    assert errors["mask"]["3"] > errors["gamma-diagonal"]["3"]
    assert all(errors["matrix"][n] < errors["mask"][n] for n in "123456")
    closest = ["matrix"] * 2 + ["gamma-diagonal"] * 4
    assert [min(errors, key=lambda name: errors[name].get(n, 99)) for n in "123456"] == closest
    told = " ".join(found.reasons)
    assert "matrix for itemsets of 1 to 2 fields; gamma-diagonal for itemsets of 3 to 6 fields" in told
    assert "gamma-diagonal, the first, drowns a support of 0.02 among itemsets of 1 to 5 fields" in told


def test_the_advice_does_not_depend_on_the_order_of_columns():
    first, last = (
        describe(pa.table({"x": [1]}), fields=Fields.of(sizes), records=50_000)
        for sizes in ([2, 2, 2, 20, 20], [20, 20, 2, 2, 2])
    )
    assert [option["scheme"] for option in first.options] == [option["scheme"] for option in last.options]
    assert first.options[0]["standard_error"] == pytest.approx(last.options[0]["standard_error"])


def test_few_fields_or_a_small_gamma_leave_fewer_schemes_to_choose_from():
    found = describe(pa.table({"x": [1]}), fields=Fields.of([4, 5, 5]), records=50_000, gamma=3)
    assert {option["scheme"] for option in found.options} == {"gamma-diagonal", "matrix", "mask"}
    assert any("no Cut-and-Paste under gamma 3" in reason for reason in found.reasons)


def test_cut_and_paste_is_offered_only_where_it_can_be_mined():
    uneven = describe(Transactions.from_lists([["a", "b"], ["c"], ["a", "d"]] * 100))
    assert "cut-and-paste" not in {option["scheme"] for option in uneven.options}
    assert any("records differ in length" in reason for reason in uneven.reasons)
    even = describe(Transactions.from_lists([["a", "b"], ["c", "b"], ["a", "d"]] * 100))
    assert "cut-and-paste" in {option["scheme"] for option in even.options}


def test_sparse_baskets_are_warned_that_no_strict_promise_is_to_be_had():
    rng = np.random.default_rng(1)
    rows = [[str(i) for i in rng.choice(300, size=6, replace=False)] for _ in range(2000)]
    found = describe(Transactions.from_lists(rows))
    assert found.options[0]["scheme"] == "emask"
    assert any("Emask protects on average" in reason for reason in found.reasons)
    few = describe(Transactions.from_lists([["a", "b"], ["c"], ["a", "d"]] * 100))
    assert few.options[0]["scheme"] == "mask"
