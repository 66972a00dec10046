import random

import numpy as np
import pytest
from tests.oracles import streaming as oracles

from confide.audit.adversaries.windows.intra_window import (
    complete_supports,
    estimate_patterns,
    infer_patterns,
    support_bounds,
    tighten_supports,
)
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.itemsets.container import Itemsets

# Wang and Liu 2011, Figure 2, from r4 on: S(11, 8) is the first eight records, S(12, 8) the last eight
STREAM = ["abcd", "ac", "abc", "abc", "bcd", "abcd", "ac", "bcd", "cd"]
WINDOW_11, WINDOW_12 = STREAM[:8], STREAM[1:]


def published(records, min_support):
    pairs = [(sorted(s), n) for s, n in oracles.frequent(records, min_support).items()]
    return Itemsets.from_pairs(pairs, n_transactions=len(records))


def records(seed, n=30):
    chance = random.Random(seed)
    return ["".join(x for x in "abcdef" if chance.random() < 0.75) for _ in range(n)]


def test_supports_of_the_running_example():  # Example 2.1 and Figure 3
    wanted = {"c": (8, 8), "ac": (6, 5), "bc": (6, 5), "abc": (4, 3)}
    for itemset, (then, now) in wanted.items():
        assert (oracles.support(WINDOW_11, itemset), oracles.support(WINDOW_12, itemset)) == (then, now)


def test_not_a_not_b_c_is_found_when_abc_is_published():  # Examples 2.5 and 3.2
    pairs = [(x, oracles.support(WINDOW_12, x)) for x in ("c", "ac", "bc", "abc")]
    (found,) = infer_patterns(Itemsets.from_pairs(pairs, n_transactions=8), vulnerable=1).patterns
    assert (found.items, found.without, found.count) == ({"c"}, {"a", "b"}, 1)
    assert oracles.pattern_support(WINDOW_12, "c", "ab") == 1


def test_without_abc_its_support_is_between_2_and_5():  # Example 3.3
    window = Itemsets.from_pairs([("c", 8), ("ac", 5), ("bc", 5)], n_transactions=8)
    assert support_bounds(window, "abc") == (2, 5)
    assert infer_patterns(window, vulnerable=1).patterns == ()


@pytest.mark.parametrize("seed", range(25))
def test_patterns_are_all_that_follow_and_they_are_true(seed):
    held = records(seed)
    window = published(held, 10)
    found = {(p.items, p.without): p.count for p in infer_patterns(window, vulnerable=3).patterns}
    assert found == oracles.vulnerable_patterns(window.as_dict(), 3, len(held))
    assert all(oracles.pattern_support(held, *pattern) == count for pattern, count in found.items())


@pytest.mark.parametrize("seed", range(25))
def test_completed_supports_are_true(seed):
    held = records(seed)
    window = published(held, 14)
    for min_support in (None, 14):
        more = complete_supports(window, min_support=min_support)
        assert all(oracles.support(held, items) == support for items, support in more)
        assert set(window.as_dict()) <= set(more.as_dict())


def test_completing_finds_what_bounds_pin_down():
    held = ["ab"] * 6 + ["c"] * 4  # a and b in the same six, c in none of them
    window = Itemsets.from_pairs([("a", 6), ("b", 6), ("ab", 6), ("c", 4), ("ac", 0)], n_transactions=10)
    assert complete_supports(window).support_of("bc") is None
    assert support_bounds(window, "bc") == (0, 4)
    tight = Itemsets.from_pairs([("a", 10), ("b", 7)], n_transactions=10)
    assert complete_supports(tight).support_of("ab") == 7  # a is in every record
    assert oracles.support(held, "ac") == 0


def test_longer_itemsets_are_counted_as_not_covered():
    found = infer_patterns(published(["abcde"] * 5, 2), vulnerable=2, max_length=3)
    assert found.not_covered == 6  # five of four items, one of five


def test_estimates_are_right_on_true_supports_and_unknown_where_a_set_is_missing():
    held = records(3)
    window = published(held, 10)
    patterns = infer_patterns(window, vulnerable=3).patterns
    assert patterns
    known = {items: float(n) for items, n in window.as_dict().items()}
    exact = estimate_patterns(patterns, known, vulnerable=3, n_records=len(held))
    assert exact.linear.tolist() == exact.bounded.tolist() == [p.count for p in patterns]
    off = estimate_patterns(patterns, {x: n + 40 * len(x) for x, n in known.items()}, vulnerable=3, n_records=30)
    assert ((off.bounded >= 0) & (off.bounded <= 3)).all()
    missing = estimate_patterns(patterns, {}, vulnerable=3, n_records=30)
    assert np.isnan(missing.linear).all()


@pytest.mark.parametrize("seed", range(25))
def test_intervals_hold_the_truth_and_only_narrow(seed):  # Prior Knowledge 5.5
    held, chance = records(seed), random.Random(seed)
    true = published(held, 10)
    noisy = Itemsets.from_pairs([(items, n + chance.randint(-3, 2)) for items, n in true], n_transactions=len(held))
    found = tighten_supports(noisy, most_added=2, most_taken=3, vulnerable=3)
    supports = [oracles.support(held, items) for items, _ in noisy.sorted()]
    assert all(a <= t <= b for a, t, b in zip(found.low, supports, found.high, strict=True))
    assert found.width <= found.before <= 6
    assert all(1 <= oracles.pattern_support(held, p.items, p.without) <= 3 for p in found.certain)


def test_without_noise_intervals_are_exact_and_patterns_certain():
    held = records(4)
    true = published(held, 10)
    found = tighten_supports(true, most_added=0, most_taken=0, vulnerable=3)
    assert found.width == 1
    assert {(p.items, p.without) for p in found.certain} == {
        (p.items, p.without) for p in infer_patterns(true, vulnerable=3).patterns
    }


def test_impossible_bounds_and_wrong_input_are_refused():
    with pytest.raises(InputError, match="check the bounds"):
        window = Itemsets.from_pairs([("a", 5), ("ab", 9)], n_transactions=10)
        tighten_supports(window, most_added=1, most_taken=1, vulnerable=2)
    with pytest.raises(RequirementError, match="max_length=40"):
        infer_patterns(Itemsets.from_pairs([("a", 5)], n_transactions=10), vulnerable=1, max_length=40)
    with pytest.raises(UsageError, match="itemsets are needed"):
        infer_patterns([], vulnerable=1)
