"""What a browser remembers of visits: titles, and the words in addresses and searches. Pages are not fetched.

Firefox       places.sqlite, in the profile folder
Chromium      History, in the profile folder (Chrome, Edge, Brave and others too)
"""

import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from confide.core.errors import InputError
from confide.search.profile.documents import Document
from confide.search.sources.databases import copied, has_table
from confide.search.sources.skipping import Skipped, ignore

__all__ = ["page_words", "read_history"]

_MOST_PAGES = 1_000_000
_ASKED = frozenset(("q", "query", "search", "p", "text", "wd"))  # what engines call the words that were looked for
_OPAQUE = re.compile(r"[0-9a-f]{8,}|\d+", re.IGNORECASE)


def read_history(path: str | os.PathLike[str], *, skipped: Skipped = ignore) -> Iterator[Document]:
    """Every page of a browser's history as a document of its title and the words in its address."""
    place = Path(path)
    if place.is_dir():
        names = [place / name for name in ("places.sqlite", "History") if (place / name).is_file()]
        if not names:
            raise InputError("holds neither places.sqlite (Firefox) nor History (Chromium)", source=place)
        place = names[0]
    with copied(place) as connection:
        connection.text_factory = lambda data: data.decode(errors="replace")
        for url, title in _pages(connection, place):
            if isinstance(url, str) and url.startswith(("http://", "https://")):
                yield Document(text=page_words(url, str(title or "")), name=url, source="history")


def _pages(connection: sqlite3.Connection, place: Path) -> Iterator[tuple[object, object]]:
    if has_table(connection, "moz_places"):
        found = connection.execute(
            "SELECT url, title FROM moz_places WHERE visit_count > 0 ORDER BY last_visit_date DESC LIMIT ?",
            (_MOST_PAGES,),
        )
    elif has_table(connection, "urls"):
        found = connection.execute(
            "SELECT url, title FROM urls WHERE visit_count > 0 ORDER BY last_visit_time DESC LIMIT ?", (_MOST_PAGES,)
        )
    else:
        raise InputError("is not the history of Firefox or Chromium", source=place)
    yield from found


def page_words(url: str, title: str) -> str:
    """The title of a page, what was searched for there, and the words of its path.

    >>> page_words("https://www.example.org/gravel-bikes/2024/a1b2c3d4e5f6.html?q=best+tyres&id=99", "Gravel bikes")
    'Gravel bikes best tyres example gravel bikes html'
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        asked = [value for name, value in parse_qsl(parts.query, max_num_fields=100) if name.lower() in _ASKED]
    except ValueError:
        return title
    site = host.removeprefix("www.").rpartition(".")[0]
    path = re.sub(r"[\W_]+", " ", _OPAQUE.sub(" ", unquote(parts.path)))
    return " ".join(" ".join([title, *asked, site.replace(".", " "), path]).split())
