import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.publish.tables.proposal.coarsening import coarsening_of, first_words, round_range
from confide.publish.tables.proposal.facts import facts_of


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9))
def test_ranges_hold_all_values_and_show_no_extreme(low, span):
    high = low + span
    begin, end, step = round_range(low, high, whole=True)
    assert begin <= low
    assert end >= high
    assert begin != low or low == 0
    assert end != high or high == 0
    assert step >= 1
    assert step == int(step)
    assert (end - begin) / step <= 200


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ranges_of_fractions_hold_all_values(low, span):
    begin, end, step = round_range(low, low + span, whole=False)
    assert begin <= low
    assert low + span <= end
    assert step > 0


@pytest.mark.parametrize(
    ("name", "values", "entries"),
    [
        ("age", ["17", "44", "90"], {"range": (0, 120)}),
        ("income", [1200, 55_000, 99_999], {"range": (0, 100_000), "step": 1000}),
        ("level", [0.5, 30.25, 88.0], {"range": (0, 90), "step": 0.5}),
        ("born", ["1987-06-05", "1990-01-01", "2001-01-02"], {"hierarchy": {"build": "dates"}}),
        ("postcode", ["10115", "10117", "20095"], {"hierarchy": {"build": "masks"}}),
        ("ward", ["0115", "0117", "2095"], {"hierarchy": {"build": "masks"}}),
    ],
)
def test_numbers_dates_and_codes_get_a_recipe(name, values, entries):
    found = coarsening_of(facts_of(name, pa.chunked_array([values])))
    assert (found.entries, found.hierarchy) == (entries, None)


def test_texts_get_a_file_and_those_that_begin_alike_stand_together():
    values = ("Married-civ", "Married-AF", "Never-married", "Widowed")
    found = coarsening_of(facts_of("status", pa.chunked_array([list(values)]))).hierarchy
    above = {row[0]: row[1] for row in found.rows}
    assert above.pop("Married-AF") == above.pop("Married-civ") == "Married ..."
    assert above == {"Never-married": "Never-married", "Widowed": "Widowed"}
    assert first_words(("a", "b", "c")) is None
    assert first_words(("a b", "a c")) is None
    flat = coarsening_of(facts_of("status", pa.chunked_array([["a", "b", "c"]]))).hierarchy
    assert flat.rows == (("a", "*"), ("b", "*"), ("c", "*"))


@pytest.mark.parametrize("gap", ["?", "N/A", " "])
def test_what_seems_to_mean_missing_is_pointed_out(gap):
    said = coarsening_of(facts_of("race", pa.chunked_array([["a", "b", gap]]))).advice
    assert f"{gap!r} seems to mean missing" in said
    assert "missing" not in coarsening_of(facts_of("race", pa.chunked_array([["a", "b", "c"]]))).advice


@given(st.lists(st.text(max_size=5), min_size=3, unique=True))
def test_any_texts_make_a_hierarchy(values):
    found = first_words(tuple(values))
    assert found is None or set(found.values) == set(values)
