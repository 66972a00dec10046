"""Which scheme fits which data: standard errors against simulation, and the advice itself."""

import numpy as np
import pyarrow as pa
import pytest

from confide import Randomness, Transactions
from confide.collect import Bins, CutAndPaste, Fields, GammaDiagonal, Mask, describe, plan_gamma
from confide.collect.choosing import cut_error, fields_of, mask_error, usable_columns
from confide.core.errors import InputError, RequirementError

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
    planned = mask_error(0.7, 0.7, 2, 0.02, 4000)
    assert simulated(Mask(p=0.7, fields=SIZES), codes, pair) == pytest.approx(planned, rel=0.25)
    planned = cut_error(3, 0.4, 3, 2, 0.02, 4000)
    assert simulated(CutAndPaste(K=3, rho=0.4, fields=SIZES), codes, pair) == pytest.approx(planned, rel=0.25)


def test_mask_is_advised_for_short_itemsets_and_gamma_diagonal_for_long():  # erratum 5
    fields = Fields.of([4, 5, 5, 5, 2, 2])
    found = describe(pa.table({"x": [1]}), fields=fields, records=50_000)
    gamma_diagonal, mask, _ = found.options
    assert (gamma_diagonal["scheme"], mask["scheme"]) == ("gamma-diagonal", "mask")
    assert [round(mask["standard_error"][n], 3) for n in "123"] == [0.018, 0.074, 0.301]
    assert mask["standard_error"]["2"] < gamma_diagonal["standard_error"]["2"]
    assert mask["standard_error"]["3"] > gamma_diagonal["standard_error"]["3"]
    assert any("2 fields or fewer Mask is closer" in reason for reason in found.reasons)


def test_sparse_baskets_are_told_that_no_strict_promise_is_to_be_had():
    rng = np.random.default_rng(1)
    rows = [[str(i) for i in rng.choice(300, size=6, replace=False)] for _ in range(2000)]
    found = describe(Transactions.from_lists(rows))
    assert found.options[0]["scheme"] == "emask"
    assert any("Emask protects on average" in reason for reason in found.reasons)
    few = describe(Transactions.from_lists([["a", "b"], ["c"], ["a", "d"]] * 100))
    assert few.options[0]["scheme"] == "mask"


def test_fields_come_from_columns_and_declared_bins():
    table = pa.table({"age": [18, 40, 70], "sex": ["f", "m", "f"], "id": ["x", "y", "z"], "one": ["k", "k", "k"]})
    fields = fields_of(table, columns=["age", "sex"], bins={"age": (30, 60)})
    assert fields == Fields.of({"age": Bins((30, 60)), "sex": ["f", "m"]})
    assert usable_columns(table) == ["age", "sex", "id"]
    with pytest.raises(RequirementError, match="'one' has one value"):
        fields_of(table)
    many = pa.table({"n": list(range(100))})
    with pytest.raises(RequirementError, match=r"'n' has 100 values; give edges"):
        fields_of(many)
    with pytest.raises(InputError, match="no column 'zip'"):
        fields_of(table, columns=["zip"])
    with pytest.raises(InputError, match="bins for 'zip'"):
        fields_of(table, columns=["sex"], bins={"zip": (1,)})
