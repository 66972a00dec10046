import random
from bisect import bisect_right

import pytest

from confide.core.errors import UsageError
from confide.core.tables.hierarchy import Hierarchy
from confide.studio.hierarchies.rulers import cut_level, read_cuts, rulers_of

AGES = Hierarchy.from_rows(
    [("20", "20-24", "20-29", "*"), ("24", "20-24", "20-29", "*"), ("31", "30-34", "30-39", "*")]
)


def test_a_ruler_says_where_each_level_is_cut_and_how_many_rows_each_range_has():
    found = rulers_of(AGES, {"20": 5, "31": 2})
    assert [(ruler.level, ruler.low, ruler.high, ruler.cuts, ruler.rows) for ruler in found] == [
        (1, 20, 31, (31,), (5, 2)),
        (2, 20, 31, (31,), (5, 2)),
    ]
    assert rulers_of(Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")]), {}) == []
    mixed = Hierarchy.from_rows([("1", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*")])
    assert rulers_of(mixed, {}) == [], "groups that are no ranges have no ruler"


@pytest.mark.parametrize("seed", range(60))
def test_a_level_that_is_cut_has_one_group_for_each_range(seed):
    draw = random.Random(seed)
    values = draw.sample(range(200), draw.randint(3, 40))
    hierarchy = Hierarchy.from_rows((str(value), f"g{value // 50}", "*") for value in values)
    cuts = sorted(draw.sample(range(min(values) + 1, max(values) + 1), min(3, max(values) - min(values))))
    changed = cut_level(hierarchy, 1, cuts)
    assert [row[0] for row in changed.rows] == [str(value) for value in values]
    for one in changed.rows:
        low, _, high = one[1].partition("-")
        assert int(low) <= int(one[0]) <= int(high or low)
        for other in changed.rows:
            same = bisect_right(cuts, int(one[0])) == bisect_right(cuts, int(other[0]))
            assert (one[1] == other[1]) == same
    if changed.height == 2 and (rulers := rulers_of(changed, {})):
        again = cut_level(changed, 1, [cut for cut in cuts if any(int(v) >= cut for v in map(str, values))])
        assert again.rows == changed.rows
        assert len(rulers[0].cuts) == len({row[1] for row in changed.rows}) - 1


@pytest.mark.parametrize(
    ("level", "cuts", "line"),
    [
        (2, [22], "the group '20-24' of level 1 lies across a cut"),
        (1, [24], "would be cut by a range"),
        (1, [31, 99], "cuts lie between the smallest and the largest value, 20 and 31"),
        (1, [10], "cuts lie between"),
        (0, [24], "choose a level between"),
        (3, [24], "choose a level between"),
    ],
)
def test_cuts_that_levels_above_and_below_do_not_allow_are_one_line(level, cuts, line):
    with pytest.raises(UsageError, match=line):
        cut_level(AGES, level, cuts)


def test_numbers_with_a_point_are_intervals_that_are_open_above():
    heights = Hierarchy.from_rows([("1.5", "x", "*"), ("1.75", "x", "*"), ("2", "x", "*")])
    assert [row[1] for row in cut_level(heights, 1, [1.75]).rows] == ["[1.5,1.75)", "[1.75,2]", "[1.75,2]"]


@pytest.mark.parametrize("text", ["", "thirty", "30, x", "nan", "1e999", ",".join(map(str, range(70)))])
def test_what_is_no_list_of_cuts_is_one_line(text):
    with pytest.raises(UsageError, match="cuts"):
        read_cuts(text)
    assert read_cuts("50; 30,40") == [30, 40, 50]
