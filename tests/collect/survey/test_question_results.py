"""Shares of answers: unbiased within their intervals, in the order and the words of the form."""

import numpy as np
import pytest
from tests.collect.health_survey import SURVEY, scheme_for

from confide import Randomness
from confide.collect import Emask, GammaDiagonal
from confide.collect.survey.question_results import charts_of, question_results, tables_of

DOMAINS = {"ill": ["no", "yes"], "age": ["young", "old", "older"]}
SCHEME = GammaDiagonal(domains=DOMAINS, gamma=19)
TRUE = np.repeat(np.array([[0, 0], [1, 1], [0, 2]], dtype=np.int32), [3000, 1200, 1800], axis=0)
SHARES = {("ill", "no"): 0.8, ("ill", "yes"): 0.2, ("age", "young"): 0.5, ("age", "old"): 0.2, ("age", "older"): 0.3}


def test_intervals_hold_the_true_shares_as_often_as_they_say():
    """400 intervals of 95%: fewer than 360 would be a chance below 1 in 10^5."""
    held = total = 0
    for seed in range(80):
        results = question_results(SCHEME, SCHEME.perturb(TRUE, randomness=Randomness.seeded(seed)))
        for result in results:
            for answer in result.answers:
                held += answer.low <= SHARES[result.name, answer.value] <= answer.high
                total += 1
    assert total == 400
    assert 360 <= held <= 395


def test_questions_come_in_the_order_and_words_of_the_survey():
    scheme = scheme_for(5000)
    person = {"age": "old", "sex": "f", "doctor": "yes", "smokes": "no", "packs": "not asked", "drinks": "no answer"}
    records = scheme.perturb([{**person, "sport": "yes", "health": "good"}] * 500, randomness=Randomness.seeded(1))
    results = question_results(scheme, records, survey=SURVEY, language="de")
    assert [result.name for result in results] == list(SURVEY.questions)
    packs = results[4]
    assert packs.text == "Wie viel rauchen Sie am Tag?"
    assert [answer.text for answer in packs.answers][2] == "not asked"
    assert packs.answers[2].high == 1
    assert all(0 <= answer.share <= 1 for result in results for answer in result.answers)


def test_charts_have_a_bar_and_its_interval_for_each_answer():
    results = question_results(SCHEME, SCHEME.perturb(TRUE, randomness=Randomness.seeded(1)))
    chart = charts_of(results)[1]
    assert (chart.title, chart.x) == ("age", ("young", "old", "older"))
    (name,) = chart.series
    assert [round(s + e, 6) for s, e in zip(chart.series[name], chart.spread[name], strict=True)] == [
        round(answer.share + answer.margin, 6) for answer in results[1].answers
    ]
    assert [len(table.rows) for table in tables_of(results).values()] == [2, 3]


@pytest.mark.parametrize("scheme", [Emask(p=0.5, q=0.9, items=("a", "b")), SCHEME])
def test_there_is_nothing_to_show_without_fields_or_records(scheme):
    assert question_results(scheme, []) == []
