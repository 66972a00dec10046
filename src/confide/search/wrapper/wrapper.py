"""The search wrapper: asks an engine with the query alone, and orders what it found by the exposed pairs.

On the client, which is the default, only the query leaves the machine. As the chapter has it, a wrapper can also be a
service of its own (`confide.search.wrapper.service`); then the exposed pairs go there, and nothing else.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from os import PathLike
from typing import Literal, get_args

from confide.core.errors import RequirementError, UsageError
from confide.search.evidence.background import Background, language_background, with_index
from confide.search.evidence.informative import exposed_ratios
from confide.search.evidence.ordering import check_strength
from confide.search.exposed import ExposedProfile
from confide.search.words import Words
from confide.search.wrapper.engine import Engine, check_query, open_engine
from confide.search.wrapper.page_texts import hosts_of, page_texts
from confide.search.wrapper.ranking import (
    EvidenceRanker,
    Ranking,
    check_alpha,
    note_if_unmoved,
    rank_results,
    usual_alpha,
)
from confide.search.wrapper.results import Result
from confide.search.wrapper.scoring import SCORINGS, Scorer, Scoring

__all__ = ["NOBODY", "OrderBy", "Wrapper"]

OrderBy = Literal["evidence", "pprank"]

_NOTHING = "nothing of a profile is exposed"
_NO_BEARING = "nothing that is exposed bears on what this query finds"

NOBODY = ExposedProfile()
"""The exposed profile of somebody who exposes nothing."""


class Wrapper:
    """Personal results from an engine that knows nothing of the person.

    `engine` is an engine or the address of one (see `open_engine`); `top` is how many results are ordered. They are
    ordered by the evidence of the exposed words (`ranking="evidence"`), of this `strength` (see `LocalRanker`); or,
    as the thesis has it, by PPRank (`ranking="pprank"`, and wherever an alpha, pages or raw scores are asked for).
    That has an `alpha` from 0 (the engine decides) to 1 (the profile decides), by the length of the query without one
    (`usual_alpha`); `scoring` is "normalised" or "raw"; `pages=True` fetches the pages themselves, not only snippets:
    before that, `confirm` gets the hosts that would be asked, and may say no. `seconds` limit each of the two steps.

    >>> from confide.search.exposed import Pair
    >>> from confide.search.wrapper.local_index import LocalIndex
    >>> index = LocalIndex.build([("cats", "jaguar jaguar, a large cat"), ("cars", "a jaguar, with a fast engine")])
    >>> ranking = Wrapper(index, alpha=1).search("jaguar", ExposedProfile((Pair(("engines",), 0.9),)))
    >>> [(found.title, found.engine_rank) for found in ranking.results]
    [('cars', 2), ('cats', 1)]
    """

    def __init__(
        self,
        engine: Engine | str | PathLike[str],
        *,
        ranking: OrderBy | None = None,
        strength: float | None = None,
        alpha: float | None = None,
        scoring: Scoring = "normalised",
        top: int = 50,
        languages: Sequence[str] = ("english",),
        pages: bool = False,
        confirm: Callable[[list[str]], bool] | None = None,
        seconds: float = 10.0,
        public_only: bool = True,
    ):
        check_alpha(alpha)
        check_strength(strength)
        if ranking is not None and ranking not in get_args(OrderBy):
            raise RequirementError(
                f"ranking={ranking!r} is none of: {', '.join(get_args(OrderBy))}", parameter="ranking", value=ranking
            )
        if scoring not in SCORINGS:
            raise RequirementError(
                f"scoring={scoring!r} is none of: {', '.join(SCORINGS)}", parameter="scoring", value=scoring
            )
        if not 1 <= top <= 1000:
            raise RequirementError(f"top={top} is outside 1 to 1,000", parameter="top", value=top)
        self.engine: Engine = open_engine(engine, seconds=seconds) if isinstance(engine, str | PathLike) else engine
        self.alpha, self.scoring, self.top, self.pages = alpha, scoring, top, pages
        self.confirm, self.seconds, self.public_only = confirm, seconds, public_only
        self.words, self.strength = Words(tuple(languages)), strength
        thesis = alpha is not None or pages or scoring != "normalised"
        self.ranking: OrderBy = ranking or ("pprank" if thesis else "evidence")

    def search(self, query: str, exposed: ExposedProfile = NOBODY, *, alpha: float | None = None) -> Ranking:
        """Ask the engine and order its results; it is asked even if nothing is exposed, and then its order stays.

        A note says so where nothing that is exposed bears on what it found. An `alpha` asks for PPRank.
        """
        if type(exposed) is not ExposedProfile:
            raise UsageError("a wrapper takes an ExposedProfile and nothing else; give it profile.expose(...).profile")
        check_alpha(alpha)
        asked = check_query(query)
        return self.order(asked, self.engine.search(asked, count=self.top), exposed, alpha=alpha)

    def order(
        self,
        query: str,
        results: Sequence[Result],
        exposed: ExposedProfile,
        *,
        alpha: float | None = None,
        strength: float | None = None,
    ) -> Ranking:
        """Order results that are there already: what a slider does, without asking anybody again."""
        if self.ranking == "evidence" and alpha is None:
            ratios = exposed_ratios(exposed, self._background, self.words)
            ranker = EvidenceRanker(ratios, self._background, self.words)
            found = ranker.order(query, results, strength=self.strength if strength is None else strength)
            return note_if_unmoved(found, _NO_BEARING if exposed.pairs else _NOTHING)
        chosen = alpha if alpha is not None else self.alpha
        if chosen is None:
            chosen = usual_alpha(len(self.words.terms(query)))
        texts, notes = self._texts(results, wanted=bool(exposed.pairs) and chosen > 0)
        scorer = Scorer(exposed, scoring=self.scoring, words=self.words)
        return rank_results(query, results, [scorer.score(text) for text in texts], alpha=chosen, notes=notes)

    @cached_property
    def _background(self) -> Background:
        return with_index(language_background(self.words.languages), self.engine)

    def _texts(self, results: Sequence[Result], *, wanted: bool) -> tuple[list[str], tuple[str, ...]]:
        snippets = [result.text for result in results]
        if not self.pages or not wanted:
            return snippets, ()
        local = getattr(self.engine, "text", None)
        hosts = [] if local is not None else hosts_of(results)
        if hosts and self.confirm is not None and not self.confirm(hosts):
            return snippets, ("no pages were fetched; snippets were scored",)
        texts, missing = page_texts(results, seconds=self.seconds, local=local, public_only=self.public_only)
        if missing:
            return texts, (f"{missing} of {len(results)} pages could not be had in time; their snippets were scored",)
        return texts, ()
