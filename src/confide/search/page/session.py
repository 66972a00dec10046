"""One person at the page: the profile, the engine, and what was found so far.

Moving a slider asks nobody: results of a query are kept for as long as the page is served, in memory only. What is
sent to a wrapper that runs elsewhere is verified against the profile first, like every exposure.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from confide.core.errors import ConfideError, InputError
from confide.search.page.exposure_worth import branch_worth, mean_precision
from confide.search.page.judgment_file import JudgedQuery, Judgments
from confide.search.page.shown_tree import ShownTree
from confide.search.profile.exposing import Exposed
from confide.search.profile.profile import Profile
from confide.search.wrapper.engine import check_query
from confide.search.wrapper.ranking import Ranking
from confide.search.wrapper.remote import RemoteWrapper, request_body
from confide.search.wrapper.results import Result
from confide.search.wrapper.wrapper import NOBODY, Wrapper

__all__ = ["Session", "Wish"]

_MOST_KEPT = 50  # queries whose results are remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the page asks: the sliders, the hidden branches by id, the query; `ask` if the button was pressed."""

    min_detail: float
    alpha: float | None
    hide: tuple[str, ...]
    query: str
    related: bool
    ask: bool

    @classmethod
    def read(cls, data: Any) -> "Wish":
        """From JSON, or an InputError in one line."""
        names = ("min_detail", "alpha", "hide", "query", "related", "ask")
        if not isinstance(data, dict) or set(data) != set(names):
            raise InputError(f"a request holds {', '.join(names)}, and nothing else")
        alpha, hide = data["alpha"], data["hide"]
        numbers = [data["min_detail"], 0 if alpha is None else alpha]
        if any(isinstance(n, bool) or not isinstance(n, int | float) or not 0 <= n <= 1 for n in numbers):
            raise InputError("min_detail and alpha are from 0 to 1")
        if not isinstance(hide, list) or len(hide) > 1000 or not all(isinstance(place, str) for place in hide):
            raise InputError("hide must be a list of branches")
        if not isinstance(data["query"], str) or not all(isinstance(data[name], bool) for name in ("related", "ask")):
            raise InputError("query must be text, related and ask true or false")
        return cls(
            min_detail=float(numbers[0]), alpha=alpha, hide=tuple(hide), query=data["query"], related=data["related"],
            ask=data["ask"],
        )  # fmt: skip


class Session:
    """Answers the page. `save` keeps a changed profile; without it hiding holds until the page ends."""

    def __init__(
        self,
        profile: Profile,
        searcher: Wrapper | RemoteWrapper,
        *,
        judgments: Judgments | None = None,
        save: Callable[[Profile], None] | None = None,
        min_detail: float = 0.02,
    ):
        self.searcher, self.min_detail = searcher, min_detail
        self.judgments = Judgments() if judgments is None else judgments
        self._save = save
        self._lock = threading.Lock()
        self._found: OrderedDict[str, list[Result]] = OrderedDict()
        self._theirs: OrderedDict[str, Ranking] = OrderedDict()
        self._ordering = searcher if isinstance(searcher, Wrapper) else None
        self._take(profile)

    def _take(self, profile: Profile) -> None:
        self.profile, self.tree = profile, ShownTree(profile.root)

    # -- what the page asks ---------------------------------------------------------------------------------------

    def about(self) -> dict[str, Any]:
        """What does not change while the page is open."""
        return {
            "engine": self.searcher.engine.name if isinstance(self.searcher, Wrapper) else self.searcher.name,
            "remote": isinstance(self.searcher, RemoteWrapper),
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
        """What each exposed branch gains and costs, from the judgments so far."""
        wrapper = self._ordering or Wrapper(_Nothing(), alpha=None)
        queries = self._decided_queries()
        rows = branch_worth(
            self.profile, wrapper, queries, min_detail=wish.min_detail, hide=self._hidden(wish), alpha=wish.alpha
        )
        plain = [{"label": r.label, "branch": r.branch, "gain": r.gain, "price": r.price} for r in rows]
        return {"queries": len(queries), "branches": plain if queries else []}

    def keep(self, wish: Wish) -> dict[str, Any]:
        """Hide the branches in the profile itself, and save it."""
        profile = self.profile
        for branch in self._hidden(wish):
            profile = profile.hide(branch)
        if self._save is None:
            raise InputError("this page may not change the profile; its owner can allow that when it is started (save)")
        with self._lock:
            self._save(profile)
            self._take(profile)
        return self.about()

    # -- within ---------------------------------------------------------------------------------------------------

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
        query = wish.query.strip()
        if isinstance(self.searcher, RemoteWrapper):
            return {"to": self.searcher.name, "body": request_body(query, exposed.profile, wish.alpha).decode()}
        return {"to": self.searcher.engine.name, "body": query}

    def _ranking(self, wish: Wish, exposed: Exposed) -> dict[str, Any] | None:
        query = check_query(wish.query)
        if isinstance(self.searcher, RemoteWrapper):
            ranking = self._from_afar(self.searcher, query, wish)
        else:
            ranking = self._ordered(self.searcher, query, wish, exposed)
        if ranking is None:
            return None
        with self._lock:
            marks = self.judgments.of(query, self._found[query]).relevant
        return {**ranking.to_dict(), "relevant": list(marks), **self._scores(wish)}

    def _ordered(self, wrapper: Wrapper, query: str, wish: Wish, exposed: Exposed) -> Ranking | None:
        with self._lock:
            results = self._found.get(query)
        if results is None:
            if not wish.ask:
                return None
            results = wrapper.engine.search(query, count=wrapper.top)
            self._remember(query, results)
        return wrapper.order(query, results, exposed.profile, alpha=wish.alpha)

    def _from_afar(self, remote: RemoteWrapper, query: str, wish: Wish) -> Ranking | None:
        if wish.ask:
            ranking = remote.search(query, self._exposed(wish, verify=True).profile, alpha=wish.alpha)
            links = sorted(ranking.results, key=lambda link: link.engine_rank)
            self._remember(
                query,
                [Result(rank=n, title=k.title, url=k.url, snippet=k.snippet) for n, k in enumerate(links, start=1)],
            )
            with self._lock:
                self._theirs[query] = ranking
        with self._lock:
            known = self._theirs.get(query)
        if known is None:
            return None
        return known if wish.alpha is None else known.with_alpha(wish.alpha)

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
        queries = self._decided_queries()
        if self._ordering is None or not queries:
            return {"queries": len(queries), "engine_precision": None, "own_precision": None}
        exposed = self._exposed(wish, verify=False).profile
        engine, count = mean_precision(self._ordering, queries, NOBODY, alpha=0)
        own, _ = mean_precision(self._ordering, queries, exposed, alpha=wish.alpha)
        return {"queries": count, "engine_precision": engine, "own_precision": own}


class _Nothing:
    """An engine that finds nothing: for ordering what is there already."""

    name = "nothing"

    def search(self, query: str, *, count: int = 50) -> list[Result]:
        return []
