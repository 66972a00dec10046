"""What snippets of earlier searches hold: for each term, how many did. They are a background of what an engine returns.

Such counts tell of past searches, so they live inside the profile and nowhere else. At most `_MOST_TEXTS` snippets
count for much: beyond that all counts are halved, so that what was searched for lately weighs more, and terms that
one snippet held are forgotten.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from confide.search.evidence.background import Background
from confide.search.words import Words

__all__ = ["Snippets"]

_MOST_TEXTS = 20_000


@dataclass(frozen=True, eq=True)
class Snippets:
    """How many of `texts` snippets hold each term. `kept` says whether more may be added and written down.

    >>> seen = Snippets().with_texts(["A bike lane", "Bikes for two"], Words())
    >>> seen.texts, seen.counts["bike"], seen.without().texts
    (2, 2, 0)
    """

    texts: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    kept: bool = True

    def with_texts(self, texts: Iterable[str], words: Words) -> "Snippets":
        """The same and these; without change where nothing is to be kept."""
        if not self.kept:
            return self
        counts, number = Counter(self.counts), self.texts
        for text in texts:
            held = set(words.terms(text))
            counts.update(held)
            number += bool(held)
        if number > _MOST_TEXTS:
            number, counts = number // 2, Counter({term: n // 2 for term, n in counts.items() if n > 1})
        return Snippets(number, dict(counts), self.kept)

    def without(self, *, kept: bool | None = None) -> "Snippets":
        """None of them; `kept` says whether those to come are kept."""
        return Snippets(kept=self.kept if kept is None else kept)

    def beside(self, language: Background) -> Background:
        """A background of a language and of these snippets."""
        return language.with_texts(self.counts, self.texts) if self.texts else language
