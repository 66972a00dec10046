"""Bookmarks: places.sqlite of Firefox, Bookmarks of Chromium (JSON), or an exported file (HTML)."""

import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from confide.core.errors import InputError
from confide.core.files import read_regular
from confide.core.json_text import read_json
from confide.search.profile.documents import Document
from confide.search.sources.databases import copied, has_table
from confide.search.sources.files import decoded
from confide.search.sources.history import page_words
from confide.search.sources.html_text import html_text
from confide.search.sources.skipping import Skipped, ignore

__all__ = ["read_bookmarks"]

_MOST_BYTES = 50_000_000
_LONGEST_TAG = 100_000  # browsers put icons into theirs
_LINK = re.compile(r"<a\s", re.IGNORECASE)
_HREF = re.compile(r'\bhref="([^"]*)"', re.IGNORECASE)
_END = re.compile(r"</a", re.IGNORECASE)


def read_bookmarks(path: str | os.PathLike[str], *, skipped: Skipped = ignore) -> Iterator[Document]:
    """Every bookmark as a document of its title and the words in its address."""
    place = Path(path)
    if place.is_dir():
        names = [place / name for name in ("places.sqlite", "Bookmarks") if (place / name).is_file()]
        if not names:
            raise InputError("holds neither places.sqlite (Firefox) nor Bookmarks (Chromium)", source=place)
        place = names[0]
    for url, title in _bookmarks(place):
        if url.startswith(("http://", "https://")):
            yield Document(text=page_words(url, title), name=url, source="bookmarks")


def _bookmarks(place: Path) -> Iterator[tuple[str, str]]:
    if place.suffix.lower() in (".html", ".htm"):
        yield from _exported(decoded(bytes(read_regular(place, max_bytes=_MOST_BYTES))))
        return
    if not place.is_file():
        raise InputError("no such file", source=place)
    with open(place, "rb") as start:
        is_database = start.read(16).startswith(b"SQLite format 3")
    if is_database:
        with copied(place) as connection:
            if not has_table(connection, "moz_bookmarks"):
                raise InputError("holds no bookmarks of Firefox", source=place)
            rows = connection.execute(
                "SELECT p.url, coalesce(b.title, p.title, '') FROM moz_bookmarks b JOIN moz_places p ON b.fk = p.id"
            )
            yield from ((str(url), str(title)) for url, title in rows)
        return
    data = read_json(read_regular(place, max_bytes=_MOST_BYTES), what="a file of bookmarks", source=place)
    roots = data.get("roots") if isinstance(data, dict) else None
    if not isinstance(roots, dict):
        raise InputError("is not a file of bookmarks of Chromium", source=place)
    waiting: list[Any] = list(roots.values())
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, dict):
            if isinstance(entry.get("url"), str):
                yield entry["url"], str(entry.get("name", ""))
            children = entry.get("children")
            waiting += reversed(children) if isinstance(children, list) else []


def _exported(text: str) -> Iterator[tuple[str, str]]:
    """The format that every browser exports: links in a list. Read in one pass, however broken."""
    for piece in _LINK.split(text)[1:]:
        attributes, _, rest = piece.partition(">")
        href = _HREF.search(attributes[:_LONGEST_TAG])
        if href is not None:
            yield unescape(href[1]), html_text(_END.split(rest, maxsplit=1)[0])
