"""Every judged query, asked once, and ordered by every profile, minDetail and alpha.

    judged queries --> the engine, once each --> links
    each profile --> exposed at each minDetail --> UPScores of the links --> average precision for each alpha

Only queries with a relevant link among those found count. Gains are paired: each query is compared with itself in the
engine's own order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, RequirementError
from confide.core.figures import Shown
from confide.core.runtime.progress import task
from confide.search.evaluation.judgments import Judged, cut_queries
from confide.search.evaluation.precision import precision_by_alpha
from confide.search.wrapper.engine import Engine
from confide.search.wrapper.ranking import check_alpha
from confide.search.wrapper.results import Result
from confide.search.wrapper.scoring import Scorer, Scoring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from confide.search.profile.profile import Profile

__all__ = ["WHOLE", "Evaluation", "Trial", "evaluate"]

WHOLE = 0
"""Stands for a query as it was asked."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What is tried. `terms` are lengths that queries are cut to, 0 for whole; `cuts` how often each is drawn anew."""

    alphas: tuple[float, ...] = tuple(n / 10 for n in range(11))
    min_details: tuple[float, ...] = (0.0,)
    terms: tuple[int, ...] = (WHOLE,)
    scorings: tuple[Scoring, ...] = ("normalised",)
    cuts: int = 1
    top: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        for alpha in self.alphas:
            check_alpha(alpha)
        if not (self.alphas and self.min_details and self.terms and self.scorings):
            raise RequirementError("alphas, min_details, terms and scorings need at least one value each")
        if self.cuts < 1 or min(self.terms) < 0:
            raise RequirementError("cuts must be 1 or more, and terms 0 (whole) or more")


@dataclass(frozen=True, kw_only=True)
class Trial(Shown):
    """The mean over queries of one setting.

    `precision` is the mean average precision, `gain` how much more that is than the engine's own order (paired), and
    `error` the standard error of the gain; `spread` the standard deviation of the precision between queries.
    """

    profile: str
    terms: int
    scoring: str
    min_detail: float
    exp_ratio: float
    alpha: float
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
    """A query's links, and which are relevant."""

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
    exposed = {
        (name, detail): profile.expose(min_detail=detail, verify=False)
        for name, profile in profiles.items()
        for detail in settings.min_details
    }
    for terms in settings.terms:
        found = list(_ask(judged, engine, settings, terms))
        if not found:
            continue
        plain = np.array([precision_by_alpha([0.0] * len(one.good), one.good, [0.0])[0] for one in found])
        with task(f"queries of {terms} terms" if terms else "whole queries", total=len(exposed)) as step:
            for (name, detail), part in exposed.items():
                for scoring in settings.scorings:
                    scorer = Scorer(part.profile, scoring=scoring)
                    by = np.stack(
                        [
                            precision_by_alpha(
                                [scorer.score(link.text) for link in one.links], one.good, settings.alphas
                            )
                            for one in found
                        ]
                    )
                    trials += _means(by, plain, name, terms, scoring, detail, part.exp_ratio, settings.alphas)
                step(1)
    if not trials:
        raise InputError("no judged query has a relevant link among those the engine finds; nothing can be compared")
    return trials


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
                good = [link.url in one.relevant for link in links]
                if any(good):
                    yield _Asked(links, good)


def _means(
    by: "NDArray[Any]",
    plain: "NDArray[Any]",
    name: str,
    terms: int,
    scoring: str,
    detail: float,
    ratio: float,
    alphas: Sequence[float],
) -> Iterator[Trial]:
    import numpy as np

    gains = by - plain[:, None]
    queries = len(by)
    more = queries > 1
    for place, alpha in enumerate(alphas):
        yield Trial(
            profile=name,
            terms=terms,
            scoring=scoring,
            min_detail=detail,
            exp_ratio=round(ratio, 4),
            alpha=alpha,
            precision=float(by[:, place].mean()),
            spread=float(by[:, place].std(ddof=1)) if more else 0.0,
            gain=float(gains[:, place].mean()),
            error=float(gains[:, place].std(ddof=1) / np.sqrt(queries)) if more else 0.0,
            queries=queries,
        )
