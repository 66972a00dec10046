"""What an engine found, made safe to show: engines and pages are strangers, so markup and odd addresses go."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from confide.search.sources.html_text import html_text

__all__ = ["Result", "clean_result", "clean_text", "shown_address"]

_LONGEST_TITLE = 300
_LONGEST_SNIPPET = 2_000
_LONGEST_ADDRESS = 2_000
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One link: `rank` is the engine's, from 1; `text` what is scored (title and snippet, or the page's text)."""

    rank: int
    title: str
    url: str
    snippet: str = ""

    @property
    def text(self) -> str:
        """Title and snippet: what is known of the page without fetching it."""
        return f"{self.title}\n{self.snippet}"


def clean_text(text: Any, most: int) -> str:
    """Plain text of at most so many characters, whatever an engine put into it.

    >>> clean_text("<b>Tea</b> &amp; <script>alert(1)</script>toast\\x1b[2J", 100)
    'Tea & toast [2J'
    """
    if not isinstance(text, str):
        return ""
    text = text[: 20 * most]
    if "<" in text or "&" in text:
        text = html_text(text)
    return " ".join(_UNSEEN.sub(" ", text).split())[:most]


def shown_address(url: Any) -> str | None:
    """The address if a link may lead there: http or https, with a host, of reasonable length; else None."""
    if not isinstance(url, str) or len(url) > _LONGEST_ADDRESS or not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and host and "@" not in parts.netloc else None


def clean_result(rank: int, title: Any, url: Any, snippet: Any, *, names: bool = False) -> Result | None:
    """A result made safe, or None where its address leads nowhere.

    With `names`, a plain name (notes/7.txt) will do, as an index of files has it: it is shown, and leads nowhere.
    """
    address = shown_address(url)
    if address is None and names and isinstance(url, str) and ":" not in url:  # without a colon it has no scheme
        address = clean_text(url, _LONGEST_ADDRESS) or None
    if address is None:
        return None
    return Result(
        rank=rank,
        title=clean_text(title, _LONGEST_TITLE) or address,
        url=address,
        snippet=clean_text(snippet, _LONGEST_SNIPPET),
    )
