"""Several passports: a chain that is whole, one with a gap, and one that forks."""

import pyarrow as pa
import pytest

from confide import Release, report, verify
from confide.audit.release_chain import check_chain
from confide.core.passport import Passport
from confide.core.requirements import KAnonymity
from confide.core.tables.frames import write_table


def passport(name, *before, values=2):
    hashes = [one.artefact.sha256 for one in before]
    context = {"roles": {}} | ({"after": {"releases": hashes, "values": values}} if before else {})
    made = Passport.issue(KAnonymity(k=5), stage="publish table", algorithm="-", context=context, artefact="table")
    return made.for_bytes(name.encode(), f"{name}.csv", type="table")


A = passport("a")
B = passport("b", A)
C = passport("c", A, B)


def failures(*passports):
    return [[check.detail for check in checks if not check.ok] for checks in check_chain(passports)]


def test_a_whole_chain_holds_in_any_order():
    assert failures(A, B, C) == failures(C, A, B) == [[], [], []]
    assert [check.name for check in check_chain([A, B, C])[2]] == [
        "the releases it is built on are among these",
        "no other release is built on the same",
    ]


def test_a_missing_release_is_named_by_its_hash():
    assert failures(B, C) == [
        [f"1 missing, the first is {A.artefact.sha256[:16]}..."],
        [f"1 missing, the first is {A.artefact.sha256[:16]}..."],
    ]


def test_two_releases_built_on_the_same_are_a_fork_for_both():
    fork = passport("d", A, B)
    assert failures(A, B, C, fork) == [[], [], ["so is d.csv: the chain forks"], ["so is c.csv: the chain forks"]]


def test_a_fork_at_the_first_release_is_found():
    assert failures(A, B, passport("e", A))[1:] == [["so is e.csv: the chain forks"], ["so is b.csv: the chain forks"]]


def test_a_release_that_leaves_one_out_does_not_fit():
    short = passport("f", B)
    assert failures(A, B, short)[2] == ["b.csv names others, or in another order"]


@pytest.mark.parametrize("others", [(), (passport("x"),), (None,)])
def test_releases_of_no_chain_have_nothing_to_check(others):
    assert check_chain([A, *others]) == [[] for _ in range(1 + len(others))]


def test_the_joint_promise_takes_the_place_of_the_limit():
    assert "Together with the 2 earlier releases that it names, at least 2 sensitive values stay possible" in C.promise
    assert "someone who compares several releases about the same people" not in C.does_not_protect_against
    alone = passport("g", A, values=1)
    assert "Together" not in alone.promise
    assert "someone who compares several releases about the same people" in alone.does_not_protect_against


# -- what one release alone says of those it names --------------------------------------------------------------------

GROUPS = pa.table({"age": ["20-29"] * 3 + ["30-39"] * 4, "ill": list("abcabca")})


def forged(folder, *, stage="publish table", **after):
    """The path of a passport beside a k-anonymous table that claims, in our own words, to be built on others."""
    context = {"roles": {"age": "quasi-identifier", "ill": "sensitive"}, "after": {"releases": ["ab" * 32], **after}}
    made = Passport.issue(KAnonymity(k=3), stage=stage, algorithm="-", context=context, artefact="table")
    write_table(GROUPS, folder / "t.csv", replace=True)
    data = (folder / "t.csv").read_bytes()
    made.for_bytes(data, "t.csv", type="table").write(folder / "t.csv.passport.json", replace=True)
    return folder / "t.csv.passport.json"


def failed(path):
    return [check.name for check in verify(path).failed]


def test_a_joint_promise_is_never_shown_as_verified(tmp_path):
    path = forged(tmp_path, values=3)
    outcome = verify(path)
    assert outcome.ok
    assert [check.name for check in outcome.unproved] == ["values that stay possible together with them"]
    assert "a part of its promise is not checked" in outcome.verdict()
    page = report.render(Release.described(Passport.read(path), verification=outcome))
    assert "Not verified as a whole" in page
    assert "separate code" not in page


def test_more_values_than_a_group_has_are_refused(tmp_path):
    assert failed(forged(tmp_path, values=4)) == ["no group has fewer values than that"]


def test_a_table_made_by_hand_is_built_on_nothing(tmp_path):
    assert failed(forged(tmp_path, stage="by hand", values=2)) == ["it names the releases it is built on"]


def test_a_passport_that_promises_nothing_together_is_verified(tmp_path):
    outcome = verify(forged(tmp_path, values=1))
    assert (outcome.ok, outcome.unproved) == (True, ())


def test_the_words_of_a_tree_promise_nothing_together():
    context = {"after": {"releases": ["ab" * 32], "values": 3}}
    assert "Together" not in KAnonymity(k=3).words("tree", context).promise
    assert "Together" in KAnonymity(k=3).words("table", context).promise
