"""Bounds that hold whatever the noise was: against the true window, over many seeds."""

import pytest
from tests.stream.streams import REQUIREMENT, asked

from confide import Randomness
from confide.core.errors import RequirementError
from confide.core.itemsets.container import Itemsets
from confide.core.samples import baskets
from confide.mining import SlidingWindow
from confide.stream import Butterfly, PublishedBounds, published_rules, top_published
from confide.stream.paper.biases import SCHEMES
from confide.stream.pipeline.opening import header_of


@pytest.fixture(scope="module")
def true():
    window = SlidingWindow(size=400, min_support=25)
    window.learn_many(list(baskets(400, seed=7)))
    return window.frequent()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(5))
def test_the_truth_lies_within_every_bound(true, scheme, seed):
    data = Butterfly(REQUIREMENT, scheme=scheme, randomness=Randomness.seeded(seed)).release(true).data
    bounds, truth = PublishedBounds(header_of(asked(scheme=scheme))), true.as_dict()
    for items, (low, high) in bounds.of_all(data).items():
        assert low <= truth[items] <= high
    published = {items: truth[items] for items in data.as_dict()}
    for one in top_published(data, bounds, k=10):
        own = truth[frozenset(one.items)]
        ahead = sum(support > own for support in published.values())
        assert one.best <= ahead + 1 <= one.worst
        assert not one.sure or ahead < 10
    rules = published_rules(data, bounds, min_confidence=0.5)
    assert rules
    for rule in rules:
        confidence = truth[frozenset(rule.given + rule.then)] / truth[frozenset(rule.given)]
        assert rule.low - 1e-12 <= confidence <= rule.high + 1e-12
        assert not rule.sure or confidence >= 0.5
    found = {(rule.given, rule.then) for rule in rules}
    for whole in published:  # no rule that truly reaches the confidence is left out
        for item in whole if len(whole) == 2 else ():
            given = whole - {item}
            if given in published and truth[whole] / truth[given] >= 0.5:
                assert (tuple(given), (item,)) in found


def test_a_worked_example():
    bounds = PublishedBounds(header_of(asked(scheme="basic")))
    data = Itemsets.from_pairs([("a", 100), ("b", 60), (("a", "b"), 58)], n_transactions=400)
    assert bounds.of_all(data) == {
        frozenset("a"): (95, 105), frozenset("b"): (55, 65), frozenset("ab"): (53, 63)
    }  # fmt: skip
    first = top_published(data, bounds, k=1)[0]
    assert (first.items, first.best, first.worst, first.sure) == (("a",), 1, 1, True)
    second = top_published(data, bounds, k=2)[1]
    assert (second.items, second.best, second.worst, second.sure) == (("b",), 2, 3, False)
    rule = published_rules(data, bounds, min_confidence=0.8)[0]
    assert (rule.given, rule.then, rule.sure) == (("b",), ("a",), True)
    assert rule.low == 53 / 65
    with pytest.raises(RequirementError, match="min_confidence=0 is no share"):
        published_rules(data, bounds, min_confidence=0)
    with pytest.raises(RequirementError, match="k=0 asks for nothing"):
        top_published(data, bounds, k=0)


def test_by_blocks_a_list_says_what_is_likely_too():
    bounds = PublishedBounds(header_of(asked()))
    data = Itemsets.from_pairs([("a", 100), ("b", 60), (("a", "b"), 58)], n_transactions=400)
    first, second, third = top_published(data, bounds, k=3)
    assert first.low <= first.likely_low < 100 < first.likely_high <= first.high
    assert first.ahead_of_next > 0.999
    assert 0.6 < second.ahead_of_next < 0.75
    assert third.ahead_of_next is None
