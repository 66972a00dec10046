"""An answer kept for ever and fresh noise on top: the law of one answer, the promise of all of them."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.oracles.answering import answer_law
from tests.oracles.perturbing import assert_follows, gamma

from confide import Randomness
from confide.collect import RepeatedAnswers
from confide.core.errors import InputError, RequirementError

MOOD = {"mood": ["good", "fair", "bad"]}


def daily(*, total=19, each=4):
    return RepeatedAnswers(domains=MOOD, gamma=total, each=each)


def series_law(question, value, days):
    """{(answer of day 1, of day 2, ...): chance}, by enumeration over the permanent answers."""
    size, stays = question.scheme.fields.cells, question.stays
    every = [tuple(v for v in range(size) if bits >> v & 1) for bits in range(1 << size)]
    found = {}
    for kept, chance in answer_law(question.permanent.blocks[0].law, value).items():
        fresh = {
            sent: math.prod(
                (stays if (v in sent) == (v in kept) else 1 - stays for v in range(size)), start=Fraction(1)
            )
            for sent in every
        }
        for sent in itertools.product(every, repeat=days):
            found[sent] = found.get(sent, 0) + chance * math.prod((fresh[one] for one in sent), start=Fraction(1))
    return {sent: chance for sent, chance in found.items() if chance}


@pytest.mark.parametrize("each", [1.5, 4, 19])
def test_one_answer_follows_the_law_of_the_scheme_exactly(each):
    question = daily(each=each)
    for value in range(3):
        alone = {sent[0]: chance for sent, chance in series_law(question, value, 1).items()}
        assert alone == answer_law(question.scheme.blocks[0].law, value)


@pytest.mark.parametrize("each", [1.5, 4, 19])
def test_no_number_of_answers_reveals_more_than_gamma(each):
    question = daily(each=each)
    found = [gamma([series_law(question, value, days) for value in range(3)]) for days in (1, 2, 3)]
    assert float(found[0]) == pytest.approx(each)
    assert found[0] <= found[1] <= found[2] <= 19
    assert each == 19 or found[1] > found[0]


def test_a_device_draws_by_that_law():  # false-alarm rate one in a million
    question, randomness = daily(total=4, each=2), Randomness.seeded(3)
    series = []
    for _ in range(8000):
        device = question.device()
        series.append(tuple(tuple(device.answer({"mood": "fair"}, randomness=randomness)[1:]) for _ in range(2)))
    assert_follows(series, series_law(question, 1, 2))


def test_a_device_keeps_an_answer_for_each_value_and_says_what_all_of_them_reveal(tmp_path):
    question = daily()
    device = question.device()
    for value in ("good", "bad", "good", "good"):
        question.scheme.check_wire(device.answer({"mood": value}))
    assert len(device.kept["answers"]) == 2
    assert device.gamma == question.gamma_after(2) == 361
    device.write(tmp_path / "kept.json")
    again = question.device()
    again.read(tmp_path / "kept.json")
    assert again.kept == device.kept
    assert question.device(device.kept).gamma == 361
    with pytest.raises(InputError, match="kept for another question"):
        daily(total=20).device(device.kept)
    with pytest.raises(InputError, match="not permanent answers"):
        question.device({"confide": "kept"})
    with pytest.raises(InputError, match="outside"):
        question.device({**device.kept, "answers": [[0, [7]]]})


def test_without_fresh_noise_the_kept_answer_is_sent_again():
    device = daily(each=19).device()
    assert len({tuple(device.answer({"mood": "bad"})) for _ in range(20)}) == 1


@pytest.mark.parametrize("days", [1, 3])
def test_standard_errors_are_those_of_simulation(days):
    """200 collections of 100 people: spread within 20% (about 4 of its own)."""
    question, people, runs, randomness = daily(), 100, 200, Randomness.seeded(8)
    law = question.scheme.blocks[0].law
    truth = [{"mood": "good"}] * 30 + [{"mood": "bad"}] * 70
    means = []
    for _ in range(runs):
        devices = [question.device() for _ in range(people)]
        sent = [
            device.answer(record, randomness=randomness)
            for _ in range(days)
            for device, record in zip(devices, truth, strict=True)
        ]
        supports = sum(0 in one[1:] for one in sent) / len(sent)
        means.append((supports - float(law.q)) / float(law.p - law.q))
    stated = question.standard_error(days=days, support=0.3, records=people)
    assert np.mean(means) == pytest.approx(0.3, abs=5 * stated / np.sqrt(runs))
    assert np.std(means) == pytest.approx(stated, rel=0.2)


def test_bad_questions_get_one_line():
    with pytest.raises(RequirementError, match="each=20 is more than gamma=19"):
        daily(each=20)
    with pytest.raises(RequirementError, match="gamma=1 erases"):
        daily(each=1)
    with pytest.raises(RequirementError, match="days=0"):
        daily().standard_error(days=0, support=0.1, records=10)
