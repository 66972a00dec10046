"""Results that another program found, to be ordered here: what it sends, and what it gets back.

    {"query": "drive", "results": [{"title": "...", "snippet": "..."}, ...], "strength": 0.3 or null}
    {"query": "drive", "strength": 0.3, "order": [2, 0, 1], "reasons": [["bike", "ride"], [], []], "notes": []}

`order` holds the places, from 0, that the results had, the new first one first; `reasons` say for each of them why. A
browser's extension, a plugin of a search engine and `confide search order` ask in this form.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from confide.core.errors import InputError
from confide.search.evidence.ordering import check_strength
from confide.search.wrapper.engine import check_query
from confide.search.wrapper.ranking import Ranking
from confide.search.wrapper.results import Result, clean_text

__all__ = ["MOST_RESULTS", "OrderRequest"]

MOST_RESULTS = 200
_LONGEST_TITLE, _LONGEST_SNIPPET = 300, 2_000


@dataclass(frozen=True, kw_only=True)
class OrderRequest:
    """A query and what was found for it, in the engine's order; without a strength, that of the query's length."""

    query: str
    results: tuple[Result, ...]
    strength: float | None = None

    @classmethod
    def read(cls, data: Any) -> "OrderRequest":
        """From JSON, or an InputError in one line. Texts are cut at 300 and 2,000 characters.

        >>> asked = OrderRequest.read({"query": "drive", "results": [{"title": "Cars", "snippet": "<b>fast</b> ones"}]})
        >>> asked.results[0].snippet
        'fast ones'
        """
        if not isinstance(data, dict) or not {"query", "results"} <= set(data) <= {"query", "results", "strength"}:
            raise InputError("a request holds query and results, may hold strength, and nothing else")
        listed, query = data["results"], data["query"]
        if not isinstance(query, str) or not isinstance(listed, list) or len(listed) > MOST_RESULTS:
            raise InputError(f"query must be text, and results a list of at most {MOST_RESULTS}")
        check_strength(data.get("strength"))
        found = tuple(_read_result(entry, rank) for rank, entry in enumerate(listed, start=1))
        return cls(query=check_query(query), results=found, strength=data.get("strength"))

    def answer(self, order: Callable[[str, Sequence[Result]], Ranking]) -> dict[str, Any]:
        """What the other program gets, of the order that `order` makes."""
        ranking = order(self.query, self.results)
        return {
            "query": self.query,
            "strength": ranking.strength,
            "order": [link.engine_rank - 1 for link in ranking.results],
            "reasons": [list(link.reasons) if ranking.strength else [] for link in ranking.results],
            "notes": list(ranking.notes),
        }


def _read_result(entry: Any, rank: int) -> Result:
    if not isinstance(entry, dict) or not set(entry) <= {"title", "snippet"}:
        raise InputError(f"result {rank} must hold a title and a snippet, and nothing else")
    title, snippet = entry.get("title", ""), entry.get("snippet", "")
    if not isinstance(title, str) or not isinstance(snippet, str):
        raise InputError(f"title and snippet of result {rank} must be texts")
    return Result(
        rank=rank, title=clean_text(title, _LONGEST_TITLE), url="", snippet=clean_text(snippet, _LONGEST_SNIPPET)
    )
