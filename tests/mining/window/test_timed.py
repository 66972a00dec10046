"""The window by time stamps against mining the last seconds anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import window as oracles

from confide.core.errors import InputError, RequirementError, UsageError
from confide.mining import SlidingWindow, TimeWindow

RECORD = st.sets(st.integers(0, 6))


@given(
    st.floats(0.5, 20),
    st.integers(1, 4),
    st.lists(st.tuples(RECORD, st.integers(0, 6)), max_size=60),
    st.integers(1, 7),
)
@settings(max_examples=150, deadline=None)
def test_the_window_holds_the_last_seconds_however_records_are_divided(span, min_support, drawn, step):
    records = [[f"i{x}" for x in row] for row, _ in drawn]
    times = np.cumsum([gap for _, gap in drawn])
    window = TimeWindow(span=span, min_support=min_support)
    for start in range(0, len(records), step):
        stop = min(start + step, len(records))
        window.learn_many(records[start:stop], times[start:stop])
        inside = [r for r, t in zip(records[:stop], times[:stop], strict=True) if t > times[stop - 1] - span]
        held = oracles.as_records(inside)
        assert len(window) == len(inside)
        assert window.closed().as_dict() == oracles.closed_itemsets(held, min_support)


def test_a_span_that_holds_more_than_there_is_room_for_grows():
    rows = [["a", "b"] if i % 3 else ["a"] for i in range(5000)]
    window = TimeWindow(span=1e6, min_support=10)
    for start in range(0, 5000, 700):
        window.learn_many(rows[start : start + 700], np.arange(start, min(start + 700, 5000)))
    assert window.closed().as_dict() == {frozenset("a"): 5000, frozenset("ab"): 3333}


@given(st.lists(RECORD, min_size=1, max_size=200), st.integers(1, 3), st.data())
@settings(max_examples=150, deadline=None)
def test_a_count_window_forgets_its_oldest(records, min_support, data):
    window = SlidingWindow(size=150, min_support=min_support)
    held: list[list[str]] = []
    for start in range(0, len(records), 37):
        part = [[f"i{x}" for x in row] for row in records[start : start + 37]]
        window.learn_many(part)
        held = [*held, *part][-150:]
        gone = data.draw(st.integers(0, len(held)))
        window.forget(gone)
        held = held[gone:]
        assert window.closed().as_dict() == oracles.closed_itemsets(oracles.as_records(held), min_support)
        assert len(window) == len(held)


def test_bad_time_stamps_and_sizes_are_refused():
    window = TimeWindow(span=5, min_support=1)
    window.learn_many([["a"]], [3])
    with pytest.raises(InputError, match="records, line 2: a time stamp goes back in time"):
        window.learn_many([["a"], ["b"]], [4, 2])
    with pytest.raises(InputError, match="records, line 1"):
        window.learn_many([["a"]], [float("nan")])
    with pytest.raises(UsageError, match="2 time stamps for 1 records"):
        window.learn_many([["a"]], [4, 5])
    with pytest.raises(RequirementError, match="span=0 is no stretch of time"):
        TimeWindow(span=0, min_support=1)
    with pytest.raises(UsageError, match="from 0 to 0, not 3"):
        SlidingWindow(size=5, min_support=1).forget(3)
