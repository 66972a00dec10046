"""Sites and coordinator in one process: the same tree as JoinTree, and what a policy or a wrong join stops."""

import threading

import pyarrow as pa
import pytest
from tests.join.schemas import graph_of, random_schema
from tests.join.sites import FIGURE_2, FIGURE_2_JOINS, assembled, graph_of_sites, in_order, run_of, sites_of, small
from tests.patience import LONG

from confide.core.errors import CannotMeetError, InputError, RequirementError, UnreachableError, UsageError
from confide.join import JoinTree
from confide.join.coordinator.simulation import simulated
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.hidden.helper import Helper
from confide.join.network.links import RunStopped
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy


def plain_names(frames, joins, target, categorical):
    """Table names a certificate can hold; order, and so ties, stay as they were."""
    new = {name: name.replace(".", "x") for name in frames}
    joins = [tuple((new[table], columns) for table, columns in join) for join in joins]
    categorical = [
        f"{new[t]}.{c}" for name in categorical for t in frames for c in frames[t].column_names if name == f"{t}.{c}"
    ]
    return {new[t]: frame for t, frame in frames.items()}, joins, (new[target[0]], target[1]), categorical


def schemas(number, first=0):
    """Random schemas of two tables or more whose join has two classes or more."""
    seed = first
    while number:
        _, _, frames, joins, target, options, exclude = random_schema(seed)
        seed += 1
        if len(frames) < 2:
            continue
        both = plain_names(frames, joins, target, options["categorical"]), plain_names(frames, joins, target, exclude)
        frames, joins, target, options["categorical"] = both[0]
        check = graph_of(frames, joins, target).check()
        if sum(count > 0 for count in check.class_counts.values()) < 2:
            continue
        number -= 1
        yield seed - 1, frames, joins, target, options, both[1][3]


@pytest.mark.parametrize("batch", range(4))
def test_40_random_schemas_give_the_tree_of_join_tree(batch):
    grown = 0
    for seed, frames, joins, target, options, exclude in schemas(10, first=5_000 * batch):
        expected = JoinTree(**options, exclude=exclude).fit(graph_of(frames, joins, target)).tree_
        forbidden = {t: [c for c in frame.column_names if f"{t}.{c}" in exclude] for t, frame in frames.items()}
        policies = {name: Policy(forbid=columns) for name, columns in forbidden.items()}
        coordinator, sites = run_of(frames, joins, target, policies=policies, **options)
        tree = coordinator.train()
        assert assembled(tree, sites) == in_order(expected.nodes), seed
        assert tree.classes == expected.classes
        grown += len(tree.nodes) > 3
    assert grown >= 3


def test_the_class_summaries_of_figures_4_to_6_cross():  # thesis, Examples 2 and 3; errata for CS(T2 -> T1)
    heard = []

    def listen(sender, receiver, verb, data):
        if verb == "class-counts":
            message, _ = Message.from_bytes(data)
            heard.append((sender, receiver, sorted(message.counts().tolist())))

    coordinator, _ = run_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), heard=listen)
    tree = coordinator.train()
    assert heard == [
        ("T1", "T2", [[1, 0], [1, 2]]),
        ("T2", "T1", [[1, 2], [2, 0]]),
        ("T1", "T3", [[1, 1], [2, 1]]),
        ("T3", "T1", [[1, 1], [4, 2]]),
        ("T1", "T2", [[1, 3], [4, 0]]),
    ]
    assert tree.nodes[0].counts == [5, 3]


def test_a_forbidden_column_splits_nothing():
    columns = {"T1": ["J1", "J2", "class"], "T2": ["J1"], "T3": ["J2"]}
    bare = {name: FIGURE_2[name].select(kept) for name, kept in columns.items()}
    expected = JoinTree(min_branch=1, confidence=None).fit(graph_of(bare, FIGURE_2_JOINS, ("T1", "class"))).tree_
    coordinator, sites = small(policies={"T2": Policy(forbid=["Age"])})
    assert assembled(coordinator.train(), sites) == in_order(expected.nodes)


