"""What the answers come to: every way through the questions ends in something that can be done, in words that hold."""

import re
from pathlib import Path

import pytest

from confide.core.jobs.catalogue import job_named
from confide.core.jobs.fields import fields_of
from confide.core.requirements import Coherence
from confide.studio.guide.advice import advise
from confide.studio.guide.guide_questions import asked_questions

CHOOSING = Path(__file__).parents[3] / "docs" / "choosing.md"


def ways(answers=None):
    """Every set of answers that is whole."""
    questions, whole = asked_questions(answers or {})
    if whole:
        return [answers]
    return [way for name in questions[-1].answers for way in ways({**(answers or {}), questions[-1].name: name})]


WAYS = ways()


def test_there_are_many_ways_and_each_kind_of_data_has_one():
    assert len(WAYS) > 100
    assert {way["have"] for way in WAYS} == set(asked_questions({})[0][0].answers)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
def test_every_way_ends_in_a_form_that_takes_its_settings(way):
    advice = advise(way)
    assert advice.stage
    assert advice.reasons
    assert bool(advice.job) == (way["have"] != "else")
    if advice.job:
        known = {field.name: field for field in fields_of(job_named(advice.job).request)}
        for name, text in advice.settings.items():
            known[name].check(known[name].kind.parse(text))
        assert advice.promise
        assert advice.does_not_stop


def test_the_promise_is_that_of_the_settings():
    way = {"have": "baskets", "keeps": "items", "gets": "everybody", "secret": "fact", "knows": "3", "field": "health"}
    assert advise(way).settings == {"k": "11", "h": "0.33", "p": "3", "utility": "items"}
    assert advise(way).promise == Coherence(h=0.33, k=11, p=3).promise()


@pytest.mark.parametrize(
    ("row", "way", "setting"),
    [
        ("Health", {"gets": "everybody", "field": "health"}, "11"),
        ("Retail", {"gets": "everybody", "field": "retail"}, "5 to 10"),
        ("Official statistics**: microdata", {"gets": "contract", "field": "official"}, "3 to 5"),
        ("Official statistics**: files for everybody", {"gets": "everybody", "field": "official"}, "10"),
    ],
)
def test_k_is_that_of_the_page_on_usual_choices(row, way, setting):
    line = next(text for text in CHOOSING.read_text(encoding="utf-8").splitlines() if text.startswith(f"| **{row}"))
    assert line.split("|")[2].strip() == setting
    k = int(advise({"have": "table", "needs": "detail", "secret": "identity", **way}).settings["k"])
    low, high = (int(number) for number in (re.findall(r"\d+", setting) * 2)[:2])
    assert low <= k <= high
