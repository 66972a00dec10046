"""The baselines: buckets hide within a width, and detecting then removing leaves the adversary nothing."""

import numpy as np
import pytest

from confide.audit import infer_patterns
from confide.core.errors import RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.samples import baskets
from confide.mining import SlidingWindow
from confide.stream import bucketize, remove_inferable


@pytest.fixture(scope="module")
def window() -> Itemsets:
    sliding = SlidingWindow(size=400, min_support=12)
    sliding.learn_many(list(baskets(400, seed=3)))
    return sliding.frequent()


@pytest.mark.parametrize("width", [2, 5, 16])
def test_a_bucket_is_at_most_half_its_width_off_and_keeps_who_is_clearly_ahead(window, width):
    said = bucketize(window, min_support=12, width=width).as_dict()
    true = window.as_dict()
    assert set(said) == set(true)
    assert max(abs(said[one] - true[one]) for one in true) <= width // 2 + (width % 2)
    assert len(set(said.values())) < len(set(true.values()))


def test_itemsets_below_the_least_support_are_left_out(window):
    kept = bucketize(window, min_support=20, width=4)
    assert 0 < len(kept) < len(window)
    assert set(kept.as_dict()) == {one for one, support in window.as_dict().items() if support >= 20}


def test_after_removing_nothing_follows_and_what_stays_is_true(window):
    def find(one: Itemsets):
        return infer_patterns(one, vulnerable=3).patterns

    assert find(window), "the window must have something to infer"
    kept = remove_inferable(window, find=find)
    assert not find(kept)
    true = window.as_dict()
    assert all(true[one] == support for one, support in kept.as_dict().items())
    assert np.diff([len(window), len(kept)])[0] < 0


def test_wrong_use_is_one_line(window):
    with pytest.raises(RequirementError, match="width=1"):
        bucketize(window, min_support=12, width=1)
    with pytest.raises(UsageError, match="not list"):
        remove_inferable([], find=lambda one: [])
