"""The ledger: every message at both ends, under a promise; released, verified, and kept over a restart."""

import json

import pytest
from tests.join.sites import FIGURE_2, FIGURE_2_JOINS, run_of

from confide import verify
from confide.core.errors import InputError, VerificationError
from confide.core.requirements.exchange import SUMMARIES
from confide.join.coordinator.disclosure import LEARNED, who_learned_what
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.protocol.ledger import Ledger, Line, add_up_lines
from confide.join.protocol.verbs import KINDS, VERBS


@pytest.fixture(scope="module")
def run():
    said = []
    coordinator, sites = run_of(
        FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), min_branch=1, heard=lambda *message: said.append(message)
    )
    return coordinator, sites, coordinator.train(), said


def test_every_message_is_in_the_ledgers_of_both_ends(run):
    coordinator, sites, _, said = run
    ledgers = {site.name: site.ledger for site in sites} | {"coordinator": coordinator.link.ledger}
    for sender in ledgers:
        for receiver in ledgers:
            counted = {}
            for s, r, verb, _ in said:
                if (s, r) == (sender, receiver):
                    counted[VERBS[verb].kind] = counted.get(VERBS[verb].kind, 0) + 1
            for end in (sender, receiver):
                noted = {
                    line.kind: line.messages
                    for line in ledgers[end].lines()
                    if (line.sender, line.receiver) == (sender, receiver)
                }
                assert noted == counted


def test_sites_speak_to_neighbours_and_the_coordinator_only(run):
    *_, tree, _ = run
    pairs = {frozenset((line.sender, line.receiver)) for line in tree.ledger}
    assert frozenset(("T2", "T3")) not in pairs
    summaries = [line for line in tree.ledger if line.kind.endswith("-summary")]
    assert summaries
    assert all("coordinator" not in (line.sender, line.receiver) for line in summaries)


def test_every_kind_says_what_is_learned_and_what_allows_it(run):
    *_, tree, _ = run
    for line in tree.ledger:
        assert line.allowed_by == KINDS[line.kind].allowed_by
        assert line.kind in LEARNED or line.kind in ("control", "heartbeat", "error", "ledger")
    rows = {(row["who"], row["from"]): row for row in who_learned_what(tree.ledger)}
    assert LEARNED["class-summary"] in rows["T2", "T1"]["learned"]
    assert ("T2", "T3") not in rows
    assert rows["coordinator", "T3"]["learned"] == f"{LEARNED['class-totals']}; {LEARNED['scores']}"


def test_a_released_tree_verifies_and_says_what_summaries_reveal(run, tmp_path):
    coordinator, _, tree, _ = run
    release = tree.release(min_records=coordinator.min_records, parameters={})
    release.write(tmp_path / "tree.json")
    assert verify(tmp_path / "tree.json.passport.json").ok
    assert SecureTree.read(tmp_path / "tree.json") == tree
    said = json.loads((tmp_path / "tree.json.passport.json").read_text())
    assert set(SUMMARIES) <= set(said["does_not_protect_against"])
    reveals = " ".join(said["does_not_protect_against"])
    for words in (
        "fan-out",
        "one record",
        "side of a split",
        "splits of farther sites",
        "sites beyond the sender",
        "who is in a site's table, how large the table is",
        "any record at any node",
        "those that join nothing included",
        "gaps at third sites",
        "coordinator",
        "pruning",
        "honest",
    ):
        assert words in reveals


def test_a_ledger_with_a_kind_that_is_not_allowed_is_not_released(run):
    _, _, tree, _ = run
    line = Line(sender="T1", receiver="T2", kind="gossip", messages=1, entries=1, bytes=1)
    told = SecureTree(**{**vars(tree), "ledger": (*tree.ledger, line)})
    with pytest.raises(VerificationError):
        told.release(min_records=1, parameters={})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "format"),
        ({"nodes": []}, "nodes"),
        ({"attribute": "age"}, "attribute"),
        ({"nodes": [{"site": "T9", "children": [1, 1], "counts": [1, 1], "label": "C1"}]}, "not a site of this tree"),
        ({"nodes": [{"site": None, "children": [1], "counts": [1, 1], "label": "C1"}]}, "a leaf neither"),
        ({"nodes": [{"site": "T1", "children": [0, 5], "counts": [1, 1], "label": "C1"}]}, "cannot be its child"),
        ({"nodes": [{"site": None, "children": [], "counts": [1], "label": "C1"}]}, "do not fit"),
        ({"nodes": [{"site": None, "children": [], "counts": [1, 1], "label": "C1"}] * 2}, "hangs below no other"),
        ({"ledger": [{"from": "T1"}]}, "not a line of a ledger"),
    ],
)
def test_a_file_that_is_not_a_secure_tree_is_refused_with_the_place(run, change, message):
    *_, tree, _ = run
    with pytest.raises(InputError, match=message):
        SecureTree.from_dict(tree.to_dict() | change)


def test_sums_survive_a_restart_in_the_middle_of_a_run(tmp_path):
    file = tmp_path / "ledger.jsonl"
    first = Ledger("T1", file=file)
    first.begin("a" * 32)
    first.note("T1", "T2", "class-summary", entries=5, bytes=50)
    with open(file, "a") as broken:
        broken.write('{"time": "12:0')
    again = Ledger("T1", file=file)
    again.begin("a" * 32, resume=True)
    again.note("T1", "T2", "class-summary", entries=1, bytes=10)
    assert [(line.messages, line.entries, line.bytes) for line in again.lines()] == [(2, 6, 60)]
    other = Ledger("T1", file=file)
    other.begin("b" * 32)
    assert other.lines() == ()


def test_lines_of_several_ledgers_add_up():
    one = Line(sender="a", receiver="b", kind="scores", messages=1, entries=2, bytes=3)
    assert add_up_lines([one, one]) == (Line(sender="a", receiver="b", kind="scores", messages=2, entries=4, bytes=6),)
