"""SearXNG: a search engine that asks others, which anyone can run, through its JSON interface.

The server must allow `format=json` (in its settings.yml, `search: formats: [html, json]`).
"""

from typing import Any
from urllib.parse import urlencode

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.json_text import read_json
from confide.search.wrapper.engine import check_query
from confide.search.wrapper.fetching import fetch
from confide.search.wrapper.results import Result, clean_result
from confide.web.addresses import web_address

__all__ = ["MOST_ANSWER", "SearXNG", "results_of"]

MOST_ANSWER = 8_000_000
"""Bytes an engine's answer may have."""

_MOST_PAGES = 3


class SearXNG:
    """A SearXNG server by its address, such as "https://searx.example". `seconds` is for the whole search."""

    def __init__(self, address: str, *, seconds: float = 10.0):
        parts = web_address(address)
        if parts is None:
            raise UsageError(f"{address[:80]!r} is not the address of a server; write it like 'https://searx.example'")
        self.name = parts.netloc
        self._base = address.rstrip("/").removesuffix("/search")
        self._seconds = seconds

    def search(self, query: str, *, count: int = 50) -> list[Result]:
        """Up to `count` links, asking for as many pages of results as that takes, three at most."""
        import time

        until = time.monotonic() + self._seconds
        found: list[Result] = []
        for page in range(1, _MOST_PAGES + 1):
            left = until - time.monotonic()
            try:
                more = self._page(check_query(query), page, max(0.01, left))
            except (UnreachableError, InputError):
                if found:  # the first page is better than none
                    break
                raise
            known = {result.url for result in found}
            new = [result for result in more if result.url not in known]
            for result in new:
                found.append(Result(rank=len(found) + 1, title=result.title, url=result.url, snippet=result.snippet))
            if not new or len(found) >= count:
                break
        return found[:count]

    def _page(self, query: str, page: int, seconds: float) -> list[Result]:
        asked = urlencode({"q": query, "format": "json", "pageno": page})
        answer = fetch(f"{self._base}/search?{asked}", seconds=seconds, most=MOST_ANSWER)
        if answer.status in (403, 415):
            raise UnreachableError(f"{self.name} refuses (HTTP {answer.status}); does it allow format=json?")
        if answer.status != 200:
            raise UnreachableError(f"{self.name} answers with HTTP {answer.status}")
        if answer.cut:
            raise UnreachableError(f"{self.name} answers with more than {MOST_ANSWER:,} bytes")
        data = read_json(answer.body, what="an answer in JSON", source=self.name)
        listed = data.get("results") if isinstance(data, dict) else None
        if not isinstance(listed, list):
            raise InputError("answers without a list of results", source=self.name)
        return results_of(listed, title="title", url="url", snippet="content")


def results_of(listed: list[Any], *, title: str, url: str, snippet: str) -> list[Result]:
    """The entries of an answer as results; those that lead nowhere are left out."""
    found: list[Result] = []
    for entry in listed[:1_000]:
        if isinstance(entry, dict):
            result = clean_result(len(found) + 1, entry.get(title), entry.get(url), entry.get(snippet))
            if result is not None:
                found.append(result)
    return found
