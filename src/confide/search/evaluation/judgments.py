"""Judgments: for a query, the links that were looked at and those that were relevant. They are the owner's own.

A file of judgments is JSON lines, one judged query each:

    {"query": "jaguar speed", "relevant": ["https://a.example/"], "seen": ["https://a.example/", "https://b.example/"]}
"""

import json
import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from confide.core.errors import InputError, RequirementError
from confide.core.figures import ShownFields
from confide.search.words import Words
from confide.search.wrapper.engine import LONGEST_QUERY

__all__ = ["Judged", "add_judgment", "cut_queries", "read_judgments"]

_MOST_BYTES = 64 << 20
_KEYS = {"query", "relevant", "seen"}


@dataclass(frozen=True, slots=True)
class Judged(ShownFields):
    """A query with the addresses found `relevant` among those `seen` (empty: all that the engine finds)."""

    query: str
    relevant: frozenset[str]
    seen: frozenset[str] = frozenset()


def read_judgments(path: str | PathLike[str]) -> list[Judged]:
    """Read a file of judgments; a query judged twice counts once, with all that was found relevant."""
    file = Path(path)
    if not file.is_file():
        raise InputError("no such file", source=file)
    if file.stat().st_size > _MOST_BYTES:
        raise InputError(f"is larger than {_MOST_BYTES >> 20} MB, far more than anybody judges", source=file)
    found: dict[str, Judged] = {}
    try:
        lines = file.read_bytes().decode().split("\n")  # a line ends here and nowhere else
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=file) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        one = _judged(line, f"{file}, line {number}")
        old = found.get(one.query)
        found[one.query] = one if old is None else Judged(one.query, old.relevant | one.relevant, old.seen | one.seen)
    if not found:
        raise InputError("holds no judged query", source=file)
    return list(found.values())


def _judged(line: str, where: str) -> Judged:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{where}: not JSON; each line is one judged query") from None
    if not isinstance(data, dict) or set(data) != _KEYS:
        raise InputError(f"{where}: a line holds query, relevant and seen, and nothing else")
    query, lists = data["query"], (data["relevant"], data["seen"])
    if not isinstance(query, str) or not 0 < len(query) <= LONGEST_QUERY:
        raise InputError(f"{where}: query must be a text of 1 to {LONGEST_QUERY:,} characters")
    if not all(isinstance(one, list) and all(isinstance(url, str) for url in one) for one in lists):
        raise InputError(f"{where}: relevant and seen must be lists of addresses")
    return Judged(query, frozenset(data["relevant"]), frozenset(data["seen"]))


def add_judgment(path: str | PathLike[str], judged: Judged) -> None:
    """Append a judged query to a file, which nobody else may read; the line is on disk when this returns."""
    line = json.dumps(
        {"query": judged.query, "relevant": sorted(judged.relevant), "seen": sorted(judged.seen)}, ensure_ascii=False
    )
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{line}\n".encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def cut_queries(
    judged: Iterable[Judged], *, terms: int, seed: int = 0, languages: Sequence[str] = ("english",)
) -> list[Judged]:
    """The same queries, cut to so many random terms in their order; those that have fewer are left out.

    Short queries are what people type. A cut is for an experiment, so it is drawn by a seed.

    >>> [one.query for one in cut_queries([Judged("the flow of air past a wing", frozenset())], terms=2, seed=1)]
    ['flow wing']
    """
    if terms < 1:
        raise RequirementError(
            f"terms={terms} leaves nothing of a query; use 1 or more", parameter="terms", value=terms
        )
    words, found = Words(languages), []
    for one in judged:
        kept = [word for word in dict.fromkeys(words.words(one.query)) if words.terms(word)]
        if len(kept) < terms:
            continue
        drawn = random.Random(f"{seed} {terms} {one.query}").sample(range(len(kept)), terms)
        found.append(Judged(" ".join(kept[i] for i in sorted(drawn)), one.relevant, one.seen))
    return found
