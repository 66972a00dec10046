"""UPScore, raw and normalised, against counting by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import RequirementError
from confide.core.samples import documents
from confide.search import ExposedProfile, Pair
from confide.search.words import Words
from confide.search.wrapper.scoring import Scorer

WORDS = Words()
VOCABULARY = sorted({word for text in documents(200, seed=1) for word in WORDS.words(text)} | {"dying", "skies"})


LABELS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3, unique=True)


def by_hand(exposed, text, scoring):
    terms = WORDS.terms(text)
    total = 0.0
    for pair in exposed.pairs:
        stems = {WORDS.stems_of(word)[0] for word in pair.words}
        total += pair.weight * sum((term,) in stems for term in terms)
    return total if scoring == "raw" else total / len(terms) if terms else 0.0


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3, unique=True), st.floats(0, 3)),
        max_size=8,
    ),
    st.lists(st.sampled_from(VOCABULARY), max_size=60),
)
def test_a_score_is_what_counting_by_hand_gives(pairs, words):
    exposed = ExposedProfile(tuple(Pair(tuple(term), weight) for term, weight in pairs))
    text = " ".join(words)
    for scoring in ("raw", "normalised"):
        scorer = Scorer(exposed, scoring=scoring)
        assert scorer.score(text) == pytest.approx(by_hand(exposed, text, scoring))
        assert scorer.score(text) == scorer.score(text)  # the second time from what was kept


def test_compound_labels_sum_over_their_words_and_phrases_count_as_phrases():
    text = "The English premier league: premier goals, English tea, personal searches"
    raw = {"scoring": "raw"}
    assert Scorer(ExposedProfile((Pair(("personalized", "search"), 1.0),)), **raw).score(text) == 2
    assert Scorer(ExposedProfile((Pair(("english premier",), 1.0),)), **raw).score(text) == 1


def test_raw_favours_long_pages_and_normalised_does_not():
    exposed = ExposedProfile((Pair(("gravel",), 1.0),))
    short, long = "gravel gravel tyres", "gravel " * 3 + "asphalt concrete marble " * 50
    assert Scorer(exposed, scoring="raw").score(long) > Scorer(exposed, scoring="raw").score(short)
    assert Scorer(exposed).score(long) < Scorer(exposed).score(short)


def test_an_unknown_scoring_is_refused():
    with pytest.raises(RequirementError, match="raw, normalised"):
        Scorer(ExposedProfile(), scoring="best")


def test_an_english_stem_begins_like_its_word():  # what lets most words go unstemmed
    from confide.search.wrapper.scoring import _beginning

    letters = random.Random(1)
    endings = ("", "s", "es", "ies", "ying", "ing", "ed", "edly", "ational", "fulness", "'s", "ly", "y", "eed", "ogi")
    made = ["".join(letters.choices("abcdefghilmnoprstuvwy", k=letters.randint(1, 5))) for _ in range(3000)]
    for word in [*VOCABULARY, *(stem + letters.choice(endings) for stem in made), "dying", "lying", "tying", "idly"]:
        stem = WORDS.stem(word, "english")
        assert _beginning(stem) in ("", word[0], _beginning(word)), (word, stem)
