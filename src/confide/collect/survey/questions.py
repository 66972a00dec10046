"""The questions of a survey over the fields of a scheme, and what has changed since answers came in."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confide.collect.fields.field import Bins
from confide.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from confide.collect.fields.field import Field
    from confide.collect.schemes.scheme import Scheme
    from confide.collect.survey.survey_file import Survey, SurveyQuestion

__all__ = ["check_survey", "find_change", "questions_record", "shown_questions", "survey_domains"]


def survey_domains(survey: "Survey") -> dict[str, Any]:
    """The fields of a scheme for this survey: of each question its answers, and the values of what is left out."""
    if not survey.questions:
        raise UsageError("the survey has no questions; list them as [questions.NAME], each with text and answers")
    found: dict[str, Any] = {}
    for name, question in survey.questions.items():
        if question.edges is not None:
            found[name] = Bins(tuple(question.edges))
        elif len(question.answers) < 2:
            raise UsageError(f"question {name!r} needs two answers or more, or edges for a number")
        else:
            found[name] = list(_values(survey, question))
    return found


def _values(survey: "Survey", question: "SurveyQuestion") -> Iterator[str]:
    yield from question.answers
    if question.only_if is not None:
        yield survey.unasked
    if question.optional:
        yield survey.skipped


def check_survey(survey: "Survey", scheme: "Scheme") -> None:
    """Refuse a survey that does not ask for the fields of the scheme, each with the field's values."""
    fields = {field.name: field for field in scheme.fields or ()}
    for name in survey.bounds:
        if name not in fields or fields[name].edges is None:
            raise UsageError(f"bounds are given for {name!r}, which is not a field of numbers in the scheme")
    if not survey.questions:
        return
    for name, question in survey.questions.items():
        if name not in fields:
            known = f"its fields are: {', '.join(fields)}" if fields else "it asks for items"
            raise InputError(f"question {name!r} of the survey is not in the scheme; {known}")
        _check_answers(survey, name, question, fields[name])
    missing = [name for name in fields if name not in survey.questions]
    if missing:
        raise InputError(f"the scheme asks for {missing[0]!r}, but the survey has no question of that name")


def _check_answers(survey: "Survey", name: str, question: "SurveyQuestion", field: "Field") -> None:
    known = ", ".join(field.values)
    if question.answers and field.edges is not None:
        raise InputError(f"question {name!r} of the survey lists answers, but the scheme asks for a number")
    if question.edges is not None and tuple(question.edges) != (field.edges or ()):
        raise InputError(f"question {name!r} of the survey has other edges than the scheme")
    for needed, why, value in (
        (question.optional, "optional", survey.skipped),
        (question.only_if is not None, "asked of some people only", survey.unasked),
    ):
        if needed and value not in field.values:
            raise InputError(
                f"question {name!r} of the survey is {why}, but {value!r} is not a value of the field in the scheme: "
                f"who left it out could be seen; its values are: {known}"
            )
    unknown = [value for value in question.answers if value not in field.values]
    if unknown:
        raise InputError(f"{unknown[0]!r} of question {name!r} is not a value of the field; its values are: {known}")
    extra = {survey.skipped, survey.unasked}
    missing = [value for value in field.values if question.answers and value not in question.answers]
    if missing and (missing[0] not in extra or len(missing) > len(extra)):
        raise InputError(f"question {name!r} of the survey has no answer for the value {missing[0]!r} of the scheme")


def shown_questions(survey: "Survey", scheme: "Scheme", language: str) -> list[dict[str, Any]] | None:
    """What the form needs of each question, in the order in which they are asked; None for a scheme over items."""
    if scheme.fields is None:
        return None
    if not survey.questions:
        skips = getattr(scheme, "skipped", None)
        return [_plain_question(field, skips) for field in scheme.fields]
    return [_asked_question(survey, name, scheme.fields[name], language) for name in survey.questions]


def _plain_question(field: "Field", skipped: str | None) -> dict[str, Any]:
    return {"field": field.name, "text": field.name, "answers": dict(zip(field.values, field.values, strict=True))} | (
        {"skipped": skipped, "plain": True} if skipped is not None else {"plain": True}
    )


def _asked_question(survey: "Survey", name: str, field: "Field", language: str) -> dict[str, Any]:
    question, texts = survey.questions[name], survey.question_texts(name, language)
    left_out = {survey.skipped} | ({survey.unasked} if question.only_if is not None else set())
    values = texts.answers or {value: value for value in field.values if value not in left_out}
    found: dict[str, Any] = {"field": name, "text": texts.text, "answers": values}
    if texts.help:
        found["help"] = texts.help
    if texts.section:
        found["section"] = texts.section
    if question.optional:
        found["skipped"] = survey.skipped
    if question.only_if is not None:
        found["only_if"] = {"question": question.only_if.question, "is": question.only_if.answers}
        found["unasked"] = survey.unasked
    return found


def questions_record(survey: "Survey") -> dict[str, Any]:
    """What must stay as it is while answers come in: the questions as people read them, and who is asked what."""
    return {
        name: {
            "optional": survey.skipped if question.optional else None,
            "only_if": None
            if question.only_if is None
            else [question.only_if.question, question.only_if.answers, survey.unasked],
            "texts": {
                language: {
                    "text": survey.question_texts(name, language).text,
                    "help": survey.question_texts(name, language).help,
                    "answers": survey.question_texts(name, language).answers,
                }
                for language in survey.all_languages
            },
        }
        for name, question in survey.questions.items()
    }


def find_change(before: Mapping[str, Any], survey: "Survey") -> str | None:
    """The first question that is not asked as `before`, and what of it; another language more is no change."""
    now = questions_record(survey)
    if list(before) != list(now):
        return "the questions, or their order"
    for name, question in now.items():
        old = before[name]
        for part in ("optional", "only_if"):
            if old.get(part) != question[part]:
                return f"question {name!r} ({part})"
        for language, texts in old.get("texts", {}).items():
            if question["texts"].get(language) != texts:
                return f"question {name!r} (its texts in {language!r})"
    return None
