"""An index on this machine: SQLite's full-text search, ranked by bm25. It works without any network.

A query is taken as words, never as SQLite's query language; a document that holds any of them is found, those that
hold rarer ones and more of them first.
"""

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.errors import InputError, UsageError
from confide.core.files import check_new, move
from confide.core.runtime.progress import task
from confide.core.runtime.unfinished import make_part
from confide.search.words import Words
from confide.search.wrapper.engine import check_query
from confide.search.wrapper.results import Result, clean_text

__all__ = ["LocalIndex"]

_SCHEMA = "CREATE VIRTUAL TABLE pages USING fts5(name UNINDEXED, title, body, tokenize = 'porter unicode61')"
_TERMS = "CREATE TABLE held (term TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID"
_MOST_WORDS = 64


class LocalIndex:
    """An index of texts in a file, or in memory.

    >>> index = LocalIndex.build([("a", "green tea and toast"), ("b", "black coffee")])
    >>> [(found.rank, found.title) for found in index.search("tea, of course")]
    [(1, 'a')]
    """

    def __init__(self, connection: sqlite3.Connection, name: str = "index on this machine"):
        self._connection, self.name = connection, name
        self._lock = threading.Lock()  # one connection, perhaps several threads of a service
        self._words = Words()

    @classmethod
    def build(
        cls, documents: Iterable[Any], path: str | PathLike[str] | None = None, *, replace: bool = False
    ) -> "LocalIndex":
        """Index documents: pairs of a name and a text, or objects with `name` and `text`; in memory without a path."""
        if path is None:
            connection = sqlite3.connect(":memory:", check_same_thread=False)
            cls._fill(connection, documents)
            return cls(connection)
        target = Path(path)
        check_new(target, replace=replace)
        try:
            with make_part(target.parent, folder=True) as folder:  # in which SQLite keeps a journal, too
                index = folder / target.name
                index.touch(mode=0o600)  # texts of a person: for the owner only
                with closing(sqlite3.connect(index)) as connection:
                    cls._fill(connection, documents)
                move(index, target, replace=replace)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"cannot write {target}: {error}") from None
        return cls.open(target)

    @staticmethod
    def _fill(connection: sqlite3.Connection, documents: Iterable[Any]) -> None:
        connection.execute(_SCHEMA)
        words, held = Words(), Counter[str]()
        with task("indexing") as step:
            for given in documents:
                name, text = given if isinstance(given, tuple) else (given.name, given.text)
                title = clean_text(str(name).rpartition("/")[2] or str(name), 300)
                connection.execute("INSERT INTO pages VALUES (?, ?, ?)", (str(name), title, str(text)))
                held.update(set(words.terms(f"{title} {text}")))
                step(1)
        connection.execute(_TERMS)
        connection.executemany("INSERT INTO held VALUES (?, ?)", sorted(held.items()))
        connection.execute("INSERT INTO pages(pages) VALUES ('optimize')")
        connection.commit()

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "LocalIndex":
        """Open an index that `build` wrote, read only."""
        file = Path(path)
        if not file.is_file():
            raise InputError("no such file", source=file)
        try:
            connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            connection.execute("SELECT name, title, body FROM pages LIMIT 1")
        except sqlite3.Error:
            raise InputError("is not an index; make one with confide search index", source=file) from None
        return cls(connection, name=f"index {file.name}")

    def __len__(self) -> int:
        with self._lock:
            return self._count()

    def search(self, query: str, *, count: int = 50) -> list[Result]:
        """The documents that hold any word of the query, by bm25; stop words count only if there are no others."""
        words = self._words.words(check_query(query))
        kept = [word for word in words if self._words.terms(word)] or words
        if not kept:
            return []
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(kept[:_MOST_WORDS]))
        with self._lock:
            rows = self._connection.execute(
                "SELECT name, title, snippet(pages, 2, '', '', ' ... ', 40) FROM pages WHERE pages MATCH ? "
                "ORDER BY bm25(pages), rowid LIMIT ?",
                (asked, count),
            ).fetchall()
        return [
            Result(rank=rank, title=title or name, url=_address(name), snippet=clean_text(snippet, 2_000))
            for rank, (name, title, snippet) in enumerate(rows, start=1)
        ]

    def count_terms(self) -> tuple[dict[str, int], int]:
        """How many documents hold each term, as `Words` cuts them, and how many documents there are.

        An index that an older version wrote has only the stems of SQLite, nearly the same: they are cut once more.
        """
        with self._lock:
            if self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'held'").fetchone():
                rows = self._connection.execute("SELECT term, documents FROM held").fetchall()
                return dict(rows), self._count()
            self._connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5vocab(main, pages, row)")
            rows = self._connection.execute("SELECT term, doc FROM temp.stems").fetchall()
            counts: dict[str, int] = {}
            for term, documents in rows:
                if self._words.counts(term, "english"):
                    stem = self._words.stem(term, "english")
                    counts[stem] = max(counts.get(stem, 0), int(documents))
            return counts, self._count()

    def _count(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM pages").fetchone()[0])

    def text(self, url: str) -> str | None:
        """The whole text of a document that was found, by its address."""
        with self._lock:
            names = (url, url.removeprefix("file://"))
            row = self._connection.execute("SELECT body FROM pages WHERE name IN (?, ?)", names).fetchone()
        return None if row is None else str(row[0])


def _address(name: str) -> str:
    """Where a document is: its web address, the path of its file, or its name."""
    return f"file://{name}" if name.startswith("/") else name
