import random

import pytest
from tests.oracles import streaming as oracles

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.stream import average_precision_loss, average_privacy, order_preserved, ratio_preserved


def windows(seed):
    chance = random.Random(seed)
    names = [f"i{n}" for n in range(chance.randint(2, 40))]
    true = {name: chance.randint(10, 25) for name in names}
    value = {support: support + chance.randint(-4, 4) for support in range(10, 26)}
    said = {name: value[t] + (chance.random() < 0.1) for name, t in true.items()}
    out = chance.sample(names, chance.randint(2, len(names)))
    before = Itemsets.from_pairs([((n,), true[n]) for n in names], n_transactions=50)
    after = Itemsets.from_pairs([((n,), said[n]) for n in out], n_transactions=50)
    return before, after, [(true[n], said[n]) for n in out]


@pytest.mark.parametrize("seed", range(40))
def test_measures_by_groups_match_pair_by_pair(seed):
    before, after, pairs = windows(seed)
    assert order_preserved(before, after) == pytest.approx(oracles.order_preserved(pairs))
    for k in (0.8, 0.95):
        assert ratio_preserved(before, after, k=k) == pytest.approx(oracles.ratio_preserved(pairs, k))
    loss = sum((v - t) ** 2 / t**2 for t, v in pairs) / len(pairs)
    assert average_precision_loss(before, after) == pytest.approx(loss)


def test_sets_are_matched_by_their_items_whatever_their_codes():
    before = Itemsets.from_pairs([("ab", 30), ("b", 40), ("bz", 28)], n_transactions=50)
    after = Itemsets.from_pairs([("zb", 27), ("b", 41)], n_transactions=50)
    loss = ((1 / 28) ** 2 + (1 / 40) ** 2) / 2
    assert average_precision_loss(before, after) == pytest.approx(loss)


def test_privacy_is_told_for_each_true_count():
    found = average_privacy([1, 2, 2, 5], [0.0, 4.0, 2.0, 10.0])
    assert found.by_support == {1: 1.0, 2: 0.5, 5: 1.0}
    assert (found.mean, found.patterns) == (0.75, 4)


def test_what_cannot_be_measured_is_refused():
    one = Itemsets.from_pairs([("a", 30)], n_transactions=50)
    other = Itemsets.from_pairs([("b", 30)], n_transactions=50)
    with pytest.raises(InputError, match="give the window it came from"):
        order_preserved(one, other)
    with pytest.raises(InputError, match="fewer than two"):
        order_preserved(one, one)
    with pytest.raises(InputError, match="nothing was published"):
        average_precision_loss(one, Itemsets.from_pairs([], n_transactions=50))
    with pytest.raises(RequirementError, match="use a number between 0 and 1"):
        ratio_preserved(one, one, k=1)
    with pytest.raises(UsageError, match="one for each"):
        average_privacy([1], [])
    with pytest.raises(InputError, match="1 or more"):
        average_privacy([0], [1.0])
