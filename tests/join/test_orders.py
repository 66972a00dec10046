"""What a site does not do, though its coordinator orders it or a neighbour asks for it."""

import pytest
from tests.join.sites import run_of
from tests.join.test_sites import FIGURE_2, FIGURE_2_JOINS, small

from confide.core.errors import CannotMeetError, UsageError
from confide.join.messages import Message
from confide.join.policy import Policy


def begin(**changes):
    header = {
        "run": "a" * 32,
        "criterion": "information_gain",
        "min_leaf": 1,
        "max_depth": None,
        "position": 0,
        "is_target": True,
        "neighbours": ["T2", "T3"],
        "resume": False,
        "attempt": "b" * 32,
        **changes,
    }
    return Message("begin", header)


def order(site, message, sender="coordinator"):
    return site.handle(sender, message, lambda: False)


def allowing_all_but(*kinds):
    return Policy(allow=[kind for kind in Policy().allow if kind not in kinds])


def test_a_policy_without_hidden_scores_takes_part_in_no_hidden_comparison():
    coordinator, sites = small(hide_gains=True, policies={"T2": allowing_all_but("hidden-scores")})
    with pytest.raises(CannotMeetError, match="policy of T2 allows no message of kind 'hidden-scores'"):
        coordinator.train()
    assert not any(line.kind == "hidden-scores" for site in sites for line in site.ledger.lines())
    coordinator, _ = small(hide_gains=True, policies={"T2": allowing_all_but("scores")})
    assert coordinator.train().nodes[0].counts == [5, 3]


@pytest.mark.parametrize(
    ("neighbours", "message"),
    [
        ([], "does not join T1 with T2, as its configuration does"),
        (["T2"], "does not join T1 with T3"),
        (["T2", "T3", "T4"], "joins T1 with T4, which is no neighbour"),
        (["T2", "T3", "T3"], "twice"),
    ],
)
def test_a_run_over_other_neighbours_than_the_configured_ones_is_refused(neighbours, message):
    _, sites = small()
    with pytest.raises(UsageError, match=message):
        order(sites[0], begin(neighbours=neighbours))
    assert sites[0].run is None
    assert order(sites[0], begin()).verb == "begun"


@pytest.mark.parametrize(
    ("policy", "options", "message"),
    [
        ({"max_depth": 2}, {}, "policy of T3 allows max_depth 2 at most, but the run has no max_depth"),
        ({"max_depth": 2}, {"max_depth": 3}, "policy of T3 allows max_depth 2 at most, but the run has max_depth 3"),
        ({"min_leaf": 2}, {"max_depth": 1}, "policy of T3 asks for min_leaf 2 at least, but the run has 1"),
    ],
)
def test_a_policy_caps_the_depth_and_the_least_leaf(policy, options, message):
    coordinator, _ = small(policies={"T3": Policy(**policy)}, **options)
    with pytest.raises(CannotMeetError, match=message):
        coordinator.train()


def test_a_run_within_the_caps_of_a_policy_goes_through():
    policies = {"T1": Policy(max_depth=2, min_leaf=2)}
    coordinator, _ = run_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), min_leaf=2, max_depth=2, policies=policies)
    assert coordinator.train().depth <= 2
