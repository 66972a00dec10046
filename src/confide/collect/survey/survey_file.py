"""A survey: what people are asked, in their words and languages. The file of `collect serve --form`.

    language = "en"
    title = "Health survey"
    introduction = "We ask for the city, to plan surgeries."
    consent = "I agree that ..."                    # must be ticked before anything is drawn
    contact = "City, department of health"
    thanks = "The results will be on our page in May."

    [questions.smokes]                              # a field of the scheme; asked in the order of the file
    section = "Your health"                         # a heading before this question
    text = "Do you smoke?"
    help = "Cigarettes, cigars, pipes."
    answers = { no = "No", yes = "Yes" }            # each value of the field, as people read it
    optional = true                                 # may be left out: the answer is then "no answer"

    [questions.packs]
    text = "How much do you smoke a day?"
    answers = { few = "Up to half a packet", many = "More" }
    only_if = { question = "smokes", is = "yes" }   # else the answer is "not asked"

    [languages.de]                                  # every sentence again
    title = "..."
    [languages.de.questions.smokes]
    text = "Rauchen Sie?"

    [bounds.age]                                    # of a number: one outside is asked for again
    min = 0
    [words]                                         # any of the form's own words, in the survey's first language
    send = "Send"

`skipped` and `unasked` are values of their own in the scheme, perturbed like any other: so a record does not show who
left a question out, nor who was asked. What is promised about privacy cannot be reworded; in languages other than
those of `wording` it is in English, and the file brings all other words.
"""

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from confide.collect.wording.languages import LANGUAGES, sentences
from confide.core.errors import InputError
from confide.core.files import read_toml
from confide.core.json_text import faults_of
from confide.core.runtime.lazy import call

__all__ = ["NumberBounds", "AskedOnlyIf", "SurveyQuestion", "Survey", "SurveyTranslation", "read_survey"]

_Text = Field(default="", max_length=5000)
_LANGUAGE = "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
_TEXTS = ("title", "introduction", "contact", "consent", "thanks")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class NumberBounds(_Part):
    """Of a number: the form asks again for one outside."""

    min: float | None = Field(default=None, allow_inf_nan=False)
    max: float | None = Field(default=None, allow_inf_nan=False)

    @model_validator(mode="after")
    def _rising(self) -> "NumberBounds":
        if self.min is not None and self.max is not None and self.min >= self.max:
            raise ValueError("min must be below max")
        return self


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class AskedOnlyIf(_Part):
    """Asked only of people who gave one of these answers to an earlier question."""

    question: str
    answers: Annotated[list[str], BeforeValidator(_as_list), Field(alias="is", min_length=1)]


class QuestionTexts(_Part):
    """What people read of one question: its text, help below it, a heading before it, and its answers."""

    text: str = Field(min_length=1, max_length=1000)
    help: str = _Text
    section: str = _Text
    answers: dict[str, str] = Field(default_factory=dict)


class SurveyQuestion(QuestionTexts):
    """One question. `edges` cut the numbers that people give; the collector counts ranges only."""

    optional: bool = False
    only_if: AskedOnlyIf | None = None
    edges: list[float] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _possible(self) -> "SurveyQuestion":
        if self.edges is not None and self.answers:
            raise ValueError("give answers or edges, not both")
        if self.edges is not None and (self.optional or self.only_if):
            raise ValueError(
                'a number cannot be left out: a question with edges has no "no answer"; list ranges as answers'
            )
        return self


class SurveyTranslation(_Part):
    """Every sentence of the survey in another language."""

    title: str = _Text
    introduction: str = _Text
    contact: str = _Text
    consent: str = _Text
    thanks: str = _Text
    words: dict[str, str] = Field(default_factory=dict)
    questions: dict[str, QuestionTexts] = Field(default_factory=dict)


