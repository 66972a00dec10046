"""Frequent sets in five rounds: what is found, beside a plain reimplementation."""

import math
from itertools import combinations

import numpy as np
import pytest
from tests.oracles import basket_rounds as oracle

from confide import Randomness, Transactions
from confide.collect import BasketSearch
from confide.collect.baskets.basket_search import SHARES, _by_product, _fit_pad
from confide.core.errors import InputError, RequirementError, UsageError

ITEMS = [f"i{n:02d}" for n in range(30)]


def people(n, seed=1):
    """Baskets over ITEMS, with shares that fall; the first two often together."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((n, len(ITEMS))) < 0.6 * 0.8 ** np.arange(len(ITEMS))
    matrix[:, 1] |= matrix[:, 0]
    return Transactions.from_lists([[ITEMS[i] for i in np.flatnonzero(row)] for row in matrix])


def true_top(baskets, top):
    held = [frozenset(basket) for basket in baskets]
    sets = [frozenset(one) for n in (1, 2, 3) for one in combinations(ITEMS[:8], n)]
    return set(sorted(sets, key=lambda one: -sum(one <= basket for basket in held))[:top])


def test_a_search_finds_the_frequent_sets_and_how_frequent_they_are():
    baskets = people(40_000)
    found = BasketSearch(items=ITEMS, gamma=19, top=8).run(baskets, randomness=Randomness.seeded(1))
    assert len({frozenset(labels) for labels, _ in found} & true_top(baskets, 8)) >= 6
    held = [frozenset(basket) for basket in baskets]
    errors = [
        (estimate - sum(frozenset(labels) <= basket for basket in held)) / error
        for (labels, _), estimate, error in zip(
            found, found.columns["estimate"], found.columns["std_error"], strict=True
        )
    ]
    assert np.abs(errors).max() < 6


def test_rounds_ask_as_a_scheme_and_every_answer_keeps_gamma():
    baskets, search = people(4000), BasketSearch(items=ITEMS, gamma=19, top=5)
    asked, randomness = [], Randomness.seeded(2)
    while not search.done:
        assert search.scheme.amplification().gamma == pytest.approx(19)
        asked.append((search.scheme.asks, len(search.scheme.asked_sets)))
        search = search.advance(search.scheme.perturb(baskets, randomness=randomness))
    assert asked == [("sample", 30), ("count", 10), ("sample", 10), ("count", 10), ("sample", 10)]
    assert search.people == 5 * 4000
    with pytest.raises(UsageError, match="the search is over"):
        search.scheme  # noqa: B018
    assert len(search.result()) == 5


def test_a_search_goes_on_from_its_file(tmp_path):
    baskets, search = people(2000), BasketSearch(items=ITEMS, gamma=19, top=3)
    while not search.done:
        search = search.advance(search.scheme.perturb(baskets, randomness=Randomness.seeded(7)))
        search.write(tmp_path / "search.json", replace=True)
        assert BasketSearch.read(tmp_path / "search.json") == search
        search = BasketSearch.read(tmp_path / "search.json")
    assert len(search.result()) == 3
    (tmp_path / "other.json").write_text('{"confide": "basket-search", "version": 1}')
    with pytest.raises(InputError, match="with other entries"):
        BasketSearch.read(tmp_path / "other.json")
    (tmp_path / "scheme.json").write_text(search_scheme())
    with pytest.raises(InputError, match="not a search among baskets"):
        BasketSearch.read(tmp_path / "scheme.json")


def search_scheme():
    return BasketSearch(items=ITEMS, gamma=19).scheme.to_json()


def test_items_alone_take_three_rounds():
    search = BasketSearch(items=ITEMS, gamma=19, top=5, itemsets=False)
    assert search.rounds == 3
    found = search.run(people(20_000), randomness=Randomness.seeded(3))
    assert {len(labels) for labels, _ in found} == {1}
    assert {labels[0] for labels, _ in found} == set(ITEMS[:5])
    with pytest.raises(UsageError, match="round 1 of 3 has not been answered"):
        search.result()
    with pytest.raises(RequirementError, match="top=0 is not a number of sets"):
        BasketSearch(items=ITEMS, gamma=19, top=0)


def test_as_good_as_a_plain_reimplementation():
    """F1 of the top 12 over 12 runs each; means differ by less than 4 standard errors."""
    baskets, top, gamma = people(6000), 12, 19
    truth = true_top(baskets, top)
    numbers = [[ITEMS.index(item) for item in basket] for basket in baskets]
    ours, plain = [], []
    for seed in range(12):
        found = BasketSearch(items=ITEMS, gamma=gamma, top=top).run(baskets, randomness=Randomness.seeded(seed))
        ours.append(len({frozenset(labels) for labels, _ in found} & truth) / top)
        rng = np.random.default_rng(seed)
        got = oracle.plain_search(numbers, len(ITEMS), epsilon=math.log(gamma), top=top, shares=SHARES, rng=rng)
        plain.append(len({frozenset(ITEMS[i] for i in one) for one in got} & truth) / top)
    error = math.sqrt((np.var(ours, ddof=1) + np.var(plain, ddof=1)) / 12)
    assert np.mean(ours) > 0.5
    assert abs(np.mean(ours) - np.mean(plain)) < 4 * max(error, 0.01)


def test_sets_come_by_falling_product():
    weights = [0.9, 0.5, 0.4, 0.05]
    found = list(_by_product(weights))
    every = [one for n in range(1, 5) for one in combinations(range(4), n)]
    products = [math.prod(weights[i] for i in one) for one in every]
    assert len(found) == len(every) == len({one for _, one in found})
    assert [product for product, _ in found] == pytest.approx(sorted(products, reverse=True))
    assert list(_by_product([])) == []


def test_the_pad_fits_nine_baskets_in_ten_and_says_what_is_lost():
    assert _fit_pad(np.array([0.5, 0.4, 0.06, 0.04])) == (2, pytest.approx(0.04 / (0.4 + 0.12 + 0.12)))
    assert _fit_pad(np.array([1.0, 0.0, 0.0])) == (1, 0.0)
