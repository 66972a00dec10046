"""Queries with what is relevant to them, of a judged collection or of a person, and shorter cuts of them."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from confide.core.errors import RequirementError
from confide.search.judgments import JudgedQuery
from confide.search.words import Words

__all__ = ["Judged", "cut_queries"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A query with the addresses that are `relevant` among those `seen` (empty: all that the engine finds)."""

    query: str
    relevant: frozenset[str]
    seen: frozenset[str] = frozenset()

    @classmethod
    def of(cls, one: JudgedQuery) -> "Judged":
        """A query that a person judged; results without a mark count as not relevant."""
        good = {link.url for link, mark in zip(one.results, one.relevant, strict=True) if mark}
        return cls(one.query, frozenset(good), frozenset(link.url for link in one.results))


def cut_queries(
    judged: Iterable[Judged], *, terms: int, seed: int = 0, languages: Sequence[str] = ("english",)
) -> list[Judged]:
    """The same queries, cut to so many random terms in their order; those that have fewer are left out.

    Short queries are what people type. A cut is for an experiment, so it is drawn by a seed.

    >>> [one.query for one in cut_queries([Judged("the flow of air past a wing", frozenset())], terms=2, seed=1)]
    ['flow wing']
    """
    if terms < 1:
        raise RequirementError(f"terms={terms} leaves nothing of a query; use 1 or more")
    words, found = Words(languages), []
    for one in judged:
        kept = [word for word in dict.fromkeys(words.words(one.query)) if words.terms(word)]
        if len(kept) < terms:
            continue
        drawn = random.Random(f"{seed} {terms} {one.query}").sample(range(len(kept)), terms)
        found.append(Judged(" ".join(kept[i] for i in sorted(drawn)), one.relevant, one.seen))
    return found