def test_a_forbidden_join_column_still_joins_but_the_class_cannot_be_forbidden():
    coordinator, sites = small(policies={name: Policy(forbid=["J1"]) for name in ("T1", "T2")})
    tree = coordinator.train()
    assert tree.nodes[0].counts == [5, 3]
    assert not any(part["column"] == "J1" for site in sites for part in site.own_part())
    with pytest.raises(UsageError, match="forbids 'class', which is the class"):
        small(policies={"T1": Policy(forbid=["class"])})


def test_too_few_records_behind_an_entry_stop_the_run_with_the_reason():
    coordinator, _ = small(policies={"T3": Policy(min_records=2)})
    with pytest.raises(
        CannotMeetError,
        match=r"T3: .* at least 2 records, but 2 of 4 entries of a class summary",
    ):
        coordinator.train()


def test_enough_records_in_class_summaries_may_still_be_too_few_at_a_child():
    frames = {
        "T1": pa.table({"k": ["a"] * 4 + ["b"] * 4, "x": [1, 2, 3, 4, 1, 2, 3, 4], "class": list("yyynyynn")}),
        "T2": pa.table({"k": ["a", "a", "b", "b"]}),
    }
    joins = [(("T1", ("k",)), ("T2", ("k",)))]
    coordinator, _ = run_of(frames, joins, ("T1", "class"), min_branch=1, policies={"T1": Policy(min_records=2)})
    with pytest.raises(CannotMeetError, match="entries of a class count to coordinator"):
        coordinator.train()
    frames["T1"] = frames["T1"].set_column(2, "class", pa.array(list("yynnyynn")))
    coordinator, _ = run_of(frames, joins, ("T1", "class"), max_depth=1, policies={"T1": Policy(min_records=2)})
    assert coordinator.train().nodes[0].counts == [8, 8]
    assert coordinator.min_records == 1, "T2 asked for nothing"


def test_a_strict_site_refuses_kinds_that_are_not_on_its_list():
    without = [kind for kind in Policy().allow if kind != "scores"]
    coordinator, _ = small(policies={"T3": Policy(allow=without)})
    with pytest.raises(CannotMeetError, match="policy of T3 allows no message of kind 'scores'"):
        coordinator.train()
    lenient, _ = small(policies={"T3": Policy(allow=without, strict=False)})
    assert lenient.train().nodes[0].counts == [5, 3]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"T3": pa.table({"J2": [1, 2]})}, InputError, "^join column 1 is int64 at T3 and large_string at T1"),
        ({"T3": pa.table({"J2": ["q"]})}, CannotMeetError, "share no join value"),
        ({"T2": pa.table({"J1": ["a"]})}, InputError, "one class; nothing to learn"),
    ],
)
def test_joins_that_give_nothing_end_in_one_clear_line(change, error, message):
    frames = {**FIGURE_2, **change}
    coordinator, _ = run_of(frames, FIGURE_2_JOINS, ("T1", "class"))
    with pytest.raises(error, match=message):
        coordinator.train()


def test_an_empty_join_of_tables_that_share_values_pairwise_is_said():
    frames = {
        "T1": pa.table({"a": [1, 2], "b": [1, 2], "class": ["x", "y"]}),
        "T2": pa.table({"a": [1]}),
        "T3": pa.table({"b": [2]}),
    }
    joins = [(("T1", ("a",)), ("T2", ("a",))), (("T1", ("b",)), ("T3", ("b",)))]
    coordinator, _ = run_of(frames, joins, ("T1", "class"))
    with pytest.raises(InputError, match="the join is empty"):
        coordinator.train()


def test_records_without_a_class_may_not_join():
    frames = {**FIGURE_2, "T1": FIGURE_2["T1"].set_column(2, "class", pa.array(["C1", None, "C1", "C2"]))}
    coordinator, _ = run_of(frames, FIGURE_2_JOINS, ("T1", "class"))
    with pytest.raises(InputError, match="class column is empty in 1 records"):
        coordinator.train()


