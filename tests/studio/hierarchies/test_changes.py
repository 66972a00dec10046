"""Groups of a hierarchy gathered, renamed, split and levelled; what cannot be done is refused in a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import ConfideError, UsageError
from confide.core.tables.hierarchy import Hierarchy
from confide.studio.hierarchies.changes import (
    add_level,
    add_values,
    dissolve_groups,
    gather_groups,
    remove_level,
    rename_group,
)

JOBS = Hierarchy.from_rows(
    [
        ("cook", "kitchen", "food", "*"),
        ("baker", "kitchen", "food", "*"),
        ("farmer", "fields", "food", "*"),
        ("nurse", "ward", "health", "*"),
    ]
)


def test_groups_are_gathered_under_a_new_name_in_the_place_of_the_first():
    changed = gather_groups(JOBS, 0, ["nurse", "farmer"], "outside")
    assert changed.rows[2] == ("farmer", "outside", "food", "*")
    assert changed.rows[3] == ("nurse", "outside", "food", "*")
    assert changed.rows[:2] == JOBS.rows[:2]


def test_groups_are_gathered_under_a_name_that_is_there():
    changed = gather_groups(JOBS, 0, ["farmer"], "ward")
    assert changed.rows[2] == ("farmer", "ward", "health", "*")


def test_below_the_top_a_level_is_added_first():
    changed = gather_groups(JOBS, 2, ["food", "health"], "everything we need")
    assert changed.height == 4
    assert {row[3] for row in changed.rows} == {"everything we need"}
    assert {row[4] for row in changed.rows} == {"*"}


def test_a_group_is_renamed_and_split():
    assert rename_group(JOBS, 1, "ward", "clinic").rows[3] == ("nurse", "clinic", "health", "*")
    assert dissolve_groups(JOBS, 1, ["kitchen"]).rows[:2] == (
        ("cook", "cook", "food", "*"),
        ("baker", "baker", "food", "*"),
    )


def test_levels_are_added_and_removed():
    assert remove_level(add_level(JOBS, 1), 2) == JOBS
    assert remove_level(JOBS, 1).rows[0] == ("cook", "food", "*")


def test_values_are_added_alone():
    assert add_values(JOBS, ["pilot", "cook"]).rows == (*JOBS.rows, ("pilot", "pilot", "pilot", "*"))


@pytest.mark.parametrize(
    "change",
    [
        lambda: gather_groups(JOBS, 3, ["*"], "all"),
        lambda: gather_groups(JOBS, 0, ["cook"], " "),
        lambda: gather_groups(JOBS, 0, ["cook"], "*"),
        lambda: gather_groups(JOBS, 0, ["cook"], "a\nb"),
        lambda: rename_group(JOBS, 0, "cook", "chef"),
        lambda: rename_group(JOBS, 3, "*", "all"),
        lambda: rename_group(JOBS, 1, "ward", "fields"),
        lambda: dissolve_groups(JOBS, 0, ["cook"]),
        lambda: remove_level(JOBS, 0),
        lambda: remove_level(JOBS, 3),
        lambda: add_level(JOBS, 3),
        lambda: add_values(JOBS, ["kitchen"]),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(change):
    with pytest.raises(UsageError) as refused:
        change()
    assert "\n" not in str(refused.value)


NAMES = st.sampled_from(["a", "b", "c", "d", "e"])


@given(
    st.lists(
        st.tuples(st.sampled_from(["gather", "rename", "split", "add", "remove"]), st.integers(0, 4), NAMES, NAMES),
        max_size=8,
    )
)
def test_whatever_is_done_in_whatever_order_values_and_top_stay(steps):
    changed = JOBS
    for what, level, label, name in steps:
        level = min(level, changed.height)
        known = sorted({row[level] for row in changed.rows})
        label = known[ord(label) % len(known)]
        try:
            changed = {
                "gather": lambda: gather_groups(changed, level, [label], name),  # noqa: B023
                "rename": lambda: rename_group(changed, level, label, name),  # noqa: B023
                "split": lambda: dissolve_groups(changed, level, [label]),  # noqa: B023
                "add": lambda: add_level(changed, level),  # noqa: B023
                "remove": lambda: remove_level(changed, level),  # noqa: B023
            }[what]()
        except ConfideError:
            continue
    assert changed.values == JOBS.values
    assert {row[-1] for row in changed.rows} == {"*"}
    assert Hierarchy.parse(changed.to_text().encode()) == changed
