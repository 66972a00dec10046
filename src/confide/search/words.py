"""Texts as terms: words of a text, without stop words, cut to their stems.

    "The runners were running."  -->  runners running  -->  runner run

A person may write in several languages. Of those given, a text is taken to be in the one whose stop words it uses
most: those are the commonest words of any text, so a few lines decide.
"""

import re
from collections.abc import Callable, Sequence

from confide.core.errors import RequirementError
from confide.core.runtime.extras import require

__all__ = ["LONGEST_WORD", "Form", "Words"]

Form = tuple[str, str]
"""A stem and the word it was cut from."""

LONGEST_WORD = 40
"""Longer runs of letters are keys, checksums and the like, not words."""

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:['\u2019][^\W\d_]+)*")


class Words:
    """Cuts texts into terms, in one or several languages (`english`, `german`, ...).

    >>> words = Words(["english"])
    >>> words.terms("The runners were running a 10k race.")
    ['runner', 'run', 'race']
    >>> Words(["english", "german"]).terms("Die Läufer liefen durch den Wald und über die Felder.")
    ['lauf', 'lief', 'wald', 'feld']
    """

    def __init__(self, languages: Sequence[str] = ("english",)):
        if isinstance(languages, str) or not languages:
            raise RequirementError("languages is a list of one or more names, such as ['english', 'german']")
        stemmers = require("snowballstemmer", extra="search")
        stop_words = require("stop_words", extra="search")
        known = sorted(set(stemmers.algorithms()) & set(stop_words.LANGUAGE_MAPPING.values()))
        for language in languages:
            if language not in known:
                raise RequirementError(f"language {str(language)[:40]!r} is not known; known: {', '.join(known)}")
        self.languages = tuple(dict.fromkeys(languages))
        self._stop = {name: self._stop_words(stop_words.get_stop_words(name)) for name in self.languages}
        self._stemmer = {name: stemmers.stemmer(name) for name in self.languages}
        self._forms = {name: _Forms(self._stop[name], self._stemmer[name].stemWord) for name in self.languages}

    @staticmethod
    def _stop_words(listed: Sequence[str]) -> frozenset[str]:
        return frozenset(word.casefold() for word in listed)

    def words(self, text: str) -> list[str]:
        """Every word of a text in small letters, stop words included.

        >>> Words().words("Don't panic: R2-D2 isn't lost_in 2026.")
        ["don't", 'panic', 'r2', 'd2', "isn't", 'lost', 'in']
        """
        found = _WORD.findall(text.replace("\u2019", "'").casefold())
        return [word for word in found if len(word) <= LONGEST_WORD]

    def language(self, words: Sequence[str]) -> str:
        """The language these words are most likely in; of equals, the one that was named first."""
        if len(self.languages) == 1:
            return self.languages[0]
        return max(self.languages, key=lambda name: sum(word in self._stop[name] for word in words))

    def terms(self, text: str) -> list[str]:
        """The stems of a text's words in their order, stop words and single letters left out."""
        return [stem for stem, _ in self.forms(text)]

    def forms(self, text: str, language: str | None = None) -> list[Form]:
        """As `terms`, each with the word it was cut from; `language` is found from the text if it is not given."""
        words = self.words(text)
        language = language or self.language(words)
        return [form for form in map(self._forms[language].__getitem__, words) if form is not None]

    def counts(self, word: str, language: str) -> bool:
        """Whether a word says anything: stop words and single letters do not."""
        return len(word) > 1 and word not in self._stop[language]

    def stem(self, word: str, language: str) -> str:
        """The stem of a word, found once and kept."""
        form = self.form(word, language)
        return str(self._stemmer[language].stemWord(word)) if form is None else form[0]

    def form(self, word: str, language: str) -> Form | None:
        """A word with its stem, found once and kept; None for stop words and single letters."""
        return self._forms[language][word]

    def stems_of(self, word: str) -> tuple[tuple[str, ...], ...]:
        """How a word of a profile, or a phrase, may occur among the terms of a text, one form for each language."""
        parts = self.words(word) or [word.casefold()]
        return tuple(
            dict.fromkeys(tuple(self._stemmer[name].stemWord(part) for part in parts) for name in self.languages)
        )


class _Forms(dict[str, Form | None]):
    """Words with their stems, each found once; None for stop words and single letters."""

    def __init__(self, stop: frozenset[str], stem: Callable[[str], str]):
        super().__init__()
        self._stop, self._stem = stop, stem

    def __missing__(self, word: str) -> Form | None:
        counts = len(word) > 1 and word not in self._stop
        form = self[word] = (self._stem(word), word) if counts else None
        return form
