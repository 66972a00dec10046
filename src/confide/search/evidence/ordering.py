"""The engine's order, moved by evidence: a result goes where log(rank + 10) - strength * evidence puts it.

Ten is added so that the first places, where an engine is surest, move least in proportion to what stands below them:
evidence of 1 at strength 0.3 takes a result from 20 to 12, and from 2 to before 1 only if 1 has none.
"""

import math
from collections.abc import Sequence

from confide.core.errors import RequirementError
from confide.core.requirements.base import is_number
from confide.search.words import Words

__all__ = ["check_strength", "hold_the_query", "move_by_evidence", "place_of", "usual_strength"]

_USUAL = {1: 0.3, 2: 0.1}
_BEFORE = 10


def usual_strength(terms: int) -> float:
    """How much evidence counts for a query of so many terms: one word is ambiguous, three say what they mean.

    >>> [usual_strength(n) for n in (1, 2, 3)]
    [0.3, 0.1, 0.0]
    """
    return _USUAL.get(terms, 0.0)


def check_strength(strength: float | None) -> None:
    """Refuse what is no strength."""
    if strength is not None and (not is_number(strength) or not 0 <= strength <= 1):
        raise RequirementError(
            f"strength={strength} is not from 0 (the engine decides) to 1 (your words decide); 0.3 is usual",
            parameter="strength",
            value=strength,
        )


def move_by_evidence(ranks: Sequence[int], evidence: Sequence[float], *, strength: float) -> list[int]:
    """Places in the new order, of results with these ranks: the first one is the place of the result that leads.

    >>> move_by_evidence([1, 2, 3], [0.0, 0.0, 2.5], strength=0.3)
    [2, 0, 1]
    """
    keys = [place_of(rank, value, strength) for rank, value in zip(ranks, evidence, strict=True)]
    return sorted(range(len(ranks)), key=lambda i: (keys[i], ranks[i]))


def place_of(rank: int, evidence: float, strength: float) -> float:
    """log(rank + 10) - strength * evidence, rounded so that equal ones are equal."""
    return round(math.log(rank + _BEFORE) - strength * evidence, 9)


def hold_the_query(query: str, texts: Sequence[str], words: Words) -> list[bool]:
    """Which texts hold as many words of the query as the best of them."""
    asked = set(words.terms(query))
    held = [len(asked & set(words.terms(text))) for text in texts]
    return [number == max(held) for number in held]
