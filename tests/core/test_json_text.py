"""JSON between parties: one canonical text, a reader that refuses what two readers could take differently."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError

from confide.core.errors import InputError
from confide.core.json_text import canonical_json, faults_of, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_canonical_text_reads_back_and_does_not_depend_on_the_order_of_keys(value):
    text = canonical_json(value)
    assert read_json(text) == value
    assert canonical_json(read_json(json.dumps(value))) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "b": {"x": 1, "x": 1}}', "the key 'x' is given twice"),
        ("NaN", "NaN is not a number"),
        ("[-Infinity]", "is not a number"),
        ("1e999", "too large"),
        ("9" * 401, "too many digits"),
        (("9" * 401).encode("utf-16"), "too many digits"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "line 1 cannot be read"),
        (b"\xff\xfe", "cannot be read|not UTF-8"),
    ],
)
def test_what_two_readers_could_take_differently_is_refused(text, reason):
    with pytest.raises(InputError, match=reason):
        read_json(text, what="a passport")


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")
    size: int


def test_faults_are_one_line_and_repeat_no_value():
    with pytest.raises(ValidationError) as caught:
        Form.model_validate({"size": "SECRET", "other": "SECRET"})
    line = faults_of(caught.value)
    assert line.startswith("size: ")
    assert "other: " in line
    assert "SECRET" not in line
    assert "\n" not in line
    assert faults_of(caught.value, most=1, said=lambda fault: "wrong") == "size: wrong"
