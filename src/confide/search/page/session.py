"""One person at the page: the profile, the engine, and what was found so far.

Moving a slider asks nobody: results of a query are kept for as long as the page is served, in memory only. While they
are ordered here the whole profile orders them. What is sent to a wrapper that runs elsewhere is verified against the
profile first, like every exposure.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from confide.core.errors import ConfideError, InputError
from confide.search.local.order_request import OrderRequest
from confide.search.local.ranker import LocalRanker
from confide.search.page.exposure_worth import branch_worth, order_exposed, precision_of
from confide.search.page.interest_list import list_interests
from confide.search.page.judgment_file import JudgedQuery, Judgments
from confide.search.page.shown_tree import ShownTree
from confide.search.profile.exposing import Exposed
from confide.search.profile.profile import Profile
from confide.search.wrapper.engine import Engine, NoEngine, check_query
from confide.search.wrapper.ranking import Ranking
from confide.search.wrapper.remote import RemoteWrapper, request_body
from confide.search.wrapper.results import Result
from confide.search.wrapper.wrapper import Wrapper

__all__ = ["Session", "Wish"]

_MOST_KEPT = 50  # queries whose results are remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the page asks: the sliders, the hidden branches by id, the query; `ask` if the button was pressed.

    `weight` is the strength of evidence, or PPRank's alpha; None leaves it to the length of the query.
    """

    min_detail: float
    weight: float | None
    hide: tuple[str, ...]
    query: str
    related: bool
    ask: bool

    @classmethod
    def read(cls, data: Any) -> "Wish":
        """From JSON, or an InputError in one line."""
        names = ("min_detail", "weight", "hide", "query", "related", "ask")
        if not isinstance(data, dict) or set(data) != set(names):
            raise InputError(f"a request holds {', '.join(names)}, and nothing else")
        weight, hide = data["weight"], data["hide"]
        numbers = [data["min_detail"], 0 if weight is None else weight]
        if any(isinstance(n, bool) or not isinstance(n, int | float) or not 0 <= n <= 1 for n in numbers):
            raise InputError("min_detail and weight are from 0 to 1")
        if not isinstance(hide, list) or len(hide) > 1000 or not all(isinstance(place, str) for place in hide):
            raise InputError("hide must be a list of branches")
        if not isinstance(data["query"], str) or not all(isinstance(data[name], bool) for name in ("related", "ask")):
            raise InputError("query must be text, related and ask true or false")
        return cls(
            min_detail=float(numbers[0]), weight=weight, hide=tuple(hide), query=data["query"], related=data["related"],
            ask=data["ask"],
        )  # fmt: skip


