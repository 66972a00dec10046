"""Every judged query, asked once, and ordered by every profile, minDetail and strength (or alpha).

    judged queries --> the engine, once each --> links
    each profile --> whole, here             --> evidence of the links --> average precision for each strength
                 --> exposed at each minDetail --> the same, as a service would find it
                                               --> with ranking="pprank" UPScores --> the same for each alpha

Only queries with a relevant link among those found count. Gains are paired: each query is compared with itself in the
engine's own order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, RequirementError
from confide.core.figures import Shown
from confide.core.runtime.progress import task
from confide.search.evaluation.judgments import Judged, cut_queries
from confide.search.evaluation.precision import precision_by_alpha
from confide.search.evidence.ordering import check_strength
from confide.search.exposed import ExposedProfile
from confide.search.local.ranker import LocalRanker
from confide.search.wrapper.engine import Engine
from confide.search.wrapper.ranking import Ranking, check_alpha
from confide.search.wrapper.results import Result
from confide.search.wrapper.scoring import Scorer, Scoring
from confide.search.wrapper.wrapper import OrderBy, Wrapper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from confide.search.profile.profile import Profile

__all__ = ["WHOLE", "Evaluation", "Trial", "evaluate"]

WHOLE = 0
"""Stands for a query as it was asked."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What is tried. `terms` are lengths that queries are cut to, 0 for whole; `cuts` how often each is drawn anew.

    By evidence the whole profile orders here, and at each of `min_details` what a service would be sent; with
    `ranking="pprank"` only the latter, at a minDetail of 0 unless others are given.
    """

    ranking: OrderBy = "evidence"
    strengths: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
    alphas: tuple[float, ...] = tuple(n / 10 for n in range(11))
    min_details: tuple[float, ...] = ()
    terms: tuple[int, ...] = (WHOLE,)
    scorings: tuple[Scoring, ...] = ("normalised",)
    cuts: int = 1
    top: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        for alpha in self.alphas:
            check_alpha(alpha)
        for strength in self.strengths:
            check_strength(strength)
        if not (self.alphas and self.strengths and self.terms and self.scorings):
            raise RequirementError("alphas, strengths, terms and scorings need at least one value each")
        if self.cuts < 1 or min(self.terms) < 0:
            raise RequirementError("cuts must be 1 or more, and terms 0 (whole) or more")

    @property
    def weights(self) -> tuple[float, ...]:
        """The strengths, or the alphas."""
        return self.strengths if self.ranking == "evidence" else self.alphas


@dataclass(frozen=True, kw_only=True)
class Trial(Shown):
    """The mean over queries of one setting.

    `precision` is the mean average precision, `gain` how much more that is than the engine's own order (paired), and
    `error` the standard error of the gain; `spread` the standard deviation of the precision between queries. Ordered
    here by the whole profile, `min_detail` is None, and nothing leaves; otherwise `words` are sent, and `fits` of the
    profiles that are compared hold them all. `weight` is the strength of evidence, or with PPRank its alpha.
    """

    profile: str
    terms: int
    scoring: str
    min_detail: float | None
    exp_ratio: float
    words: int
    fits: int
    weight: float
    precision: float
    spread: float
    gain: float
    error: float
    queries: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query's links, ranked from 1, and which are relevant."""

    query: str
    links: list[Result] = field(repr=False)
    good: list[bool]


def evaluate(
    judged: Sequence[Judged],
    profiles: "Mapping[str, Profile]",
    engine: Engine,
    *,
    asked: Evaluation | None = None,
) -> list[Trial]:
    """Try every profile with every setting. The engine gets each query once, and nothing of any profile.

    `profiles` are named by what they were built from ("mail", "documents", "everything", "somebody else"), so that
    sources can be compared. Somebody else's profile is the control: a gain it shares is not the person's.
    """
    import numpy as np

    settings = asked or Evaluation()
    if not profiles:
        raise InputError("no profile to evaluate; give one or more")
    trials: list[Trial] = []
    orders = list(_orders(profiles, engine, settings))
    for terms in settings.terms:
        found = list(_ask(judged, engine, settings, terms))
        if not found:
            continue
        plain = np.array([_precision(one.good) for one in found])
        with task(f"queries of {terms} terms" if terms else "whole queries", total=len(orders)) as step:
            for order in orders:
                by = np.stack([order.precisions(one, settings.weights) for one in found])
                trials += _means(by, plain, order, terms, settings.weights)
                step(1)
    if not trials:
        raise InputError("no judged query has a relevant link among those the engine finds; nothing can be compared")
    return trials


