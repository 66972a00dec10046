"""Exploring settings: the same losses as releases have, refusals reported, lengths counted."""

import math

import pytest

from confide import Coherence, Transactions
from confide.core.errors import RequirementError, UsageError
from confide.core.runtime.progress import reporting
from confide.core.samples import baskets
from confide.publish import PublishTransactions, explore, explore_transactions, suppress
from confide.publish.transactions.basket_exploration import SuppressionSetting, charts, lengths

SHOP = baskets(800, seed=3)
PRIVATE = [label for label in SHOP.items if label.startswith("s:")]


def test_every_setting_costs_what_its_release_costs():
    found = list(explore(SHOP, private=PRIVATE, k=[3, 8], h=[0.5, 0.9], p=[1, 2]))
    assert [(s.k, s.h, s.p) for s in found] == [(k, h, p) for k in (3, 8) for h in (0.5, 0.9) for p in (1, 2)]
    for setting in found:
        release = suppress(SHOP, Coherence(h=setting.h, k=setting.k, p=setting.p), private=PRIVATE)
        assert setting.share_of_occurrences_lost == release.owner.facts["share_of_occurrences_lost"]
        assert setting.public_items_suppressed == release.owner.facts["public_items_suppressed"]
        assert setting.minimal_moles == release.owner.facts["minimal_moles"]


def test_more_protection_makes_more_moles():
    moles = [s.minimal_moles for s in explore(SHOP, private=PRIVATE, k=[5], h=[0.5], p=[1, 2, 3])]
    assert moles == sorted(moles)


def test_a_setting_that_cannot_be_met_is_reported_not_raised():
    found = list(explore(Transactions.from_lists([["a", "s"]] * 3), private=["s"], k=[2, 9], h=[0.5, 1.0], p=[1]))
    assert [bool(s.refused) for s in found] == [True, False, True, True]
    assert found[0].share_of_occurrences_lost is None
    assert "stands in 100.0% of all records" in found[0].refused


def test_progress_is_reported():
    heard = []
    with reporting(lambda label, done, total: heard.append((label, done, total))):
        list(explore(SHOP, private=PRIVATE, k=[3, 4], h=[1.0], p=[1]))
    assert ("exploring settings", 1.0, 2) in heard
    assert ("exploring settings", 2, 2) in heard


def test_lengths_count_public_items_and_say_what_p_covers():
    tx = Transactions.from_lists([["a", "b", "s"], ["a", "s"], [], ["a", "b", "c"]])
    held = lengths(tx, private=["s"])
    assert held.records == (1, 1, 1, 1)
    assert [held.covered(p) for p in (1, 2, 3, math.inf)] == [0.5, 0.75, 1.0, 1.0]


def test_charts_draw_the_lines_that_have_all_points():
    settings = [
        SuppressionSetting(k=2, h=0.5, p=1, share_of_occurrences_lost=0.1),
        SuppressionSetting(k=3, h=0.5, p=1, share_of_occurrences_lost=0.2),
        SuppressionSetting(k=2, h=0.1, p=1, refused="no"),
        SuppressionSetting(k=3, h=0.1, p=1, refused="no"),
    ]
    loss, covered = charts(settings, lengths(SHOP, private=PRIVATE))
    assert loss.series == {"h = 0.5, p = 1": (0.1, 0.2)}
    assert covered.series["records of at most p public items"][-1] == 1.0
    assert len(charts(settings[2:], lengths(SHOP))) == 1


def test_an_empty_sweep_is_refused():
    with pytest.raises(RequirementError, match="at least one"):
        list(explore(SHOP, k=[]))
    with pytest.raises(UsageError, match="is no value"):
        PublishTransactions(records=SHOP, k=(), p=(1,))


def test_a_request_prices_every_setting_and_says_how_long_records_are():
    asked = PublishTransactions(records=SHOP, k=(3, 8), h=(0.5,), p=(1, math.inf), private_prefix=["s:"])
    found = explore_transactions(asked)
    assert list(found.settings) == list(explore(SHOP, private=PRIVATE, k=[3, 8], h=[0.5], p=[1, math.inf]))
    held = lengths(SHOP, private=PRIVATE)
    assert [row["records_covered"] for row in found.rows()] == [held.covered(1), 1.0] * 2
    assert [row["p"] for row in found.rows()] == [1, "inf"] * 2
    (said,) = found.notes
    assert said.startswith(f"records hold up to {held.longest} public items, half of them {held.median} or fewer; ")
    columns, rows = found.tables()["Settings"]
    assert all(len(row) == len(columns) for row in rows)
    assert found.charts() == charts(found.settings, held)
    assert f"800 records, {len(PRIVATE)} private items" in found.lead


def test_the_median_length_is_that_of_the_middle_record():
    tx = Transactions.from_lists([["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]])
    assert (lengths(tx).median, lengths(tx).longest) == (2, 4)
    assert lengths(Transactions.from_lists([["a"], ["a", "b"], ["b", "c"]])).median == 2


def test_an_exploration_warns_and_refuses_as_a_publication_does():
    warned = explore_transactions(PublishTransactions(records=SHOP, k=(5,), p=(1,), private=PRIVATE))
    assert warned.notes[0].startswith("warning: h = 1")
    with pytest.raises(UsageError, match="none is declared"):
        explore_transactions(PublishTransactions(records=SHOP, k=(5,), h=(1.0, 0.5), p=(1,)))