def test_a_target_without_a_class_column_is_refused():
    coordinator, sites = small()
    sites[0].own.class_column = None
    with pytest.raises(UsageError, match="T1 is the target of the run but has no class column"):
        coordinator.train()


def test_a_site_takes_orders_from_its_coordinator_only():
    coordinator, sites = small()
    coordinator.train()
    with pytest.raises(UsageError, match="T1 takes no orders from T2"):
        sites[0].handle("T2", Message("labels", {"run": "0" * 32}), lambda: False)
    with pytest.raises(UsageError, match="coordinator is not a neighbour of T1"):
        sites[0].handle("coordinator", Message("class-counts", {"run": "0" * 32, "step": 0}), lambda: False)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("a", "b"), ("b", "c"), ("c", "a")], "cycle: "),
        ([("a", "b")], "no join leads from a to c"),
        ([("a", "b"), ("a", "d")], "'d', which is not a site"),
        ([("a", "b"), ("b", "a"), ("b", "c")], "joined twice"),
        ([("a", "a")], "cannot join itself"),
    ],
)
def test_a_graph_that_is_not_a_tree_is_refused_by_name(edges, message):
    with pytest.raises(InputError, match=message):
        SiteGraph(["a", "b", "c"], edges, "a")


# -- hidden gains -----------------------------------------------------------------------------------------------------


def test_hidden_gains_give_the_same_tree_among_three_sites():
    plain, sites = small()
    expected = assembled(plain.train(), sites)
    hidden, sites = small(hide_gains=True)
    tree = hidden.train()
    assert assembled(tree, sites) == expected
    kinds = {line.kind for line in tree.ledger}
    assert "hidden-scores" in kinds
    assert "scores" not in kinds


def test_hidden_gains_among_two_sites_need_a_third():
    frames = {name: FIGURE_2[name] for name in ("T1", "T2")}
    coordinator, _ = run_of(frames, FIGURE_2_JOINS[:1], ("T1", "class"), hide_gains=True)
    with pytest.raises(RequirementError, match=r"three parties, not 2.*the coordinator, or a helper"):
        coordinator.train()
    options = {"min_branch": 1, "confidence": None}
    coordinator, sites = run_of(
        frames, FIGURE_2_JOINS[:1], ("T1", "class"), hide_gains=True, third="coordinator", **options
    )
    expected = JoinTree(**options).fit(graph_of(frames, FIGURE_2_JOINS[:1], ("T1", "class"))).tree_
    assert assembled(coordinator.train(), sites) == in_order(expected.nodes)


def test_hidden_gains_and_the_gain_ratio_do_not_go_together():
    coordinator, _ = small(hide_gains=True, criterion="gain_ratio")
    with pytest.raises(UsageError, match="average gain"):
        coordinator.train()


# -- sites that send nonsense -----------------------------------------------------------------------------------------


class Liar:
    """A site that answers one verb with something else."""

    def __init__(self, site, verb, answer):
        self._site, self._verb, self._answer = site, verb, answer
        self.name, self.ledger, self.policy = site.name, site.ledger, site.policy

    def handle(self, sender, message, cancelled):
        true = self._site.handle(sender, message, cancelled)
        return self._answer(message, true) if message.verb == self._verb else true

    def close(self):
        self._site.close()


