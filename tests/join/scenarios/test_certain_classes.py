"""Nobody's class leaves for certain unless the target's owner says so: refused before, counted during, said after."""

import re

import numpy as np
import pyarrow as pa
import pytest
from tests.commands import confide
from tests.join.schemas import graph_of
from tests.join.sites import run_of

from confide import report
from confide.core.errors import CannotMeetError, UnreachableError
from confide.join.configuration.config_files import SiteConfig
from confide.join.protocol.certain_lines import match_counts
from confide.join.protocol.policy import Policy
from confide.join.protocol.verbs import CertainTold

PEOPLE = 300
JOINS = [(("clinic", ("person",)), ("insurer", ("person",))), (("clinic", ("person",)), ("employer", ("person",)))]
TARGET = ("clinic", "ill")


def by_person():
    """Three tables with one record for each person: every class count by join value is somebody's class."""
    rng = np.random.default_rng(1)
    paid = rng.integers(0, 1000, PEOPLE)
    ill = np.where((paid > 600) ^ (rng.random(PEOPLE) < 0.2), "yes", "no")
    return {
        "clinic": pa.table({"person": range(PEOPLE), "ward": rng.integers(0, 4, PEOPLE), "ill": ill}),
        "insurer": pa.table({"person": range(PEOPLE), "paid": paid}),
        "employer": pa.table({"person": range(PEOPLE), "hours": rng.integers(10, 40, PEOPLE)}),
    }


def by_district():
    """The same with 6 districts of 50 people: every district has both classes, and people on both sides of a split."""
    frames = by_person()
    district = np.arange(PEOPLE) % 6
    return {name: frame.set_column(0, "person", pa.array(district)) for name, frame in frames.items()}


def run_with(frames, joins=JOINS, target=TARGET, *, heard=None, **shares):
    """A run in which `shares` are policies by site, and the target says 0.0 unless it says something."""
    forbid = {name: ["person"] if "person" in frame.column_names else [] for name, frame in frames.items()}
    policies = {name: Policy(forbid=forbid[name], **shares.get(name, {})) for name in frames}
    sites = run_of(frames, joins, target, policies=policies, heard=heard, max_depth=3, confidence=None)
    for site in sites[1]:  # the helper of other tests allows everything where nothing is said
        site.policy = policies[site.name]
    return sites


def kinds_sent(sites):
    return {line.kind for site in sites for line in site.ledger.sent()}


def test_unique_ids_are_refused_by_default_before_any_class_summary_leaves():
    heard = []
    coordinator, sites = run_with(by_person(), heard=lambda *said: heard.append(said[2]))
    with pytest.raises(CannotMeetError) as caught:
        coordinator.train()
    assert str(caught.value) == (
        "clinic stops before a summary to insurer leaves: insurer could tell for certain the class of 300 of 300 "
        "people by join value (300 of 300 by record of clinic), and a share of 0 is allowed; join on coarser values, "
        "or, if insurer may know this, say certain_classes = 1.0 in [policy] of clinic: then this summary leaves (1.0: "
        "every summary)"
    )
    assert "class-counts" not in heard
    assert not kinds_sent(sites) & {"class-summary", "split-summary", "class-totals", "scores"}


def test_with_the_owners_word_the_run_goes_on_and_everybody_can_read_what_it_showed(tmp_path):
    coordinator, _ = run_with(by_person(), clinic={"certain_classes": 1.0})
    tree = coordinator.train()
    found = {(line.sender, line.receiver): line for line in tree.certain}
    assert set(found) == {(a, b) for one, other in coordinator.graph.edges for a, b in ((one, other), (other, one))}
    for partner in ("insurer", "employer"):
        line = found["clinic", partner]
        assert (line.class_keys, line.keys, line.class_records, line.records) == (300, 300, 300, 300)
        assert (line.seen_class_keys, line.allowed_classes) == (300, 1.0)
        assert found[partner, "clinic"].class_keys == 0  # the clinic knew
    release = tree.release(min_records=1, parameters={})
    said = "could tell the class of 300 of 300 people by join value for certain (allowed: 100%)"
    assert said in release.passport.headline
    page = report.render(release)
    assert said in page[: page.index("</header>")] or said in page[: page.index("<table")]
    assert release.verification.ok
    assert any("300 of 300 people" in check.detail for check in release.verification.checks)
    assert "no private column" not in page


