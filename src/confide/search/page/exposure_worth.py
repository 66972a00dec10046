"""What each exposed branch gains and costs, from the person's own judgments (the chapter's conclusions ask for it).

    gain     mean average precision with the branch, less without it      (over judged queries with a relevant result)
    price    expRatio with the branch, less without it

A branch that gains nothing may as well be hidden. With few judgments the gains are rough; the number of queries
behind them is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from confide.search.evaluation.precision import average_precision
from confide.search.exposed import ExposedProfile
from confide.search.page.judgment_file import JudgedQuery
from confide.search.profile.profile import Profile
from confide.search.wrapper.ranking import Ranking
from confide.search.wrapper.results import Result
from confide.search.wrapper.wrapper import Wrapper

__all__ = ["BranchWorth", "branch_worth", "order_exposed", "precision_of"]

_MOST_BRANCHES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchWorth:
    """One exposed branch: its label, its path by words, `gain` in mean average precision, `price` in expRatio."""

    label: str
    branch: str
    gain: float
    price: float


def precision_of(ranking: Ranking, judged: JudgedQuery) -> float:
    """Average precision of an order of judged results; what was not judged counts as not relevant."""
    return average_precision([judged.relevant[link.engine_rank - 1] is True for link in ranking.results])


def order_exposed(
    wrapper: Wrapper, query: str, results: Sequence[Result], exposed: ExposedProfile, weight: float | None
) -> Ranking:
    """Order by what is exposed, with this strength or alpha."""
    if wrapper.ranking == "evidence":
        return wrapper.order(query, results, exposed, strength=weight)
    return wrapper.order(query, results, exposed, alpha=weight)


def _mean_precision(
    wrapper: Wrapper, queries: Sequence[JudgedQuery], exposed: ExposedProfile, weight: float | None
) -> float:
    """Mean average precision over queries that have a relevant result."""
    values = [precision_of(order_exposed(wrapper, q.query, q.results, exposed, weight), q) for q in queries]
    return sum(values) / len(values) if values else 0.0


def branch_worth(
    profile: Profile,
    wrapper: Wrapper,
    judged: Iterable[JudgedQuery],
    *,
    min_detail: float,
    hide: Iterable[str] = (),
    weight: float | None = None,
) -> list[BranchWorth]:
    """For each branch exposed at the top of the profile, what hiding it would lose and save; largest gain first."""
    queries, hidden = [query for query in judged if any(query.relevant)], tuple(hide)
    whole = profile.expose(min_detail=min_detail, hide=hidden, verify=False)
    base = _mean_precision(wrapper, queries, whole.profile, weight)
    inside = {id(interest) for interest in whole.interests}
    found = []
    for child in [child for child in profile.root.children if id(child) in inside][:_MOST_BRANCHES]:
        branch = "/".join(child.words)
        less = profile.expose(min_detail=min_detail, hide=(*hidden, branch), verify=False)
        without = _mean_precision(wrapper, queries, less.profile, weight)
        found.append(
            BranchWorth(label=child.label, branch=branch, gain=base - without, price=whole.exp_ratio - less.exp_ratio)
        )
    return sorted(found, key=lambda one: (-one.gain, one.price))
