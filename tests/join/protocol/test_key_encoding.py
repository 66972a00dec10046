"""Join values as bytes: injective, typed, one spelling each."""

import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import InputError
from confide.join.protocol.key_encoding import encode_key

ATOMS = st.one_of(
    st.text(max_size=6),
    st.binary(max_size=6),
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.dates(),
    st.datetimes(),
)
KEYS = st.one_of(ATOMS, st.tuples(ATOMS, ATOMS), st.tuples(ATOMS, ATOMS, ATOMS))


def typed(key):
    """Equality of join values, written another way: the same types and, part by part, Python's own equality."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple((type(part), part) for part in parts)


@given(KEYS, KEYS)
def test_two_values_meet_in_one_encoding_only_if_they_are_equal(one, two):
    assert (encode_key(one) == encode_key(two)) == (typed(one) == typed(two))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (("ab", "c"), ("a", "bc")),
        (("a", ""), ("a",)),
        ((1, 2), ("1", "2")),
        (1, True),
        (1, 1.0),
        (1, Decimal(1)),
        ("1", b"1"),
        (date(2020, 1, 1), datetime(2020, 1, 1)),
        (datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC)),
        ("é", "e\u0301"),
    ],
)
def test_look_alikes_stay_apart(one, two):
    assert encode_key(one) != encode_key(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (np.int16(7), 7),
        (np.uint64(2**63), 2**63),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        (-0.0, 0.0),
        (Decimal("1.50"), Decimal("1.5")),
        (Decimal("-0"), Decimal("0.00")),
        (Decimal("1e2"), Decimal("100")),
        (datetime(2020, 1, 1, 12, tzinfo=UTC), datetime(2020, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))),
    ],
)
def test_equal_values_of_other_dress_agree(one, two):
    assert encode_key(one) == encode_key(two)


def test_decimals_longer_than_the_arithmetic_context_stay_apart():
    assert encode_key(Decimal("1" * 60)) != encode_key(Decimal("1" * 59 + "2"))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "NULL"),
        (("a", None), "NULL"),
        (math.nan, "NaN"),
        (Decimal("NaN"), "NaN"),
        ("\ud800", "Unicode"),
        ([1], "type list"),
        (np.datetime64("2020-01-01T00:00:00.000000001"), "datetime64"),
    ],
)
def test_what_cannot_join_is_refused_in_one_line(value, says):
    with pytest.raises(InputError, match=says) as caught:
        encode_key(value)
    assert "\n" not in str(caught.value)
