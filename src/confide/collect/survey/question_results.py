"""The share of each answer, question by question, with its interval: what a person reads before any itemset."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.collect.estimating.reconstruction import mine
from confide.core.figures import Chart, Column, ShownFields, Table

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme
    from confide.collect.survey.survey_file import Survey

__all__ = ["AnswerShare", "QuestionResult", "charts_of", "question_results", "tables_of"]

_EVERYTHING = 1e12  # standard errors below the threshold: keeps each value, whatever its estimate


@dataclass(frozen=True, kw_only=True)
class AnswerShare(ShownFields):
    """An answer: the share of people who have it as estimated, and the ends of its interval, from 0 to 1."""

    value: str
    text: str
    share: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the interval: the larger side where an end was cut at 0 or 1."""
        return max(self.high - self.share, self.share - self.low)


@dataclass(frozen=True, kw_only=True)
class QuestionResult(ShownFields):
    """A question and the shares of all its answers, in the order of the form."""

    name: str
    text: str
    answers: tuple[AnswerShare, ...]


def question_results(
    scheme: "Scheme",
    records: Any,
    *,
    survey: "Survey | None" = None,
    language: str | None = None,
    confidence: float = 0.95,
    population: bool = False,
) -> list[QuestionResult]:
    """Estimate the share of every answer from perturbed records; none for a scheme over items, or without records.

    Each interval holds the truth with probability `confidence`: all answers were named beforehand. `survey` brings the
    order and the words. Estimates below 0 are shown as 0, and above 1 as 1.
    """
    if scheme.fields is None or not len(records):
        return []
    found = mine(
        scheme,
        records,
        min_support=1,
        max_length=1,
        keep_near=_EVERYTHING,
        confidence=confidence,
        population=population,
    )
    columns = {name: found.columns[name] / found.n_transactions for name in ("estimate", "low", "high")}
    shares = {labels[0]: tuple(float(columns[name][i]) for name in columns) for i, (labels, _) in enumerate(found)}
    results = []
    for name, text, answers in _texts(scheme, survey, language):
        results.append(
            QuestionResult(
                name=name,
                text=text,
                answers=tuple(_answer(value, said, *shares[f"{name}={value}"]) for value, said in answers),
            )
        )
    return results


def _answer(value: str, text: str, share: float, low: float, high: float) -> AnswerShare:
    return AnswerShare(value=value, text=text, share=min(max(share, 0.0), 1.0), low=low, high=high)


def _texts(
    scheme: "Scheme", survey: "Survey | None", language: str | None
) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Each question's field, its text, and its values with their texts."""
    assert scheme.fields is not None
    if survey is None or not survey.questions:
        for field in scheme.fields:
            yield field.name, field.name, [(value, value) for value in field.values]
        return
    for name in survey.questions:
        texts = survey.question_texts(name, language or survey.language)
        yield name, texts.text, [(value, texts.answers.get(value, value)) for value in scheme.fields[name].values]


def charts_of(results: Sequence[QuestionResult], *, confidence: float = 0.95) -> tuple[Chart, ...]:
    """Bars with error bars, a chart for each question."""
    return tuple(
        Chart(
            title=result.text,
            x=tuple(answer.text for answer in result.answers),
            series={"share of the people": tuple(answer.share for answer in result.answers)},
            spread={"share of the people": tuple(answer.margin for answer in result.answers)},
            y_unit="share",
            y_label="share of the people",
            note=f"The thin lines are the {100 * confidence:g}% interval of each share.",
        )
        for result in results
    )


def tables_of(results: Sequence[QuestionResult]) -> dict[str, Table]:
    """The same in figures: a table for each question."""
    columns = (Column("answer", "text"), Column("share", "share"), Column("from", "share"), Column("to", "share"))
    return {
        result.text: Table(columns, tuple((a.text, a.share, a.low, a.high) for a in result.answers))
        for result in results
    }
