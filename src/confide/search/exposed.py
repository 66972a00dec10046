"""What may leave the machine: terms and their weights, and nothing else.

The wrapper, which may be another person's service, takes an `ExposedProfile`. That type has no room for a document, a
hidden interest, a support or a tree, and the wrapper's modules may not import the profile's (import-linter holds them
to it).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.core.errors import InputError
from confide.core.figures import Shown
from confide.core.requirements.base import is_number

__all__ = ["MOST_PAIRS", "ExposedProfile", "Pair"]

FORMAT = "confide exposed profile"
VERSION = 1
MOST_PAIRS = 100_000
_LONGEST_TERM = 200
_MOST_WORDS = 1_000


@dataclass(frozen=True, slots=True)
class Pair:
    """<t, w_t>: the words of an exposed interest, and its weight log10(|D| / Sup(t)), to three decimals."""

    words: tuple[str, ...]
    weight: float

    def __str__(self) -> str:
        return f"<{'/'.join(self.words)}, {self.weight:.3f}>"


@dataclass(frozen=True, slots=True)
class ExposedProfile(Shown):
    """All that a search wrapper is given of a person: pairs of a term and a weight.

    >>> print(*ExposedProfile((Pair(("research",), 0.301), Pair(("personalized", "search"), 0.523))).pairs)
    <research, 0.301> <personalized/search, 0.523>
    """

    pairs: tuple[Pair, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As it is written, and sent."""
        pairs = [{"term": list(pair.words), "weight": pair.weight} for pair in self.pairs]
        return {"format": FORMAT, "version": VERSION, "pairs": pairs}

    @classmethod
    def from_dict(cls, data: Any) -> "ExposedProfile":
        """Read back what `to_dict` gave; anything more or less is refused."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise InputError("not an exposed profile; make one with confide search profile expose")
        if data.get("version") != VERSION:
            raise InputError(f"an exposed profile of another version; this program reads version {VERSION}")
        if set(data) != {"format", "version", "pairs"}:
            raise InputError("an exposed profile holds format, version and pairs, and nothing else")
        pairs = data["pairs"]
        if not isinstance(pairs, list) or len(pairs) > MOST_PAIRS:
            raise InputError(f"pairs must be a list of at most {MOST_PAIRS:,}")
        return cls(tuple(_pair(pair, number) for number, pair in enumerate(pairs)))


def _pair(data: Any, number: int) -> Pair:
    if not isinstance(data, Mapping) or set(data) != {"term", "weight"}:
        raise InputError(f"pair {number} must hold a term and a weight, and nothing else")
    words, weight = data["term"], data["weight"]
    if (
        not isinstance(words, list)
        or not 1 <= len(words) <= _MOST_WORDS
        or not all(isinstance(word, str) and 1 <= len(word) <= _LONGEST_TERM for word in words)
    ):
        raise InputError(f"the term of pair {number} must be a list of words of 1 to {_LONGEST_TERM} characters")
    if not is_number(weight) or weight < 0:
        raise InputError(f"the weight of pair {number} must be a number of 0 or more")
    return Pair(tuple(words), float(weight))
