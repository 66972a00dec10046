"""What somebody else wrote, and what is no prose, does not count as a person's own words."""

import pytest

from confide.search.sources.own_words import keep_own_words

OWN = "The gravel is dry."


@pytest.mark.parametrize(
    "before",
    [
        "> shall we ride?",
        "  | shall we ride?",
        ": shall we ride?",
        "ab> shall we ride?",
        "KS > shall we ride?",
        "On Monday Ann B wrote:",
        "In article <1qx@host> ann@example.org (Ann) writes:",
        "In article <1qx@host>",
        "ann@example.org (Ann B) says...",
        "Am Montag schrieb Anna:",
        "----- Original Message -----",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n",
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\nmQCNAi\n=abc\n-----END PGP PUBLIC KEY BLOCK-----",
        "begin 644 picture.gif\nM1TE&.#=A\n`\nend",
        "M" + "4)1" * 20,
    ],
)
def test_what_is_not_one_s_own_goes_and_the_next_line_stays(before):
    assert keep_own_words(f"{before}\n{OWN}").split("\n")[-1] == OWN
    assert keep_own_words(f"{before}\n{OWN}").strip() == OWN


@pytest.mark.parametrize(
    "after", ["-- \nBea, Gravel Ltd", "--\nBea", "_______\nBea\nGravel Ltd", "=====\nBea\n=====\nride"]
)
def test_a_signature_goes_with_all_that_follows(after):
    assert keep_own_words(f"{OWN}\n{after}").strip() == OWN


def test_a_ruler_in_the_middle_of_a_long_text_cuts_nothing():
    rest = [f"line {number} of the story" for number in range(20)]
    text = "\n".join([OWN, "----------", *rest])
    assert keep_own_words(text) == text


def test_addresses_go_and_the_words_around_them_stay():
    found = keep_own_words("write to bea@example.org or see https://example.org/ride?x=1 and www.example.org today")
    assert found.split() == ["write", "to", "or", "see", "and", "today"]


def test_words_that_only_look_like_marks_stay():
    for line in ("This is > that", "Ratio 3:1", "He said: come", "He said nothing more."):
        assert keep_own_words(line) == line


def test_thousands_of_rulers_or_quotes_take_no_time_and_no_stack():
    assert keep_own_words("-----\n" * 20_000) == ""
    assert keep_own_words("> a\n" * 20_000) == ""
