"""How common the words of a language are, as shares of all words of ordinary texts, by their stems.

The lists are those of the package `wordfreq` (42 languages). A word that a list does not have is rarer than all it has.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from confide.core.runtime.extras import require
from confide.search.words import Words

__all__ = ["has_rates", "language_rates"]

_CODES = {
    "arabic": "ar", "catalan": "ca", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi",
    "french": "fr", "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id",
    "italian": "it", "norwegian": "nb", "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "spanish": "es", "swedish": "sv", "turkish": "tr",
}  # fmt: skip


def has_rates(language: str) -> bool:
    """Whether there is a list for a language (`english`, `german`, ...)."""
    return language in _CODES


@lru_cache(maxsize=8)
def language_rates(language: str) -> Mapping[str, float]:
    """The share of each stem among the words of a language; empty for a language without a list.

    >>> rates = language_rates("english")
    >>> rates["time"] > 10 * rates["orbit"] > 0
    True
    """
    if language not in _CODES:
        return {}
    lists: Any = require("wordfreq", extra="search")
    words = Words([language])
    rates: dict[str, float] = {}
    for word, rate in lists.get_frequency_dict(_CODES[language], wordlist="small").items():
        if words.counts(word, language):
            stem = words.stem(word, language)
            rates[stem] = rates.get(stem, 0.0) + rate
    return rates
