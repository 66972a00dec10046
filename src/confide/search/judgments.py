"""Which results a person found relevant: results and marks, a line of JSON for each query, for their owner only.

    {"query": "jaguar", "results": [{"rank": 1, "title": ..., "url": ..., "snippet": ..., "relevant": true}, ...]}

`rank` is the engine's, `relevant` null where the person has not said. What was found is kept too, so that other
settings can be tried on it later without asking the engine again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.errors import InputError
from confide.core.files import read_regular, write_text
from confide.core.json_text import read_json
from confide.search.wrapper.results import Result

__all__ = ["JudgedQuery", "Judgments"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuery:
    """A query, what an engine found for it in its order, and a mark for each result (None: not judged)."""

    query: str
    results: tuple[Result, ...]
    relevant: tuple[bool | None, ...]

    @property
    def judged(self) -> int:
        """How many results have a mark."""
        return sum(mark is not None for mark in self.relevant)


@dataclass
class Judgments:
    """The judgments of one person; with a `path` every mark is written there at once."""

    path: Path | None = None
    queries: dict[str, JudgedQuery] = field(default_factory=dict)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "Judgments":
        """Those in a file, which need not be there yet."""
        file = Path(path)
        if not file.exists():
            return cls(file)
        found: dict[str, JudgedQuery] = {}
        for number, line in enumerate(bytes(read_regular(file)).splitlines(), start=1):
            if line.strip():
                try:
                    one = _judged(read_json(line, what="a line of judgments"))
                except InputError as error:
                    raise InputError(error.what, source=file, line=number) from None
                found[one.query] = one
        return cls(file, found)

    def mark(self, query: str, results: Sequence[Result], rank: int, relevant: bool | None) -> JudgedQuery:
        """Mark the result at this rank of the engine's."""
        known = self.queries.get(query)
        if known is None or [r.url for r in known.results] != [r.url for r in results]:
            known = JudgedQuery(query=query, results=tuple(results), relevant=(None,) * len(results))
        if not 1 <= rank <= len(known.results):
            raise InputError("no result has this rank")
        marks = list(known.relevant)
        marks[rank - 1] = relevant
        changed = JudgedQuery(query=query, results=known.results, relevant=tuple(marks))
        self.queries[query] = changed
        if self.path is not None:
            lines = (json.dumps(_plain(one), ensure_ascii=False) for one in self.queries.values())
            write_text(self.path, "\n".join(lines) + "\n", replace=True, private=True)
        return changed


def _plain(one: JudgedQuery) -> dict[str, Any]:
    rows = [
        {"rank": r.rank, "title": r.title, "url": r.url, "snippet": r.snippet, "relevant": mark}
        for r, mark in zip(one.results, one.relevant, strict=True)
    ]
    return {"query": one.query, "results": rows}


def _judged(data: Any) -> JudgedQuery:
    if not isinstance(data, dict) or set(data) != {"query", "results"} or not isinstance(data["query"], str):
        raise InputError("a line of judgments holds query and results")
    if not isinstance(data["results"], list):
        raise InputError("results must be a list")
    results, marks = [], []
    for rank, row in enumerate(data["results"], start=1):
        if not isinstance(row, dict) or set(row) != {"rank", "title", "url", "snippet", "relevant"}:
            raise InputError("a result holds rank, title, url, snippet and relevant")
        texts = [row[name] for name in ("title", "url", "snippet")]
        if row["rank"] != rank or not all(isinstance(text, str) for text in texts):
            raise InputError("results must be in the order of their ranks, with texts")
        if not isinstance(row["relevant"], bool | None):
            raise InputError("relevant must be true, false or null")
        results.append(Result(rank=rank, title=texts[0], url=texts[1], snippet=texts[2]))
        marks.append(row["relevant"])
    return JudgedQuery(query=data["query"], results=tuple(results), relevant=tuple(marks))
