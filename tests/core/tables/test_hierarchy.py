import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Hierarchy
from confide.core.errors import InputError, UsageError

ROWS = [("20", "20-24", "20-29", "*"), ("21", "20-24", "20-29", "*"), ("26", "25-29", "20-29", "*")]


def test_arx_files_round_trip(tmp_path):
    hierarchy = Hierarchy.from_rows([*ROWS, ("a;b", 'q"', "20-29", "*")])
    hierarchy.write(tmp_path / "age.csv")
    assert Hierarchy.read(tmp_path / "age.csv") == hierarchy
    assert (tmp_path / "age.csv").read_text().splitlines()[0] == "20;20-24;20-29;*"


def test_a_missing_value_is_named():
    with pytest.raises(InputError, match="column 'age': the hierarchy lacks '35', '99'"):
        Hierarchy.from_rows(ROWS).require(["20", "99", "35"], column="age")


def test_many_missing_values_are_counted():
    with pytest.raises(InputError, match="and 2 more"):
        Hierarchy.from_rows(ROWS).require([str(n) for n in range(100, 107)])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one row"),
        ([("a", "*"), ("b",)], "line 2: 1 levels where row 1 has 2"),
        ([("a", "*"), ("a", "*")], "value 'a' stands in row 1 too"),
        ([("a", "x", "p", "*"), ("b", "x", "q", "*")], "'x' of level 1 becomes both 'p' and 'q'"),
    ],
)
def test_inconsistent_rows_are_refused_with_their_place(rows, message):
    with pytest.raises(InputError) as caught:
        Hierarchy.from_rows(rows)
    assert message in str(caught.value)


def test_levels_outside_are_refused():
    with pytest.raises(UsageError, match=r"0\.\.3"):
        Hierarchy.from_rows(ROWS).generalise(["20"], level=4)


@given(st.lists(st.integers(-200, 200), min_size=1), st.integers(-10, 10))
def test_intervals_hold_their_value_and_never_show_the_extremes(values, origin):
    hierarchy = Hierarchy.intervals(values, widths=[5, 10, 40], origin=origin)
    for value, *levels, top in hierarchy.rows:
        assert top == "*"
        for width, text in zip((5, 10, 40), levels, strict=True):
            low = origin + (int(value) - origin) // width * width
            assert text == f"{low}-{low + width - 1}"
            assert low <= int(value) < low + width


def test_interval_widths_must_nest():
    with pytest.raises(UsageError, match="multiple"):
        Hierarchy.intervals([1], widths=[5, 12])


def test_masks_hide_from_the_right():
    assert Hierarchy.masks(["1234", "12"]).rows == (
        ("1234", "123*", "12**", "1***", "*"),
        ("12", "12 *", "12**", "1***", "*"),
    )


def test_dates_are_checked_and_levels_ordered():
    assert Hierarchy.dates(["2026-11-15"], levels=["quarter", "year"]).rows == (("2026-11-15", "2026-Q4", "2026", "*"),)
    with pytest.raises(InputError, match="ISO date"):
        Hierarchy.dates(["15.11.2026"])
    with pytest.raises(UsageError, match="in this order"):
        Hierarchy.dates(["2026-11-15"], levels=["year", "month"])


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 50), min_size=1), st.integers(2, 4))
def test_frequency_order_joins_neighbours_until_one_group_is_left(counts, fanout):
    hierarchy = Hierarchy.by_frequency(counts, fanout=fanout)
    assert [counts[value] for value in hierarchy.values] == sorted(counts.values(), reverse=True)
    assert {row[-1] for row in hierarchy.rows} == {"*"}
    for level in range(1, hierarchy.height):
        codes, labels = hierarchy.codes(level)
        assert max(codes.tolist().count(code) for code in range(len(labels))) <= fanout**level


@pytest.mark.parametrize("content", [b"\xff\n", b'a;"b\n', b"\0", b""])
def test_bad_files_are_refused(tmp_path, content):
    (tmp_path / "h.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"h\.csv"):
        Hierarchy.read(tmp_path / "h.csv")


def test_dates_may_have_a_time_and_errors_quote_nobodys_date():
    texts = ["2020-02-29", "2020-02-29 00:00:00", "2020-02-29 17:30:00.123456789Z", "2020-02-29T17:30+02:00"]
    built = Hierarchy.dates(texts, levels=["day", "month", "year"])
    assert built.rows == tuple((text, "2020-02-29", "2020-02", "2020", "*") for text in texts)
    for build in (Hierarchy.dates, lambda values: Hierarchy.intervals(values, widths=[10])):
        with pytest.raises(InputError) as refused:
            build(["17 May 1987"])
        assert "1987" not in str(refused.value)


def test_a_value_that_begins_with_a_byte_order_mark_stays(tmp_path):
    hierarchy = Hierarchy.from_rows([("\ufeffa", "x", "*"), ("a", "x", "*")])
    hierarchy.write(tmp_path / "q.csv")
    assert Hierarchy.read(tmp_path / "q.csv") == hierarchy
