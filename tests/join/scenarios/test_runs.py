"""Runs that follow, meet or interrupt each other, at the same sites."""

import pyarrow as pa
import pytest
from tests.join.sites import FIGURE_2, FIGURE_2_JOINS, assembled, graph_of_sites, run_of, sites_of

from confide.core.errors import UnreachableError, UsageError
from confide.join.coordinator.ending import end_run
from confide.join.coordinator.levels import grow
from confide.join.coordinator.run_opening import open_run
from confide.join.coordinator.run_record import RunRecord
from confide.join.coordinator.simulation import simulated
from confide.join.hidden.helper import Helper
from confide.join.network.links import RunStopped
from confide.join.network.state_folder import hold_folder
from confide.join.protocol.messages import Message


class Broken:
    """A site whose answers to a verb get lost, from the `after`-th on."""

    def __init__(self, site, verb, after=0):
        self._site, self._verb, self._left = site, verb, after
        self.name, self.ledger, self.policy = site.name, site.ledger, site.policy

    def handle(self, sender, message, cancelled):
        if message.verb == self._verb:
            self._left -= 1
            if self._left < 0:
                raise UnreachableError("the cable is cut")
        return self._site.handle(sender, message, cancelled)

    def close(self):
        self._site.close()


def trained(tmp_path, **options):
    """A coordinator and its sites, each with a state folder."""
    target = ("T1", "class")
    made = {name: sites_of(FIGURE_2, FIGURE_2_JOINS, target, state=tmp_path / name) for name in FIGURE_2}
    sites = [next(site for site in made[name] if site.name == name) for name in FIGURE_2]
    options = {"min_branch": 1, "confidence": None, "state": tmp_path / "registry", **options}
    return simulated(graph_of_sites(FIGURE_2, FIGURE_2_JOINS, target), sites, **options), sites


def another(coordinator, sites, **changes):
    """Another coordinator process over the same sites."""
    options = {"min_branch": 1, "confidence": coordinator.confidence, "state": coordinator.state, **changes}
    return simulated(coordinator.graph, sites, **options)


def own_parts(sites):
    return {site.name: site.own_part() for site in sites}


# -- a run that is finished -------------------------------------------------------------------------------------------


def test_a_finished_run_is_not_run_again_but_its_tree_is_there(tmp_path):
    coordinator, sites = trained(tmp_path)
    tree, parts = coordinator.train(), own_parts(sites)
    said = []
    again = another(coordinator, sites, heard=lambda *message: said.append(message))
    assert again.train(resume=True) == tree
    assert again.was_finished
    assert said == [], "nobody was asked"
    assert own_parts(sites) == parts
    with pytest.raises(UsageError, match="finished, with other parameters"):
        another(coordinator, sites, confidence=0.1).train(resume=True)


def test_a_run_that_broke_off_after_some_sites_had_finished_is_taken_up(tmp_path):
    coordinator, sites = trained(tmp_path, confidence=0.9)
    coordinator.link.hall.enter(Broken(sites[2], "ledger"))
    with pytest.raises(UnreachableError, match="the cable is cut"):
        coordinator.train()
    again = another(coordinator, sites)
    tree = again.train(resume=True)
    assert not again.was_finished
    plain, others = run_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), min_branch=1, confidence=0.9)
    assert assembled(tree, sites) == assembled(plain.train(), others)


def test_children_of_a_categorical_split_come_in_no_order_and_in_the_same_one_when_resumed(tmp_path):
    frames = {
        "A": pa.table({"k": [1, 2] * 24, "x": list("abcdef") * 8, "class": list("uvwxyz") * 8}),
        "B": pa.table({"k": [1, 2]}),
    }
    joins, target = [(("A", ("k",)), ("B", ("k",)))], ("A", "class")
    orders = set()
    for attempt in range(4):  # all four in one order: 1 in 720 ** 3
        state = tmp_path / str(attempt)
        sites = [sites_of(frames, joins, target, state=state / name)[place] for place, name in enumerate(frames)]
        graph, options = graph_of_sites(frames, joins, target), {"state": state / "registry", "confidence": None}
        coordinator = simulated(graph, sites, **options)
        coordinator.link.hall.enter(Broken(sites[1], "finish"))
        with pytest.raises(UnreachableError):
            coordinator.train()
        order = sites[0].runs.current.splits.splits[0].values
        tree = simulated(graph, sites, **options).train(resume=True)
        assert sites[0].runs.current.splits.splits[0].values == order
        assert [tree.nodes[child].label for child in tree.nodes[0].children] == [
            dict(zip("abcdef", "uvwxyz", strict=True))[value] for value in order
        ]
        orders.add(order)
    assert len(orders) > 1


def test_pruned_splits_are_kept_for_a_resumption_and_shown_to_nobody(tmp_path):
    coordinator, sites = trained(tmp_path, confidence=0.01)
    tree = coordinator.train()
    kept = sum(len(site.runs.current.splits.splits) for site in sites)
    shown = sum(len(site.own_part()) for site in sites)
    assert shown == sum(node.site is not None for node in tree.nodes)
    assert kept > shown


def test_the_ledger_of_a_run_that_was_taken_up_again_adds_up(tmp_path):
    coordinator, sites = trained(tmp_path)
    coordinator.link.hall.enter(Broken(sites[1], "score", after=1))
    with pytest.raises(UnreachableError):
        coordinator.train()
    tree = another(coordinator, sites).train(resume=True)
    for site in sites:
        for line in site.ledger.lines():
            if line.sender == "coordinator" and line.kind != "ledger":
                assert line in tree.ledger, (site.name, line)
    begun = [line.messages for line in tree.ledger if (line.sender, line.kind) == ("coordinator", "control")]
    assert min(begun) > 5


