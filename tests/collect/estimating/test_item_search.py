"""Mining perturbed records: the search against its slow twin, its options, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import collecting as oracles
from tests.oracles.counting import frequent

from confide.collect import (
    CutAndPaste,
    Emask,
    Fields,
    GammaDiagonal,
    Mask,
    MatrixScheme,
    reconstructed_rules,
)
from confide.collect.estimating import item_search
from confide.collect.estimating.reconstruction import mine
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining.counting import memory_counts, protocol, record_shares
from confide.mining.counting.supports import itemset_supports

SCHEME, P, Q = Emask(p=0.8, q=0.9), Fraction(4, 5), Fraction(9, 10)


def rows_of(seed, *, records=60, items=6, fullness=0.5):
    draw = np.random.default_rng(seed)
    return [[str(i) for i in np.flatnonzero(draw.random(items) < fullness)] for _ in range(records)]


def estimates_of(found):
    return {frozenset(labels): found.columns["estimate"][i] for i, (labels, _) in enumerate(found)}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("way", ["rows", "columns", "auto"])
def test_the_search_finds_what_inverting_whole_matrices_finds(seed, way):
    rows = rows_of(seed)
    found = estimates_of(mine(SCHEME, Transactions.from_lists(rows), min_support=10, way=way))
    wanted = oracles.level_wise(map(str, range(6)), lambda x: oracles.true_count(rows, x, P, Q), 10)
    assert found.keys() == wanted.keys()
    assert {x: pytest.approx(float(value)) for x, value in wanted.items()} == found


@pytest.mark.parametrize("seed", range(3))
def test_any_engine_that_counts_candidates_may_take_our_counting_s_place(seed):
    tx = Transactions.from_lists(rows_of(seed))
    other = mine(SCHEME, tx, min_support=10, counter=itemset_supports)
    assert estimates_of(other) == estimates_of(mine(SCHEME, tx, min_support=10))


@pytest.mark.parametrize("way", ["rows", "columns"])
def test_many_parts_and_small_tables_give_the_same_counts(way, monkeypatch):
    tx = Transactions.from_lists(rows_of(1, records=900, items=19, fullness=0.3))
    whole = mine(SCHEME, tx, min_support=0.02, way=way)
    monkeypatch.setattr(record_shares, "ALONE", 0)
    monkeypatch.setattr(protocol, "MOST_PAIRS", 100)
    monkeypatch.setattr(memory_counts, "MOST_COLUMNS", 700)
    monkeypatch.setattr(record_shares, "PAIR_WORDS", 1)
    monkeypatch.setattr(memory_counts, "SET_WORDS", 2)
    assert max(whole.lengths) > 3
    assert estimates_of(mine(SCHEME, tx, min_support=0.02, way=way)) == estimates_of(whole)


@given(st.lists(st.sets(st.sampled_from("abcdefg")), min_size=1, max_size=40), st.integers(1, 10))
@settings(max_examples=60)
def test_records_that_were_not_touched_are_mined_exactly(rows, threshold):
    """p and q within 1e-9 of 1: estimates are counts but for the ninth digit."""
    tx = Transactions.from_lists([sorted(row) for row in rows])
    found = mine(Emask(p=0.999999999, q=0.999999999), tx, min_support=threshold)
    above = {x: n for x, n in found.as_dict().items() if n > threshold}  # at the threshold the ninth digit decides
    assert above == frequent(rows, threshold + 1)


@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=5, max_size=60), st.integers(1, 20), st.floats(0.1, 4))
@settings(max_examples=60)
def test_keeping_near_sets_only_adds_and_says_which(rows, threshold, z):
    tx = Transactions.from_lists([sorted(row) for row in rows])
    if tx.n_items == 0:
        return
    strict, near = mine(SCHEME, tx, min_support=threshold), mine(SCHEME, tx, min_support=threshold, keep_near=z)
    assert estimates_of(strict).items() <= estimates_of(near).items()
    assert "near" not in strict.columns
    below = near.columns["estimate"] < threshold
    assert np.array_equal(near.columns["near"] == 1, below)
    assert np.all(near.columns["estimate"] + z * near.columns["std_error"] >= threshold - 1e-9)


@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=5, max_size=60), st.integers(1, 20))
@settings(max_examples=60)
def test_consistent_estimates_never_exceed_those_of_their_parts(rows, threshold):
    tx = Transactions.from_lists([sorted(row) for row in rows])
    if tx.n_items == 0:
        return
    plain = estimates_of(mine(SCHEME, tx, min_support=threshold))
    found = mine(SCHEME, tx, min_support=threshold, consistent=True)
    values = estimates_of(found)
    assert values.keys() <= plain.keys()
    for itemset, value in values.items():
        assert 0 <= value <= len(rows)
        assert all(values[itemset - {item}] >= value for item in itemset if len(itemset) > 1)
    unprojected = dict(zip(values, found.columns["unprojected"], strict=True))
    assert {x: plain[x] for x in values} == unprojected
    assert all(0 <= rule.confidence <= 1 for rule in reconstructed_rules(found, min_confidence=0))


def test_an_interval_holds_its_estimate_and_widens_with_confidence():
    tx = Transactions.from_lists(rows_of(3, records=500))
    usual, surer = mine(SCHEME, tx, min_support=20), mine(SCHEME, tx, min_support=20, confidence=0.99)
    for found in (usual, surer):
        columns = found.columns
        assert np.all((columns["low"] <= columns["estimate"]) & (columns["estimate"] <= columns["high"]))
        assert np.array_equal(found.supports, np.rint(columns["estimate"]))
    inner = (usual.columns["low"] > 0) & (usual.columns["high"] < 500)
    assert inner.any()
    assert np.all(
        (surer.columns["high"] - surer.columns["low"])[inner] > (usual.columns["high"] - usual.columns["low"])[inner]
    )
    width = (usual.columns["high"] - usual.columns["estimate"])[inner]
    assert width == pytest.approx(1.959964 * usual.columns["std_error"][inner])


# -- fields ------------------------------------------------------------------------------------------------------------

FIELDS = Fields.of({"a": ["x", "y"], "b": ["u", "v", "w"], "c": 2})
RECORDS = [("x", "u", "0")] * 400 + [("y", "v", "1")] * 300 + [("y", "w", "0")] * 300
TRUE = frequent([[f"a={a}", f"b={b}", f"c={c}"] for a, b, c in RECORDS], 150)


@pytest.mark.parametrize(
    "scheme",
    [
        Mask(p=0.95, fields=FIELDS),
        Emask(p=0.9, q=0.97, fields=FIELDS),
        CutAndPaste(K=3, rho=0.05, fields=FIELDS),
        GammaDiagonal(domains=FIELDS, gamma=60),
        GammaDiagonal(domains=FIELDS, gamma=60, alpha=0.1),
        MatrixScheme(
            domains=FIELDS,
            matrices=[
                [[0.9, 0.1], [0.1, 0.9]],
                [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]],
                [[0.9, 0.1], [0.1, 0.9]],
            ],
        ),
        MatrixScheme(domains=FIELDS, matrix=(np.full((12, 12), 0.01) + 0.88 * np.eye(12)).tolist()),
    ],
    ids=lambda scheme: scheme.kind,
)
def test_every_scheme_finds_the_itemsets_of_a_plain_table(scheme):
    perturbed = scheme.perturb(RECORDS, randomness=Randomness.seeded(7))
    found = scheme.mine(perturbed, min_support=0.15)
    assert found.as_dict().keys() == TRUE.keys()
    truth = np.array([TRUE[frozenset(labels)] for labels, _ in found])
    assert np.all(np.abs(found.columns["estimate"] - truth) < 5 * found.columns["std_error"])


def test_no_itemset_holds_two_values_of_a_field():
    scheme = Mask(p=0.6, fields=FIELDS)
    perturbed = scheme.perturb(RECORDS, randomness=Randomness.seeded(1))
    found = scheme.mine(perturbed, min_support=1, keep_near=9.0)
    assert max(found.lengths) == 3
    for labels, _ in found:
        assert len({label.partition("=")[0] for label in labels}) == len(labels)


def test_a_frame_an_array_of_codes_and_cells_are_mined_alike():
    scheme = GammaDiagonal(domains=FIELDS, gamma=60)
    perturbed = scheme.perturb(RECORDS, randomness=Randomness.seeded(7))
    codes = FIELDS.encode(perturbed)
    wanted = estimates_of(scheme.mine(perturbed, min_support=0.15))
    for other in (codes, FIELDS.join(codes), FIELDS.to_table(codes)):
        assert estimates_of(scheme.mine(other, min_support=0.15)) == wanted


def test_a_zero_one_matrix_and_lists_are_mined_as_transactions_are():
    rows = rows_of(2)
    matrix = np.array([[str(i) in row for i in range(6)] for row in rows]).astype(int)
    scheme = SCHEME.for_items([str(i) for i in range(6)])
    wanted = estimates_of(mine(scheme, Transactions.from_lists(rows), min_support=10))
    assert estimates_of(mine(scheme, matrix, min_support=10)) == wanted
    assert estimates_of(mine(scheme, rows, min_support=10)) == wanted


# -- rules -------------------------------------------------------------------------------------------------------------


def test_rules_carry_quotients_of_estimates_and_none_is_skipped():
    found = mine(SCHEME, Transactions.from_lists(rows_of(5, records=300, fullness=0.6)), min_support=30)
    rules = reconstructed_rules(found, min_confidence=0.5)
    supports = found.as_dict()
    wanted = {
        (part, whole - part)
        for whole in supports
        for part in oracles.powerset(whole)
        if 0 < len(part) < len(whole) and supports[whole] / supports[part] >= 0.5
    }
    assert {(frozenset(r.antecedent), frozenset(r.consequent)) for r in rules} == wanted
    assert len(rules) == len(wanted) > 10


def test_an_antecedent_estimated_at_nothing_makes_no_rule():
    found = mine(SCHEME, Transactions.from_lists(rows_of(5, records=40, fullness=0.1)), min_support=1, keep_near=9.0)
    assert (np.asarray(found.supports) == 0).any()
    rules = reconstructed_rules(found, min_confidence=0)
    assert len(rules) > 0
    assert np.isfinite(rules.confidence).all()
    with pytest.raises(RequirementError, match="min_confidence"):
        reconstructed_rules(found, min_confidence=2)


# -- refusals ----------------------------------------------------------------------------------------------------------

BASKETS = Transactions.from_lists([["a", "b"], ["a"], ["b", "c"]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_support": 0}, "count of 1 or more"),
        ({"min_support": 2, "max_length": 0}, "max_length=0"),
        ({"min_support": 2, "keep_near": -1}, "keep_near=-1"),
        ({"min_support": 2, "confidence": 1}, "confidence=1"),
    ],
)
def test_senseless_options_are_refused_in_one_line(options, message):
    with pytest.raises(RequirementError, match=message):
        mine(SCHEME, BASKETS, **options)


def test_records_of_another_universe_are_refused():
    with pytest.raises(InputError, match="'c' is not in the scheme's universe"):
        mine(SCHEME.for_items(["a", "b"]), BASKETS, min_support=2)


def test_no_records_and_no_place_for_a_counter_are_refused():
    with pytest.raises(InputError, match="no perturbed records"):
        mine(SCHEME, Transactions.from_lists([]), min_support=1)
    with pytest.raises(UsageError, match="leave out counter"):
        mine(GammaDiagonal(domains=[2], gamma=3), np.array([[0]]), min_support=1, counter=itemset_supports)


def test_noise_taken_for_frequent_sets_is_stopped_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(item_search, "MOST_CANDIDATES", 10)
    tx = Transactions.from_lists(rows_of(1))
    assert max(mine(SCHEME, tx, min_support=1, max_length=2).lengths) == 2
    with pytest.raises(RequirementError, match="20 candidates of 3 items"):
        mine(SCHEME, tx, min_support=1)
    with pytest.raises(RequirementError, match="candidates of 2 items"):
        mine(GammaDiagonal(domains=FIELDS, gamma=60), FIELDS.encode(RECORDS), min_support=1, keep_near=99.0)


def test_nothing_frequent_gives_an_empty_result_with_all_its_columns():
    found = mine(SCHEME, BASKETS, min_support=1000, consistent=True, keep_near=0.5)
    assert len(found) == 0
    limits = {"low", "high", "selected_low", "selected_high"}
    assert set(found.columns) == {"estimate", "std_error", "unprojected", "near", *limits}


def test_estimates_of_a_real_shop_s_clicks_are_near_the_truth(data):
    """BMS-WebView-1 as it is, at 1%: errors within five standard errors, as one in two million is not."""
    tx = Transactions.read(data / "bms/BMS-WebView-1.dat.gz")
    scheme = Emask(p=0.5673, q=0.9877)
    found = scheme.mine(scheme.perturb(tx, randomness=Randomness.seeded(1)), min_support=0.01)
    counted = itemset_supports(tx, found)
    assert len(found) > 50
    assert np.all(np.abs(found.columns["estimate"] - counted) < 5 * found.columns["std_error"])