class Session:
    """Answers the page. `save` keeps a changed profile; without it changes hold until the page ends.

    A `LocalRanker` orders by the whole profile, a `Wrapper` by what is exposed, both here; a `RemoteWrapper` elsewhere.
    `weight` is where the page's slider begins. `unsaved` holds what searches brought and `save` has not written.
    """

    def __init__(
        self,
        profile: Profile,
        searcher: LocalRanker | Wrapper | RemoteWrapper,
        *,
        judgments: Judgments | None = None,
        save: Callable[[Profile], None] | None = None,
        min_detail: float = 0.02,
        weight: float | None = None,
    ):
        self.min_detail, self.weight = min_detail, weight
        self.judgments = Judgments() if judgments is None else judgments
        self.unsaved: list[str] = []
        self._save = save
        self._lock = threading.Lock()
        self._found: OrderedDict[str, list[Result]] = OrderedDict()
        self._theirs: OrderedDict[str, Ranking] = OrderedDict()
        self._searcher = searcher
        self._take(profile)

    def _take(self, profile: Profile) -> None:
        self.profile, self.tree = profile, ShownTree(profile.root)
        self._here = LocalRanker(profile, None)
        if isinstance(self._searcher, LocalRanker):
            self._searcher = self._searcher.with_profile(profile)

    @property
    def _engine(self) -> Engine | None:
        """Who is asked from here; None where a wrapper elsewhere asks."""
        return None if isinstance(self._searcher, RemoteWrapper) else self._searcher.engine

    # -- what the page asks ---------------------------------------------------------------------------------------

    def about(self) -> dict[str, Any]:
        """What does not change while the page is open."""
        engine, searcher = self._engine, self._searcher
        thesis = isinstance(searcher, Wrapper) and searcher.ranking == "pprank"
        return {
            "engine": searcher.name if isinstance(searcher, RemoteWrapper) else searcher.engine.name,
            "remote": engine is None,
            "offline": hasattr(engine, "count_terms"),
            "whole": isinstance(searcher, LocalRanker),
            "weight_name": "alpha" if thesis else "strength",
            "weight": self.weight,
            "documents": self.profile.n_documents,
            "interests": len(self.profile),
            "tree": self.tree.plain(),
            "min_detail": self.min_detail,
            "can_save": self._save is not None,
        }

    def view(self, wish: Wish) -> dict[str, Any]:
        """What is exposed now, and the results in both orders."""
        exposed = self._exposed(wish, verify=False)
        answer: dict[str, Any] = {
            "exp_ratio": exposed.exp_ratio,
            "exposed": [self.tree.id_of(interest) for interest in exposed.interests],
            "pairs": [{"term": "/".join(pair.words), "weight": pair.weight} for pair in exposed.pairs],
            "ranking": None,
            "error": None,
            "sees": self._sees(wish, exposed),
        }
        if wish.query.strip():
            try:
                answer["ranking"] = self._ranking(wish, exposed)
            except ConfideError as error:
                answer["error"] = str(error)
        return answer

    def order(self, data: Any) -> dict[str, Any]:
        """Order what another program found, by the whole profile; nothing is kept."""
        asked = OrderRequest.read(data)
        here, strength = self._here, asked.strength

        def order(query: str, results: Sequence[Result]) -> Ranking:
            return here.order(query, results, strength=strength)

        return asked.answer(order)

    def interests(self, filter: str, by: str) -> dict[str, Any]:
        """All interests that hold these letters, by their share or by their effect on results."""
        return list_interests(self.profile, self.tree, self._here, filter=filter, by=by)

    def judge(self, query: str, rank: int, relevant: bool | None, wish: Wish) -> dict[str, Any]:
        """Mark a result, and say how good both orders are by all marks so far."""
        with self._lock:
            results = self._found.get(query.strip())
            if results is None:
                raise InputError("nothing was searched for under this query")
            judged = self.judgments.mark(query.strip(), results, rank, relevant)
        return {
            "relevant": list(judged.relevant),
            **self._scores(wish),
        }

    def worth(self, wish: Wish) -> dict[str, Any]:
        """What each exposed branch gains at a service and costs, from the judgments so far."""
        searcher = self._searcher
        languages = self.profile.settings.languages
        wrapper = searcher if isinstance(searcher, Wrapper) else Wrapper(NoEngine(), languages=languages)
        queries = self._decided_queries()
        rows = branch_worth(
            self.profile, wrapper, queries, min_detail=wish.min_detail, hide=self._hidden(wish), weight=wish.weight
        )
        plain = [{"label": r.label, "branch": r.branch, "gain": r.gain, "price": r.price} for r in rows]
        return {"queries": len(queries), "branches": plain if queries else []}

    def keep(self, wish: Wish) -> dict[str, Any]:
        """Hide the branches in the profile itself, and save it."""
        if self._save is None:
            raise InputError("this page may not change the profile; its owner can allow that when it is started (save)")
        profile = self.profile
        for branch in self._hidden(wish):
            profile = profile.hide(branch)
        self._change(profile)
        return self.about()

    def drop(self, word: str) -> dict[str, Any]:
        """Take a word out of the profile; for good if the profile may be saved."""
        self._change(self.profile.drop(word))
        return self.about()

    # -- within ---------------------------------------------------------------------------------------------------

    def _change(self, profile: Profile) -> None:
        with self._lock:
            if self._save is not None:
                self._save(profile)
                self.unsaved.clear()
            self._take(profile)

    def _hidden(self, wish: Wish) -> tuple[str, ...]:
        branches = [self.tree.branch(place) for place in wish.hide]
        if any(branch is None for branch in branches):
            raise InputError("a branch to hide is not in the profile; load the page again")
        return tuple(branch for branch in branches if branch is not None)

    def _exposed(self, wish: Wish, *, verify: bool) -> Exposed:
        query = wish.query.strip() if wish.related and wish.query.strip() else None
        return self.profile.expose(min_detail=wish.min_detail, hide=self._hidden(wish), query=query, verify=verify)

    def _sees(self, wish: Wish, exposed: Exposed) -> dict[str, Any]:
        """Exactly what leaves the machine when the button is pressed."""
        query, searcher = wish.query.strip(), self._searcher
        if isinstance(searcher, RemoteWrapper):
            return {"to": searcher.name, "body": request_body(query, exposed.profile, _alpha(searcher, wish)).decode()}
        return {"to": searcher.engine.name, "body": query}

    def _ranking(self, wish: Wish, exposed: Exposed) -> dict[str, Any] | None:
        query = check_query(wish.query)
        searcher = self._searcher
        if isinstance(searcher, RemoteWrapper):
            ranking = self._from_afar(searcher, query, wish)
        else:
            ranking = self._from_here(searcher, query, wish, exposed)
        if ranking is None:
            return None
        with self._lock:
            marks = self.judgments.of(query, self._found[query]).relevant
        plain = {**ranking.to_dict(), "weight": ranking.alpha if ranking.strength is None else ranking.strength}
        return {**plain, "relevant": list(marks), **self._scores(wish)}

    def _from_here(self, searcher: LocalRanker | Wrapper, query: str, wish: Wish, exposed: Exposed) -> Ranking | None:
        with self._lock:
            results = self._found.get(query)
        if results is not None:
            return self._order(searcher, query, results, wish, exposed)
        if not wish.ask:
            return None
        results = searcher.engine.search(query, count=searcher.top)
        self._remember(query, results)
        ranking = self._order(searcher, query, results, wish, exposed)
        self._count_words(searcher, results)
        return ranking

    def _order(
        self, searcher: LocalRanker | Wrapper, query: str, results: Sequence[Result], wish: Wish, exposed: Exposed
    ) -> Ranking:
        if isinstance(searcher, LocalRanker):
            return searcher.order(query, results, strength=wish.weight)
        return order_exposed(searcher, query, results, exposed.profile, wish.weight)

    def _count_words(self, searcher: LocalRanker | Wrapper, results: Sequence[Result]) -> None:
        """Let what a search brought tell later ones what is usual there; an index says so by itself."""
        if isinstance(searcher, LocalRanker) and not hasattr(searcher.engine, "count_terms"):
            texts = [result.text for result in results]
            with self._lock:
                self.unsaved += texts
                self._take(self.profile.remember(texts))

    def _from_afar(self, remote: RemoteWrapper, query: str, wish: Wish) -> Ranking | None:
        if wish.ask:
            exposed = self._exposed(wish, verify=True).profile
            ranking = remote.search(query, exposed, alpha=_alpha(remote, wish))
            links = sorted(ranking.results, key=lambda link: link.engine_rank)
            self._remember(
                query,
                [Result(rank=n, title=k.title, url=k.url, snippet=k.snippet) for n, k in enumerate(links, start=1)],
            )
            with self._lock:
                self._theirs[query] = ranking
        with self._lock:
            known = self._theirs.get(query)
        if known is None or wish.weight is None:
            return known
        return known.with_alpha(wish.weight) if known.strength is None else known.with_strength(wish.weight)

    def _remember(self, query: str, results: list[Result]) -> None:
        with self._lock:
            self._found[query] = results
            while len(self._found) > _MOST_KEPT:
                old, _ = self._found.popitem(last=False)
                self._theirs.pop(old, None)

    def _decided_queries(self) -> list[JudgedQuery]:
        """Queries asked here whose results include a relevant one."""
        with self._lock:
            return self.judgments.decided_queries(self._found)

    def _scores(self, wish: Wish) -> dict[str, Any]:
        queries, searcher = self._decided_queries(), self._searcher
        if isinstance(searcher, RemoteWrapper) or not queries:
            return {"queries": len(queries), "engine_precision": None, "own_precision": None}
        exposed = self._exposed(wish, verify=False)
        own = [precision_of(self._order(searcher, one.query, one.results, wish, exposed), one) for one in queries]
        plain = [precision_of(self._here.order(one.query, one.results, strength=0.0), one) for one in queries]
        count = len(queries)
        return {"queries": count, "engine_precision": sum(plain) / count, "own_precision": sum(own) / count}


def _alpha(remote: RemoteWrapper, wish: Wish) -> float | None:
    """The alpha that a service is asked for: only where PPRank was asked for when the page was started."""
    return None if remote.alpha is None or wish.weight is None else wish.weight