class Survey(_Part):
    """What an owner asks and says; see this module's text. Without questions the form asks for the scheme's fields."""

    language: str = Field(default="en", pattern=_LANGUAGE)
    title: str = _Text
    introduction: str = _Text
    contact: str = _Text
    consent: str = _Text
    thanks: str = _Text
    skipped: str = Field(default="no answer", min_length=1)
    unasked: str = Field(default="not asked", min_length=1)
    bounds: dict[str, NumberBounds] = Field(default_factory=dict)
    words: dict[str, str] = Field(default_factory=dict)
    questions: dict[str, SurveyQuestion] = Field(default_factory=dict)
    languages: dict[Annotated[str, Field(pattern=_LANGUAGE)], SurveyTranslation] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _whole(self) -> "Survey":
        for fault in self._faults():
            raise ValueError(fault)
        return self

    def _faults(self) -> Iterator[str]:
        if self.skipped == self.unasked:
            yield "skipped and unasked must be different values"
        yield from _unknown_words(self.words, "")
        if self.questions and self.language.partition("-")[0].lower() not in LANGUAGES:
            yield from _missing_words(self.language, self.words)
        earlier: dict[str, SurveyQuestion] = {}
        for name, question in self.questions.items():
            yield from self._faults_of(name, question, earlier)
            earlier[name] = question
        for language, translation in self.languages.items():
            yield from self._faults_in(language, translation)

    def _faults_of(self, name: str, question: SurveyQuestion, earlier: Mapping[str, SurveyQuestion]) -> Iterator[str]:
        for value in (self.skipped, self.unasked):
            if value in question.answers:
                yield f"question {name!r} lists {value!r} as an answer: it has that value by optional or only_if"
        condition = question.only_if
        if condition is None:
            return
        asked = condition.question
        if asked == name or (asked in self.questions and asked not in earlier):
            yield f"question {name!r} depends on {asked!r}, which comes later; put {asked!r} before it"
        elif asked not in self.questions:
            yield f"question {name!r} depends on {asked!r}, which is not a question of the survey"
        elif earlier[asked].edges is not None:
            yield f"question {name!r} depends on {asked!r}, which asks for a number; list ranges as its answers"
        elif not set(condition.answers) <= set(earlier[asked].answers):
            wrong = next(value for value in condition.answers if value not in earlier[asked].answers)
            known = ", ".join(earlier[asked].answers)
            yield f"question {name!r} depends on the answer {wrong!r}, which {asked!r} does not have; it has: {known}"

    def _faults_in(self, language: str, translation: SurveyTranslation) -> Iterator[str]:
        where = f"language {language!r}: "
        if language == self.language:
            yield f"{where}is the survey's own; its sentences stand at the top"
        yield from _unknown_words(translation.words, where)
        if language.partition("-")[0].lower() not in LANGUAGES:
            yield from _missing_words(language, translation.words)
        for name in _TEXTS:
            if getattr(self, name) and not getattr(translation, name):
                yield f"{where}{name} is missing"
        for name in translation.questions:
            if name not in self.questions:
                yield f"{where}{name!r} is not a question of the survey"
        for name, question in self.questions.items():
            texts = translation.questions.get(name)
            if texts is None:
                yield f"{where}question {name!r} is missing"
                continue
            for part in ("help", "section"):
                if bool(getattr(question, part)) != bool(getattr(texts, part)):
                    yield f"{where}{part} of question {name!r} is {'missing' if getattr(question, part) else 'extra'}"
            for value in question.answers:
                if value not in texts.answers:
                    yield f"{where}answer {value!r} of question {name!r} is missing"
            for value in texts.answers:
                if value not in question.answers:
                    yield f"{where}{value!r} is not an answer of question {name!r}"

    def _repr_html_(self) -> str:
        """For notebooks: each question in a row, with its answers."""
        asked = {
            name: f"{question.text} {', '.join(question.answers.values())}" for name, question in self.questions.items()
        }
        return str(call("confide.report.notebook:facts_html", "Survey", asked, self.title))

    @property
    def all_languages(self) -> tuple[str, ...]:
        """The survey's own language first."""
        return (self.language, *self.languages)

    def texts(self, language: str) -> "Survey | SurveyTranslation":
        """Title, introduction, contact, consent and thanks in one of its languages."""
        return self if language == self.language else self.languages[language]

    def question_texts(self, name: str, language: str) -> QuestionTexts:
        """A question in one of its languages."""
        return self.questions[name] if language == self.language else self.languages[language].questions[name]

    def all_words(self, language: str) -> dict[str, str]:
        """Every word of the form in one of its languages, reworded where the owner does."""
        return {**sentences(language).form, **self.texts(language).words}


def _unknown_words(words: Mapping[str, str], where: str) -> Iterator[str]:
    known = sentences("en").form
    unknown = [name for name in words if name not in known]
    if unknown:
        yield f"{where}no words {unknown[0][:60]!r}; words are: {', '.join(known)}"


def _missing_words(language: str, words: Mapping[str, str]) -> Iterator[str]:
    missing = [name for name in sentences("en").form if name not in words]
    if missing:
        yield (
            f"language {language!r}: words has no {missing[0]!r}; only {', '.join(LANGUAGES)} come with words of their "
            "own"
        )


def read_survey(path: str | PathLike[str]) -> Survey:
    """Read it from a TOML file."""
    given = read_toml(path)
    try:
        return Survey(**given)
    except ValidationError as error:
        raise InputError(faults_of(error), source=Path(path)) from None