def test_coarse_join_values_need_no_word():
    coordinator, _ = run_with(by_district())
    tree = coordinator.train()
    assert len(tree.nodes) > 3
    assert [(line.class_keys, line.side_keys, line.keys) for line in tree.certain] == [(0, 0, 6)] * 4
    headline = tree.release(min_records=1, parameters={}).passport.headline
    assert "no neighbour could tell anybody's class for certain, nor a side of a hidden split" in headline


def test_a_refusal_names_a_share_that_lets_the_summary_leave():
    """Followed again and again, the proposals end in a run that goes through."""
    frames = by_person()
    frames["clinic"] = pa.concat_tables([frames["clinic"], by_person()["clinic"].slice(0, 150)])
    shares = {name: {} for name in frames}
    before = []
    for _ in range(12):
        coordinator, _ = run_with(frames, **shares)
        try:
            tree = coordinator.train()
            break
        except CannotMeetError as error:
            found = re.search(r"(.* leaves): .* say (certain_\w+) = ([0-9.]+) in \[policy\] of ([\w ]+):", str(error))
            assert found.groups() not in before
            before.append(found.groups())
            for owner in found[4].replace("the target", "clinic").split(" and of "):
                shares[owner][found[2]] = float(found[3])
    assert tree.certain
    assert before


# -- whose word holds ---------------------------------------------------------------------------------------------


def chain():
    """A - B - C: of the join values of A and B half have one class; of those of B and C all."""
    frames = {
        "A": pa.table({"p": [0, 0, 1, 1, 2, 2, 3, 3], "c": list("xyxyxxyy"), "a": range(8)}),
        "B": pa.table({"p": [0, 0, 1, 1, 2, 2, 3, 3], "q": [9, 9, 9, 9, 5, 5, 6, 6], "b": range(8)}),
        "C": pa.table({"q": [5, 5, 6, 6], "u": range(4)}),
    }
    return frames, [(("A", ("p",)), ("B", ("p",))), (("B", ("q",)), ("C", ("q",)))], ("A", "c")


@pytest.mark.parametrize("own", [{}, {"certain_classes": 1.0}, {"certain_classes": 0.1}, {"certain_sides": 1.0}])
def test_the_bound_of_the_targets_owner_holds_at_the_next_site_and_can_only_be_lowered_there(own):
    frames, joins, target = chain()
    coordinator, sites = run_with(frames, joins, target, A={"certain_classes": 0.5, "certain_sides": 1.0}, B=own)
    allowed = own.get("certain_classes", 0.5)
    with pytest.raises(CannotMeetError, match=f"B stops .* and a share of {min(allowed, 0.5):g} is allowed"):
        coordinator.train()
    assert not any(line.kind == "class-summary" for line in sites[2].ledger.lines())


def test_a_neighbour_cannot_send_a_share_that_is_none():
    from confide.core.errors import InputError
    from confide.join.protocol.messages import Message
    from confide.join.protocol.summary_messages import class_counts

    for share in (-0.1, 1.5, float("nan"), float("inf")):
        message = class_counts(np.ones((2, 2), dtype=np.int64), run="0" * 32, step=0, certain_classes=share)
        with pytest.raises(InputError):
            Message.from_bytes(message.to_bytes())


def test_the_owner_of_split_columns_may_say_more_about_sides_alone():
    frames = by_district()
    frames["insurer"] = frames["insurer"].slice(0, 6)  # a record for each district
    with pytest.raises(CannotMeetError, match=r"split of 6 of 6 people .* say certain_sides = 1\.0"):
        run_with(frames)[0].train()
    tree = run_with(frames, insurer={"certain_sides": 1.0})[0].train()
    lines = {(line.sender, line.receiver): line for line in tree.certain}
    assert (lines["insurer", "clinic"].side_keys, lines["insurer", "clinic"].allowed_sides) == (6, 1.0)
    assert all(line.class_keys == 0 for line in tree.certain)
    assert tree.release(min_records=1, parameters={}).verification.ok


