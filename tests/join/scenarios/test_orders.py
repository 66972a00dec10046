"""What a site does not do, though its coordinator orders it or a neighbour asks for it."""

import logging
import os
import stat

import numpy as np
import pyarrow as pa
import pytest
from tests.join.sites import FIGURE_2, FIGURE_2_JOINS, run_of, small

from confide.core.errors import CannotMeetError, UnreachableError, UsageError
from confide.join.intersection.party import IntersectionParty
from confide.join.network.links import _rebuild_error, serve
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy


def begin(**changes):
    header = {
        "run": "a" * 32,
        "criterion": "information_gain",
        "min_leaf": 1,
        "max_depth": None,
        "take_over": False,
        "deadline": 30.0,
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
        (["T2", "T3", "T4"], "joins T1 with T4, which is not a neighbour"),
        (["T2", "T3", "T3"], "twice"),
    ],
)
def test_a_run_over_other_neighbours_than_the_configured_ones_is_refused(neighbours, message):
    _, sites = small()
    with pytest.raises(UsageError, match=message):
        order(sites[0], begin(neighbours=neighbours))
    assert sites[0].runs.current is None
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


def test_a_policy_with_a_least_leaf_gets_no_smaller_leaf():
    people = pa.table({"k": [1] * 6 + [2], "x": list("aaabbbc"), "class": list("yyynnny")})
    frames = {"T1": people, "T2": pa.table({"k": [1, 2]})}
    joins = [(("T1", ("k",)), ("T2", ("k",)))]
    options = {"confidence": None, "policies": {"T2": Policy(min_leaf=2)}}
    for settings, sizes in (({"min_leaf": 2}, [7]), ({"min_leaf": 3, "min_branch": 1}, [7])):
        coordinator, _ = run_of(frames, joins, ("T1", "class"), **options, **settings)
        assert [sum(node.counts) for node in coordinator.train().nodes if node.site is None] == sizes
    coordinator, _ = run_of(frames, joins, ("T1", "class"), min_branch=3, confidence=None)
    assert sorted(sum(n.counts) for n in coordinator.train().nodes if n.site is None) == [1, 3, 3]


def test_a_run_within_the_caps_of_a_policy_goes_through():
    policies = {"T1": Policy(max_depth=2, min_leaf=2)}
    coordinator, _ = run_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), min_leaf=2, max_depth=2, policies=policies)
    assert coordinator.train().depth <= 2


# -- hidden comparisons -----------------------------------------------------------------------------------------------


def introduce(*contestants):
    addresses = dict.fromkeys((*contestants, "helper"), "127.0.0.1:9")
    return Message(
        "introduce", {"run": "a" * 32, "addresses": addresses, "sites": list(contestants), "session": "5" * 32}
    )


@pytest.mark.parametrize(
    ("contestants", "message"),
    [
        (("T1", "T2", "T3", "coordinator"), "coordinator names itself a contestant of the hidden comparison, but T1"),
        (("T1", "coordinator"), "leaves sites out of the hidden comparison"),
        (("T1", "T2", "T3", "T3"), "names one twice"),
    ],
)
def test_a_coordinator_that_has_no_table_is_not_a_contestant_of_a_hidden_comparison(contestants, message):
    _, sites = small()
    order(sites[0], begin())
    with pytest.raises(UnreachableError, match=message):
        order(sites[0], introduce(*contestants))


def test_a_node_is_compared_once_and_not_scored_as_well():
    coordinator, sites = small(hide_gains=True)
    asked = []
    honest = sites[1].handle

    def twice(sender, message, cancelled):
        answer = honest(sender, message, cancelled)
        if message.verb == "compare":
            for verb, more in (
                ("compare", {}),
                ("score", {"sum": np.zeros(1, np.int64), "number": np.zeros(1, np.int32)}),
            ):
                with pytest.raises(
                    UnreachableError, match=f"T2 cannot take '{verb}' now: the run is in phase 'scored'"
                ):
                    honest(sender, Message(verb, message.header, {"node": message.columns["node"], **more}), cancelled)
                asked.append(verb)
        return answer

    sites[1].handle = twice
    coordinator.train()
    assert asked[:2] == ["compare", "score"]


# -- intersections ----------------------------------------------------------------------------------------------------


def points(site, neighbour, *, attempt, token):
    """What a neighbour sends to start an intersection."""
    party = IntersectionParty(["a", "b", "c"], context=f"{'a' * 32} T1 T2")
    header = {"run": attempt, "token": token, "types": ["large_string"]}
    start = party.start()
    body = pa.array([start[i : i + 32] for i in range(0, len(start), 32)], pa.binary(32))
    return site.handle(neighbour, Message("points", header, {"point": body}), lambda: False)


def intersect(neighbour, token, *, speaks=False):
    return Message("intersect", {"run": "a" * 32, "neighbour": neighbour, "token": token, "speaks": speaks})


