"""UPScore: how much a text has of an exposed profile (thesis, 5.2.3).

    UPScore(l) = sum over exposed t of  w_t * tf(t, l)

raw          tf is how often the term occurs, as the chapter has it: a long page has more of everything
normalised   tf is divided by the number of terms in the text: a short page on the subject beats a long one that
             mentions it

A compound label (personalized/search) is one term whose tf is the sum over its words (erratum 4).

Stemming is what takes time, so a word is stemmed once, and in English only if it begins like an exposed term: there a
stem is one letter or keeps the first two of its word (dying and die differ in the second, so y and i count as one).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from confide.core.errors import RequirementError
from confide.search.exposed import ExposedProfile
from confide.search.words import Words

__all__ = ["SCORINGS", "Scorer", "Scoring"]

Scoring = Literal["raw", "normalised"]
SCORINGS: tuple[str, ...] = get_args(Scoring)


class Scorer:
    """Scores texts against one exposed profile.

    >>> from confide.search.exposed import Pair
    >>> scorer = Scorer(ExposedProfile((Pair(("personalized", "search"), 0.523), Pair(("sports",), 0.456))))
    >>> round(scorer.score("Searching for a personal search of sport"), 4)
    0.5062
    """

    def __init__(self, exposed: ExposedProfile, *, scoring: Scoring = "normalised", words: Words | None = None):
        if scoring not in SCORINGS:
            raise RequirementError(
                f"scoring={scoring!r} is none of: {', '.join(SCORINGS)}", parameter="scoring", value=scoring
            )
        self.scoring = scoring
        self.words = words or Words()
        self._known: dict[str, dict[str, float | None]] = {name: {} for name in self.words.languages}
        self._single: dict[str, float] = {}
        self._phrases: dict[tuple[str, ...], float] = {}
        for pair in exposed.pairs:
            forms = {form for word in pair.words for form in self.words.stems_of(word)}
            for form in forms:
                if len(form) == 1:
                    self._single[form[0]] = self._single.get(form[0], 0.0) + pair.weight
                else:
                    self._phrases[form] = self._phrases.get(form, 0.0) + pair.weight

        self._beginnings = {_beginning(term) for term in self._single}

    def score(self, text: str) -> float:
        """UPScore of a text."""
        if not self._single and not self._phrases:
            return 0.0
        words = self.words.words(text)
        language = self.words.language(words)
        known = self._known[language]
        total, length = 0.0, 0
        for word, count in Counter(words).items():
            weight = known[word] if word in known else self._weigh(word, language)
            if weight is not None:
                length += count
                total += count * weight
        if self._phrases:
            terms = self.words.terms(text)
            total += sum(weight * _occurrences(phrase, terms) for phrase, weight in self._phrases.items())
        if self.scoring == "normalised":
            return total / length if length else 0.0
        return total

    def _weigh(self, word: str, language: str) -> float | None:
        """The weight of a word, 0 for one of no exposed term, None for a stop word; kept for next time."""
        weight: float | None = 0.0
        if not self.words.counts(word, language):
            weight = None
        elif language != "english" or not self._beginnings.isdisjoint((_beginning(word), word[0])):
            weight = self._single.get(self.words.stem(word, language), 0.0)
        self._known[language][word] = weight
        return weight


def _beginning(word: str) -> str:
    return word.partition("'")[0][:2].replace("y", "i")


def _occurrences(phrase: tuple[str, ...], terms: Sequence[str]) -> int:
    size = len(phrase)
    return sum(tuple(terms[i : i + size]) == phrase for i in range(len(terms) - size + 1))
