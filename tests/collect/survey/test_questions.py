"""A survey over a scheme: fields from questions, questions for fields, and what may not change once answers came in."""

import pytest
from tests.collect.health_survey import SURVEY, scheme_for

from confide.collect import Bins, GammaDiagonal, Mask, SampledDesign
from confide.collect.survey.questions import (
    check_survey,
    find_change,
    questions_record,
    shown_questions,
    survey_domains,
)
from confide.collect.survey.survey_file import Survey
from confide.core.errors import InputError, UsageError

YES_NO = {"no": "No", "yes": "Yes"}


def survey_of(**questions):
    return Survey(questions={name: {"text": f"{name}?", "answers": YES_NO, **more} for name, more in questions.items()})


def test_each_question_becomes_a_field_with_a_value_for_what_is_left_out():
    domains = survey_domains(SURVEY)
    assert domains["packs"] == ["few", "many", "not asked"]
    assert domains["drinks"] == ["never", "weekly", "often", "no answer"]
    number = Survey(questions={"age": {"text": "Age?", "edges": [35, 55]}})
    assert survey_domains(number) == {"age": Bins((35, 55))}
    with pytest.raises(UsageError, match="question 'a' needs two answers or more"):
        survey_domains(Survey(questions={"a": {"text": "A?"}}))
    with pytest.raises(UsageError, match="the survey has no questions"):
        survey_domains(Survey())


def test_the_form_gets_what_it_needs_in_the_language_asked_for():
    shown = {question["field"]: question for question in shown_questions(SURVEY, scheme_for(5000), "de")}
    assert shown["packs"]["only_if"] == {"question": "smokes", "is": ["yes"]}
    assert shown["packs"]["unasked"] == "not asked"
    assert shown["drinks"]["skipped"] == "no answer"
    assert shown["smokes"]["answers"] == {"no": "Nein", "yes": "Ja"}
    plain = shown_questions(Survey(), GammaDiagonal(domains={"sex": ["f", "m"]}, gamma=3), "en")
    assert plain == [{"field": "sex", "text": "sex", "answers": {"f": "f", "m": "m"}, "plain": True}]
    assert shown_questions(Survey(), Mask(p=0.9, items=("a",)), "en") is None


@pytest.mark.parametrize(
    ("survey", "domains", "message"),
    [
        (survey_of(tea={}), {"sex": ["no", "yes"]}, "question 'tea' of the survey is not in the scheme"),
        (survey_of(sex={}), {"sex": ["no", "yes"], "age": 3}, "the scheme asks for 'age', but the survey has no"),
        (survey_of(sex={}), {"sex": ["no", "maybe"]}, "'yes' of question 'sex' is not a value of the field"),
        (survey_of(sex={}), {"sex": ["no", "yes", "maybe"]}, "has no answer for the value 'maybe'"),
        (survey_of(sex={"optional": True}), {"sex": ["no", "yes"]}, "'no answer' is not a value of the field"),
        (
            survey_of(a={}, b={"only_if": {"question": "a", "is": "yes"}}),
            {"a": ["no", "yes"], "b": ["no", "yes"]},
            "asked of some people only, but 'not asked' is not a value",
        ),
        (survey_of(sex={}), {"sex": Bins((3,))}, "lists answers, but the scheme asks for a number"),
        (Survey(questions={"a": {"text": "A?", "edges": [3]}}), {"a": Bins((4,))}, "has other edges than the scheme"),
    ],
)
def test_a_survey_that_does_not_fit_its_scheme_is_refused_in_one_line(survey, domains, message):
    with pytest.raises(InputError, match=message) as caught:
        check_survey(survey, SampledDesign(domains=domains, gamma=19, size=1))
    assert "\n" not in str(caught.value)


def test_bounds_are_for_fields_of_numbers():
    for name in ("sex", "height"):
        with pytest.raises(UsageError, match=f"bounds are given for '{name}'"):
            check_survey(Survey(bounds={name: {"min": 0}}), GammaDiagonal(domains={"sex": ["f", "m"]}, gamma=3))


def test_what_is_asked_may_not_change_but_a_language_may_come():
    before = questions_record(survey_of(a={}, b={"only_if": {"question": "a", "is": "yes"}}))
    same = survey_of(a={}, b={"only_if": {"question": "a", "is": "yes"}})
    assert find_change(before, same) is None
    german = {name: {"text": "?", "answers": YES_NO} for name in ("a", "b")}
    assert (
        find_change(
            before,
            same.model_copy(
                update={
                    "languages": Survey(questions=same.questions, languages={"de": {"questions": german}}).languages
                }
            ),
        )
        is None
    )
    assert find_change(before, survey_of(a={}, b={})) == "question 'b' (only_if)"
    assert find_change(before, survey_of(b={}, a={})) == "the questions, or their order"
    reworded = survey_of(a={"text": "Really?"}, b={"only_if": {"question": "a", "is": "yes"}})
    assert find_change(before, reworded) == "question 'a' (its texts in 'en')"
