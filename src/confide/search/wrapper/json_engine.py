"""Any engine that answers JSON, described by a small file.

url = "https://api.example/search?q={query}&n={count}"
results = "data.items"            # where the list of results is in the answer
title = "name"
link = "href"
snippet = "summary"               # optional
[headers]                         # optional; $NAME takes a secret from the environment, never from the file
Authorization = "Bearer $EXAMPLE_KEY"
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.files import read_toml
from confide.core.json_text import read_json
from confide.search.wrapper.engine import check_query
from confide.search.wrapper.fetching import fetch
from confide.search.wrapper.results import Result
from confide.search.wrapper.searxng import MOST_ANSWER, results_of
from confide.web.addresses import web_address

__all__ = ["JsonEngine"]

_NAMES = {"url", "results", "title", "link", "snippet", "headers"}
_SECRET = re.compile(r"\$([A-Z][A-Z0-9_]*)")


@dataclass(frozen=True, kw_only=True)
class JsonEngine:
    """An engine by its mapping: `url` with {query} (and {count} if wanted), where results and their fields are."""

    url: str
    results: str = "results"
    title: str = "title"
    link: str = "url"
    snippet: str = "snippet"
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    seconds: float = 10.0

    def __post_init__(self) -> None:
        if "{query}" not in self.url:
            raise UsageError(
                "the url of an engine must say where the words go: {query}", parameter="url", value=self.url
            )
        parts = web_address(self.url)
        if parts is None or "{" in parts.netloc:
            raise UsageError("the url of an engine must start with http:// or https:// and a host")

    @property
    def name(self) -> str:
        """Its host."""
        return urlsplit(self.url).netloc

    @classmethod
    def read(cls, path: Path, *, seconds: float = 10.0) -> "JsonEngine":
        """Read a mapping file."""
        data = read_toml(path)
        unknown = set(data) - _NAMES
        if unknown or "url" not in data:
            known = ", ".join(sorted(_NAMES))
            raise InputError(
                f"an engine's file has url and, if wanted, {known}; not {', '.join(sorted(unknown))}", source=path
            )
        headers = data.pop("headers", {})
        if not all(isinstance(value, str) for value in data.values()) or not isinstance(headers, dict):
            raise InputError("every entry must be text, and headers a table of texts", source=path)
        try:
            return cls(
                **data, headers={str(k): _with_secrets(str(v), path) for k, v in headers.items()}, seconds=seconds
            )
        except UsageError as error:
            raise InputError(str(error), source=path) from None

    def search(self, query: str, *, count: int = 50) -> list[Result]:
        """Up to `count` links of one request."""
        asked = self.url.replace("{query}", quote(check_query(query), safe="")).replace("{count}", str(count))
        answer = fetch(asked, seconds=self.seconds, most=MOST_ANSWER, headers=self.headers)
        if answer.status != 200:
            raise UnreachableError(f"{self.name} answers with HTTP {answer.status}")
        if answer.cut:
            raise UnreachableError(f"{self.name} answers with more than {MOST_ANSWER:,} bytes")
        found: Any = read_json(answer.body, what="an answer in JSON", source=self.name)
        for step in filter(None, self.results.split(".")):
            found = found.get(step) if isinstance(found, dict) else None
        if not isinstance(found, list):
            raise InputError(f"answers without a list at {self.results!r}", source=self.name)
        return results_of(found, title=self.title, url=self.link, snippet=self.snippet)[:count]


def _with_secrets(text: str, source: Path) -> str:
    def secret(match: re.Match[str]) -> str:
        value = os.environ.get(match.group(1))
        if value is None:
            raise InputError(f"the environment has no {match.group(1)}, which a header needs", source=source)
        return value

    found = _SECRET.sub(secret, text)
    if not found.isprintable():
        raise InputError("a header holds a line end or another control character", source=source)
    return found
