"""Association rules against every split of every itemset, and against mlxtend."""

import gzip
from fractions import Fraction

import numpy as np
import pytest
from tests.oracles import counting as counting_oracles
from tests.oracles import rules as rules_oracles
from tests.strategies import random_database

from confide.core.errors import RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.transactions.container import Transactions
from confide.mining.rules.association import Rule, association_rules
from confide.mining.rules.subsets import expand_closed


def mined(rows, min_count):
    found = counting_oracles.frequent(rows, min_count)
    return found, Itemsets.from_pairs(found.items(), n_transactions=len(rows))


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("min_confidence", [0, 0.5, 0.8, 1.0])
def test_rules_match_every_split_of_every_itemset(seed, min_confidence):
    found, itemsets = mined(random_database(seed, max_rows=20, n_items=6), 2)
    expected = rules_oracles.association_rules(found, itemsets.n_transactions, min_confidence)
    rules = association_rules(itemsets, min_confidence=min_confidence)
    assert len(rules) == len(expected)
    for rule in rules:
        measures = expected[frozenset(rule.antecedent), frozenset(rule.consequent)]
        assert rule[2:] == pytest.approx(measures, rel=1e-12, abs=1e-12)


def mlxtend_rules(itemsets, min_confidence):
    pandas = pytest.importorskip("pandas")
    rival = pytest.importorskip("mlxtend.frequent_patterns")
    frame = pandas.DataFrame(
        {
            "itemsets": [frozenset(x) for x, _ in itemsets],
            "support": itemsets.supports / itemsets.n_transactions,
        }
    )
    return rival.association_rules(frame, metric="confidence", min_threshold=min_confidence)


def assert_same_as_mlxtend(itemsets, min_confidence):
    theirs = mlxtend_rules(itemsets, min_confidence)
    expected = {(row.antecedents, row.consequents): row for row in theirs.itertuples()}
    rules = association_rules(itemsets, min_confidence=min_confidence)
    assert len(rules) == len(expected)
    assert len(rules) > 0
    for rule in rules:
        row = expected[frozenset(rule.antecedent), frozenset(rule.consequent)]
        n = itemsets.n_transactions
        ours = (rule.support / n, rule.confidence, rule.lift, rule.leverage, rule.conviction)
        assert ours == pytest.approx((row.support, row.confidence, row.lift, row.leverage, row.conviction), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_those_of_mlxtend(seed):
    draw = np.random.default_rng(seed)
    rows = [[str(j) for j in np.flatnonzero(row)] for row in draw.random((40, 7)) < 0.6]
    # A threshold no quotient of small counts equals: mlxtend compares rounded quotients, we compare exactly.
    assert_same_as_mlxtend(mined(rows, 3)[1], 0.4321)


def test_numbers_on_groceries_are_those_of_mlxtend(data):
    from confide.mining.itemsets.frequent import frequent_itemsets

    with gzip.open(data / "groceries" / "groceries.csv.gz", "rt", encoding="utf-8") as file:
        tx = Transactions.from_lists([item.strip() for item in line.strip().split(",")] for line in file)
    assert_same_as_mlxtend(frequent_itemsets(tx, min_support=0.005), 0.2001)


def test_a_quotient_equal_to_the_threshold_is_in():
    itemsets = Itemsets.from_pairs([("a", 10), ("b", 7), ("ab", 7)], n_transactions=10)
    assert [rule.antecedent for rule in association_rules(itemsets, min_confidence=0.7)] == [("b",), ("a",)]


def test_an_item_may_occur_in_every_record():
    itemsets = Itemsets.from_pairs([("a", 4), ("b", 4), ("ab", 4)], n_transactions=4)
    assert association_rules(itemsets, min_confidence=0.9)[0] == Rule(("b",), ("a",), 4, 1.0, 1.0, 0.0, np.inf)


def test_a_set_without_its_parts_is_refused():
    closed = Itemsets.from_pairs([("abc", 2), ("a", 3)], n_transactions=4)
    with pytest.raises(UsageError, match='mine with kind="all", or expand'):
        association_rules(closed, min_confidence=0.5)
    assert len(association_rules(expand_closed(closed), min_confidence=0)) == 12


def test_a_set_of_hundreds_of_items_is_refused_not_tried():
    whole = Itemsets.from_pairs([([str(k) for k in range(300)], 1)], n_transactions=1)
    with pytest.raises(UsageError, match="has 300 items"):
        association_rules(whole, min_confidence=0.5)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), "0.5", True])
