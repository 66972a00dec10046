"""Which interests have to do with a query: those it names, and those its words go together with in the documents.

The chapter's conclusions ask for it: a query about tyres need not carry an interest in cooking. An interest is related
if its label holds a word of the query, or if the documents that hold a word of the query hold the interest far more
often than chance would have it; and so are the interests above one that the query names, without which it would not
be reached.
"""

import math
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
    import numpy as np

    words = Words(tuple(languages))
    asked = {term for word in words.words(query) for stems in words.stems_of(word) for term in stems}
    asked |= {word.casefold() for word in query.split()} | set(query.split())
    hits = None if collection is None else collection.holding(asked)
    known: dict[str, bool] = {}

    def together(term: str) -> bool:
        if term not in known:
            known[term] = False
            if collection is not None and hits is not None and hits.any():
                held = collection.holding([term])
                both = int(np.count_nonzero(held & hits))
                share = int(held.sum()) / len(collection)
                expected, n = share * int(hits.sum()), int(hits.sum())
                spread = math.sqrt(n * share * (1 - share))
                known[term] = both >= _FEWEST and both > expected + DEVIATIONS * spread
        return known[term]

    least = exact(min_detail) * root.units
    kept: set[int] = set()

    def look(interest: Interest) -> bool:
        """Whether the query names it, or something below it."""
        heavy = [child for child in interest.children if child.units >= least]
        named = sum(look(child) for child in heavy) > 0  # all of them are to be looked at
        named = named or any(term in asked or term.casefold() in asked for term in interest.terms)
        if named or any(together(term) for term in interest.terms):
            kept.add(id(interest))
        return named

    look(root)
    return lambda interest: id(interest) in kept
