"""Which scheme fits which data: standard errors against simulation, and the advice itself."""

import numpy as np
import pyarrow as pa
import pytest

from confide import Randomness, Transactions
from confide.collect import Bins, CutAndPaste, Fields, GammaDiagonal, Mask, describe, plan_gamma
from confide.collect.planning.scheme_choice import cut_error, fields_of, mask_error, rare_values, usable_columns
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


def test_schemes_are_ordered_by_their_errors_and_the_reasons_name_the_closest():  # erratum 5
    fields = Fields.of([4, 5, 5, 5, 2, 2])
    found = describe(pa.table({"x": [1]}), fields=fields, records=50_000)
    errors = {option["scheme"]: option["standard_error"] for option in found.options}
    assert (
        list(errors)
        == ["gamma-diagonal", "cut-and-paste", "mask"]
        == sorted(errors, key=lambda name: errors[name]["3"])
    )
    assert [round(errors["mask"][n], 3) for n in "123"] == [0.018, 0.074, 0.301]
    assert errors["mask"]["2"] < errors["gamma-diagonal"]["2"]
    assert errors["mask"]["3"] > errors["gamma-diagonal"]["3"]
    closest = ["cut-and-paste"] * 2 + ["gamma-diagonal"] * 4
    assert [min(errors, key=lambda name: errors[name].get(n, 99)) for n in "123456"] == closest
    told = " ".join(found.reasons)
    assert "cut-and-paste for itemsets of 1 to 2 fields; gamma-diagonal for itemsets of 3 to 6 fields" in told
    assert "gamma-diagonal, the first, drowns a support of 0.02 among itemsets of 1 to 4 fields" in told


def test_few_fields_or_a_small_gamma_leave_fewer_schemes_to_choose_from():
    found = describe(pa.table({"x": [1]}), fields=Fields.of([4, 5, 5]), records=50_000, gamma=3)
    assert {option["scheme"] for option in found.options} == {"gamma-diagonal", "mask"}
    assert any("no Cut-and-Paste under gamma 3" in reason for reason in found.reasons)


def test_cut_and_paste_is_offered_only_where_it_can_be_mined():
    uneven = describe(Transactions.from_lists([["a", "b"], ["c"], ["a", "d"]] * 100))
    assert "cut-and-paste" not in {option["scheme"] for option in uneven.options}
    assert any("records differ in length" in reason for reason in uneven.reasons)
    even = describe(Transactions.from_lists([["a", "b"], ["c", "b"], ["a", "d"]] * 100))
    assert "cut-and-paste" in {option["scheme"] for option in even.options}


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


def test_bins_are_for_numbers_and_no_value_may_be_missing():
    table = pa.table(
        {"age": ["18", "40", "70"], "sex": ["f", "m", "x y"], "town": ["A", "", "B"], "zip": ["1", None, "2"]}
    )
    assert fields_of(table, columns=["age"], bins={"age": (30,)}).sizes == (2,)
    with pytest.raises(InputError, match=r"record 1: a value of column 'sex' is no number"):
        fields_of(table, columns=["sex"], bins={"sex": (3,)})
    with pytest.raises(InputError, match=r"record 2: .*decimals have a point"):
        fields_of(pa.table({"age": ["41.5", "41,5"]}), bins={"age": (30,)})
    with pytest.raises(InputError, match=r"record 2: a value of column 'town' is missing; fill it in"):
        fields_of(table, columns=["town"])
    with pytest.raises(InputError, match=r"record 2: a value of column 'zip' is missing"):
        fields_of(table, columns=["zip"], values={"zip": ["1", "2"]})
    assert usable_columns(table) == ["age", "sex"]


def test_values_are_declared_or_counted_as_rare():
    table = pa.table({"sex": ["f", "m"] * 10, "ill": ["no"] * 18 + ["gout", "flu"]})
    fields = fields_of(table)
    assert rare_values(table, fields) == {"ill": 2}
    assert rare_values(table, fields, declared=["ill"]) == {}
    assert fields_of(table, values={"sex": ["m", "f", "other"]})["sex"].values == ("m", "f", "other")
    with pytest.raises(RequirementError, match="both bins and values"):
        fields_of(table, bins={"sex": (1,)}, values={"sex": ["a", "b"]})
    with pytest.raises(InputError, match="values for 'zip'"):
        fields_of(table, values={"zip": ["a", "b"]})
