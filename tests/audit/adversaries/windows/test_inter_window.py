import random

import pytest
from tests.audit.adversaries.windows.test_intra_window import WINDOW_11, WINDOW_12, published
from tests.oracles import streaming as oracles

from confide.audit.adversaries.windows.inter_window import bound_between_windows, infer_between_windows
from confide.core.errors import InputError, RequirementError
from confide.core.itemsets.container import Itemsets


def of(records, *sets):
    return Itemsets.from_pairs([(x, oracles.support(records, x)) for x in sets], n_transactions=len(records))


def test_abc_is_exactly_3_although_only_the_window_before_published_it():  # Examples 3.5 and 3.7
    found = bound_between_windows(of(WINDOW_11, "c", "ac", "bc", "abc"), of(WINDOW_12, "c", "ac", "bc"), "abc", lag=1)
    assert (found.least, found.most, found.exact) == (3, 3, True)
    assert oracles.support(WINDOW_12, "abc") == 3


def test_not_a_not_b_c_is_found_from_both_windows_and_from_neither_alone():  # Example 3.5
    before, now = of(WINDOW_11, "c", "ac", "bc", "abc"), of(WINDOW_12, "c", "ac", "bc")
    (found,) = infer_between_windows(before, now, lag=1, vulnerable=1).patterns
    assert (found.items, found.without, found.count) == ({"c"}, {"a", "b"}, 1)
    assert infer_between_windows(now, now, lag=1, vulnerable=1).patterns == ()


@pytest.mark.parametrize("seed", range(6))
def test_patterns_from_two_windows_are_true_and_new(seed):
    chance = random.Random(seed)
    stream = ["".join(x for x in "abcd" if chance.random() < 0.7) for _ in range(21)]
    before, now = published(stream[:20], 7), published(stream[1:], 7)
    alone = oracles.vulnerable_patterns(now.as_dict(), 3, 20)
    for found in infer_between_windows(before, now, lag=1, vulnerable=3).patterns:
        assert oracles.pattern_support(stream[1:], found.items, found.without) == found.count
        assert (found.items, found.without) not in alone


def test_a_set_that_vanishes_at_lag_1_is_known_when_every_frequent_set_is_published():  # erratum 6
    before = Itemsets.from_pairs([("a", 30), ("b", 40), ("ab", 25)], n_transactions=60)
    now = Itemsets.from_pairs([("a", 29), ("b", 40)], n_transactions=60)
    assert not bound_between_windows(before, now, "ab", lag=1).exact
    found = bound_between_windows(before, now, "ab", lag=1, min_support=25)
    assert (found.least, found.most) == (24, 24)


def test_one_window_alone_leaves_2_to_5():  # Example 3.3
    nothing = Itemsets.from_pairs([], n_transactions=8)
    found = bound_between_windows(nothing, of(WINDOW_12, "c", "ac", "bc"), "abc", lag=1)
    assert (found.least, found.most, found.exact) == (2, 5, False)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("lag", [1, 3])
def test_bounds_hold_the_truth(seed, lag):
    chance = random.Random(seed)
    stream = ["".join(x for x in "abcd" if chance.random() < 0.7) for _ in range(20 + lag)]
    before, now = published(stream[:20], 8), published(stream[lag:], 8)
    missing = [s for s in before.as_dict() if s not in now.as_dict()] or [frozenset("abcd")]
    for itemset in missing:
        for min_support in (None, 8):
            found = bound_between_windows(before, now, itemset, lag=lag, min_support=min_support)
            assert found.least <= oracles.support(stream[lag:], itemset) <= found.most


def test_what_contradicts_itself_or_makes_no_sense_is_refused():
    window = of(WINDOW_12, "c", "ac")
    far = Itemsets.from_pairs([("c", 1)], n_transactions=8)
    with pytest.raises(InputError, match="no records fit both windows"):
        bound_between_windows(far, window, "ac", lag=1)
    with pytest.raises(RequirementError, match="lag=0"):
        bound_between_windows(window, window, "ac", lag=0)
    with pytest.raises(RequirementError, match="0 items are wanted"):
        bound_between_windows(window, window, "", lag=1)