@dataclass(frozen=True, kw_only=True)
class _Order:
    """A way to order the links of a query, and what leaves the machine for it."""

    profile: str
    scoring: str
    min_detail: float | None
    exp_ratio: float
    words: int
    fits: int
    precisions: "Callable[[_Asked, Sequence[float]], NDArray[Any]]"


def _orders(profiles: "Mapping[str, Profile]", engine: Engine, settings: Evaluation) -> Iterator[_Order]:
    by_evidence = settings.ranking == "evidence"
    if by_evidence:
        for name, profile in profiles.items():
            weigh = partial(_by_strength, LocalRanker(profile, engine).order)
            yield _Order(
                profile=name, scoring="whole, here", min_detail=None, exp_ratio=0.0, words=0, fits=len(profiles),
                precisions=weigh,
            )  # fmt: skip
    held = [{term for i in profile.root.walk() for term in i.terms} for profile in profiles.values()]
    for name, profile in profiles.items():
        for detail in settings.min_details or (() if by_evidence else (0.0,)):
            shown = profile.expose(min_detail=detail, verify=False)
            terms = {term for interest in shown.interests for term in interest.terms}
            made = partial(
                _Order, profile=name, min_detail=detail, exp_ratio=round(shown.exp_ratio, 4), words=len(terms),
                fits=sum(terms <= others for others in held),
            )  # fmt: skip
            if by_evidence:
                order = partial(_order_exposed, Wrapper(engine, languages=profile.settings.languages), shown.profile)
                yield made(scoring="exposed words", precisions=partial(_by_strength, order))
            else:
                for scoring in settings.scorings:
                    scorer = Scorer(shown.profile, scoring=scoring)
                    yield made(scoring=scoring, precisions=partial(_by_alpha, scorer))


def _order_exposed(
    wrapper: Wrapper, exposed: ExposedProfile, query: str, links: Sequence[Result], *, strength: float
) -> Ranking:
    return wrapper.order(query, links, exposed, strength=strength)


def _by_strength(order: "Callable[..., Ranking]", asked: "_Asked", strengths: Sequence[float]) -> "NDArray[Any]":
    """Average precision of the order by evidence, for each strength."""
    import numpy as np

    ranking = order(asked.query, asked.links, strength=1.0)  # the evidence is found once
    places = [[link.engine_rank - 1 for link in ranking.with_strength(one).results] for one in strengths]
    return np.array([_precision([asked.good[i] for i in found]) for found in places])


def _precision(good: Sequence[bool]) -> float:
    """Average precision, to the last bit what `precision_by_alpha` gives for this order."""
    return float(precision_by_alpha([0.0] * len(good), good, [0.0])[0])


def _by_alpha(scorer: Scorer, asked: "_Asked", alphas: Sequence[float]) -> "NDArray[Any]":
    return precision_by_alpha([scorer.score(link.text) for link in asked.links], asked.good, alphas)


def _ask(judged: Sequence[Judged], engine: Engine, settings: Evaluation, terms: int) -> Iterator[_Asked]:
    draws = (
        [list(judged)]
        if terms == WHOLE
        else [cut_queries(judged, terms=terms, seed=settings.seed + n) for n in range(settings.cuts)]
    )
    total = sum(len(draw) for draw in draws)
    with task("asking the engine", total=total) as step:
        for draw in draws:
            for one in draw:
                step(1)
                links = engine.search(one.query, count=settings.top)
                if one.seen:
                    links = [link for link in links if link.url in one.seen]
                links = [replace(link, rank=rank) for rank, link in enumerate(links, start=1)]
                good = [link.url in one.relevant for link in links]
                if any(good):
                    yield _Asked(one.query, links, good)


def _means(
    by: "NDArray[Any]", plain: "NDArray[Any]", order: _Order, terms: int, weights: Sequence[float]
) -> Iterator[Trial]:
    import numpy as np

    gains = by - plain[:, None]
    queries = len(by)
    more = queries > 1
    for place, weight in enumerate(weights):
        yield Trial(
            profile=order.profile,
            terms=terms,
            scoring=order.scoring,
            min_detail=order.min_detail,
            exp_ratio=order.exp_ratio,
            words=order.words,
            fits=order.fits,
            weight=weight,
            precision=float(by[:, place].mean()),
            spread=float(by[:, place].std(ddof=1)) if more else 0.0,
            gain=float(gains[:, place].mean()),
            error=float(gains[:, place].std(ddof=1) / np.sqrt(queries)) if more else 0.0,
            queries=queries,
        )
