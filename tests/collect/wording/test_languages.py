"""Every language has every sentence, with the same blanks; numbers are written as it writes them."""

import re

import pytest

from confide.collect import CutAndPaste, GammaDiagonal, SampledDesign, UnaryEncoding
from confide.collect.wording.languages import LANGUAGES, listed, localized, say, sentences, spoken


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize("table", ["form", "privacy", "device"])
def test_every_language_has_the_same_sentences_with_the_same_blanks(language, table):
    def blanks(code):
        return {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in getattr(sentences(code), table).items()}

    assert blanks(language) == blanks("en")
    assert all(text.strip() for text in getattr(sentences(language), table).values())


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_no_sentence_was_left_in_english(language):
    english, other = sentences("en"), sentences(language)
    same = {
        key
        for table in ("form", "privacy", "device")
        for key, text in getattr(other, table).items()
        if text == getattr(english, table)[key]
    }
    assert same <= {"above", "optional"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_device_does_is_said_without_a_blank_left(language):
    schemes = (
        SampledDesign(domains={"sex": ["f", "m"], "ill": ["no", "yes"]}, gamma=19, size=1),
        UnaryEncoding(domains={"sex": ["f", "m"]}, gamma=19),
        GammaDiagonal(domains={"sex": ["f", "m"], "age": 1200}, gamma=19),
        CutAndPaste(K=3, rho=0.49, items=tuple("abcdef")),
    )
    for scheme in schemes:
        for said in (scheme.question(), *scheme.device_steps()):
            text = say(said, language)
            assert "{" not in text
            assert text[-1] in ".:"
    assert {"en": "2,400", "de": "2.400", "fr": "2\u202f400", "es": "2.400"}[language] in say(
        schemes[2].device_steps()[0], language
    )


def test_names_are_listed_and_numbers_written_as_in_the_language():
    assert listed(["age", "sex", "pay"], "fr") == "age, sex et pay"
    assert localized("1,234.5", "de") == "1.234,5"
    assert localized("3.2 x 10^12", "de") == "3,2 x 10^12"
    assert (spoken("de-CH"), spoken("nl")) == ("de", "en")
