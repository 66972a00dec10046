"""The background: the share of ordinary texts that hold a term.

    a list of the language    a word of rate r is in 1 - (1 - r)^n of the texts of n words
    an index                  the share of its documents that hold the term
    snippets                  the share of those seen so far; they tell of past searches

Sources are mixed by adding up documents: a language counts as `_WORTH` texts, an index and snippets as many as they
are, up to `_MOST`. So where an index has much to say about a term it decides, and where it has nothing the language
does: an index may cut words to other stems. A term that none of them has is as rare as the rarest they could have seen.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from confide.search.evidence.language_rates import language_rates

__all__ = ["REPEATED", "Background", "language_background", "with_index"]

_WORTH = 200.0
_MOST = 2_000.0
_RAREST = 1e-6
"""Of a word that the list of a language does not have; the last one in a list has about this share."""

TEXT_LENGTH = 60
"""Words of an ordinary text: what a rate in a language is turned into a share of documents with."""

REPEATED = 1.5
"""How many words a text has for each of its different terms: it repeats a third of them."""


@dataclass(frozen=True)
class Background:
    """What is known of other texts: `rates` of a language's words, and of `texts` texts how many hold each term.

    `length` is how many different terms a text has, on average.
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    texts: int = 0
    length: float = TEXT_LENGTH

    def share(self, term: str, length: float | None = None) -> float:
        """The share of texts of so many words (default: `length`) that hold a term; between 0 and 1, and never 0.

        Counts were taken from texts as long as those are: of shorter ones fewer hold a term, so snippets and letters
        can be compared.

        >>> ground = Background(rates={"time": 0.002}, counts={"orbit": 30}, texts=100)
        >>> round(ground.share("time", 90), 3), round(ground.share("orbit", 90), 3), round(ground.share("orbit", 9), 3)
        (0.165, 0.1, 0.012)
        """
        as_long = 1.0 if length is None else max(length, 1.0) / REPEATED / self.length
        length = max(self.length if length is None else length, 1.0)
        known = 1.0 - (1.0 - self.rates.get(term, _RAREST)) ** length if self.rates else 0.0
        weight = _WORTH if self.rates else 0.0
        if self.texts and (term in self.counts or not self.rates):
            seen = min(float(self.texts), _MOST)
            counted = 1.0 - (1.0 - self.counts.get(term, 0) / self.texts) ** as_long
            known = (known * weight + counted * seen) / (weight + seen)
            weight += seen
        least = 0.5 / (weight + 1.0) if not self.rates else 1e-7 * length
        return min(max(known, least), 1.0)

    def with_texts(self, counts: Mapping[str, int], texts: int) -> "Background":
        """The same with what an index or snippets hold, in place of what was there."""
        length = sum(counts.values()) / texts if texts else self.length
        return Background(self.rates, counts, texts, max(length, 1.0))

    def of_terms(self, terms: Iterable[str]) -> "Background":
        """What the texts say of these terms alone, without the rates of a language: for a profile to keep."""
        counts = {term: self.counts[term] for term in terms if term in self.counts}
        return Background({}, counts, self.texts, self.length)

    @property
    def knows_nothing(self) -> bool:
        """Whether there is neither a list of a language nor any text."""
        return not self.rates and not self.texts


def language_background(languages: Iterable[str]) -> Background:
    """The lists of these languages; of a stem that several have, the larger rate."""
    rates: dict[str, float] = {}
    for language in languages:
        for stem, rate in language_rates(language).items():
            if rate > rates.get(stem, 0.0):
                rates[stem] = rate
    return Background(rates)


def with_index(background: Background, engine: object) -> Background:
    """The same, and what the engine's documents hold where it is an index on this machine."""
    count = getattr(engine, "count_terms", None)
    return background if count is None else background.with_texts(*count())
