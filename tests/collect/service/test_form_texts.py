"""What an owner may say on the form, and what is refused."""

import pytest

from confide.collect import Bins, GammaDiagonal
from confide.collect.service.form_texts import WORDS, FormTexts, read_form_texts
from confide.collect.service.notice import form_page
from confide.core.errors import InputError, UsageError

SCHEME = GammaDiagonal(domains={"age": Bins((35, 55)), "sex": ["F", "M"]}, gamma=19)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("intro = 'x'", "intro"),
        ("[words]\nsned = 'x'", "no words 'sned'"),
        ("[bounds.age]\nmin = 5\nmax = 5", "min must be below max"),
        ("[bounds.age]\nmin = nan", "finite"),
        ("language = '<b>'", "language"),
        ("consent = 5", "consent"),
        ("consent", "not a valid TOML file"),
    ],
)
def test_a_mistake_in_the_file_is_one_line(text, message, tmp_path):
    (tmp_path / "form.toml").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_form_texts(tmp_path / "form.toml")
    assert "\n" not in str(caught.value)


def test_what_an_owner_says_cannot_become_markup_and_leaves_the_promise_alone():
    nasty = "<script>alert(1)</script>"
    texts = FormTexts(introduction=nasty, contact=nasty, consent=nasty, words=dict.fromkeys(WORDS, f'">{nasty}'))
    page = form_page(SCHEME, "T", texts)
    assert "<script>alert" not in page
    assert "This page changes your answers at random before anything is sent" in page


def test_bounds_are_for_fields_of_numbers():
    for name in ("sex", "height"):
        with pytest.raises(UsageError, match=f"bounds are given for '{name}'"):
            form_page(SCHEME, "T", FormTexts(bounds={name: {"min": 0}}))