def test_a_neighbour_starts_no_intersection_unless_the_coordinator_ordered_it_and_once():
    _, sites = small()
    order(sites[0], begin())
    token, other = "1" * 32, "2" * 32
    with pytest.raises(UsageError, match="T1 was not ordered to find shared join values with T2 now"):
        points(sites[0], "T2", attempt="b" * 32, token=token)
    order(sites[0], intersect("T2", token))
    with pytest.raises(UsageError, match="not ordered"):
        points(sites[0], "T2", attempt="b" * 32, token=other)
    with pytest.raises(UsageError, match="not ordered"):
        points(sites[0], "T3", attempt="b" * 32, token=token)
    assert points(sites[0], "T2", attempt="b" * 32, token=token).verb == "answer"
    with pytest.raises(UsageError, match="not ordered"):
        points(sites[0], "T2", attempt="b" * 32, token=token)
    with pytest.raises(UnreachableError, match="a second intersection with T2 in one run"):
        order(sites[0], intersect("T2", other))


def test_a_neighbour_that_lists_a_whole_domain_of_join_values_is_refused_by_the_policy():
    frames = {
        "T1": pa.table({"k": [1, 2, 3, 4], "x": [1, 1, 2, 2], "class": list("yynn")}),
        "T2": pa.table({"k": list(range(50))}),
    }
    joins = [(("T1", ("k",)), ("T2", ("k",)))]
    for asks, ratio, passes in (("T1", 10, False), ("T1", 13, True), ("T2", 1, True)):
        policies = {asks: Policy(max_key_ratio=ratio), "T2" if asks == "T1" else "T1": Policy(max_key_ratio=1000)}
        coordinator, _ = run_of(frames, joins, ("T1", "class"), policies=policies)
        if passes:
            assert coordinator.train().nodes[0].counts == [2, 2]
        else:
            with pytest.raises(CannotMeetError, match=r"T1: .* holds 50 values against 4 here, and 40 are allowed"):
                coordinator.train()


def test_nobody_renumbers_join_values_in_the_middle_of_a_run():
    coordinator, sites = small()
    coordinator.train()
    run = sites[0].runs.current
    before = run.values.keys["T2"].tolist()
    for message in ("points", "points-back"):
        header = {"run": run.attempt, "token": "3" * 32}
        if message == "points":
            header["types"] = ["large_string"]
        with pytest.raises((UsageError, UnreachableError)):
            sites[0].handle("T2", Message(message, header, {"point": None}), lambda: False)
    with pytest.raises(UnreachableError, match="T1 cannot take 'intersect' now: the run is in phase 'over' here"):
        order(sites[0], Message("intersect", {"run": run.id, "neighbour": "T2", "token": "4" * 32, "speaks": True}))
    assert run.values.keys["T2"].tolist() == before


# -- what others write ------------------------------------------------------------------------------------------------


def test_control_characters_of_others_reach_neither_log_nor_terminal_nor_ledger(tmp_path, caplog):
    wicked = "gone\x1b[2J\r\nAll is well\u202e"
    _, sites = small(site_options={"state": tmp_path})
    order(sites[0], begin())
    stop = Message("stop", {"run": "a" * 32, "attempt": "b" * 32, "reason": wicked})
    serve(sites[0], "coordinator", stop, 0, lambda: False)
    with caplog.at_level(logging.INFO, logger="confide.join"):
        serve(sites[0], wicked, Message("labels", {"run": "a" * 32}), 0, lambda: False)
        answer = serve(sites[0], "coordinator", Message("labels", {"run": "a" * 32}), 0, lambda: False)
    raised = _rebuild_error(Message("failed", {"code": "usage", "text": wicked}), "T2")
    ledger = (tmp_path / "ledger.jsonl").read_text()
    for text in (caplog.text, answer.header["text"], str(raised), ledger):
        assert not any(character in text for character in "\x1b\r\u202e"), text
    assert "All is well" in answer.header["text"]
    assert len(str(raised).splitlines()) == len(caplog.text.splitlines()) == 1


# -- the state folder -------------------------------------------------------------------------------------------------


def test_a_ledger_and_a_run_that_others_could_read_are_closed_to_them(tmp_path):
    (tmp_path / "ledger.jsonl").touch(mode=0o644)
    (tmp_path / ("a" * 32)).mkdir(mode=0o755)
    _, sites = small(site_options={"state": tmp_path})
    serve(sites[0], "coordinator", begin(), 0, lambda: False)
    assert stat.S_IMODE((tmp_path / "ledger.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / ("a" * 32)).stat().st_mode) == 0o700


def test_state_folders_and_all_that_is_in_them_are_their_owners_only(tmp_path):
    previous = os.umask(0o022)
    try:
        coordinator, _ = small(state=tmp_path / "registry", site_options={"state": tmp_path / "site"})
        coordinator.train()
    finally:
        os.umask(previous)
    found = [*(tmp_path / "registry").rglob("*"), *(tmp_path / "site").rglob("*")]
    assert {"splits.json", "keys-T2.npz", "ledger.jsonl", "run.json"} <= {path.name for path in found}
    for path in [tmp_path / "registry", tmp_path / "site", *found]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
