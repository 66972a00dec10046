"""The sentences of a language, and numbers as it writes them.

Each language is one TOML file beside this module, with three tables: `form` (an owner may reword it), `privacy` and
`device` (what is promised; nobody may). A test holds all files to the same sentences with the same blanks.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["LANGUAGES", "LanguageSentences", "DeviceSentence", "listed", "localized", "say", "sentences", "spoken"]

LANGUAGES = ("en", "de", "fr", "es")
"""Languages in which every sentence is there."""

_MARKS = {"de": ".,", "fr": "\u202f,", "es": ".,"}  # between thousands, before decimals
_NUMBER = re.compile(r"[\d.,]+%?(?: x 10\^\d+)?")


@dataclass(frozen=True)
class DeviceSentence:
    """A sentence by its key, and what fills its blanks: numbers as English has them, or names to be listed."""

    key: str
    values: Mapping[str, str | tuple[str, ...]]

    @classmethod
    def of(cls, key: str, **values: int | str | tuple[str, ...]) -> "DeviceSentence":
        """Whole numbers get marks between thousands."""
        return cls(key, {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()})


@dataclass(frozen=True)
class LanguageSentences:
    """All sentences of a language: its own name, and the three tables."""

    code: str
    name: str
    form: Mapping[str, str]
    privacy: Mapping[str, str]
    device: Mapping[str, str]


@cache
def sentences(language: str) -> LanguageSentences:
    """Read the sentences of one of LANGUAGES; any other language has its privacy sentences in English."""
    code = spoken(language)
    read = tomllib.loads((files("confide.collect.wording") / f"{code}.toml").read_text(encoding="utf-8"))
    return LanguageSentences(code=code, **read)


def spoken(language: str) -> str:
    """The language in which the privacy sentences are for people of this one: its own, or English.

    >>> spoken("de-AT"), spoken("nl")
    ('de', 'en')
    """
    code = language.partition("-")[0].lower()
    return code if code in LANGUAGES else "en"


def localized(text: str, language: str) -> str:
    """A number that is written in English, as the language writes it; other text stays.

    >>> localized("12,345.5", "de"), localized("5%", "fr"), localized("0.5%", "en"), localized("a.b", "de")
    ('12.345,5', '5\\xa0%', '0.5%', 'a.b')
    """
    marks = _MARKS.get(spoken(language))
    if marks is None or not _NUMBER.fullmatch(text):
        return text
    return text.translate({ord(","): marks[0], ord("."): marks[1]}).replace("%", "\u00a0%")


def say(said: DeviceSentence, language: str = "en") -> str:
    """One sentence about what the device does, in this language."""
    filled = {
        name: localized(value, language) if isinstance(value, str) else listed(value, language)
        for name, value in said.values.items()
    }
    return sentences(language).device[said.key].format(**filled)


def listed(names: Iterable[str], language: str = "en") -> str:
    """Names as a sentence lists them.

    >>> listed(["age", "sex", "pay"]), listed(["age", "sex"], "de"), listed(["age"])
    ('age, sex and pay', 'age und sex', 'age')
    """
    *some, last = names
    return sentences(language).device["and"].format(some=", ".join(some), last=last) if some else last
