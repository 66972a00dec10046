"""Texts of a list nobody knows, found from longer and longer beginnings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Randomness
from confide.collect import PrefixSearch
from confide.core.errors import InputError, RequirementError, UsageError

LETTERS = "abcdefghijklmnopqrstuvwxyz "
PEOPLE = ["tea"] * 6000 + ["teapot"] * 5000 + ["black tea"] * 4000 + ["m"] * 5000
RARE = ["".join(pair) for pair in np.random.default_rng(1).choice(list("abcdefgh"), (2000, 5)).tolist()]


def search(**options):
    return PrefixSearch(**{"alphabet": LETTERS, "gamma": 19, "longest": 9, "top": 6, "step": 2, **options})


@pytest.mark.parametrize("step", [1, 2])
def test_frequent_texts_are_found_with_their_shares(step):
    found = search(step=step).run(PEOPLE + RARE, randomness=Randomness.seeded(step))
    shares = {one.text: one for one in found}
    for text, number in (("tea", 6000), ("teapot", 5000), ("black tea", 4000), ("m", 5000)):
        assert shares[text].share == pytest.approx(number / 22_000, abs=5 * shares[text].std_error)
        assert shares[text].whole


def test_a_text_that_goes_on_is_found_by_its_beginning():
    found = search(longest=4).run(PEOPLE, randomness=Randomness.seeded(2))
    assert {(one.text, one.whole) for one in found} >= {("tea", True), ("teap", False), ("blac", False), ("m", True)}


def test_rounds_are_ordinary_schemes_and_ask_for_what_was_kept():
    now, randomness = search(longest=3, step=1, top=2), Randomness.seeded(4)
    assert now.rounds == 3
    texts = ["tea"] * 3000 + ["mug"] * 2000
    asked = []
    while not now.done:
        assert now.scheme.amplification().gamma == 19
        asked.append(now.candidates)
        records = [now.record(text) for text in texts]
        now = now.advance(now.scheme.perturb(records, randomness=randomness))
    assert len(asked[0]) == 2 * 26  # no text begins with a blank
    assert {"te", "te\u2026", "mu\u2026", "m z"[:2] + "\u2026"} <= set(asked[1])
    assert [one.text for one in now.result()] == ["tea", "mug"]
    with pytest.raises(UsageError, match="the search is over"):
        now.scheme  # noqa: B018


@given(st.text())
def test_every_text_is_an_answer(text):
    first = search()
    (value,) = first.record(text).values()
    assert value in (*first.candidates, "(something else)")


def test_nothing_frequent_ends_the_search():
    now = search(gamma=2)
    ended = now.advance(now.scheme.perturb([now.record("tea")], randomness=Randomness.seeded(1)))
    assert ended.done or ended.length == 2
    with pytest.raises(UsageError, match="known up to 0 of 9"):
        now.result()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphabet": "a"}, "must list two characters"),
        ({"alphabet": "aa"}, "each once"),
        ({"longest": 0}, "longest=0 must be a whole number"),
        ({"step": 5}, "use a smaller step"),
        ({"gamma": 1}, "gamma=1 erases"),
    ],
    ids=str,
)
def test_bad_searches_get_one_line(options, message):
    with pytest.raises(RequirementError, match=message):
        search(**options)
    with pytest.raises(InputError, match="not a int"):
        search().record(7)
