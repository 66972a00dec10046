"""The owner's view of a profile."""

from confide.core.samples.invented_documents import documents
from confide.search import Profile
from confide.search.profile.rows import interest_rows

PROFILE = Profile.build(list(documents(300, seed=1)), minsup=5)


def test_parents_come_before_their_children_down_to_the_depth():
    top = interest_rows(PROFILE, depth=1)
    assert [row["interest"] for row in top] == [child.label for child in PROFILE.root.children]
    deeper = interest_rows(PROFILE, depth=2)
    assert [row for row in deeper if not str(row["interest"]).startswith(". ")] == top
    assert any(str(row["interest"]).startswith(". ") for row in deeper)
    assert {row["state"] for row in top} == {""}


def test_the_state_says_what_would_leave():
    hidden = PROFILE.hide(PROFILE.root.children[0].label)
    exposed = hidden.expose(min_detail=0.05, verify=False)
    states = [row["state"] for row in interest_rows(hidden, depth=9, exposed=exposed)]
    assert states.count("exposed") == len(exposed.pairs)
    assert states[0] == "hidden"
    assert set(states) == {"hidden", "exposed", "kept"}


def test_several_changes_are_made_in_a_fixed_order():
    first, second = (child.label for child in PROFILE.root.children[:2])
    both = PROFILE.changed(hide=["mine"], rename=[(first, "mine")], delete=[second])
    one_by_one = PROFILE.delete(second).rename(first, "mine").hide("mine")
    assert both.edits == one_by_one.edits
    assert PROFILE.changed() is PROFILE


def test_the_headline_counts_what_is_exposed():
    exposed = PROFILE.expose(min_detail=0.05, verify=False)
    assert exposed.headline() == f"{len(exposed.pairs):,} interests exposed, expRatio {exposed.exp_ratio:.3f}"
