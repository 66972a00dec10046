"""The verifier of limited exchanges: a sound artefact passes, every single lie in it is found."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import verify
from confide.audit.verifiers.exchange import ALLOWED, verify_exchange
from confide.core.checks import Verification
from confide.core.figures import Figure, Figures
from confide.core.passport import Passport
from confide.core.release import Release
from confide.core.requirements import KAnonymity, LimitedExchange
from confide.core.stages import STAGES

SITES = ["hospital", "insurer"]


def line(sender, receiver, kind, messages=1, entries=10, size=100):
    return {
        "from": sender,
        "to": receiver,
        "kind": kind,
        "messages": messages,
        "entries": entries,
        "bytes": size,
        "allowed_by": ALLOWED[kind].promise if kind in ALLOWED else "nothing",
    }


def sound():
    """The tree of the module's docstring, with a ledger in which every ordinary kind occurs."""
    return {
        "format": "confide-secure-tree",
        "version": 1,
        "run": "9f" * 16,
        "coordinator": "registry",
        "target": "hospital",
        "sites": list(SITES),
        "edges": [["insurer", "hospital"]],
        "classes": ["no", "yes"],
        "nodes": [
            {"site": "insurer", "children": [1, 2], "counts": [5, 4], "label": "no"},
            {"site": None, "children": [], "counts": [5, 0], "label": "no"},
            {"site": None, "children": [], "counts": [0, 4], "label": "yes"},
        ],
        "ledger": [
            line("registry", "hospital", "control", messages=7),
            line("hospital", "registry", "control"),
            line("hospital", "registry", "class-labels"),
            line("hospital", "insurer", "intersection-1"),
            line("insurer", "hospital", "intersection-2"),
            line("hospital", "insurer", "intersection-3"),
            line("hospital", "insurer", "class-summary"),
            line("insurer", "hospital", "class-summary"),
            line("insurer", "hospital", "split-summary"),
            line("insurer", "registry", "class-totals"),
            line("insurer", "registry", "scores"),
            line("registry", "insurer", "winner"),
            line("registry", "insurer", "structure"),
            line("hospital", "registry", "ledger"),
        ],
        "certain": [
            certain("hospital", "insurer", class_keys=2, class_records=3, seen_class_keys=2),
            certain("insurer", "hospital", side_keys=3, side_records=5, seen_side_keys=2),
        ],
    }


def certain(sender, receiver, **counts):
    names = ("class_keys", "class_records", "side_keys", "side_records", "seen_class_keys", "seen_side_keys")
    allowed = {"allowed_classes": 0.25, "allowed_sides": 0.5}
    return {"from": sender, "to": receiver, **allowed, "keys": 8, "records": 15, **dict.fromkeys(names, 0), **counts}


def context(artefact):
    kinds = {}
    for entry in artefact["ledger"]:
        kinds[entry["kind"]] = kinds.get(entry["kind"], 0) + entry["messages"]
    return {
        "sites": list(artefact["sites"]),
        "edges": copy.deepcopy(artefact["edges"]),
        "coordinator": "registry",
        "target": "hospital",
        "messages": sum(kinds.values()),
        "bytes": sum(entry["bytes"] for entry in artefact["ledger"]),
        "kinds": kinds,
    }


def passport(artefact, *, min_records=1, requirement=None, **parameters):
    return Passport.issue(
        requirement or LimitedExchange(min_records=min_records),
        stage="join",
        algorithm="SecureMultiTbl",
        parameters=parameters,
        context=context(artefact),
        loss=Figures(Figure("classes_certain", 2, "count", "whose class one neighbour could tell for certain")),
    )


def failed(artefact, issued=None):
    return [check.name for check in verify_exchange(artefact, issued or passport(artefact)) if not check.ok]


def test_a_sound_artefact_passes_every_check():
    checks = list(verify_exchange(sound(), passport(sound())))
    assert [check.name for check in checks if not check.ok] == []
    assert len(checks) == 11


FORM = "the artefact is a secure tree with its ledger"
NAMES = "the tree names sites and classes only"
SHAPE = "the nodes make one tree"
COUNTS = "class counts add up"
LABELS = "the class of each node is its commonest"
KINDS = "only allowed messages crossed"
HIDDEN = "scores were sent or hidden as the passport says"
SUMS = "the passport's sums are the ledger's"
RECORDS = "no node has fewer rows of the join than records were promised"


def put(*path):
    """A lie: `put("nodes", 0, "site", "x")` puts "x" there."""
    *way, last, value = path

    def change(artefact):
        for step in way:
            artefact = artefact[step]
        artefact[last] = value

    return change


