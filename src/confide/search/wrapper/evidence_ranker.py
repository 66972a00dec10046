"""Results in the order of their evidence, given how far each of a person's words stands out: here, or at a service.

A service knows the exposed pairs only. A weight is log10(documents / support), so 10^-weight is the share of the
person's documents that have the interest: enough to tell how far its words stand out against a background.
"""

import math
from collections.abc import Mapping, Sequence

from confide.search.evidence.background import Background
from confide.search.evidence.ordering import check_strength, hold_the_query, usual_strength
from confide.search.evidence.scores import EvidenceScorer
from confide.search.exposed import ExposedProfile
from confide.search.words import Words
from confide.search.wrapper.engine import Engine
from confide.search.wrapper.ranking import Ranking, rank_by_evidence
from confide.search.wrapper.results import Result

__all__ = ["EvidenceRanker", "exposed_ratios", "with_index"]


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
        found = self._scorer.weigh(query, texts) if chosen else []
        values = [one.value for one in found] or [0.0] * len(texts)
        if terms > 1 and any(values):
            whole = hold_the_query(query, texts, self.words)
            values = [value if holds else 0.0 for value, holds in zip(values, whole, strict=True)]
        reasons = [one.reasons if value else () for one, value in zip(found, values, strict=False)] or [()] * len(texts)
        return rank_by_evidence(query, results, values, reasons, strength=chosen, notes=self.notes)


def _complain(background: Background, languages: Sequence[str]) -> tuple[str, ...]:
    """Why nothing can be said of what is usual; empty if something can."""
    if not background.knows_nothing:
        return ()
    return (f"there is no list of words for {', '.join(languages)}: the engine's order stays",)


def exposed_ratios(exposed: ExposedProfile, background: Background, words: Words) -> dict[str, float]:
    """How far the words of exposed pairs stand out: log(share of the person's documents / usual share), above 0 only.

    >>> from confide.search.exposed import Pair
    >>> ground = Background(counts={"bike": 1, "time": 50}, texts=100)
    >>> pairs = ExposedProfile((Pair(("bikes",), 0.7), Pair(("time",), 0.5)))
    >>> {term: round(ratio, 1) for term, ratio in exposed_ratios(pairs, ground, Words()).items()}
    {'bike': 3.0}
    """
    found: dict[str, float] = {}
    for pair in exposed.pairs:
        share = 10.0**-pair.weight
        for stem in {stem for word in pair.words for form in words.stems_of(word) for stem in form}:
            ratio = math.log(share / background.share(stem))
            if ratio > found.get(stem, 0.0):
                found[stem] = ratio
    return found


def with_index(background: Background, engine: Engine | None) -> Background:
    """A background of a language, and of what the engine's documents hold where it is an index on this machine."""
    count = getattr(engine, "count_terms", None)
    return background if count is None else background.with_texts(*count())
