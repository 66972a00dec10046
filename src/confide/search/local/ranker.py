"""LocalRanker: an engine's results, moved by the evidence that they speak of the person's subjects.

The engine is asked with the query and nothing else. Everything after that happens here.
"""

from collections.abc import Sequence
from os import PathLike

from confide.core.errors import RequirementError
from confide.search.evidence.background import Background
from confide.search.evidence.ordering import check_strength, hold_the_query, usual_strength
from confide.search.evidence.scores import EvidenceScorer
from confide.search.local.whole_profile import WholeProfile
from confide.search.profile.profile import Profile
from confide.search.words import Words
from confide.search.wrapper.engine import Engine, check_query, open_engine
from confide.search.wrapper.ranking import Ranking, rank_by_evidence
from confide.search.wrapper.results import Result

__all__ = ["LocalRanker"]


class LocalRanker:
    """Orders results by the whole profile, on this machine.

    `engine` is an engine or the address of one. `strength` from 0 (the engine decides) up to 1; without one it is
    0.3 for a query of one word, 0.1 for two, and then only for results that hold as many words of the query as the
    best, and 0 from three words on. An index on this machine tells how common terms are among what it holds; with any
    other engine the list of the language does.

    >>> from confide.search.wrapper.local_index import LocalIndex
    >>> index = LocalIndex.build([("cats", "jaguar jaguar, a large cat"), ("cars", "a jaguar, with a fast engine")])
    >>> profile = Profile.build([f"engine {n} of a car, and its gearbox" for n in range(9)], vocabulary="all")
    >>> found = LocalRanker(profile, index).search("jaguar").results
    >>> [(link.title, link.reasons) for link in found]
    [('cars', ('engine',)), ('cats', ())]
    """

    def __init__(
        self,
        profile: Profile | WholeProfile,
        engine: Engine | str | PathLike[str],
        *,
        strength: float | None = None,
        top: int = 50,
        seconds: float = 10.0,
    ):
        check_strength(strength)
        if not 1 <= top <= 1000:
            raise RequirementError(f"top={top} is outside 1 to 1,000", parameter="top", value=top)
        whole = profile if isinstance(profile, WholeProfile) else WholeProfile.of(profile)
        self.engine: Engine = open_engine(engine, seconds=seconds) if isinstance(engine, str | PathLike) else engine
        self.strength, self.top = strength, top
        self.words = Words(whole.languages)
        background = _background_of(self.engine, whole.language_background())
        self.notes: tuple[str, ...] = ()
        if background.knows_nothing:
            self.notes = (f"there is no list of words for {', '.join(whole.languages)}: the engine's order stays",)
        ratios = {} if background.knows_nothing else whole.ratios(background)
        self._scorer = EvidenceScorer(ratios, background, self.words)

    def search(self, query: str, *, strength: float | None = None) -> Ranking:
        """Ask the engine with the query alone, and order what it found."""
        asked = check_query(query)
        return self.order(asked, self.engine.search(asked, count=self.top), strength=strength)

    def order(self, query: str, results: Sequence[Result], *, strength: float | None = None) -> Ranking:
        """Order results that are there already; nobody is asked."""
        check_strength(strength)
        chosen = self.strength if strength is None else strength
        terms = len(set(self.words.terms(query)))
        if chosen is None:
            chosen = usual_strength(terms)
        texts = [result.text for result in results]
        found = self._scorer.weigh(query, texts) if chosen else []
        values = [one.value for one in found] or [0.0] * len(texts)
        if terms > 1 and any(values):
            whole = hold_the_query(query, texts, self.words)
            values = [value if holds else 0.0 for value, holds in zip(values, whole, strict=True)]
        reasons = [one.reasons if value else () for one, value in zip(found, values, strict=False)] or [()] * len(texts)
        return rank_by_evidence(query, results, values, reasons, strength=chosen, notes=self.notes)


def _background_of(engine: Engine, language: Background) -> Background:
    """The language, and where the engine is an index on this machine, what its documents hold."""
    count = getattr(engine, "count_terms", None)
    return language if count is None else language.with_texts(*count())
