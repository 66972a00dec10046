"""Evidence of results: what speaks of the person's subjects rises, nothing else moves."""

import math

import pytest

from confide.search.evidence.background import Background, language_background
from confide.search.evidence.scores import EvidenceScorer
from confide.search.words import Words

TEXTS = [
    "a jaguar with a fast engine and gearbox",
    "the jaguar, a large cat of the forest",
    "jaguar gearbox repair",
    "",
]


def scorer(ratios, background=None):
    return EvidenceScorer(ratios, background or language_background(["english"]), Words())


def test_evidence_is_that_of_own_words_and_of_company():
    found = scorer({"engin": 4.0}).weigh("jaguar", TEXTS)
    assert found[0].value == pytest.approx(2.5)
    assert found[0].reasons == ("engine",)
    assert found[2].value > found[1].value == 0  # shares a gearbox with the first one
    assert found[2].reasons == ()
    assert found[3].value == 0


def test_company_is_the_mean_evidence_of_the_results_that_are_alike():
    ground = language_background(["english"])
    own, words = [2.5, 0.0, 0.0, 0.0], Words()
    found = scorer({"engin": 4.0}).weigh("jaguar", TEXTS)
    held = [set(words.terms(text)) - {"jaguar"} for text in TEXTS]

    def likeness(one, other):
        def norm(terms):
            return math.sqrt(sum(math.log(ground.share(term)) ** 2 for term in terms))

        return sum(math.log(ground.share(term)) ** 2 for term in one & other) / (norm(one) * norm(other) or 1)

    for i, one in enumerate(found):
        alike = {j: likeness(held[i], held[j]) for j in range(4) if j != i}
        mean = sum(own[j] * alike[j] for j in alike) / (sum(alike.values()) + 0.5)
        assert one.value == pytest.approx(own[i] + 3 * mean)


def test_words_of_the_query_count_for_nothing():
    assert [one.value for one in scorer({"jaguar": 5.0}).weigh("jaguars", TEXTS)] == [0.0] * 4


def test_own_evidence_stays_within_its_bounds_and_company_adds_at_most_three_times_that():
    many = dict.fromkeys(Words().terms(" ".join(TEXTS)), 9.0)
    assert all(0 <= one.value <= 2.5 * 4 for one in scorer(many).weigh("x", TEXTS))


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["jaguar"]])
def test_few_or_empty_results_have_no_evidence(texts):
    assert [one.value for one in scorer({"engin": 4.0}).weigh("jaguar", texts)] == [0.0] * len(texts)
    assert [one.value for one in scorer({}).weigh("jaguar", texts)] == [0.0] * len(texts)


def test_a_background_in_which_the_words_are_common_makes_them_count_less():
    common = Background().with_texts({"engin": 90, "cat": 5}, 100)
    rare = Background().with_texts({"engin": 1, "cat": 5}, 100)
    text = ["one engine among so many other different words that nobody counts them again today"]
    assert (
        scorer({"engin": 1.0}, common).weigh("q", text)[0].value
        < scorer({"engin": 1.0}, rare).weigh("q", text)[0].value
    )


def test_company_does_not_shrink_among_results_that_are_not_alike():
    near = ["gearbox oil", "engine gearbox oil"]
    far = [f"{animal} fur" for animal in ("cat", "dog", "fox", "hare", "mole", "lynx")]
    judge = EvidenceScorer({"engin": 3.0}, Background(rates={"engin": 1e-4, "cat": 1e-3}), Words())
    alone, among = judge.weigh("q", near), judge.weigh("q", [*near, *far])
    assert among[0].value == pytest.approx(alone[0].value, abs=1e-6)  # however many others there are
    assert among[0].value > 1 > among[3].value
