"""UPRank and PPRank: two orders made one (thesis, 5.2.3).

    PPRank = alpha * UPRank + (1 - alpha) * engine rank

Links are ranked from 1. Ties of UPRank and of PPRank go by the engine's rank (erratum 4), so a profile that says
nothing about the results leaves them as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from confide.core.errors import RequirementError, UsageError
from confide.core.figures import Shown
from confide.core.requirements.base import is_number
from confide.search.evidence.background import Background
from confide.search.evidence.ordering import (
    check_strength,
    hold_the_query,
    move_by_evidence,
    place_of,
    usual_strength,
)
from confide.search.evidence.scores import EvidenceScorer
from confide.search.words import Words
from confide.search.wrapper.results import Result

__all__ = [
    "EvidenceRanker",
    "RankedResult",
    "Ranking",
    "check_alpha",
    "note_if_unmoved",
    "rank_by_evidence",
    "rank_results",
    "usual_alpha",
]

_USUAL = {1: 0.4}
"""Measured on three judged collections (docs/reproduction/search.md): from two terms on, any alpha above 0 did harm."""


def usual_alpha(terms: int) -> float:
    """How much a profile should count for a query of so many terms: it helps where a query is one ambiguous word.

    >>> [usual_alpha(n) for n in (1, 2, 9)]
    [0.4, 0.0, 0.0]
    """
    return _USUAL.get(terms, 0.0)


def check_alpha(alpha: float | None) -> None:
    """Refuse what is no share of a rank."""
    if alpha is not None and (not is_number(alpha) or not 0 <= alpha <= 1):
        raise RequirementError(
            f"alpha={alpha} is not from 0 (the engine decides) to 1 (the profile decides)",
            parameter="alpha",
            value=alpha,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedResult:
    """A result in its new place: `rank` there, the `engine_rank`, the profile's `up_rank` and `up_score`, `pp_rank`.

    Ordered by evidence, `up_score` is that, `pp_rank` log(rank + 10) less strength times it, and `reasons` are words
    it rests on.
    """

    rank: int
    engine_rank: int
    up_rank: int
    up_score: float
    pp_rank: float
    title: str
    url: str
    snippet: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ranking(Shown):
    """Results in a person's order. `notes` say, in plain words, what did not go as asked.

    Ordered by PPRank it has an `alpha`; ordered by evidence a `strength`, and an alpha of 0.
    """

    query: str
    alpha: float
    results: tuple[RankedResult, ...]
    notes: tuple[str, ...] = ()
    strength: float | None = None

    def with_alpha(self, alpha: float) -> "Ranking":
        """The same results with another alpha; nobody is asked again. Not for an order by evidence."""
        check_alpha(alpha)
        if self.strength is not None:
            raise UsageError(f"this order rests on evidence, of strength {self.strength:g}; it has no alpha to change")
        links, found = self._by_engine()
        return rank_results(self.query, found, [link.up_score for link in links], alpha=alpha, notes=self.notes)

    def with_strength(self, strength: float) -> "Ranking":
        """The same results with evidence of another strength; nobody is asked again."""
        check_strength(strength)
        if self.strength is None:
            raise UsageError("this order is PPRank's; it has an alpha, and no strength to change")
        links, found = self._by_engine()
        evidence, reasons = [link.up_score for link in links], [link.reasons for link in links]
        return rank_by_evidence(self.query, found, evidence, reasons, strength=strength, notes=self.notes)

    def _by_engine(self) -> "tuple[list[RankedResult], list[Result]]":
        links = sorted(self.results, key=lambda found: found.engine_rank)
        return links, [Result(rank=k.engine_rank, title=k.title, url=k.url, snippet=k.snippet) for k in links]

    def to_dict(self) -> dict[str, Any]:
        rows = [{name: getattr(link, name) for name in RankedResult.__slots__} for link in self.results]
        plain = {"query": self.query, "alpha": self.alpha, "results": rows, "notes": list(self.notes)}
        if self.strength is None:
            for row in rows:
                del row["reasons"]
            return plain
        return {**plain, "strength": self.strength, "results": [{**r, "reasons": list(r["reasons"])} for r in rows]}


def rank_results(
    query: str, results: Sequence[Result], scores: Sequence[float], *, alpha: float, notes: tuple[str, ...] = ()
) -> Ranking:
    """Bring results with their UPScores into the order of PPRank.

    >>> links = [Result(rank=i, title=t, url="https://example.org/") for i, t in enumerate("abc", start=1)]
    >>> [link.title for link in rank_results("q", links, [0.0, 0.2, 0.9], alpha=0.6).results]
    ['c', 'b', 'a']
    """
    check_alpha(alpha)
    by_profile = sorted(range(len(results)), key=lambda i: (-scores[i], results[i].rank))
    up_rank = {i: place for place, i in enumerate(by_profile, start=1)}
    final = {i: alpha * up_rank[i] + (1 - alpha) * results[i].rank for i in range(len(results))}
    order = sorted(range(len(results)), key=lambda i: (round(final[i], 9), results[i].rank))
    ranked = tuple(
        RankedResult(
            rank=place,
            engine_rank=results[i].rank,
            up_rank=up_rank[i],
            up_score=scores[i],
            pp_rank=final[i],
            title=results[i].title,
            url=results[i].url,
            snippet=results[i].snippet,
        )
        for place, i in enumerate(order, start=1)
    )
    return Ranking(query=query, alpha=alpha, results=ranked, notes=notes)


def rank_by_evidence(
    query: str,
    results: Sequence[Result],
    evidence: Sequence[float],
    reasons: Sequence[tuple[str, ...]],
    *,
    strength: float,
    notes: tuple[str, ...] = (),
) -> Ranking:
    """Bring results into the order of log(rank + 10) - strength * evidence; `reasons` go with the evidence.

    >>> links = [Result(rank=i, title=t, url="https://example.org/") for i, t in enumerate("abc", start=1)]
    >>> found = rank_by_evidence("q", links, [0.0, 0.0, 2.5], [(), (), ("bike",)], strength=0.3).results
    >>> [(link.title, link.reasons) for link in found]
    [('c', ('bike',)), ('a', ()), ('b', ())]
    """
    by_evidence = sorted(range(len(results)), key=lambda i: (-evidence[i], results[i].rank))
    up_rank = {i: place for place, i in enumerate(by_evidence, start=1)}
    ranks = [result.rank for result in results]
    ranked = tuple(
        RankedResult(
            rank=place,
            engine_rank=results[i].rank,
            up_rank=up_rank[i],
            up_score=evidence[i],
            pp_rank=place_of(ranks[i], evidence[i], strength),
            title=results[i].title,
            url=results[i].url,
            snippet=results[i].snippet,
            reasons=reasons[i],
        )
        for place, i in enumerate(move_by_evidence(ranks, evidence, strength=strength), start=1)
    )
    return Ranking(query=query, alpha=0.0, results=ranked, notes=notes, strength=strength)


class EvidenceRanker:
    """Orders results by the log-ratios of a person's terms; see `confide.search.evidence`.

    >>> ranker = EvidenceRanker({"engin": 3.0}, Background(rates={"engin": 1e-4, "cat": 1e-3}), Words())
    >>> links = [Result(rank=n, title=t, url="https://a.example/") for n, t in enumerate(["a cat", "engines"], start=1)]
    >>> [(found.title, found.reasons) for found in ranker.order("jaguar", links).results]
    [('engines', ('engines',)), ('a cat', ())]
    """

    def __init__(self, ratios: Mapping[str, float], background: Background, words: Words):
        self.words, self.notes = words, _complain(background, words.languages)
        self._scorer = EvidenceScorer({} if self.notes else ratios, background, words)

    @property
    def ratios(self) -> Mapping[str, float]:
        """How far each term stands out."""
        return self._scorer.ratios

    def order(self, query: str, results: Sequence[Result], *, strength: float | None = None) -> Ranking:
        """The results in their new order; without a strength it is that of the query's length."""
        check_strength(strength)
        terms = len(set(self.words.terms(query)))
        chosen = usual_strength(terms) if strength is None else strength
        texts = [result.text for result in results]
        found = self._scorer.weigh(query, texts)  # at strength 0, too, so that another strength can be tried later
        values = [one.value for one in found]
        if terms > 1 and any(values):
            whole = hold_the_query(query, texts, self.words)
            values = [value if holds else 0.0 for value, holds in zip(values, whole, strict=True)]
        reasons = [one.reasons if value else () for one, value in zip(found, values, strict=True)]
        return rank_by_evidence(query, results, values, reasons, strength=chosen, notes=self.notes)


def note_if_unmoved(ranking: Ranking, why: str) -> Ranking:
    """The same ranking; with a note where there are results, but evidence for none of them, so that nothing moves."""
    unmoved = ranking.results and ranking.strength and not any(link.up_score for link in ranking.results)
    return replace(ranking, notes=(f"{why}: the engine's order stays",)) if unmoved and not ranking.notes else ranking


def _complain(background: Background, languages: Sequence[str]) -> tuple[str, ...]:
    """Why nothing can be said of what is usual; empty if something can."""
    if not background.knows_nothing:
        return ()
    return (f"there is no list of words for {', '.join(languages)}: the engine's order stays",)