LIES = [
    (FORM, put("nodes", 0, "attribute", "Age")),
    (FORM, put("nodes", 0, "threshold", 10)),
    (FORM, put("columns", ["Age"])),
    (FORM, put("ledger", 0, "note", "Age")),
    (FORM, put("version", 2)),
    (FORM, put("version", True)),
    (FORM, put("run", "Age > 10")),
    (FORM, put("nodes", [])),
    (FORM, put("nodes", 0, None)),
    (FORM, put("nodes", 1, "counts", [5, -0.5])),
    (FORM, put("nodes", 1, "counts", [6, -1])),
    (FORM, put("nodes", 1, "counts", [True, 0])),
    (FORM, put("nodes", 0, "children", ["Age"])),
    (FORM, put("ledger", 0, "bytes", -1)),
    (FORM, put("sites", ["hospital", "hospital"])),
    (FORM, put("edges", [])),
    (FORM, put("edges", [["hospital", "Age > 10"]])),
    (FORM, put("edges", [["hospital", "insurer", "Age > 10"]])),
    (FORM, put("edges", [["hospital", "insurer"], ["insurer", "hospital"]])),
    (FORM, put("edges", [["hospital", "hospital"]])),
    (FORM, put("edges", [[["hospital"], "insurer"]])),
    (FORM, lambda a: a.pop("target")),
    (FORM, lambda a: a["nodes"][0].pop("label")),
    (NAMES, put("nodes", 0, "site", "Age > 10")),
    (NAMES, put("nodes", 2, "label", "Bob")),
    (NAMES, put("target", "registry")),
    (SHAPE, put("nodes", 0, "children", [1, 1])),
    (SHAPE, put("nodes", 0, "children", [1])),
    (SHAPE, put("nodes", 0, "children", [0, 1, 2])),
    (SHAPE, put("nodes", 0, "children", [1, 2, 3])),
    (SHAPE, put("nodes", 0, "site", None)),
    (SHAPE, put("nodes", 1, "site", "insurer")),
    (SHAPE, lambda a: a["nodes"].append(copy.deepcopy(a["nodes"][1]))),
    (COUNTS, put("nodes", 0, "counts", [5, 3])),
    (COUNTS, put("nodes", 1, "counts", [4, 0])),
    (COUNTS, put("nodes", 1, "counts", [5])),
    (COUNTS, put("nodes", 1, "counts", [5, 0, 0])),
    (LABELS, put("nodes", 0, "label", "yes")),
    (LABELS, put("nodes", 2, "label", "no")),
    (KINDS, lambda a: a["ledger"].append(line("hospital", "insurer", "records"))),
    (KINDS, put("ledger", 0, "allowed_by", "trust me, Bob is 42")),
    (KINDS, lambda a: a["ledger"].append(line("hospital", "stranger", "control"))),
    (KINDS, lambda a: a["ledger"].append(line("hospital", "hospital", "control"))),
    (KINDS, lambda a: a["ledger"].append(line("hospital", "registry", "class-summary"))),
    (KINDS, lambda a: a["ledger"].append(line("insurer", "hospital", "scores"))),
    (KINDS, lambda a: a["ledger"].append(line("insurer", "registry", "class-labels"))),
    (KINDS, lambda a: a["ledger"].append(line("registry", "insurer", "intersection-1"))),
    (KINDS, lambda a: a["ledger"].append(dict(a["ledger"][0]))),
    (KINDS, put("ledger", 0, "messages", 0)),
    (KINDS, put("ledger", [])),
    (HIDDEN, lambda a: a["ledger"].append(line("hospital", "insurer", "hidden-scores"))),
]


@pytest.mark.parametrize(("check", "lie"), LIES)
def test_every_lie_fails_its_check(check, lie):
    artefact = sound()
    lie(artefact)
    issued = passport(artefact) if isinstance(artefact.get("ledger"), list) and check != FORM else passport(sound())
    assert check in failed(artefact, issued)


@pytest.mark.parametrize("name", ["sites", "edges", "coordinator", "target", "messages", "bytes", "kinds"])
def test_a_passport_with_other_sums_fails(name):
    artefact = sound()
    issued = passport(artefact)
    lied = issued.model_copy(update={"context": {**issued.context, name: 17}})
    assert failed(artefact, lied) == [SUMS]


@pytest.mark.parametrize(
    "kind", ["intersection-1", "intersection-2", "intersection-3", "class-summary", "split-summary"]
)
def test_join_values_and_summaries_go_between_sites_that_join_only(kind):
    artefact = sound()
    artefact["sites"].append("firms")
    artefact["edges"].append(["firms", "insurer"])
    artefact["ledger"].append(line("firms", "insurer", kind))
    if kind == "class-summary":
        artefact["certain"].append(certain("firms", "insurer"))
    assert failed(artefact) == []
    artefact["ledger"][-1] = line("firms", "hospital", kind)
    assert failed(artefact)[0] == KINDS


def test_class_labels_are_shown_for_they_are_text_that_nobody_can_check():
    artefact = json.loads(json.dumps(sound()).replace('"yes"', '"yes: days > 12"'))
    checks = {check.name: check for check in verify_exchange(artefact, passport(artefact))}
    assert checks[NAMES].ok
    assert "'yes: days > 12'" in checks[NAMES].detail