def test_a_confidence_outside_0_to_1_is_refused(bad):
    with pytest.raises(RequirementError, match="min_confidence"):
        association_rules(Itemsets.from_pairs([], n_transactions=0), min_confidence=bad)


def test_no_itemsets_give_no_rules():
    rules = association_rules(Itemsets.from_pairs([], n_transactions=0), min_confidence=0.5)
    assert (len(rules), list(rules)) == (0, [])
    assert rules.to_arrow().num_rows == 0


def test_the_empty_itemset_takes_no_part():
    itemsets = Itemsets.from_pairs([("", 9), ("a", 5), ("b", 4), ("ab", 3)], n_transactions=9)
    assert len(association_rules(itemsets, min_confidence=0)) == 2


def test_top_rules_by_any_measure():
    _, itemsets = mined(random_database(12), 2)
    rules = association_rules(itemsets, min_confidence=0.3)
    for measure in ("confidence", "lift", "conviction", "support"):
        best = getattr(rules.top(5, by=measure), measure)
        assert best.tolist() == sorted(getattr(rules, measure).tolist(), reverse=True)[:5]
    assert len(rules.top(0)) == 0
    with pytest.raises(UsageError, match="no measure 'zeal'"):
        rules.top(3, by="zeal")


def test_frames_hold_what_iteration_gives():
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    _, itemsets = mined(random_database(12), 2)
    rules = association_rules(itemsets, min_confidence=0.6)
    table = rules.to_arrow()
    assert [(tuple(r["antecedent"]), tuple(r["consequent"]), r["support"], r["lift"]) for r in table.to_pylist()] == [
        (r.antecedent, r.consequent, r.support, r.lift) for r in rules
    ]
    assert rules.to_pandas()["confidence"].tolist() == rules.confidence.tolist()
    assert rules.to_polars()["conviction"].to_list() == rules.conviction.tolist()


def test_many_itemsets_in_parts_give_the_same_rules():
    """Enough sets for several parts: all subsets of 15 items, each with the support a product law gives it."""
    n = 15
    sets = [[j for j in range(n) if i >> j & 1] for i in range(1, 2**n)]
    supports = np.array([2 ** (n - len(s)) for s in sets])
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sets])])
    itemsets = Itemsets.from_arrays(
        offsets,
        np.array([j for s in sets for j in s], dtype=np.int32),
        supports,
        labels=tuple(str(j) for j in range(n)),
        n_transactions=2**n,
    )
    # Confidence is 2**-(items of the consequent): at 0.5 each set of m items has m rules, one for each item.
    rules = association_rules(itemsets, min_confidence=0.5)
    assert len(rules) == sum(len(s) for s in sets if len(s) > 1)
    assert set(rules.confidence.tolist()) == {0.5}
    assert set(rules.lift.tolist()) == {1.0}
    assert np.array_equal(itemsets.lengths[rules.antecedent] + 1, itemsets.lengths[rules.whole])


def test_measures_of_billions_of_records_do_not_overflow():
    """Products of these supports pass 2**31, and 2**53; exact fractions say what the measures are."""
    n = 2**31 - 1
    a, c, both = 2_000_000_011, 1_900_000_003, 1_800_000_001
    itemsets = Itemsets.from_pairs([("a", a), ("c", c), ("ac", both)], n_transactions=n)
    assert itemsets.supports.dtype == np.int32
    (rule,) = (r for r in association_rules(itemsets, min_confidence=0) if r.antecedent == ("a",))
    share = {name: Fraction(count, n) for name, count in {"a": a, "c": c, "ac": both}.items()}
    confidence = share["ac"] / share["a"]
    assert rule.support == both
    assert rule.confidence == pytest.approx(float(confidence), rel=1e-14)
    assert rule.lift == pytest.approx(float(confidence / share["c"]), rel=1e-14)
    assert rule.leverage == pytest.approx(float(share["ac"] - share["a"] * share["c"]), rel=1e-12)
    assert rule.conviction == pytest.approx(float((1 - share["c"]) / (1 - confidence)), rel=1e-13)


def test_supports_of_rules_can_be_multiplied():
    itemsets = Itemsets.from_pairs([("a", 70_000), ("c", 70_000), ("ac", 70_000)], n_transactions=70_000)
    rules = association_rules(itemsets, min_confidence=1)
    assert (rules.support * rules.support).tolist() == [70_000**2] * 2
    assert str(rules.to_arrow().schema.field("support").type) == "int64"
