import random

import pytest
from tests.audit.adversaries.test_intra_window import WINDOW_11, WINDOW_12, published
from tests.oracles import streaming as oracles

from confide.audit.adversaries.inter_window import bound_between_windows
from confide.core.errors import InputError, RequirementError
from confide.core.itemsets.container import Itemsets


def of(records, *sets):
    return Itemsets.from_pairs([(x, oracles.support(records, x)) for x in sets], n_transactions=len(records))


def test_abc_is_exactly_3_although_only_the_window_before_published_it():  # Examples 3.5 and 3.7
    found = bound_between_windows(of(WINDOW_11, "c", "ac", "bc", "abc"), of(WINDOW_12, "c", "ac", "bc"), "abc", lag=1)
    assert (found.least, found.most, found.exact) == (3, 3, True)
    assert oracles.support(WINDOW_12, "abc") == 3


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
        found = bound_between_windows(before, now, itemset, lag=lag)
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
