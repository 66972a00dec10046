"""Exchanging suppressed items against kept ones: still no mole, never a larger loss, and less where the rule errs."""

from itertools import combinations

import numpy as np
import pytest
from tests.amounts import some
from tests.oracles import publish as oracles
from tests.publish.transactions.test_suppress import eligible_cases

from confide import Coherence, Transactions
from confide.core.errors import CannotMeetError
from confide.publish import PublishTransactions, publish_transactions, suppress
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.moles.minimal import find_moles
from confide.publish.transactions.suppression._exchange_kernels import Moles, begin, begin_search, go_on
from confide.publish.transactions.suppression.item_utility import MoleList, search_for_items, suppress_for_items


def test_a_search_breaks_every_mole_and_never_loses_more_than_the_rule():
    better = cases = 0
    for seed, rows, tx, requirement, private in eligible_cases(some(range(600), every=2)):
        declared = Declared.of(tx, private)
        supports, moles = declared.supports, find_moles(declared, requirement)
        minimal = oracles.minimal_moles(rows, requirement.h, requirement.k, requirement.p, private)
        rules = {cost: suppress_for_items(tx, moles, supports, cost=cost, put_back=True) for cost in ("support", "one")}
        for cost in (None, "support", "one"):
            found = search_for_items(tx, moles, supports, cost=cost)
            gone = {tx.labels[v] for v in found.items}
            assert all(mole & gone for mole in minimal), seed
            assert all(any(mole & gone == {v} for mole in minimal) for v in gone), seed
            price = np.ones_like(supports) if cost == "one" else supports
            lost = {name: int(price[list(rule.items)].sum()) for name, rule in rules.items()}
            mine = int(price[list(found.items)].sum())
            assert mine <= (min(lost.values()) if cost is None else lost[cost]), seed
            better += mine < lost[cost or "support"]
            cases += 1
    assert cases > 300
    assert better > 0


def test_it_finds_nearly_always_what_trying_all_choices_finds():
    """Of random moles over ten items with random prices: the search is counted, so this is the same everywhere."""
    optimal = 0
    for seed in range(100):
        draw = np.random.default_rng(seed)
        rows = [sorted(draw.choice(10, draw.integers(1, 5), replace=False).tolist()) for _ in range(40)]
        tx = Transactions.from_lists([[chr(97 + v) for v in row] for row in rows])
        declared = Declared.of(tx, ())
        moles = find_moles(declared, Coherence(h=1.0, k=4, p=3))
        minimal = [set(mole) for size in moles.counts() for mole in moles.level(size).tolist()]
        supports = declared.supports
        choices = (set(c) for n in range(tx.n_items + 1) for c in combinations(range(tx.n_items), n))
        least = min(supports[list(c)].sum() for c in choices if all(c & mole for mole in minimal))
        lost = supports[list(search_for_items(tx, moles, supports).items)].sum()
        assert lost >= least
        optimal += lost == least
    assert optimal >= 98


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_those_of_the_choice_however_long_the_search(seed):
    draw = np.random.default_rng(seed)
    rows = [[f"{v}" for v in draw.choice(30, draw.integers(1, 8), replace=False)] for _ in range(120)]
    tx = Transactions.from_lists(rows)
    declared = Declared.of(tx, ())
    listed = MoleList.of(find_moles(declared, Coherence(h=1.0, k=6, p=3)), least=2)
    price = draw.integers(1, 20, tx.n_items)
    may_go = draw.random(tx.n_items) < 0.9
    held = Moles(listed.offsets, listed.items, listed.item_ptr, listed.item_moles, price, may_go)
    order = np.unique(listed.items).astype(np.int32)
    out = np.isin(np.arange(tx.n_items), order)
    search = begin_search(held, out, order)
    before = price[search.best.out].sum()
    for entries in (1_000, 20_000):
        go_on(held, search, order, entries, 1_000)
        for choice in (search.choice, search.best):
            counted = begin(held, choice.out)
            assert counted.breaks.min(initial=1) >= 1
            assert np.array_equal(counted.breaks, choice.breaks)
            assert np.array_equal(counted.alone, choice.alone)
        assert price[search.best.out].sum() <= before


def test_items_to_be_kept_stay():
    for seed, _, tx, requirement, private in eligible_cases(some(range(300), every=3)):
        wanted = next(label for label in tx.labels if label not in private)
        try:
            release = suppress(tx, requirement, private=private, keep=[wanted])
        except CannotMeetError:
            continue
        assert wanted in release.data.codes, seed


BMS = [(20, 3, 0.5706, 0.7510), (5, 3, 0.5395, 0.6116), (20, 2, 0.5683, 0.5743)]


@pytest.mark.parametrize(("k", "p", "most", "by_rule"), BMS)
def test_clicks_lose_less_than_by_the_rule_alone(data, k, p, most, by_rule):
    tx = Transactions.read(data / "bms" / "BMS-WebView-1.dat.gz")
    requirement = Coherence(h=1.0, k=k, p=p)
    for options in ({}, {"method": "optimal", "time_limit": 1.0}):
        release = suppress(tx, requirement, explain=False, **options)
        assert release.loss["share_of_occurrences_lost"] < most
    rule = suppress(tx, requirement, method="tree", explain=False)
    assert rule.loss["share_of_occurrences_lost"] == pytest.approx(by_rule, abs=1e-4)


def test_the_notes_say_whether_the_choice_is_proved():
    pairs = [["a", "b"], ["a", "c"], ["b", "d"], ["c", "e"], ["d"], ["e"]]
    tx = Transactions.from_lists(pairs)
    found = publish_transactions(PublishTransactions(records=tx, k=2, p=2)).notes
    assert [note for note in found if note.startswith("the best choice found in ")]
    best = publish_transactions(PublishTransactions(records=tx, k=2, p=2, method="optimal")).notes
    assert "proved: no other choice of items loses less" in best
    rule = publish_transactions(PublishTransactions(records=tx, k=2, p=2, method="tree")).notes
    assert not [note for note in rule if "best choice" in note or "proved" in note]
