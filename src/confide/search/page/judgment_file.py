"""Which results a person found relevant, by query and address, in the form that `confide search evaluate` reads.

The file is for its owner only. It names addresses, not what was said there; the results themselves are kept for as long
as the page is served.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from confide.core.errors import InputError
from confide.core.files import write_text
from confide.search.evaluation.judgments import read_judgments
from confide.search.wrapper.results import Result

__all__ = ["JudgedQuery", "Judgments"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuery:
    """A query, what an engine found for it in its order, and a mark for each result (None: not judged)."""

    query: str
    results: tuple[Result, ...]
    relevant: tuple[bool | None, ...]


@dataclass
class Judgments:
    """The judgments of one person; with a `path` every mark is written there at once."""

    path: Path | None = None
    marks: dict[str, dict[str, bool]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "Judgments":
        """Those in a file, which need not be there yet."""
        file = Path(path)
        if not file.exists() or file.stat().st_size == 0:
            return cls(file)
        judged = read_judgments(file)
        return cls(
            file, {query.query: {url: url in query.relevant for url in query.seen | query.relevant} for query in judged}
        )

    def of(self, query: str, results: Sequence[Result]) -> JudgedQuery:
        """The marks of a query, for results in the engine's order."""
        marks = self.marks.get(query, {})
        return JudgedQuery(
            query=query, results=tuple(results), relevant=tuple(marks.get(result.url) for result in results)
        )

    def decided_queries(self, results: Mapping[str, Sequence[Result]]) -> list[JudgedQuery]:
        """Of the queries whose results are there, those with a relevant one."""
        judged = [self.of(query, links) for query, links in results.items() if query in self.marks]
        return [query for query in judged if any(query.relevant)]

    def mark(self, query: str, results: Sequence[Result], rank: int, relevant: bool | None) -> JudgedQuery:
        """Mark the result at this rank of the engine's; None takes a mark back."""
        if not 1 <= rank <= len(results):
            raise InputError(f"no result has the rank {rank}; there are {len(results)}")
        url = results[rank - 1].url
        marks = self.marks.setdefault(query, {})
        if relevant is None:
            marks.pop(url, None)
        else:
            marks[url] = relevant
        if self.path is not None:
            write_text(self.path, "".join(self._lines()), replace=True, private=True)
        return self.of(query, results)

    def _lines(self) -> list[str]:
        return [
            json.dumps(
                {"query": query, "relevant": sorted(u for u, good in marks.items() if good), "seen": sorted(marks)},
                ensure_ascii=False,
            )
            + "\n"
            for query, marks in self.marks.items()
            if marks
        ]
