"""The size of a private intersection: right, and neither side can tell which values are shared."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.join.intersection.party import POINT
from confide.join.intersection.size import SizeParty, private_intersection_size


def points(message):
    return [message[i : i + POINT] for i in range(0, len(message), POINT)]


@settings(max_examples=30)
@given(st.lists(st.integers(0, 9), max_size=8), st.lists(st.integers(0, 9), max_size=8))
def test_the_size_is_that_of_plain_sets(left, right):
    assert private_intersection_size(left, right) == len(set(left) & set(right))


def test_a_gets_none_of_its_points_back_and_b_its_own_in_another_order():
    # 40 values shared: with the order kept, each returned point would be the own one doubled in its place.
    a, b = SizeParty(range(40)), SizeParty(range(40))
    answer = b.answer(a.start())
    assert answer.doubled == b""
    returned = points(a.finish(answer))
    in_order = points(a._secret.encrypt(answer.blinded, label=""))
    assert sorted(returned) == sorted(in_order)
    # A fixed point of a random order has mean 1: 8 or more once in 1e5 runs.
    assert sum(x == y for x, y in zip(returned, in_order, strict=True)) < 8
    b.conclude(b"".join(returned))
    assert b.size == 40
    for side in (a, b):
        with pytest.raises(UsageError, match="not finished"):
            _ = side.shared
    with pytest.raises(UsageError, match="then B knows it"):
        _ = a.size


def test_caps_and_checks_are_those_of_the_whole_intersection():
    with pytest.raises(CannotMeetError, match="30 are allowed"):
        SizeParty([1, 2, 3], max_ratio=10).answer(SizeParty(range(31)).start())
    a, b = SizeParty([1, 2]), SizeParty([1, 2])
    answer = b.answer(a.start())
    with pytest.raises(InputError, match="1 points of the 2 sent"):
        b.conclude(answer.blinded[:POINT])
    a, b = SizeParty([1, 2]), SizeParty([1, 2])
    started = a.start()
    with pytest.raises(InputError, match="has sent itself"):
        a.finish(b.answer(started)._replace(blinded=started))
