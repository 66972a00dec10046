"""The pages of those who answer: what leaves the device, in plain words, the form, and that a survey has ended.

Every number on them is computed from the scheme here; the collector's owner adds a title, questions and words of their
own. Each page comes in every language of the survey.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from confide.collect.schemes.promise import gamma_words, is_weak, share
from confide.collect.survey.questions import check_survey, shown_questions
from confide.collect.survey.survey_file import Survey
from confide.collect.wording.languages import LANGUAGES, DeviceSentence, localized, say, sentences, spoken
from confide.core.bounds import share_at_most

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme

__all__ = ["ended_page", "form_page", "notice_page", "page_template", "posterior", "promise"]

_PRIOR = 0.05
_IN_SCRIPT = ("price", "price in all", "changed", "changed text", "tampered")


def promise(scheme: "Scheme") -> dict[str, Any]:
    """gamma, epsilon and the fingerprint, for clients that state what another draw would cost."""
    found = scheme.amplification()
    return {
        "scheme": scheme.fingerprint,
        "gamma": found.gamma if math.isfinite(found.gamma) else None,
        "epsilon": found.epsilon,
    }


def notice_page(
    scheme: "Scheme", title: str, survey: Survey | None = None, language: str | None = None, *, links: bool = False
) -> str:
    """One page: what leaves your device. `links` says that each person has a link of their own."""
    shown = _shared(survey, title, language)
    epsilon = scheme.amplification().epsilon
    in_words = {
        "gamma": gamma_words(epsilon),
        "gamma_twice": gamma_words(2 * epsilon),
        "epsilon": f"{epsilon:.3g}" if epsilon < 1000 else f"{epsilon:,.0f}",
        "posterior": share_at_most(posterior(epsilon, _PRIOR)),
        "prior": share(_PRIOR),
    }
    asked = shown_questions(shown["survey"], scheme, shown["language"]) if shown["survey"].questions else None
    return page_template(
        "notice.html.j2",
        **shown,
        **{name: localized(text, shown["privacy_language"]) for name, text in in_words.items()},
        asked=say(scheme.question(), shown["language"]),
        questions=asked,
        conditional=_is_conditional(shown["survey"]),
        how=" ".join(say(_about(step, asked or ()), shown["language"]) for step in scheme.device_steps()),
        weak=is_weak(epsilon),
        kind=scheme.kind,
        fingerprint=scheme.fingerprint,
        links=links,
    )


def form_page(
    scheme: "Scheme", title: str, survey: Survey | None = None, language: str | None = None, *, links: bool = False
) -> str:
    """The form; its questions are made by form.js from what is laid into the page and from scheme.json."""
    shown = _shared(survey, title, language)
    check_survey(shown["survey"], scheme)
    epsilon = scheme.amplification().epsilon
    in_script = (*_IN_SCRIPT, "weak first") if is_weak(epsilon) else _IN_SCRIPT
    in_words = {
        "gamma": gamma_words(epsilon),
        "posterior": share_at_most(posterior(epsilon, _PRIOR)),
        "prior": share(_PRIOR),
    }
    return page_template(
        "form.html.j2",
        **shown,
        **{name: localized(text, shown["privacy_language"]) for name, text in in_words.items()},
        settings={
            "bounds": {name: one.model_dump() for name, one in shown["survey"].bounds.items()},
            "language": shown["language"],
            "links": links,
            "privacy": {key: shown["privacy"][key] for key in in_script},
            "questions": shown_questions(shown["survey"], scheme, shown["language"]),
            "words": shown["words"],
        },
        conditional=_is_conditional(shown["survey"]),
        links=links,
        weak=is_weak(epsilon),
    )


def ended_page(title: str, state: str, survey: Survey | None = None, language: str | None = None) -> str:
    """What is shown instead of the form while a survey is "paused" or "closed"."""
    return page_template("ended.html.j2", **_shared(survey, title, language), state=state)


def _shared(survey: Survey | None, title: str, language: str | None) -> dict[str, Any]:
    """What every page has: the texts of a language, and the way to the others."""
    survey = Survey() if survey is None else survey
    language = survey.language if language is None else language
    texts = survey.texts(language)
    said_in = spoken(language)
    return {
        "survey": survey,
        "texts": texts,
        "title": texts.title or survey.title or title,
        "language": language,
        "privacy": sentences(said_in).privacy,
        "privacy_language": said_in,
        "foreign": language.partition("-")[0].lower() != said_in,
        "words": survey.all_words(language),
        "languages": {code: _name_of(code) for code in survey.all_languages},
    }


def _about(step: DeviceSentence, asked: Sequence[Mapping[str, Any]]) -> DeviceSentence:
    """A sentence that names questions as people read them, where it named fields."""
    texts = {question["field"]: question["text"] for question in asked}

    def read(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        return texts.get(value, value) if isinstance(value, str) else tuple(texts.get(one, one) for one in value)

    values = {name: read(value) if name in ("name", "names") else value for name, value in step.values.items()}
    return DeviceSentence(step.key, values)


def _name_of(language: str) -> str:
    known = language.partition("-")[0].lower() in LANGUAGES
    return sentences(language).name if known else language


def _is_conditional(survey: Survey) -> bool:
    return any(question.only_if is not None for question in survey.questions.values())


def posterior(epsilon: float, prior: float) -> float:
    """The most a property of this prior can be believed in after a record was seen: gamma from its logarithm."""
    odds = math.log(prior / (1 - prior)) + epsilon
    return 1 / (1 + math.exp(-odds)) if odds < 700 else 1.0


def _as_attribute(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def page_template(name: str, **values: Any) -> str:
    """One of the templates beside the scripts, filled in; whatever is filled in cannot become markup."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("confide.collect.service", "static"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["attribute"] = _as_attribute
    return pages.get_template(name).render(**values)
