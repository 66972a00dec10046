"""The share of ordinary texts that hold a term."""

import pytest

from confide.core.errors import RequirementError
from confide.search.evidence.background import REPEATED, Background, language_background
from confide.search.evidence.language_rates import has_rates
from confide.search.words import Words


def test_a_share_is_never_0_and_never_above_1():
    for ground in (Background(), Background(rates={"a": 0.5}), Background().with_texts({"a": 10}, 10)):
        for term in ("a", "never seen"):
            assert 0 < ground.share(term) <= 1
            assert 0 < ground.share(term, 10_000) <= 1


def test_a_longer_text_holds_a_word_more_often():
    ground = language_background(["english"])
    assert ground.share("time", 500) > ground.share("time", 50) > ground.share("orbit", 50) > ground.share("xyzzy", 50)


def test_counts_of_snippets_say_what_longer_texts_hold():
    snippets = Background().with_texts({"bike": 100, "time": 1_400}, 1_000)  # 1.5 different terms each
    assert snippets.share("bike") == pytest.approx(0.1)
    assert snippets.share("bike", 10 * REPEATED * 1.5) == pytest.approx(1 - 0.9**10)


def test_an_index_that_says_much_outweighs_the_language():
    language = language_background(["english"])
    index = language.with_texts({"orbit": 900}, 1_000)
    assert index.share("orbit") > 0.7 > 0.1 > language.share("orbit")
    few = language.with_texts({"orbit": 3}, 3)
    assert language.share("orbit") < few.share("orbit") < 0.1


def test_a_language_without_a_list_knows_nothing():
    assert language_background(["klingon"]).knows_nothing
    assert not language_background(["klingon", "german"]).knows_nothing


def test_every_language_that_texts_can_be_cut_in_has_a_list():
    with pytest.raises(RequirementError) as refused:
        Words(["klingon"])
    known = str(refused.value).partition("known: ")[2].split(", ")
    assert [language for language in known if not has_rates(language)] == []
