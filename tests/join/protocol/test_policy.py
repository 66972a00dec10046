"""What an owner allows: each bound refuses the first value past it, and takes the last within it."""

import pytest
from pydantic import ValidationError

from confide.core.errors import CannotMeetError
from confide.join.graph.certainty import Certain
from confide.join.protocol.policy import Policy
from confide.join.protocol.verbs import KINDS


def test_a_policy_takes_no_kind_or_field_that_does_not_exist():
    with pytest.raises(ValidationError, match="no kind 'gossip'; kinds are: "):
        Policy(allow=["scores", "gossip"])
    with pytest.raises(ValidationError):
        Policy(min_record=3)
    with pytest.raises(ValidationError):
        Policy(min_records=0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_is_left_out_is_refused_unless_a_site_needs_it_to_say_why_it_stops(kind):
    policy = Policy(allow=[other for other in KINDS if other != kind])
    needed = kind in ("error", "heartbeat", "control")
    assert policy.refuses(kind) is not needed
    assert not Policy(allow=[], strict=False).refuses(kind)
    if not needed:
        with pytest.raises(CannotMeetError, match=f"the policy of T1 allows no message of kind '{kind}'"):
            policy.check_kind(kind, owner="T1")


def test_a_run_within_both_bounds_passes_and_one_past_both_is_told_both_cures():
    policy = Policy(max_depth=4, min_leaf=3)
    policy.check_run(max_depth=4, min_leaf=3, owner="T1")
    with pytest.raises(CannotMeetError, match="max_depth 4 at most, but the run has no max_depth") as refused:
        policy.check_run(max_depth=None, min_leaf=3, owner="T1")
    assert refused.value.cures == ({"max_depth": 4},)
    with pytest.raises(CannotMeetError, match="has max_depth 5 and asks for min_leaf 3") as refused:
        policy.check_run(max_depth=5, min_leaf=2, owner="T1")
    assert refused.value.cures == ({"max_depth": 4, "min_leaf": 3},)
    policy.check_run(**refused.value.cures[0], owner="T1")


@pytest.mark.parametrize(
    ("own", "target", "share"),
    [
        ({}, None, 0.0),
        ({"certain_classes": 0.3}, None, 0.3),  # at the target its own share holds
        ({}, 0.2, 0.2),  # elsewhere no share of one's own follows the target's,
        ({"certain_classes": 0.1}, 0.2, 0.1),  # a smaller one lowers it,
        ({"certain_classes": 0.5}, 0.2, 0.2),  # and a larger one changes nothing
    ],
)
def test_the_smaller_share_of_target_and_site_holds(own, target, share):
    assert Policy(**own).allowed_classes(target) == share
    assert Policy(**own).allowed_sides(share) == share
    assert Policy(**own, certain_sides=0.4).allowed_sides(share) == 0.4


def test_the_share_that_an_error_names_lets_the_summary_leave():
    found = Certain(sender="T2", receiver="T1", keys=7, records=70, class_keys=1, side_keys=3, side_records=9)
    policy = Policy(certain_classes=0.2)
    with pytest.raises(CannotMeetError, match=r"certain_sides = 0\.4286 in \[policy\] of T2"):
        policy.check_certain(found, classes=0.2, at_target=True)
    Policy(certain_classes=0.2, certain_sides=0.4286).check_certain(found, classes=0.2, at_target=True)
    with pytest.raises(CannotMeetError, match=r"certain_classes = 0\.1429 in \[policy\] of the target"):
        Policy(certain_sides=1.0).check_certain(found, classes=0.1, at_target=False)


@pytest.mark.parametrize(
    ("intersections", "size", "values"), [("none", False, False), ("size", True, False), ("values", True, True)]
)
def test_an_intersection_outside_a_run_needs_its_owner_s_word(intersections, size, values):
    policy = Policy(intersections=intersections)
    for size_only, allowed in ((True, size), (False, values)):
        if allowed:
            policy.check_intersection(size_only=size_only, owner="T1")
        else:
            with pytest.raises(CannotMeetError, match="the policy of T1 allows no such intersection"):
                policy.check_intersection(size_only=size_only, owner="T1")


def test_too_many_classes_and_too_few_records_stop_a_run():
    Policy(max_classes=3).check_classes(3, owner="T1")
    with pytest.raises(CannotMeetError, match="allows 3 classes at most, but the run has 4"):
        Policy(max_classes=3).check_classes(4, owner="T1")
    Policy(min_records=3).check_behind([3, 8], kind="class summary", receiver="T2")
    Policy(min_records=3).check_behind([], kind="class summary", receiver="T2")
    with pytest.raises(CannotMeetError, match="2 of 3 entries of a class summary to T2 would have fewer"):
        Policy(min_records=3).check_behind([2, 3, 1], kind="class summary", receiver="T2")
