"""What snippets of earlier searches hold, as a background."""

from collections import Counter

import pytest

from confide.search.evidence import snippets as module
from confide.search.evidence.background import Background
from confide.search.evidence.snippets import Snippets
from confide.search.words import Words

TEXTS = ["A bike lane", "Bikes for two bikes", "the", "gear and lane"]


def test_counts_are_those_of_counting_by_hand():
    seen = Snippets().with_texts(TEXTS[:2], Words()).with_texts(TEXTS[2:], Words())
    by_hand = Counter(term for text in TEXTS for term in set(Words().terms(text)))
    assert dict(seen.counts) == dict(by_hand)
    assert seen.texts == 3  # a snippet of stop words alone says nothing
    assert seen.beside(Background()).share("bike") == pytest.approx(2 / 3)


def test_what_is_not_to_be_kept_is_not_and_forgetting_leaves_nothing():
    off = Snippets().with_texts(TEXTS, Words()).without(kept=False)
    assert (off.texts, off.counts) == (0, {})
    assert off.with_texts(TEXTS, Words()) is off
    assert off.beside(Background(rates={"a": 0.1})) == Background(rates={"a": 0.1})


def test_old_searches_weigh_less(monkeypatch):
    monkeypatch.setattr(module, "_MOST_TEXTS", 4)
    seen = Snippets().with_texts(["bike lane"] * 4 + ["gear"], Words())
    assert (seen.texts, seen.counts) == (2, {"bike": 2, "lane": 2})
