"""LocalRanker: an engine's results, moved by the evidence that they speak of the person's subjects.

The engine is asked with the query and nothing else. Everything after that happens here.
"""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

from confide.core.errors import RequirementError, UsageError
from confide.search.evidence.background import with_index
from confide.search.evidence.ordering import check_strength
from confide.search.local.whole_profile import WholeProfile
from confide.search.profile.profile import Profile
from confide.search.words import Words
from confide.search.wrapper.engine import Engine, check_query, open_engine
from confide.search.wrapper.ranking import EvidenceRanker, Ranking, note_if_unmoved
from confide.search.wrapper.results import Result

__all__ = ["LocalRanker"]


class LocalRanker:
    """Orders results by the whole profile, on this machine.

    `engine` is an engine or the address of one; None if it only orders what others found. `strength` from 0 (the
    engine decides) up to 1; without one it is 0.3 for a query of one word, 0.1 for two, and then only for results that
    hold as many words of the query as the best, and 0 from three words on. How common terms are is told by an index on
    this machine, or the snippets of earlier searches (`Profile.remember`), and by the list of the language.

    >>> from confide.search.wrapper.local_index import LocalIndex
    >>> index = LocalIndex.build([("cats", "jaguar jaguar, a large cat"), ("cars", "a jaguar, with a fast engine")])
    >>> profile = Profile.build([f"engine {n} of a car, and its gearbox" for n in range(9)], vocabulary="all")
    >>> found = LocalRanker(profile, index).search("jaguar").results
    >>> [(link.title, link.reasons) for link in found]
    [('cars', ('engine', 'cars')), ('cats', ())]
    """

    def __init__(
        self,
        profile: Profile | WholeProfile,
        engine: Engine | str | PathLike[str] | None,
        *,
        strength: float | None = None,
        top: int = 50,
        seconds: float = 10.0,
    ):
        check_strength(strength)
        if not 1 <= top <= 1000:
            raise RequirementError(f"top={top} is outside 1 to 1,000", parameter="top", value=top)
        whole = profile if isinstance(profile, WholeProfile) else WholeProfile.of(profile)
        self._engine: Engine | None = (
            open_engine(engine, seconds=seconds) if isinstance(engine, str | PathLike) else engine
        )
        self.strength, self.top = strength, top
        self._background = with_index(whole.background(), self._engine)
        self._ranker = EvidenceRanker(whole.ratios(self._background), self._background, Words(whole.languages))

    def with_profile(self, profile: Profile) -> "LocalRanker":
        """The same with another profile."""
        return LocalRanker(profile, self._engine, strength=self.strength, top=self.top)

    @property
    def engine(self) -> Engine:
        """Who is asked."""
        if self._engine is None:
            raise UsageError("this ranker has no engine to ask; it orders what others found")
        return self._engine

    @property
    def ratios(self) -> Mapping[str, float]:
        """How far each of the person's terms stands out."""
        return self._ranker.ratios

    def effect(self, terms: Iterable[str]) -> float:
        """How far terms move an ordinary result: how far each stands out, times the share of results that hold it."""
        return sum(self.ratios.get(term, 0.0) * self._background.share(term) for term in terms)

    def search(self, query: str, *, strength: float | None = None) -> Ranking:
        """Ask the engine with the query alone, and order what it found."""
        asked = check_query(query)
        return self.order(asked, self.engine.search(asked, count=self.top), strength=strength)

    def order(self, query: str, results: Sequence[Result], *, strength: float | None = None) -> Ranking:
        """Order results that are there already; nobody is asked."""
        ranking = self._ranker.order(query, results, strength=self.strength if strength is None else strength)
        no_bearing = "nothing of the profile bears on what this query finds"
        return note_if_unmoved(ranking, no_bearing if self.ratios else "no word of the profile stands out")