@pytest.mark.parametrize(
    ("verb", "answer"),
    [
        ("score", lambda asked, true: Message("done")),
        (
            "score",
            lambda asked, true: Message("scores", true.header, {**true.columns, "node": true.columns["node"] + 1}),
        ),
        (
            "won",
            lambda asked, true: Message(
                "children", true.header, {**true.columns, "children": true.columns["children"] * 0}
            ),
        ),
        ("split", lambda asked, true: Message("totals", true.header, {**true.columns, "c0": true.columns["c0"] + 1})),
        (
            "propagate",
            lambda asked, true: Message("totals", true.header, {**true.columns, "c0": true.columns["c0"] + 1}),
        ),
        (
            "ledger",
            lambda asked, true: Message("lines", true.header, {**true.columns, "kind": pa.array(["x"] * true.entries)}),
        ),
    ],
)
def test_a_site_that_answers_nonsense_ends_the_run_with_status_3(verb, answer):
    coordinator, sites = small()
    hall = coordinator.link.hall
    for site in sites:
        hall.enter(Liar(site, verb, answer))
    with pytest.raises(UnreachableError):
        coordinator.train()


def test_a_neighbour_that_sends_a_summary_that_cannot_be_ends_the_run_with_status_3():
    coordinator, sites = small()
    honest = sites[1].outbox.send

    def lie(to, message):
        if message.verb == "class-counts":
            message = Message(
                message.verb, message.header, {name: column[:1] for name, column in message.columns.items()}
            )
        return honest(to, message)

    sites[1].outbox.send = lie
    with pytest.raises(UnreachableError, match="T2 sent a class summary that does not fit"):
        coordinator.train()


def test_a_helper_without_a_table_can_be_the_third():
    frames = {name: FIGURE_2[name] for name in ("T1", "T2")}
    options = {"min_branch": 1, "confidence": None, "hide_gains": True, "third": "helper"}
    coordinator, sites = run_of(frames, FIGURE_2_JOINS[:1], ("T1", "class"), **options)
    coordinator.link.hall.enter(Helper("helper", coordinator="coordinator"))
    tree = coordinator.train()
    expected = JoinTree(min_branch=1, confidence=None).fit(graph_of(frames, FIGURE_2_JOINS[:1], ("T1", "class"))).tree_
    assert assembled(tree, sites) == in_order(expected.nodes)
    assert tree.helper == "helper"
    told = {line.kind for line in tree.ledger if "helper" in (line.sender, line.receiver)}
    assert told == {"control", "winner", "hidden-scores"}
    assert tree.release(min_records=1, parameters={"hide_gains": True}).verification.ok


# -- a coordinator that is a site -------------------------------------------------------------------------------------


def test_a_site_may_be_the_coordinator():
    sites = sites_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), coordinator="T2")
    graph = graph_of_sites(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"))
    tree = simulated(graph, sites, name="T2", min_branch=1, confidence=None).train()
    plain, others = small()
    assert assembled(tree, sites) == assembled(plain.train(), others)
    assert tree.release(min_records=1, parameters={}).verification.ok


# -- stopping ---------------------------------------------------------------------------------------------------------


def test_a_stopped_run_frees_whoever_waits_for_a_summary():
    coordinator, sites = small()
    coordinator.train()
    run = sites[0].runs.current
    waiting = threading.Thread(target=lambda: caught.append(_stopped(run)))
    caught = []
    waiting.start()
    header = {"run": run.id, "attempt": run.attempt, "reason": "enough"}
    sites[0].handle("coordinator", Message("stop", header), lambda: False)
    waiting.join(LONG)
    assert caught == ["enough"]


def _stopped(run):
    with pytest.raises(RunStopped) as stopped:
        run.inbox.take("split", 99, ["T2"], lambda: False)
    return str(stopped.value)


def test_whoever_waits_for_a_summary_leaves_when_the_coordinator_has_gone():
    coordinator, sites = small()
    coordinator.train()
    with pytest.raises(RunStopped, match="the coordinator has gone"):
        sites[0].runs.current.inbox.take("split", 99, ["T2"], lambda: True)


def test_a_summary_that_never_comes_ends_at_the_deadline():
    coordinator, sites = small(site_options={"step_deadline": 0.2})
    coordinator.train()
    with pytest.raises(UnreachableError, match="no summary from T2 came in time"):
        sites[0].runs.current.inbox.take("split", 99, ["T2"], lambda: False)
