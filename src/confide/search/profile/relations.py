"""Which interests have to do with a query: those it names, and those its words go together with in the documents.

The chapter's conclusions ask for it: a query about tyres need not carry an interest in cooking. An interest is related
if its label holds a word of the query, or if the documents that hold a word of the query hold the interest far more
often than chance would have it; and so are the interests above one that the query names, without which it would not
be reached.
"""

from collections.abc import Callable, Iterable

from confide.core.requirements.base import exact
from confide.search.profile.documents import Collection
from confide.search.profile.interests import Interest
from confide.search.words import Words

__all__ = ["DEVIATIONS", "related_to"]

DEVIATIONS = 4.0
"""By how many standard deviations an interest must be commoner than by chance where a word of the query is."""

_FEWEST = 2  # documents: one that happens to hold both is no sign of anything


def related_to(
    root: Interest, collection: Collection | None, query: str, languages: Iterable[str], *, min_detail: float = 0.0
) -> Callable[[Interest], bool]:
    """Whether an interest of this tree has to do with the query; those below `min_detail` count for nothing."""
    words = Words(tuple(languages))
    asked = {term for word in words.words(query) for stems in words.stems_of(word) for term in stems}
    asked |= {word.casefold() for word in query.split()} | set(query.split())
    commoner = _commoner(collection, asked)
    least = exact(min_detail) * root.units
    kept: set[int] = set()

    def look(interest: Interest) -> bool:
        """Whether the query names it, or something below it."""
        heavy = [child for child in interest.children if child.units >= least]
        named = sum(look(child) for child in heavy) > 0  # all of them are to be looked at
        named = named or any(term in asked or term.casefold() in asked for term in interest.terms)
        if named or any(term in commoner for term in interest.terms):
            kept.add(id(interest))
        return named

    look(root)
    return lambda interest: id(interest) in kept


def _commoner(collection: Collection | None, asked: set[str]) -> set[str]:
    """The terms that are far commoner where a word of the query is than by chance."""
    import numpy as np

    if collection is None:
        return set()
    hits = collection.holding(asked)
    n = int(hits.sum())
    if n == 0:
        return set()
    data = collection.data
    both = np.bincount(data.indices[np.repeat(hits, data.lengths)], minlength=data.n_items)
    share = data.supports() / len(collection)
    spread = np.sqrt(n * share * (1 - share))
    found = np.flatnonzero((both >= _FEWEST) & (both > n * share + DEVIATIONS * spread))
    return {data.labels[code] for code in found}
