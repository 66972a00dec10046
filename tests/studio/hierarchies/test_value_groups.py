"""A hierarchy as nested groups with their rows."""

from confide.core.tables.hierarchy import Hierarchy
from confide.studio.hierarchies.value_groups import label_at, tree_of

AGES = Hierarchy.from_rows([("20", "20-24", "*"), ("21", "20-24", "*"), ("25", "25-29", "*")])


def test_groups_count_their_values_and_rows():
    top = tree_of(AGES, {"20": 5, "25": 2})
    assert (top.values, top.rows, list(top.below)) == (3, 7, ["20-24", "25-29"])
    young = top.below["20-24"]
    assert (young.values, young.rows, list(young.below)) == (2, 5, ["20", "21"])


def test_a_key_names_a_group_and_nothing_else():
    top = tree_of(AGES, {})
    assert label_at(AGES, top.below["25-29"].key) == (1, "25-29")
    assert label_at(AGES, top.below["25-29"].below["25"].key) == (0, "25")
    for key in ("", "1", "1-9", "9-0", "-1-0", "1-x", "1-" + "0" * 30):
        assert label_at(AGES, key) is None


def test_a_group_with_one_part_of_its_own_name_adds_nothing():
    flat = Hierarchy.from_rows([("a", "a", "*"), ("b", "c", "*")])
    top = tree_of(flat, {})
    assert not top.below["a"].changes
    assert top.below["c"].changes
