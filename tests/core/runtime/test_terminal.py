"""Control characters from files and other machines never reach the terminal."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from confide.core.runtime.terminal import safe_json, safe_text

TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
ACTING = {"Cc", "Cf", "Zl", "Zp"}


@given(TEXTS)
def test_nothing_a_terminal_acts_on_is_left(text):
    left = {c for c in safe_text(text) if unicodedata.category(c) in ACTING}
    assert left <= {"\n", "\t"}


@given(TEXTS)
def test_plain_text_stays_as_it_is(text):
    plain = "".join(c for c in text if c.isprintable())
    assert safe_text(plain) == plain


@given(TEXTS)
def test_json_keeps_its_value(text):
    shown = safe_json(json.dumps({"label": text}, ensure_ascii=False))
    assert json.loads(shown) == {"label": text}
    assert not any("\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e" for c in shown)
