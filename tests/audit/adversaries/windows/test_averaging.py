import random

import pytest

from confide.audit.adversaries.windows.averaging import average_equal_supports, average_releases, claim_by_membership
from confide.core.errors import InputError, UsageError
from confide.core.itemsets.container import Itemsets


def window(supports):
    return Itemsets.from_pairs([((name,), t) for name, t in supports.items()], n_transactions=1000)


def test_averaging_by_hand():
    true = [window({"a": 10}), window({"a": 10}), window({"a": 12})]
    said = [window({"a": 9}), window({"a": 13}), window({"a": 13})]
    found = average_releases(true, said, widths=(1, 2, 3, 9))
    # at width 3 only the last release has enough before it, so all are judged there
    assert found.errors == pytest.approx({1: 1, 2: 1, 3: (35 / 3 - 12) ** 2})
    assert found.counts == 1
    assert found.best == (3, pytest.approx(1 / 9))


def test_fresh_noise_on_a_count_that_stays_averages_out():
    chance = random.Random(1)
    true = [window(dict.fromkeys("abcdefgh", 50)) for _ in range(60)]
    said = [window({x: 50 + chance.randint(-5, 5) for x in "abcdefgh"}) for _ in range(60)]
    found = average_releases(true, said)
    assert 8 < found.errors[1] < 12  # variance 10
    assert found.best[0] == 21
    assert found.errors[21] < 1


def test_a_past_count_is_asked_for_from_both_sides():
    true = [window({"a": t}) for t in (10, 20, 30)]
    found = average_releases(true, true, widths=(1, 2, 3), past=True)
    assert found.errors == {1: 0, 3: 0}  # a steady drift cancels around the middle
    assert average_releases(true, true, widths=(1, 3)).errors == {1: 0, 3: 100}


def test_equal_supports_average_out_where_each_itemset_has_noise_of_its_own():
    chance = random.Random(2)
    names = [f"i{n}" for n in range(400)]
    true = window({name: 30 + n // 10 for n, name in enumerate(names)})  # 40 classes of 10
    apart = window({name: t + chance.randint(-5, 5) for (name,), t in true})
    shift = {t: chance.randint(-5, 5) for t in range(30, 70)}
    shared = window({name: t + shift[t] for (name,), t in true})
    assert average_equal_supports(true, apart).errors[10] < 2.5  # 10 / 10, within five deviations of a mean of 40
    assert average_equal_supports(true, shared).errors[10] > 5  # a draw for each class: variance 10 stays
    with pytest.raises(InputError, match="give the same window"):
        average_equal_supports(window({"b": 30}), window({"a": 30}))


def test_claims_by_hand():
    true = [window({"a": 24, "b": 25, "c": 40}), window({"a": 25, "b": 24, "c": 40}), window({"a": 26, "c": 40})]
    said = [window({"b": 27, "c": 41}), window({"a": 23, "c": 41}), window({"a": 25})]
    found = claim_by_membership(true, said, min_support=25)
    assert (found.appeared, found.appeared_right) == (1, 1)
    assert (found.vanished, found.vanished_right) == (2, 1)  # b right, c wrong


def test_windows_that_do_not_belong_together_are_refused():
    one = window({"a": 30})
    with pytest.raises(UsageError, match="give one for each"):
        average_releases([one], [])
    with pytest.raises(UsageError, match="no width"):
        average_releases([one], [one], widths=(4,))
    with pytest.raises(InputError, match="give the same windows"):
        average_releases([window({"b": 30})], [one])
    with pytest.raises(InputError, match="in a row"):
        average_releases([one, one], [one, window({"b": 30})], widths=(2,))
    with pytest.raises(UsageError, match="give one for each"):
        claim_by_membership([one], [], min_support=25)
