"""The loss in a sentence: exact to the figures, never better than they are."""

import numpy as np
import pytest

from confide import Coherence, Transactions
from confide.core.samples import baskets
from confide.publish import suppress
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.loss import headline, mostly_rare


def figures(*, public=161, hidden=103, occurrences=1200, lost=203, **more):
    counted = {"public_items": public, "public_items_suppressed": hidden}
    return counted | {"occurrences": occurrences, "occurrences_lost": lost} | more


def test_the_sentence_states_items_and_entries():
    assert headline(figures()) == "103 of 161 public items are hidden; 83% of all entries remain."
    assert headline(figures(hidden=1, lost=2)).startswith("1 of 161 public items is hidden; ")


@pytest.mark.parametrize(
    ("occurrences", "lost", "said"),
    [
        (1000, 0, "100%"),
        (1000, 1, "99%"),  # 99.9 is not 100
        (1_000_000, 1, "99%"),
        (1000, 999, "less than 1%"),
        (1000, 991, "less than 1%"),
        (1000, 990, "1%"),
        (1000, 1000, "0%"),
        (0, 0, "100%"),
    ],
)
def test_what_remains_is_rounded_down(occurrences, lost, said):
    assert f"; {said} of all entries remain." in headline(figures(occurrences=occurrences, lost=lost))


def test_itemsets_are_mentioned_where_they_were_counted():
    said = headline(figures(nuggets=40, nuggets_lost=13))
    assert said.endswith("; 67% of the frequent itemsets worth keeping remain.")
    assert "itemsets" not in headline(figures(nuggets=0, nuggets_lost=0))


def test_a_release_without_loss_says_so():
    assert headline(figures(hidden=0, lost=0), rare=True) == "No item is hidden; 100% of all entries remain."


def test_rare_is_said_of_items_below_the_median_only():
    tx = Transactions.from_lists([["a", "b", "c", "d", "s"]] * 2 + [["c", "d", "s"]] * 3 + [["d"]] * 4)
    declared = Declared.of(tx, ["s"])  # public supports: a 2, b 2, c 5, d 9; median 3.5
    keep = lambda labels: np.array([label in labels for label in tx.labels])  # noqa: E731
    assert mostly_rare(declared, keep("cds"))
    assert not mostly_rare(declared, keep("acs"))  # b is rare and d is not: a half is not most
    assert not mostly_rare(declared, keep("abs"))
    assert not mostly_rare(declared, keep("abcds"))
    assert not mostly_rare(declared, keep(""))


def test_the_sentence_of_a_real_release_fits_its_figures():
    shop = baskets(1500, seed=5)
    private = [label for label in shop.items if label.startswith("s:")]
    release = suppress(shop, Coherence(h=0.5, k=5, p=2), private=private)
    kept = np.array([label in release.data.codes for label in shop.labels])
    said = headline(release.loss, rare=mostly_rare(Declared.of(shop, private), kept))
    left = 100 * len(release.data.indices) // len(shop.indices)
    gone = len(shop.labels) - len(release.data.labels)
    public = len(shop.labels) - len(private)
    hidden = f"{gone} of {public} public items are hidden, mostly rare ones"
    assert said == f"{hidden}; {left}% of all entries remain."
