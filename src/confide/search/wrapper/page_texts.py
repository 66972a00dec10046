"""The text of result pages: fetched only when asked for, from hosts that are named first, a few at a time.

Every host asked learns that somebody looked for something that led there. Where a page cannot be had in time, its
snippet is scored instead.
"""

import time
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from confide.core.errors import ConfideError
from confide.core.runtime.threads import in_threads
from confide.search.sources.files import decoded
from confide.search.sources.html_text import html_text
from confide.search.wrapper.fetching import fetch
from confide.search.wrapper.results import Result

__all__ = ["MOST_PAGE", "hosts_of", "page_texts"]

MOST_PAGE = 1_000_000
"""Bytes that are read of one page."""

_AT_ONCE = 8
_KINDS = ("text/html", "text/plain", "application/xhtml+xml", "")


def hosts_of(results: Sequence[Result]) -> list[str]:
    """The hosts that would be asked for pages, each once, in the order of the results."""
    return list(dict.fromkeys(urlsplit(result.url).netloc for result in results if result.url.startswith("http")))


def page_texts(
    results: Sequence[Result],
    *,
    seconds: float,
    local: Callable[[str], str | None] | None = None,
    public_only: bool = True,
) -> tuple[list[str], int]:
    """For each result the text of its page, or title and snippet where that cannot be had; and how often it could not.

    `local` gives texts that are on this machine. With `public_only`, an engine's result cannot make us ask this
    machine or the local network.
    """
    until = time.monotonic() + seconds

    def one(result: Result) -> str | None:
        if local is not None and (text := local(result.url)) is not None:
            return f"{result.title}\n{text}"
        left = until - time.monotonic()
        if left <= 0 or not result.url.startswith("http"):
            return None
        try:
            answer = fetch(result.url, seconds=left, most=MOST_PAGE, public_only=public_only)
        except ConfideError:
            return None
        if answer.status != 200 or answer.kind not in _KINDS:
            return None
        page = decoded(answer.body)
        return f"{result.title}\n{page if answer.kind == 'text/plain' else html_text(page)}"

    found = in_threads(one, results, threads=1 if local is not None else _AT_ONCE)
    texts = [result.text if text is None else text for result, text in zip(results, found, strict=True)]
    return texts, sum(text is None for text in found)