def test_what_a_tree_gets_right_stands_beside_what_the_commonest_class_would():
    verification = Verification.of(verify_exchange(sound(), passport(sound())))
    assert (verification.findings.figures["leaf_class"], verification.findings.figures["commonest_class"]) == (1, 5 / 9)
    assert "100% have the class of their leaf (the commonest class: 56%)" in verification.findings.sentence


def test_every_limit_stands_under_a_heading():
    limits = LimitedExchange().does_not_stop
    grouped = LimitedExchange.limits_by_heading(["another limit", *limits])
    assert grouped.pop("") == ["another limit"]
    assert sorted(limit for under in grouped.values() for limit in under) == sorted(limits)


def test_rows_of_the_join_are_not_said_to_be_records():
    detail = [check.detail for check in verify_exchange(sound(), passport(sound(), min_records=4))][-1]
    assert "the smallest has 4 rows" in detail
    assert "only the sites can tell" in detail


def test_a_node_on_fewer_rows_than_promised_fails():
    artefact = sound()
    assert failed(artefact, passport(artefact, min_records=4)) == []
    assert failed(artefact, passport(artefact, min_records=5)) == [RECORDS]


def test_an_empty_leaf_may_have_any_class():
    artefact = sound()
    artefact["nodes"][0]["children"].append(3)
    artefact["nodes"].append({"site": None, "children": [], "counts": [0, 0], "label": "yes"})
    assert failed(artefact) == []


def hidden_ledger(*parties):
    artefact = sound()
    artefact["ledger"] = [entry for entry in artefact["ledger"] if entry["kind"] != "scores"]
    artefact["ledger"] += [line(one, two, "hidden-scores") for one in parties for two in parties if one != two]
    return artefact


def test_hidden_scores_need_three_parties_and_no_score_sent():
    three = hidden_ledger("hospital", "insurer", "registry")
    assert failed(three, passport(three, hide_gains=True)) == []
    two = hidden_ledger("hospital", "insurer")
    assert failed(two, passport(two, hide_gains=True)) == [HIDDEN]
    told = hidden_ledger("hospital", "insurer", "registry")
    told["ledger"].append(line("insurer", "registry", "scores"))
    assert failed(told, passport(told, hide_gains=True)) == [HIDDEN]


def test_a_helper_takes_part_only_when_named():
    artefact = hidden_ledger("hospital", "insurer", "help")
    assert failed(artefact, passport(artefact, hide_gains=True)) == [KINDS]
    artefact["helper"] = "help"
    assert failed(artefact, passport(artefact, hide_gains=True)) == []


def test_a_passport_that_promises_something_else_is_not_an_answer():
    assert failed(sound(), passport(sound(), requirement=KAnonymity(k=2))) == [FORM]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["nodes", "ledger", "sites", "format", "version"]), inner)
        ),
    )
)
def test_anything_at_all_gets_an_answer(nonsense):
    checks = list(verify_exchange(nonsense, passport(sound())))
    assert not checks[0].ok


@given(st.data())
def test_one_field_replaced_by_anything_never_crashes(data):
    artefact = sound()
    where = data.draw(st.sampled_from(["document", "node", "line"]))
    part = {"document": artefact, "node": artefact["nodes"][0], "line": artefact["ledger"][0]}[where]
    key = data.draw(st.sampled_from(sorted(part)))
    value = data.draw(
        st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers() | st.none() | st.lists(st.integers()))
    )
    was, part[key] = part[key], value
    ok = all(check.ok for check in verify_exchange(artefact, passport(sound())))
    assert not ok or value == was or key in ("run", "entries", "label")


def test_the_registry_knows_the_verifier_and_a_file_is_verified_from_its_passport(tmp_path):
    assert STAGES["join"].verifier("limited-exchange") is verify_exchange
    artefact = sound()
    release = Release.issue(
        artefact,
        LimitedExchange(),
        stage="join",
        algorithm="SecureMultiTbl",
        context=context(artefact),
        loss=Figures(Figure("classes_certain", 2, "count")),
    )
    release.write(tmp_path / "tree.json")
    assert verify(tmp_path / "tree.json.passport.json").ok
    artefact["nodes"][0]["counts"] = [9, 0]
    (tmp_path / "tree.json").write_text(json.dumps(artefact))
    assert not verify(tmp_path / "tree.json.passport.json").ok


def test_the_auditors_list_is_the_one_the_sites_keep_to():
    kinds = pytest.importorskip("confide.join.protocol.verbs")
    crossing = {name: kind for name, kind in kinds.KINDS.items() if name not in kinds.NOT_OF_A_TREE}
    assert {name: kind.allowed_by for name, kind in crossing.items()} == {
        name: allowed.promise for name, allowed in ALLOWED.items()
    }