def test_the_first_line_of_a_run_is_of_that_run(tmp_path):
    coordinator, sites = trained(tmp_path)
    first = coordinator.train().run
    second = another(coordinator, sites).train().run
    for name in ("T1/ledger.jsonl", "T3/ledger.jsonl", "registry/coordinator-ledger.jsonl"):
        lines = (tmp_path / name).read_text()
        assert '"run": ""' not in lines
        assert lines.count(first) == lines.count(second), name


# -- a run that meets another -----------------------------------------------------------------------------------------


def opened(coordinator, **options):
    """A run that has come as far as its root, and whose coordinator is still there."""
    record = RunRecord.new(coordinator.question(), None)
    run = coordinator.run(record)
    with run.asker.watching():
        open_run(run, resume=False, **options)
    return run


def test_a_second_run_is_refused_while_one_is_in_progress(tmp_path):
    coordinator, sites = trained(tmp_path)
    run = opened(coordinator)
    runs = [site.runs.current for site in sites]
    with pytest.raises(UsageError, match=r"another run is in progress at T. \(begun ..:..:.. UTC\).*take_over"):
        another(coordinator, sites, state=None).train()
    assert [site.runs.current for site in sites] == runs
    assert not any(run.over for run in runs), "the newcomer's stop is none of theirs"
    with run.asker.watching():
        grow(run, lambda _: None)
        assert end_run(run, confidence=None, helper=None).nodes[0].counts == [5, 3]
    assert another(coordinator, sites, state=None).train().nodes[0].counts == [5, 3]


def test_a_run_that_is_taken_over_hears_it_and_does_not_stop_the_other(tmp_path):
    coordinator, sites = trained(tmp_path)
    run = opened(coordinator)
    newer = another(coordinator, sites, state=None)
    taken = opened(newer, take_over=True)
    with (
        pytest.raises(RunStopped, match="another run has begun at T"),
        run.asker.watching(),
    ):
        grow(run, lambda _: None)
    with taken.asker.watching():
        grow(taken, lambda _: None)
        assert end_run(taken, confidence=None, helper=None).nodes[0].counts == [5, 3]


def test_a_run_that_is_in_progress_is_not_taken_up_a_second_time(tmp_path):
    coordinator, sites = trained(tmp_path)
    coordinator.link.hall.enter(Broken(sites[1], "score", after=1))
    with pytest.raises(UnreachableError):
        coordinator.train()
    with hold_folder(coordinator.state) as alone:
        assert alone
        with pytest.raises(UsageError, match=r"the run is in progress.*take_over"):
            another(coordinator, sites).train(resume=True)
        assert another(coordinator, sites).train(resume=True, take_over=True).nodes[0].counts == [5, 3]
    with hold_folder(coordinator.state) as alone:
        assert alone, "whoever has ended holds nothing"


def test_a_run_whose_coordinator_is_silent_does_not_hold_the_sites(tmp_path):
    coordinator, sites = trained(tmp_path, deadline=30)
    opened(coordinator)
    for site in sites:
        site.runs.last_sign -= 31.0
    assert another(coordinator, sites, state=None).train().nodes[0].counts == [5, 3]


def test_asking_again_and_again_does_not_keep_an_abandoned_run_alive(tmp_path):
    """Each refused attempt asks the sites to stop; taken for a sign of life, that would hold them for ever."""
    coordinator, sites = trained(tmp_path, deadline=600)
    opened(coordinator)
    for site in sites:
        site.runs.last_sign -= 300.0
    for _ in range(2):
        with pytest.raises(UsageError, match="another run is in progress"):
            another(coordinator, sites, state=None).train()
    for site in sites:
        site.runs.last_sign -= 300.0  # five minutes later the silence has lasted the deadline
    assert another(coordinator, sites, state=None).train().nodes[0].counts == [5, 3]


def test_a_stop_that_means_another_run_stops_nothing():
    coordinator, sites = run_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"))
    opened(coordinator)
    run = sites[0].runs.current

    def stop(**changes):
        header = {"run": run.id, "attempt": run.attempt, "reason": "enough", **changes}
        sites[0].handle("coordinator", Message("stop", header), lambda: False)
        return run.over

    assert not stop(run="0" * 32)
    assert not stop(attempt="0" * 32)
    assert stop()


def test_a_helper_leaves_only_for_a_stop_of_its_run():
    helper = Helper("helper", coordinator="coordinator")
    left = []
    helper.close = lambda: left.append(True)
    helper._run = "a" * 32
    for run in ("b" * 32, "a" * 32):
        header = {"run": run, "attempt": "c" * 32, "reason": "enough"}
        helper.handle("coordinator", Message("stop", header), lambda: False)
    assert left == [True]


# -- what a site's owner can read -------------------------------------------------------------------------------------


def test_a_refused_order_is_in_the_sites_log(tmp_path, caplog):
    coordinator, sites = trained(tmp_path)
    sites[1].coordinator = "somebody"
    with caplog.at_level("INFO", logger="confide.join"), pytest.raises(UsageError):
        coordinator.train()
    assert "T2 refused 'begin' from coordinator: T2 takes no orders from coordinator" in caplog.messages