def test_a_split_that_shows_the_side_of_a_whole_join_value_stops_before_its_summary_leaves():
    key = np.repeat(np.arange(20), 10)
    color = np.where(key < 10, "red", "blue")  # the same in all records of a join value
    ill = np.where(np.arange(200) % 10 < np.where(color == "red", 7, 3), "yes", "no")
    frames = {
        "A": pa.table({"person": key, "ill": ill}),
        "B": pa.table({"person": key, "color": color}),
    }
    joins = [(("A", ("person",)), ("B", ("person",)))]
    for depth in (3, 1):  # on the last level no summary follows, but the counts of the leaves do
        policies = {name: Policy(forbid=["person"], certain_classes=0.0) for name in frames}
        heard = []
        coordinator, sites = run_of(
            frames, joins, ("A", "ill"), policies=policies, max_depth=depth, heard=lambda *s, to=heard: to.append(s[:3])
        )
        with pytest.raises(CannotMeetError, match="the side of a hidden split of 20 of 20 people by join value"):
            coordinator.train()
        assert ("A", "B", "class-counts") in heard
        assert ("B", "A", "split-counts") not in heard
        assert "split-summary" not in kinds_sent(sites)


def test_a_held_out_table_is_bound_as_the_first_is():
    from tests.join.questions.test_evaluation import HELD, TRAIN, over
    from tests.join.questions.test_evaluation import JOINS as ON

    free = {name: Policy(forbid=["k"], certain_classes=1.0) for name in TRAIN}
    coordinator, sites = over(TRAIN, HELD, ON, ("T", "class"), policies=free, confidence=None)
    tree = coordinator.train()
    assert any("could tell" in line for line in coordinator.evaluate(tree).notes())
    for site in sites:
        site.policy = Policy(forbid=["k"])
    with pytest.raises(CannotMeetError, match="stops before a summary"):
        coordinator.evaluate(tree)


# -- what parties say about it ------------------------------------------------------------------------------------


def told(neighbour, **changes):
    counts = dict.fromkeys(("class_keys", "class_records", "seen_class_keys", "seen_side_keys"), 0)
    counts |= {"keys": 4, "records": 8, "side_keys": 1, "side_records": 2}
    return CertainTold(**{"neighbour": neighbour, "allowed_classes": 1.0, "allowed_sides": 1.0, **counts, **changes})


def test_sites_that_disagree_on_what_was_shown_end_the_run():
    assert len(match_counts({"A": [told("B")], "B": [told("A")]})) == 2
    with pytest.raises(UnreachableError, match="A and B disagree on what B could tell"):
        match_counts({"A": [told("B", class_keys=1, class_records=2)], "B": [told("A")]})
    with pytest.raises(UnreachableError, match="A and B disagree on what B could tell"):
        match_counts({"A": [told("B")], "B": [told("A", seen_side_keys=2)]})
    with pytest.raises(UnreachableError, match="B did not say what it could tell from the summaries of A"):
        match_counts({"A": [told("B")], "B": []})


def test_check_counts_for_all_partners_and_ends_with_1_above_what_the_target_allows(trial):
    done = confide("join", "check", trial / "join.toml", cwd=trial)
    assert done.returncode == 0
    assert (
        "T2 could tell for certain the class of 15 of 15 people by join value (60 of 60 by record of T1)" in done.stderr
    )
    assert "T1 could tell for certain the class of 0 of 15 people by join value" in done.stderr
    text = (trial / "T1.toml").read_text()
    assert "certain_classes = 1.0" in text
    (trial / "T1.toml").write_text(text.replace("certain_classes = 1.0", ""))
    assert SiteConfig.read(trial / "T1.toml").effective_policy().certain_classes == 0.0  # as in files of before
    for command in ("check", "simulate"):
        done = confide("join", command, trial / "join.toml", cwd=trial)
        assert done.returncode == 1, command
        assert "T1 stops before a summary to T2 leaves" in done.stderr
    done = confide("join", "simulate", trial / "join.toml", cwd=trial)
    assert "say certain_classes = 1.0 in [policy] of T1" in done.stderr


def test_the_check_of_a_graph_lists_every_way_along_a_join():
    found = graph_of(by_person(), JOINS, TARGET).check().as_dict()["certain"]
    assert {(line["from"], line["to"]): line["class_keys"] for line in found} == {
        ("clinic", "insurer"): 300,
        ("insurer", "clinic"): 0,
        ("clinic", "employer"): 300,
        ("employer", "clinic"): 0,
    }
